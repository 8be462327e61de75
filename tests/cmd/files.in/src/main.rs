//! `src/main` of the file cases.

use rmcp::service::{Peer, RoleClient};

pub async fn changed(peer: &Peer<RoleClient>) {
    let _ = peer.notify_roots_list_changed().await;
}
