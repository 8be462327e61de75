//! The literal of rust-mcp-schema.

use rust_mcp_sdk::schema::Root;

pub fn folders() -> Vec<Root> {
    vec![
        Root {
            uri: "file:///srv/app".to_string(),
            name: None,
            meta: None,
        },
        Root {
            uri: "file:///srv/app/../../etc".to_string(), //~ root-uri-traversal
            name: Some("configuration".to_string()),
            meta: None,
        },
    ]
}
