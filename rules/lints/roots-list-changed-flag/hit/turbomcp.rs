//! The builder of turbomcp has a method of the same name.

use std::sync::Arc;

use turbomcp_client::Client;
use turbomcp_client::handlers::RootsHandler;
use turbomcp_protocol::capabilities::builders::ClientCapabilitiesBuilder;
use turbomcp_protocol::types::ClientCapabilities;

fn capabilities() -> ClientCapabilities {
    ClientCapabilitiesBuilder::new()
        .enable_roots()
        .enable_roots_list_changed() //~ roots-list-changed-flag removed
        .build()
}

fn connect<T>(client: &Client<T>, folders: Arc<dyn RootsHandler>) {
    client.set_roots_handler(folders);
}
