//! Not even tokens: a brace is never closed.

pub async fn changed(peer: &rmcp::Peer<rmcp::RoleClient>) {
    let _ = peer.notify_roots_list_changed().await;
