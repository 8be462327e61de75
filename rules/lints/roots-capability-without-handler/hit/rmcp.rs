//! The builder call of an example, with rmcp's default handler behind it: it answers with an empty list.

use rmcp::model::{ClientCapabilities, ClientInfo, Implementation};
use rmcp::service::{NotificationContext, RoleClient};
use rmcp::{ClientHandler, ServiceExt};

#[derive(Clone)]
struct Agent {
    name: String,
}

impl ClientHandler for Agent {
    fn get_info(&self) -> ClientInfo {
        let capabilities = ClientCapabilities::builder()
            .enable_elicitation()
            .enable_roots() //~ roots-capability-without-handler
            .build();
        ClientInfo::new(capabilities, Implementation::new(self.name.clone(), "0.4.0"))
    }

    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {
        tracing::info!("tools changed");
    }
}

async fn connect(agent: Agent, transport: Transport) -> anyhow::Result<()> {
    agent.serve(transport).await?.waiting().await?;
    Ok(())
}
