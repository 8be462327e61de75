//! Handlers of rmcp in both spellings, and clients that take messages apart themselves.

use std::future::Future;

use rmcp::model::{
    ClientInfo, ClientResult, ErrorData, InputRequest, ListRootsResult, ServerRequest,
};
use rmcp::service::{RequestContext, RoleClient};
use rmcp::ClientHandler;

struct Editor {
    folders: ListRootsResult,
}

impl ClientHandler for Editor {
    fn get_info(&self) -> ClientInfo {
        ClientInfo::default()
    }

    async fn list_roots( //~ roots-list-handler deprecated
        &self,
        _context: RequestContext<RoleClient>,
    ) -> Result<ListRootsResult, ErrorData> {
        Ok(self.folders.clone())
    }
}

struct Relay<H>(H);

impl<H: ClientHandler> rmcp::handler::client::ClientHandler for Relay<H> {
    #[allow(deprecated)]
    fn list_roots( //~ roots-list-handler deprecated
        &self,
        context: RequestContext<RoleClient>,
    ) -> impl Future<Output = Result<ListRootsResult, ErrorData>> + Send + '_ {
        self.0.list_roots(context)
    }
}

fn answer(folders: ListRootsResult) -> ClientResult {
    ClientResult::ListRootsResult(folders) //~ roots-list-handler deprecated
}

fn is_answered_locally(request: &ServerRequest) -> bool {
    match request {
        ServerRequest::PingRequest(_) => true,
        ServerRequest::ListRootsRequest(_) => true, //~ roots-list-handler deprecated
        _ => false,
    }
}

fn wants_folders(request: &InputRequest) -> bool {
    matches!(request, InputRequest::ListRoots(_)) //~ roots-list-handler deprecated
}
