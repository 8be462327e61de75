//! A comment for the whole file that is needed twice.

// mcp-roots-lint: allow-file(roots-list-changed-handler) relays for clients of 2025-11-25, until 3.0

use rmcp::ServerHandler;
use rmcp::model::ClientNotification;
use rmcp::service::{NotificationContext, RoleServer};

struct Relay;

impl ServerHandler for Relay {
    async fn on_roots_list_changed(&self, _context: NotificationContext<RoleServer>) {
        tracing::debug!("forwarded");
    }
}

fn forwarded(notification: &ClientNotification) -> bool {
    matches!(notification, ClientNotification::RootsListChangedNotification(_))
}

// mcp-roots-lint runs in CI; see .ci/run
fn name() -> &'static str {
    "relay"
}
