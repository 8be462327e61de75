//! A server that asks without looking whether the client declares roots, and waits for ever.

use rmcp::service::{Peer, RoleServer};

pub async fn folders(peer: &Peer<RoleServer>) {
    let _ = peer.list_roots().await;
}
