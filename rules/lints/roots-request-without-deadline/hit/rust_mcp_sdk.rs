//! The request of rust-mcp-sdk, awaited as it is.

use std::sync::Arc;

use rust_mcp_sdk::McpServer;
use rust_mcp_sdk::error::SdkResult;

async fn folders(runtime: Arc<dyn McpServer>) -> SdkResult<Vec<String>> {
    if !runtime.client_supports_root_list().unwrap_or(false) {
        return Ok(Vec::new());
    }
    let answer = runtime.request_root_list(None).await?; //~ roots-request-without-deadline
    let mut uris: Vec<String> = answer.roots.into_iter().map(|root| root.uri).collect();
    uris.dedup();
    Ok(uris)
}
