//! A comment for the whole file, which has nothing of the kind any more.

// mcp-roots-lint: allow-file(roots-list-changed-sent) old servers wait for it //~ unused-suppression

use rmcp::service::{RoleClient, RunningService, ServiceError};

struct Workspace {
    client: RunningService<RoleClient, ()>,
    folders: Vec<String>,
}

impl Workspace {
    async fn add(&mut self, folder: String) -> Result<(), ServiceError> {
        self.folders.push(folder);
        self.client.peer().notify_initialized().await
    }
}
