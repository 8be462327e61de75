//! Awaited calls of the same name, and the form of 2026-07-28, which waits for nothing.

use rmcp::model::{CallToolResponse, InputRequest, InputRequests, InputRequiredResult, ListRootsRequest};
use rmcp::service::{RequestContext, RoleServer};

struct Manager {
    folders: Vec<String>,
}

impl Manager {
    async fn list_roots(&self) -> &[String] {
        &self.folders
    }
}

async fn own(manager: &Manager) -> usize {
    manager.list_roots().await.len()
}

async fn accounts(client: aws_sdk_organizations::Client) -> usize {
    client.list_roots().send().await.map_or(0, |page| page.roots().len())
}

fn in_the_result(context: &RequestContext<RoleServer>) -> Option<CallToolResponse> {
    context.client_capabilities()?.roots?;
    let request = InputRequest::ListRoots(ListRootsRequest::default());
    let requests = InputRequests::from([("folders".to_owned(), request)]);
    Some(InputRequiredResult::new(Some(requests), None).into())
}
