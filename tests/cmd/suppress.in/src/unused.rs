//! Comments that have lost their finding, in whole or in part.

use rmcp::service::{Peer, RoleClient};

// mcp-roots-lint: allow(roots-list-request) was needed once
pub fn nothing() {}

pub async fn changed(peer: &Peer<RoleClient>) {
    // mcp-roots-lint: allow(roots-list-changed-sent, roots-type) only one of the two stands here
    let _ = peer.notify_roots_list_changed().await;
}
