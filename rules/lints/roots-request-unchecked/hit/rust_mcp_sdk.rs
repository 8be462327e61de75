//! rust-mcp-sdk has a helper for the check, which is not used here.

use std::sync::Arc;
use std::time::Duration;

use rust_mcp_sdk::McpServer;

struct FileSystem {
    allowed: tokio::sync::RwLock<Vec<String>>,
}

impl FileSystem {
    async fn update_allowed(&self, runtime: Arc<dyn McpServer>) {
        let answer = tokio::time::timeout(
            Duration::from_secs(5),
            runtime.request_root_list(None), //~ roots-request-unchecked
        )
        .await;
        if let Ok(Ok(answer)) = answer {
            *self.allowed.write().await = answer.roots.into_iter().map(|root| root.uri).collect();
        }
    }
}
