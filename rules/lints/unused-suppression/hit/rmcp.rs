//! Comments whose code is gone, that name another rule, or that stand too far away.

use std::path::PathBuf;
use std::time::Duration;

use rmcp::model::{CallToolResult, ErrorData};
use rmcp::service::{Peer, RoleServer};

struct CountLines {
    directory: PathBuf,
}

// mcp-roots-lint: allow(roots-list-request) clients of 2025-11-25 only //~ unused-suppression
async fn count_lines(arguments: CountLines) -> Result<CallToolResult, ErrorData> {
    let directory = arguments.directory; // mcp-roots-lint: allow(roots-type) no longer a root //~ unused-suppression
    tracing::info!("{}", directory.display());
    Ok(CallToolResult::success(Vec::new()))
}

async fn another_rule(peer: &Peer<RoleServer>) {
    if peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some()) {
        // mcp-roots-lint: allow(roots-input-request) still needed for the desktop client //~ unused-suppression
        let answer = tokio::time::timeout(Duration::from_secs(5), peer.list_roots()).await;
        drop(answer);
    }
}

async fn too_far_away(peer: &Peer<RoleServer>) {
    // mcp-roots-lint: allow(roots-list-request) still needed for the desktop client //~ unused-suppression

    if peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some()) {
        let answer = tokio::time::timeout(Duration::from_secs(5), peer.list_roots()).await;
        drop(answer);
    }
}
