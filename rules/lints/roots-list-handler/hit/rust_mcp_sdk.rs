//! The handler of rust-mcp-sdk clients.

use async_trait::async_trait;
use rust_mcp_sdk::McpClient;
use rust_mcp_sdk::mcp_client::ClientHandler;
use rust_mcp_sdk::schema::{ListRootsResult, RequestParams, Root, RpcError};

pub struct Handler {
    folders: Vec<String>,
}

#[async_trait]
impl ClientHandler for Handler {
    async fn handle_list_roots_request( //~ roots-list-handler deprecated
        &self,
        _params: Option<RequestParams>,
        _runtime: &dyn McpClient,
    ) -> std::result::Result<ListRootsResult, RpcError> {
        let roots = self
            .folders
            .iter()
            .map(|uri| Root { uri: uri.clone(), name: None, meta: None })
            .collect();
        Ok(ListRootsResult { roots, meta: None })
    }
}
