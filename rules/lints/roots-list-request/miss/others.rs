//! Methods of the same name that have nothing to do with MCP Roots.

use rmcp::service::{Peer, RoleServer};

struct Repositories;

impl Repositories {
    fn list_roots(&self) -> Vec<String> {
        Vec::new()
    }
}

/// `peer.list_roots()` in a doc comment is text.
fn own_manager(manager: &Repositories, _peer: &Peer<RoleServer>) -> usize {
    // let roots = peer.list_roots().await;
    manager.list_roots().len()
}

async fn organizations(client: aws_sdk_organizations::Client) {
    let _ = client.list_roots().send().await;
}

async fn aggregates(store: &EventStore) {
    let _ = store.list_roots("orders", "main").await;
}
