//! Comments that silence a finding, on its line and above it; a quote before them does not matter.

use rmcp::service::{Peer, RoleClient};

pub async fn twice(peer: &Peer<RoleClient>) {
    let _ = peer.notify_roots_list_changed().await; // mcp-roots-lint: allow(roots-list-changed-sent) old servers wait for it
    // mcp-roots-lint: allow(roots-list-changed-sent): and for this one
    #[allow(deprecated)]
    let _ = peer.notify_roots_list_changed().await;
    let _ = ('"', peer.notify_roots_list_changed().await); // mcp-roots-lint: allow(roots-list-changed-sent) and for that
}
