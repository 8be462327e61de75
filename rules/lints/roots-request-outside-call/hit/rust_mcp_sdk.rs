//! The hooks of rust-mcp-sdk that run for notifications.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use rust_mcp_sdk::McpServer;
use rust_mcp_sdk::mcp_server::ServerHandler;
use rust_mcp_sdk::schema::{NotificationParams, RpcError};
use tokio::time::timeout;

struct FileSystem;

#[async_trait]
impl ServerHandler for FileSystem {
    async fn on_initialized(&self, runtime: Arc<dyn McpServer>) {
        if runtime.client_supports_root_list() == Some(true) {
            let _ = timeout(Duration::from_secs(5), runtime.request_root_list(None)).await; //~ roots-request-outside-call
        }
    }

    async fn handle_roots_list_changed_notification(
        &self,
        _params: Option<NotificationParams>,
        runtime: Arc<dyn McpServer>,
    ) -> Result<(), RpcError> {
        if runtime.client_supports_root_list() == Some(true) {
            let _ = timeout(Duration::from_secs(5), runtime.request_root_list(None)).await; //~ roots-request-outside-call
        }
        Ok(())
    }
}
