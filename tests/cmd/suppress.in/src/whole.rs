//! One comment for the file.
// mcp-roots-lint: allow-file(roots-list-changed-sent, roots-type) the bridge to servers of 2025-11-25

use rmcp::model::Root;
use rmcp::service::{Peer, RoleClient};

pub struct Folders(pub Vec<Root>);

pub async fn changed(peer: &Peer<RoleClient>) {
    let _ = peer.notify_roots_list_changed().await;
}
