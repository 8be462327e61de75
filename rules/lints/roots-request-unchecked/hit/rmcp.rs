//! Requests in rmcp servers that ask whoever is there.

use std::time::Duration;

use rmcp::model::{CallToolResult, ErrorData, ListRootsRequest, ServerRequest};
use rmcp::service::{Peer, PeerRequestOptions, RequestContext, RoleServer};
use tokio::time::timeout;

async fn typed(client: &Peer<RoleServer>) -> usize {
    match timeout(Duration::from_secs(5), client.list_roots()).await { //~ roots-request-unchecked
        Ok(Ok(answer)) => answer.roots.len(),
        _ => 0,
    }
}

async fn in_a_tool(context: RequestContext<RoleServer>) -> Result<CallToolResult, ErrorData> {
    let asked = timeout(
        Duration::from_secs(5),
        context.peer.list_roots(), //~ roots-request-unchecked
    );
    asked.await.map_err(|_| ErrorData::internal_error("no answer", None))??;
    Ok(CallToolResult::success(Vec::new()))
}

async fn other_capability(peer: Peer<RoleServer>) {
    if peer.peer_info().is_some_and(|info| info.capabilities.sampling.is_some()) {
        tokio::select! {
            answer = peer.list_roots() => drop(answer), //~ roots-request-unchecked
            _ = tokio::time::sleep(Duration::from_secs(5)) => {}
        }
    }
}

async fn by_hand(peer: &Peer<RoleServer>) {
    let sent = peer.send_request_with_option(
        ServerRequest::ListRootsRequest(ListRootsRequest::default()), //~ roots-request-unchecked
        PeerRequestOptions::with_timeout(Duration::from_secs(5)),
    );
    drop(sent.await);
}
