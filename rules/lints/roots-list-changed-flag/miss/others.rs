//! `list_changed` of other capabilities, and not set at all.

use rmcp::model::{
    ClientCapabilities, PromptsCapability, ResourcesCapability, RootsCapabilities, ServerCapabilities, ToolsCapability,
};

fn server_side() -> ServerCapabilities {
    ServerCapabilities {
        tools: Some(ToolsCapability { list_changed: Some(true) }),
        prompts: Some(PromptsCapability { list_changed: Some(true) }),
        resources: Some(ResourcesCapability { subscribe: None, list_changed: Some(true) }),
        ..Default::default()
    }
}

fn server_builder() -> ServerCapabilities {
    ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build()
}

fn capability_alone() -> ClientCapabilities {
    ClientCapabilities::builder()
        .enable_roots_with(RootsCapabilities { list_changed: None })
        .build()
}

// builder.enable_roots_list_changed() was here until 0.9
fn tree(list_changed: bool) -> &'static str {
    if list_changed { "dirty" } else { "clean" }
}
