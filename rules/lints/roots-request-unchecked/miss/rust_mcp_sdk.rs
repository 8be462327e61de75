//! The helper of rust-mcp-sdk is a check.

use std::sync::Arc;
use std::time::Duration;

use rust_mcp_sdk::McpServer;

async fn folders(runtime: Arc<dyn McpServer>) -> Vec<String> {
    if runtime.client_supports_root_list() != Some(true) {
        return Vec::new();
    }
    let answer = tokio::time::timeout(Duration::from_secs(5), runtime.request_root_list(None)).await;
    match answer {
        Ok(Ok(answer)) => answer.roots.into_iter().map(|root| root.uri).collect(),
        _ => Vec::new(),
    }
}

struct Accounts;

impl Accounts {
    async fn list_roots(&self, client: aws_sdk_organizations::Client) -> usize {
        client.list_roots().send().await.map_or(0, |page| page.roots().len())
    }
}
