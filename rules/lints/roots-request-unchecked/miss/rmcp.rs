//! The check in its usual shapes, always in the function that asks.

use std::time::Duration;

use rmcp::model::{ClientCapabilities, ErrorData, InputRequest, ListRootsRequest};
use rmcp::service::{Peer, RequestContext, RoleServer};
use tokio::time::timeout;

async fn by_if(peer: &Peer<RoleServer>) -> usize {
    if peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some()) {
        let answer = timeout(Duration::from_secs(5), peer.list_roots()).await;
        return answer.map_or(0, |answer| answer.map_or(0, |answer| answer.roots.len()));
    }
    0
}

async fn by_early_return(context: RequestContext<RoleServer>) -> Result<usize, ErrorData> {
    let capabilities = context.client_capabilities().unwrap_or_default();
    if capabilities.roots.is_none() {
        return Err(ErrorData::invalid_request("the client declares no roots", None));
    }
    let answer = timeout(Duration::from_secs(5), context.peer.list_roots()).await;
    Ok(answer.is_ok().into())
}

async fn by_match(peer: &Peer<RoleServer>, capabilities: &ClientCapabilities) {
    match capabilities {
        ClientCapabilities { roots: Some(_), .. } => {
            let _ = timeout(Duration::from_secs(5), peer.list_roots()).await;
        }
        _ => tracing::info!("no roots"),
    }
}

fn in_the_result(context: &RequestContext<RoleServer>) -> Option<InputRequest> {
    let declared = context.client_capabilities()?.roots.is_some();
    declared.then(|| InputRequest::ListRoots(ListRootsRequest::default()))
}
