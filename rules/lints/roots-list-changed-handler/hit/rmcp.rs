//! The hook of rmcp in its three signatures, and relays that match on the notification.

use std::future::Future;

use rmcp::model::{ClientNotification, ErrorData};
use rmcp::service::{NotificationContext, RoleServer};
use rmcp::ServerHandler;

struct Files {
    stale: std::sync::atomic::AtomicBool,
}

impl ServerHandler for Files {
    async fn on_roots_list_changed(&self, _context: NotificationContext<RoleServer>) { //~ roots-list-changed-handler removed
        self.stale.store(true, std::sync::atomic::Ordering::Relaxed);
    }
}

struct Todo;

impl ServerHandler for Todo {
    fn on_roots_list_changed( //~ roots-list-changed-handler removed
        &self,
        _context: NotificationContext<RoleServer>,
    ) -> impl Future<Output = ()> + Send + '_ {
        std::future::ready(())
    }
}

struct Earliest;

impl rmcp::handler::server::ServerHandler for Earliest {
    async fn on_roots_list_changed(&self) {} //~ roots-list-changed-handler removed
}

fn forwarded(notification: &ClientNotification) -> bool {
    match notification {
        ClientNotification::CancelledNotification(_) | ClientNotification::ProgressNotification(_) => true,
        ClientNotification::RootsListChangedNotification(_) => true, //~ roots-list-changed-handler removed
        _ => false,
    }
}

fn refused(notification: &ClientNotification) -> Result<(), ErrorData> {
    if let ClientNotification::RootsListChangedNotification(_) = notification { //~ roots-list-changed-handler removed
        return Err(ErrorData::invalid_request("roots are not used here", None));
    }
    Ok(())
}
