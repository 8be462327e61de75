//! Comments that cannot work; each says why, and the finding below it stays.

use rmcp::service::{Peer, RoleClient};

pub async fn changed(peer: &Peer<RoleClient>) {
    // mcp-roots-lint: allow(roots-list-changed-sent)
    let _ = peer.notify_roots_list_changed().await;
    // mcp-roots-lint: allow(roots-list-changed) an unknown rule
    // mcp-roots-lint: ignore(roots-type) an unknown word
    // mcp-roots-lint: allow roots-type without parentheses
    // mcp-roots-lint: allow(roots-type without an end
    // mcp-roots-lint: allow() nothing
}
