//! turbomcp has the method on its client, with the name that rmcp gives it.

use turbomcp_client::Client;
use turbomcp_protocol::Result;
use turbomcp_transport::Transport;

struct Workspace<T: Transport> {
    client: Client<T>,
    folders: Vec<String>,
}

impl<T: Transport> Workspace<T> {
    async fn add(&mut self, folder: String) -> Result<()> {
        self.folders.push(folder);
        self.client.notify_roots_list_changed().await //~ roots-list-changed-sent removed
    }
}
