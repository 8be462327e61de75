//! Comments that silence something: above the line, on the line, for several rules.

use std::time::Duration;

use rmcp::service::{Peer, RoleClient, RoleServer};

async fn above(peer: &Peer<RoleServer>) {
    // mcp-roots-lint: allow(roots-capability-check) goes together with the request below
    if peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some()) {
        // mcp-roots-lint: allow(roots-list-request) clients of 2025-11-25 only, see docs/clients.md
        let answer = tokio::time::timeout(Duration::from_secs(5), peer.list_roots()).await;
        drop(answer);
    }
}

async fn on_the_line(peer: &Peer<RoleClient>) {
    let _ = peer.notify_roots_list_changed().await; // mcp-roots-lint: allow(roots-list-changed-sent) old servers wait for it
}

async fn several(peer: &Peer<RoleServer>) {
    // mcp-roots-lint: allow(roots-list-request, roots-request-without-deadline) test double
    let answer = peer.list_roots().await;
    drop(answer);
}

/// Suppressions look like comments of the linter; this string is none.
fn template(rule: &str) -> String {
    let prefix = "// mcp-roots-lint: allow(";
    format!("{prefix}{rule}) reason")
}
