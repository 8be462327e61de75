//! Roots through an SDK belongs to the rules about its API.

use rmcp::model::{ClientCapabilities, ListRootsResult};
use rmcp::service::{Peer, RequestContext, RoleClient};
use rmcp::{ClientHandler, ErrorData};

struct Editor {
    folders: ListRootsResult,
}

fn capabilities() -> ClientCapabilities {
    ClientCapabilities::builder()
        .enable_roots()
        .enable_roots_list_changed()
        .build()
}

impl ClientHandler for Editor {
    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        tracing::debug!("roots/list answered with {} folders", self.folders.roots.len());
        Ok(self.folders.clone())
    }
}

async fn changed(peer: &Peer<RoleClient>) {
    if peer.notify_roots_list_changed().await.is_err() {
        eprintln!("notifications/roots/list_changed was not sent");
    }
}
