//! The literal that rust-mcp-sdk clients pass to their runtime.

use async_trait::async_trait;
use rust_mcp_sdk::McpClient;
use rust_mcp_sdk::mcp_client::ClientHandler;
use rust_mcp_sdk::schema::{
    ClientCapabilities, ClientRoots, Implementation, InitializeRequestParams, ListRootsResult, RequestParams, RpcError,
};

struct Handler;

fn details(client_info: Implementation) -> InitializeRequestParams {
    InitializeRequestParams {
        capabilities: ClientCapabilities {
            roots: Some(ClientRoots { list_changed: None }), //~ roots-capability deprecated
            ..ClientCapabilities::default()
        },
        client_info,
        protocol_version: "2025-11-25".into(),
        meta: None,
    }
}

#[async_trait]
impl ClientHandler for Handler {
    async fn handle_list_roots_request(
        &self,
        _params: Option<RequestParams>,
        _runtime: &dyn McpClient,
    ) -> Result<ListRootsResult, RpcError> {
        Ok(ListRootsResult { roots: Vec::new(), meta: None })
    }
}
