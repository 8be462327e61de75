//! Test code: it asks, and feeds a bad URI on purpose, which is not worth more than `possible`.

use rmcp::model::Root;
use rmcp::service::{Peer, RoleServer};

async fn asks(peer: &Peer<RoleServer>) {
    let _ = peer.list_roots().await;
}

#[test]
fn refuses_a_root_that_leaves_its_folder() {
    refuses(Root::new("file:///srv/app/.."));
}
