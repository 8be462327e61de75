//! Spawned calls of the same name that ask nobody.

use std::sync::Arc;

use rmcp::ServerHandler;
use rmcp::service::{NotificationContext, RoleServer};

struct Catalogue {
    folders: Vec<String>,
}

impl Catalogue {
    fn list_roots(&self) -> Vec<String> {
        self.folders.clone()
    }
}

struct Server {
    catalogue: Arc<Catalogue>,
}

impl ServerHandler for Server {
    async fn on_initialized(&self, _context: NotificationContext<RoleServer>) {
        let catalogue = Arc::clone(&self.catalogue);
        tokio::spawn(async move { tracing::info!("{} folders", catalogue.list_roots().len()) });
    }
}

fn accounts(client: aws_sdk_organizations::Client) {
    tokio::spawn(async move {
        let _ = client.list_roots().send().await;
    });
}
