//! The call of rust-mcp-sdk takes parameters; older versions have another name for it.

use std::sync::Arc;

use rust_mcp_sdk::McpClient;
use rust_mcp_sdk::error::SdkResult;
use rust_mcp_sdk::mcp_client::ClientRuntime;

async fn folder_added(client: Arc<ClientRuntime>) -> SdkResult<()> {
    client.notify_roots_list_changed(None).await //~ roots-list-changed-sent removed
}

#[allow(deprecated)]
async fn folder_removed(client: &dyn McpClient) -> SdkResult<()> {
    client
        .send_roots_list_changed(None) //~ roots-list-changed-sent removed
        .await
}
