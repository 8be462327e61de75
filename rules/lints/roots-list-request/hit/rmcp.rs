//! The call forms of rmcp, typed, by name, in macros and silenced.

use std::time::Duration;

use rmcp::service::{Peer, RequestContext, RoleServer};

async fn typed(anything: &Peer<RoleServer>) {
    if anything.peer_info().is_some_and(|info| info.capabilities.roots.is_some()) {
        let _ = anything.list_roots().await; //~ roots-list-request refused
    }
}

async fn by_name(context: RequestContext<RoleServer>) {
    let _ = tokio::time::timeout(
        Duration::from_secs(5),
        context.peer.list_roots(), //~ roots-list-request refused
    )
    .await;
}

async fn in_a_macro(peer: Peer<RoleServer>) {
    tokio::select! {
        roots = peer.list_roots() => drop(roots), //~ roots-list-request refused
        _ = tokio::time::sleep(Duration::from_secs(5)) => {}
    }
}

#[allow(deprecated)]
async fn silenced(peer: Peer<RoleServer>) {
    let _ = peer.list_roots().await; //~ roots-list-request refused
}

struct Relay {
    downstream: Peer<RoleServer>,
}

impl Relay {
    async fn through_a_field(&self) {
        let _ = self.downstream.list_roots().await; //~ roots-list-request refused
    }
}
