//! Comments without a reason; the marks of the test are taken away before the check.

use std::time::Duration;

use rmcp::service::{Peer, RoleClient, RoleServer};

async fn above(peer: &Peer<RoleServer>) {
    if peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some()) {
        // mcp-roots-lint: allow(roots-list-request) //~ invalid-suppression
        let answer = tokio::time::timeout(Duration::from_secs(5), peer.list_roots()).await;
        drop(answer);
    }
}

async fn on_the_line(peer: &Peer<RoleClient>) {
    let _ = peer.notify_roots_list_changed().await; // mcp-roots-lint: allow(roots-list-changed-sent) //~ invalid-suppression
}
