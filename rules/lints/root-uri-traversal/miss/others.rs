//! Relative paths of other trees.

use serde_json::{Value, json};

mod build {
    pub struct Root(pub &'static str);

    impl Root {
        pub fn new(path: &'static str) -> Self {
            Self(path)
        }
    }
}

fn trees() -> [build::Root; 2] {
    [build::Root::new("../shared"), build::Root::new("file:///srv/../vendor")]
}

fn language_server() -> Value {
    json!({ "settings": { "roots": ["../lib"], "rootUri": "file:///srv/app/../lib" } })
}
