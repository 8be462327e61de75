//! A test that asks for roots.

use rmcp::service::{Peer, RoleServer};

#[test]
fn asks(peer: &Peer<RoleServer>) {
    let _ = peer.list_roots();
}
