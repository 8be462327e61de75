//! A server that asks its client for folders.

use rmcp::service::{Peer, RoleServer};

pub async fn folders(peer: &Peer<RoleServer>) -> usize {
    if peer.peer_info().is_none_or(|info| info.capabilities.roots.is_none()) {
        return 0;
    }
    let answer = tokio::time::timeout(LIMIT, peer.list_roots()).await;
    answer.map_or(0, |answer| answer.roots.len())
}
