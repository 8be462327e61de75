//! The check stands in a helper that the asking function calls first.

use std::time::Duration;

use rmcp::model::CallToolResult;
use rmcp::service::{Peer, RequestContext, RoleServer};

fn declares_roots(peer: &Peer<RoleServer>) -> bool {
    peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some())
}

async fn folders(context: RequestContext<RoleServer>) -> CallToolResult {
    if !declares_roots(&context.peer) {
        return CallToolResult::error(Vec::new());
    }
    let answer = tokio::time::timeout(Duration::from_secs(5), context.peer.list_roots()).await;
    match answer {
        Ok(Ok(_)) => CallToolResult::success(Vec::new()),
        _ => CallToolResult::error(Vec::new()),
    }
}
