//! Declarations through rmcp: the builder, the field, silenced, in macros.

use rmcp::model::{ClientCapabilities, ClientInfo, Implementation, ListRootsResult, RootsCapabilities};
use rmcp::service::{RequestContext, RoleClient};
use rmcp::{ClientHandler, ErrorData};

struct Editor {
    info: ClientInfo,
}

fn by_builder() -> ClientInfo {
    let capabilities = ClientCapabilities::builder()
        .enable_sampling()
        .enable_roots() //~ roots-capability deprecated
        .build();
    ClientInfo::new(capabilities, Implementation::new("editor", "1.4.0"))
}

#[allow(deprecated)]
fn silenced() -> ClientCapabilities {
    ClientCapabilities::builder().enable_roots().enable_roots_list_changed().build() //~ roots-capability deprecated
}

fn with_settings() -> ClientCapabilities {
    let settings = RootsCapabilities::default();
    ClientCapabilities::builder().enable_roots_with(settings).build() //~ roots-capability deprecated
}

fn by_field() -> ClientCapabilities {
    let mut capabilities = ClientCapabilities::default();
    capabilities.roots = Some(RootsCapabilities::default()); //~ roots-capability deprecated
    capabilities
}

fn relay(upstream: &mut ClientInfo, downstream: &ClientInfo) {
    upstream.capabilities.roots = downstream.capabilities.roots.clone(); //~ roots-capability deprecated
}

fn in_a_vec() -> Vec<ClientCapabilities> {
    vec![
        ClientCapabilities::default(),
        ClientCapabilities::builder().enable_roots().build(), //~ roots-capability deprecated
    ]
}

macro_rules! with_roots {
    ($builder:expr) => {
        $builder.enable_roots() //~ roots-capability deprecated
    };
}

impl ClientHandler for Editor {
    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::default())
    }
}
