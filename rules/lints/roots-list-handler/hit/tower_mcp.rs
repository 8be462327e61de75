//! The handler of tower-mcp clients; it also answers input requests.

use async_trait::async_trait;
use tower_mcp::client::ClientHandler;
use tower_mcp::protocol::{ListRootsResult, Root};
use tower_mcp::JsonRpcError;

struct Folders {
    current: Vec<Root>,
}

#[async_trait]
impl ClientHandler for Folders {
    async fn handle_list_roots(&self) -> Result<ListRootsResult, JsonRpcError> { //~ roots-list-handler deprecated
        Ok(ListRootsResult {
            roots: self.current.clone(),
            meta: None,
        })
    }
}
