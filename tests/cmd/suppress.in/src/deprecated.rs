//! rustc's own `allow` silences rustc, not this tool.

use rmcp::service::{Peer, RoleServer};

#[allow(deprecated)]
pub async fn folders(peer: &Peer<RoleServer>) {
    if peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some()) {
        let _ = tokio::time::timeout(LIMIT, peer.list_roots()).await;
    }
}
