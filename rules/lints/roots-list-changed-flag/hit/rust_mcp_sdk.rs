//! The struct of rust-mcp-schema, under its present and its earlier name.

use rust_mcp_sdk::schema::{ClientCapabilities, ClientCapabilitiesRoots, ClientRoots};

fn present() -> ClientCapabilities {
    ClientCapabilities {
        roots: Some(ClientRoots {
            list_changed: Some(true), //~ roots-list-changed-flag removed
        }),
        ..ClientCapabilities::default()
    }
}

fn earlier() -> ClientCapabilitiesRoots {
    ClientCapabilitiesRoots { list_changed: Some(true) } //~ roots-list-changed-flag removed
}
