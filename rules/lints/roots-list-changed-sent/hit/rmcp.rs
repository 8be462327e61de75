//! The call in rmcp on every kind of receiver, and the notification built by hand.

use rmcp::model::{ClientNotification, RootsListChangedNotification};
use rmcp::service::{Peer, RoleClient, RunningService, ServiceError};

struct Connection {
    client: RunningService<RoleClient, ()>,
}

async fn by_peer(peer: &Peer<RoleClient>) -> Result<(), ServiceError> {
    peer.notify_roots_list_changed().await //~ roots-list-changed-sent removed
}

async fn to_all(connections: &[Connection]) {
    for connection in connections {
        if let Err(error) = connection.client.notify_roots_list_changed().await { //~ roots-list-changed-sent removed
            tracing::warn!("notifications/roots/list_changed was not sent: {error}");
        }
    }
}

fn in_a_task(peer: Peer<RoleClient>) {
    tokio::spawn(async move {
        let _ = peer
            .notify_roots_list_changed() //~ roots-list-changed-sent removed
            .await;
    });
}

async fn in_a_macro(service: RunningService<RoleClient, ()>) {
    tokio::select! {
        _ = service.notify_roots_list_changed() => {} //~ roots-list-changed-sent removed
        _ = tokio::time::sleep(std::time::Duration::from_secs(1)) => {}
    }
}

async fn by_hand(peer: &Peer<RoleClient>) -> Result<(), ServiceError> {
    let changed = RootsListChangedNotification::default();
    peer.send_notification(ClientNotification::RootsListChangedNotification(changed)).await //~ roots-list-changed-sent removed
}

#[cfg(test)]
mod tests {
    #[tokio::test]
    async fn tells_the_server() {
        let harness = crate::harness::start().await;
        harness.client.notify_roots_list_changed().await.unwrap(); //~ roots-list-changed-sent removed
    }
}
