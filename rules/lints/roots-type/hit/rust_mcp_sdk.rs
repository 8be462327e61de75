//! Types of rust-mcp-schema, through the SDK and by their own crate.

use rust_mcp_sdk::schema::{ListRootsResult, Root};

pub struct Allowed {
    pub from_client: Vec<Root>, //~ roots-type deprecated
    pub from_arguments: Vec<std::path::PathBuf>,
}

pub fn describe(answer: &ListRootsResult) -> String { //~ roots-type deprecated
    answer
        .roots
        .iter()
        .map(|root| root.name.clone().unwrap_or_else(|| root.uri.clone()))
        .collect::<Vec<_>>()
        .join(", ")
}

pub fn scratch(folder: &str) -> rust_mcp_schema::Root { //~ roots-type deprecated
    rust_mcp_schema::Root {
        uri: format!("file://{folder}"),
        name: None,
        meta: None,
    }
}
