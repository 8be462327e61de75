//! Other notifications, a function of the same name in a test harness, and the variant on the receiving side.

use std::io::Write;

use rmcp::model::{CancelledNotificationParam, ClientNotification};
use rmcp::service::{Peer, RoleClient, RoleServer, ServiceError};

async fn others(server: &Peer<RoleServer>) -> Result<(), ServiceError> {
    server.notify_tool_list_changed().await?;
    server.notify_resource_list_changed().await?;
    server.notify_prompt_list_changed().await
}

async fn cancelled(peer: &Peer<RoleClient>, params: CancelledNotificationParam) -> Result<(), ServiceError> {
    peer.notify_cancelled(params).await
}

/// Tells the fixture process which folders to use from now on, one a line.
fn notify_roots_list_changed(stdin: &mut impl Write, folders: &[&str]) -> std::io::Result<()> {
    folders.iter().try_for_each(|folder| writeln!(stdin, "{folder}"))
}

fn harness(stdin: &mut impl Write) -> std::io::Result<()> {
    notify_roots_list_changed(stdin, &["/srv/app", "/srv/lib"])
}

fn received(notification: &ClientNotification) -> bool {
    // peer.notify_roots_list_changed() was answered here until 0.7
    tracing::debug!("roots/list_changed: the client may call notify_roots_list_changed()");
    matches!(notification, ClientNotification::RootsListChangedNotification(_))
}
