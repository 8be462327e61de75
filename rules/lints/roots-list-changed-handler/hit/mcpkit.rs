//! mcpkit names the hook as rmcp does and hands over another context.

use mcpkit_core::capability::{ServerCapabilities, ServerInfo};
use mcpkit_server::{Context, ServerHandler};

struct Notes;

impl ServerHandler for Notes {
    fn server_info(&self) -> ServerInfo {
        ServerInfo::new("notes", "0.3.0")
    }

    fn capabilities(&self) -> ServerCapabilities {
        ServerCapabilities::new().with_tools()
    }

    async fn on_roots_list_changed(&self, _ctx: &Context<'_>) { //~ roots-list-changed-handler removed
        tracing::info!("notifications/roots/list_changed");
    }
}
