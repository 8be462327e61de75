//! tower-mcp knows Roots on the server's side in this form only.

use tower_mcp::protocol::{CallToolResult, InputRequest, InputRequests, ListRootsParams};

fn requests() -> InputRequests {
    [(
        "roots".to_string(),
        InputRequest::ListRoots(ListRootsParams::default()), //~ roots-input-request deprecated
    )]
    .into_iter()
    .collect()
}

fn is_done(result: &CallToolResult) -> bool {
    result.is_error
}
