//! Comments that do not say `allow(rule) reason`.

use std::time::Duration;

use rmcp::service::{Peer, RoleServer};

// mcp-roots-lint: allow-file(root-type) there is no rule of this name //~ invalid-suppression

async fn unknown_rule(peer: &Peer<RoleServer>) {
    if peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some()) {
        // mcp-roots-lint: allow(roots-list-requests) clients of 2025-11-25 only //~ invalid-suppression
        let answer = tokio::time::timeout(Duration::from_secs(5), peer.list_roots()).await;
        drop(answer);
    }
}

async fn no_parentheses(peer: &Peer<RoleServer>) {
    if peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some()) {
        // mcp-roots-lint: allow roots-list-request for clients of 2025-11-25 //~ invalid-suppression
        let answer = tokio::time::timeout(Duration::from_secs(5), peer.list_roots()).await;
        drop(answer);
    }
}

// mcp-roots-lint: allow(roots-list-request clients of 2025-11-25 only //~ invalid-suppression
fn not_closed() {}

// mcp-roots-lint: allow() everything below is needed //~ invalid-suppression
fn empty_list() {}

// mcp-roots-lint: ignore(roots-type) the word is allow //~ invalid-suppression
fn other_word() {}

fn at_the_end(folders: &[String]) -> usize {
    folders.len() // mcp-roots-lint: roots-type is not used here //~ invalid-suppression
}
