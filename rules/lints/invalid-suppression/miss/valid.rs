//! Valid comments, and text that is no suppression.

// mcp-roots-lint: allow-file(roots-capability-check) goes together with the requests (see docs/clients.md)

use std::time::Duration;

use rmcp::service::{Peer, RoleClient, RoleServer};

async fn one_rule(peer: &Peer<RoleServer>) {
    if peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some()) {
        // mcp-roots-lint: allow(roots-list-request) clients of 2025-11-25 only, until 3.0
        let answer = tokio::time::timeout(Duration::from_secs(5), peer.list_roots()).await;
        drop(answer);
    }
}

async fn two_rules(peer: &Peer<RoleServer>) {
    // mcp-roots-lint: allow(roots-list-request,roots-request-unchecked) the test client declares everything
    let answer = tokio::time::timeout(Duration::from_secs(5), peer.list_roots()).await;
    drop(answer);
}

async fn on_the_line(peer: &Peer<RoleClient>) {
    let _ = peer.notify_roots_list_changed().await; // mcp-roots-lint: allow(roots-list-changed-sent) #412
}

// mcp-roots-lint is run by .ci/run
fn text() -> [&'static str; 2] {
    ["// mcp-roots-lint: allow(", "mcp-roots-lint: ignore everything"]
}
