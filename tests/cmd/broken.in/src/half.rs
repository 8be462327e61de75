//! Does not parse, but its tokens can be told apart.

use rmcp::service::{Peer, RoleClient};

pub async fn changed(peer: &Peer<RoleClient>) {
    let = ;
    let _ = peer.notify_roots_list_changed().await;
}
