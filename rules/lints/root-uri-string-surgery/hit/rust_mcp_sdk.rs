//! The same with rust-mcp-sdk, on the answer of the client.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use rust_mcp_sdk::McpServer;
use rust_mcp_sdk::schema::Root;

fn allowed(roots: &[Root]) -> Vec<PathBuf> {
    roots
        .iter()
        .filter(|root| root.uri.starts_with("file://"))
        .map(|root| PathBuf::from(root.uri.trim_start_matches("file://"))) //~ root-uri-string-surgery
        .collect()
}

async fn update(runtime: Arc<dyn McpServer>) -> Vec<PathBuf> {
    if runtime.client_supports_root_list() != Some(true) {
        return Vec::new();
    }
    match tokio::time::timeout(Duration::from_secs(5), runtime.request_root_list(None)).await {
        Ok(Ok(answer)) => allowed(&answer.roots),
        _ => Vec::new(),
    }
}
