//! Requests inside of a tool call, with other work in spawned tasks and hooks.

use std::time::Duration;

use rmcp::ServerHandler;
use rmcp::model::{CallToolRequestParams, CallToolResult, ErrorData};
use rmcp::service::{NotificationContext, RequestContext, RoleServer};
use tokio::time::timeout;

struct Files;

impl ServerHandler for Files {
    async fn call_tool(
        &self,
        _request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResult, ErrorData> {
        let declared = context.client_capabilities().is_some_and(|capabilities| capabilities.roots.is_some());
        if !declared {
            return Ok(CallToolResult::error(Vec::new()));
        }
        let answer = timeout(Duration::from_secs(5), context.peer.list_roots()).await;
        let Ok(Ok(answer)) = answer else {
            return Ok(CallToolResult::error(Vec::new()));
        };
        let counted = tokio::task::spawn_blocking(move || count(answer.roots)).await;
        tokio::spawn(async move { tracing::info!(?counted, "counted") });
        Ok(CallToolResult::success(Vec::new()))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        // peer.list_roots() was here; now the first tool call asks
        let _ = context.peer.notify_tool_list_changed().await;
    }
}
