//! The hook of rust-mcp-sdk servers, as a file system server uses it.

use std::sync::Arc;

use async_trait::async_trait;
use rust_mcp_sdk::McpServer;
use rust_mcp_sdk::mcp_server::ServerHandler;
use rust_mcp_sdk::schema::{NotificationParams, RpcError};

pub struct FileSystem {
    enable_roots: bool,
}

#[async_trait]
impl ServerHandler for FileSystem {
    async fn handle_roots_list_changed_notification( //~ roots-list-changed-handler removed
        &self,
        _params: Option<NotificationParams>,
        runtime: Arc<dyn McpServer>,
    ) -> std::result::Result<(), RpcError> {
        if !self.enable_roots {
            let _ = runtime.stderr_message("Roots are switched off.".into()).await;
        }
        Ok(())
    }
}
