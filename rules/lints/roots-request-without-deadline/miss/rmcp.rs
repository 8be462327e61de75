//! Bounded requests: a timeout, a race, an option of rmcp, a helper.

use std::future::Future;
use std::time::Duration;

use rmcp::model::{ListRootsRequest, ServerRequest};
use rmcp::service::{Peer, PeerRequestOptions, RoleServer, ServiceError};

async fn by_timeout(peer: &Peer<RoleServer>) {
    if peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some()) {
        let _ = tokio::time::timeout(Duration::from_secs(5), peer.list_roots()).await;
    }
}

async fn by_race(peer: &Peer<RoleServer>) {
    if peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some()) {
        tokio::select! {
            answer = peer.list_roots() => drop(answer),
            _ = tokio::time::sleep(Duration::from_secs(5)) => tracing::warn!("no answer"),
        }
    }
}

async fn by_option(peer: &Peer<RoleServer>) -> Result<(), ServiceError> {
    if peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some()) {
        peer.send_request_with_option(
            ServerRequest::ListRootsRequest(ListRootsRequest::default()),
            PeerRequestOptions::with_timeout(Duration::from_secs(5)),
        )
        .await?
        .await_response()
        .await?;
    }
    Ok(())
}

async fn with_deadline<T>(future: impl Future<Output = T>) -> Option<T> {
    tokio::time::timeout(Duration::from_secs(5), future).await.ok()
}

async fn by_helper(peer: &Peer<RoleServer>) -> bool {
    let declared = peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some());
    declared && with_deadline(peer.list_roots()).await.is_some()
}
