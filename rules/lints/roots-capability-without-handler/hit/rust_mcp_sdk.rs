//! The literal of rust-mcp-sdk, with a handler that only looks at errors.

use async_trait::async_trait;
use rust_mcp_sdk::McpClient;
use rust_mcp_sdk::mcp_client::ClientHandler;
use rust_mcp_sdk::schema::{ClientCapabilities, ClientRoots, NotificationParams, RpcError};

struct Handler;

fn capabilities() -> ClientCapabilities {
    ClientCapabilities {
        roots: Some(ClientRoots { list_changed: None }), //~ roots-capability-without-handler
        ..ClientCapabilities::default()
    }
}

#[async_trait]
impl ClientHandler for Handler {
    async fn handle_tool_list_changed_notification(
        &self,
        _params: Option<NotificationParams>,
        _runtime: &dyn McpClient,
    ) -> Result<(), RpcError> {
        Ok(())
    }
}
