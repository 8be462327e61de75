//! Other hooks and other notifications of rmcp.

use rmcp::model::{CancelledNotificationParam, ClientNotification, ServerNotification};
use rmcp::service::{NotificationContext, RoleClient, RoleServer};
use rmcp::{ClientHandler, ServerHandler};

struct Server;

impl ServerHandler for Server {
    async fn on_initialized(&self, _context: NotificationContext<RoleServer>) {
        // on_roots_list_changed is gone since 1.0
        tracing::info!("ready; notifications/roots/list_changed is ignored");
    }

    async fn on_cancelled(&self, _params: CancelledNotificationParam, _context: NotificationContext<RoleServer>) {}
}

struct Client;

impl ClientHandler for Client {
    async fn on_tool_list_changed(&self, _context: NotificationContext<RoleClient>) {}

    async fn on_resource_list_changed(&self, _context: NotificationContext<RoleClient>) {}
}

fn changes(notification: &ServerNotification) -> bool {
    matches!(notification, ServerNotification::ToolListChangedNotification(_))
}

fn changed() -> ClientNotification {
    ClientNotification::RootsListChangedNotification(Default::default())
}
