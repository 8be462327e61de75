//! A client that declares roots and answers for them: deprecated, not removed.

use rmcp::model::{ClientCapabilities, ListRootsResult};
use rmcp::service::{RequestContext, RoleClient};
use rmcp::{ClientHandler, ErrorData};

pub struct Client;

pub fn capabilities() -> ClientCapabilities {
    ClientCapabilities::builder().enable_roots().build()
}

impl ClientHandler for Client {
    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::default())
    }
}
