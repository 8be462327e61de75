//! The flag in rmcp: on the builder, in literals of old versions, as a field, in a macro.

use rmcp::model::{ClientCapabilities, ListRootsResult, RootsCapabilities};
use rmcp::service::{RequestContext, RoleClient};
use rmcp::{ClientHandler, ErrorData};

struct Host;

fn by_builder() -> ClientCapabilities {
    ClientCapabilities::builder()
        .enable_roots()
        .enable_roots_list_changed() //~ roots-list-changed-flag removed
        .build()
}

fn literal_in_a_call() -> ClientCapabilities {
    ClientCapabilities::builder()
        .enable_roots_with(RootsCapabilities {
            list_changed: Some(true), //~ roots-list-changed-flag removed
        })
        .build()
}

fn literal() -> ClientCapabilities {
    ClientCapabilities {
        roots: Some(RootsCapabilities { list_changed: Some(true) }), //~ roots-list-changed-flag removed
        ..Default::default()
    }
}

fn by_field() -> RootsCapabilities {
    let mut settings = RootsCapabilities::default();
    settings.list_changed = Some(true); //~ roots-list-changed-flag removed
    settings
}

fn one_of_many() -> [ClientCapabilities; 2] {
    [
        ClientCapabilities::default(),
        ClientCapabilities::builder().enable_roots().enable_roots_list_changed().build(), //~ roots-list-changed-flag removed
    ]
}

impl ClientHandler for Host {
    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::default())
    }
}
