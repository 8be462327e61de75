//! The literal of rust-mcp-schema.

use rust_mcp_sdk::schema::{ListRootsResult, Root};

pub fn folders() -> ListRootsResult {
    ListRootsResult {
        roots: vec![
            Root {
                uri: "file:///srv/app".to_string(),
                name: Some("app".to_string()),
                meta: None,
            },
            Root {
                uri: "sftp://build.example.com/srv/lib".to_string(), //~ root-uri-scheme
                name: None,
                meta: None,
            },
        ],
        meta: None,
    }
}
