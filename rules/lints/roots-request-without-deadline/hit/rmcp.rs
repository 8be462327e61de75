//! Requests in rmcp servers that wait for as long as the client likes.

use rmcp::model::{CallToolResult, ErrorData, ListRootsRequest, ServerRequest};
use rmcp::service::{Peer, RequestContext, RoleServer, RunningService, ServiceError};

struct Files {
    allowed: tokio::sync::Mutex<Vec<String>>,
}

impl Files {
    async fn refresh(&self, peer: &Peer<RoleServer>) -> Result<(), ServiceError> {
        if peer.peer_info().is_some_and(|info| info.capabilities.roots.is_none()) {
            return Ok(());
        }
        let mut allowed = self.allowed.lock().await;
        let answer = peer.list_roots().await?; //~ roots-request-without-deadline
        *allowed = answer.roots.into_iter().map(|root| root.uri).collect();
        Ok(())
    }
}

async fn in_a_tool(context: RequestContext<RoleServer>) -> Result<CallToolResult, ErrorData> {
    let declared = context.client_capabilities().is_some_and(|capabilities| capabilities.roots.is_some());
    if declared {
        let _answer = context
            .peer
            .list_roots() //~ roots-request-without-deadline
            .await;
    }
    Ok(CallToolResult::success(Vec::new()))
}

async fn together(server: RunningService<RoleServer, Files>) {
    if server.peer_info().is_some_and(|info| info.capabilities.roots.is_some()) {
        let (_answer, _tools) = tokio::join!(server.list_roots(), warm_up()); //~ roots-request-without-deadline
    }
}

async fn by_hand(peer: &Peer<RoleServer>) {
    if peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some()) {
        let request = ServerRequest::ListRootsRequest(ListRootsRequest::default()); //~ roots-request-without-deadline
        let _ = peer.send_request(request).await;
    }
}
