//! Other handlers of an rmcp client, and the server's side of the same messages.

use rmcp::model::{
    ClientInfo, CreateMessageRequestParams, CreateMessageResult, ErrorData, InputRequest, ListRootsRequest,
    ServerRequest,
};
use rmcp::service::{Peer, RequestContext, RoleClient, RoleServer};
use rmcp::ClientHandler;

struct Chat;

impl ClientHandler for Chat {
    fn get_info(&self) -> ClientInfo {
        ClientInfo::default()
    }

    async fn create_message(
        &self,
        _params: CreateMessageRequestParams,
        _context: RequestContext<RoleClient>,
    ) -> Result<CreateMessageResult, ErrorData> {
        Err(ErrorData::internal_error("no model is configured", None))
    }
}

fn ask_in_the_result() -> InputRequest {
    InputRequest::ListRoots(ListRootsRequest::default())
}

fn is_ping(request: &ServerRequest) -> bool {
    matches!(request, ServerRequest::PingRequest(_))
}

/// Overriding `ClientHandler::list_roots` is what `Editor` does, not this server.
async fn count(_peer: Peer<RoleServer>, folders: &[std::path::PathBuf]) -> usize {
    folders.len()
}
