//! The helper of rust-mcp-sdk, and the field behind it.

use std::sync::Arc;

use rust_mcp_sdk::McpServer;
use rust_mcp_sdk::schema::InitializeRequestParams;

async fn announce(runtime: Arc<dyn McpServer>) {
    let text = match runtime.client_supports_root_list() { //~ roots-capability-check deprecated
        Some(true) => "folders come from the client",
        Some(false) => "folders come from the command line",
        None => "no client yet",
    };
    let _ = runtime.stderr_message(text.into()).await;
}

fn sends_changes(client: &InitializeRequestParams) -> bool {
    client.capabilities.roots.is_some() //~ roots-capability-check deprecated
}
