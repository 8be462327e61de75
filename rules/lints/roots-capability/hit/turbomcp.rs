//! The builder of turbomcp, whose methods are named as in rmcp.

use std::future::Future;
use std::pin::Pin;

use turbomcp_client::handlers::{HandlerResult, RootsHandler};
use turbomcp_protocol::capabilities::builders::ClientCapabilitiesBuilder;
use turbomcp_protocol::types::{ClientCapabilities, Root};

#[derive(Debug)]
struct Folders(Vec<Root>);

fn capabilities() -> ClientCapabilities {
    ClientCapabilitiesBuilder::new()
        .enable_sampling()
        .enable_roots() //~ roots-capability deprecated
        .build()
}

impl RootsHandler for Folders {
    fn handle_roots_request(&self) -> Pin<Box<dyn Future<Output = HandlerResult<Vec<Root>>> + Send + '_>> {
        Box::pin(async move { Ok(self.0.clone()) })
    }
}
