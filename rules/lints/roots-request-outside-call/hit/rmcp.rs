//! Hooks for notifications and spawned tasks of rmcp servers.

use std::time::Duration;

use rmcp::ServerHandler;
use rmcp::model::{CallToolResult, ErrorData};
use rmcp::service::{NotificationContext, Peer, RequestContext, RoleServer};
use tokio::time::timeout;

struct Files;

impl ServerHandler for Files {
    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let declared = context.peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some());
        if declared {
            let _ = timeout(Duration::from_secs(5), context.peer.list_roots()).await; //~ roots-request-outside-call
        }
    }

    async fn on_roots_list_changed(&self, context: NotificationContext<RoleServer>) {
        if context.peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some()) {
            let answer = timeout(Duration::from_secs(5), context.peer.list_roots()); //~ roots-request-outside-call
            drop(answer.await);
        }
    }
}

async fn in_a_tool(context: RequestContext<RoleServer>) -> Result<CallToolResult, ErrorData> {
    let peer = context.peer.clone();
    tokio::spawn(async move {
        if peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some()) {
            let _ = timeout(Duration::from_millis(800), peer.list_roots()).await; //~ roots-request-outside-call
        }
    });
    Ok(CallToolResult::success(Vec::new()))
}

fn in_a_set(tasks: &mut tokio::task::JoinSet<()>, peer: Peer<RoleServer>) {
    tasks.spawn(async move {
        if peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some()) {
            tokio::select! {
                answer = peer.list_roots() => drop(answer), //~ roots-request-outside-call
                _ = tokio::time::sleep(Duration::from_secs(1)) => {}
            }
        }
    });
}
