//! A declaration that is kept: the handler stands in another module.

use rmcp::model::{ClientCapabilities, ClientInfo, Implementation};

pub fn info() -> ClientInfo {
    let capabilities = ClientCapabilities::builder().enable_roots().build();
    ClientInfo::new(capabilities, Implementation::new("editor", "1.4.0"))
}

mod handler {
    use rmcp::model::{ErrorData, ListRootsResult};
    use rmcp::service::{RequestContext, RoleClient};

    pub struct Editor {
        pub folders: ListRootsResult,
    }

    impl rmcp::ClientHandler for Editor {
        async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
            Ok(self.folders.clone())
        }
    }
}
