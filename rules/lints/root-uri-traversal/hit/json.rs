//! Dot segments in answers that are written as JSON.

use serde_json::{Value, json};

fn answer(id: u64) -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": id,
        "result": {
            "roots": [
                { "uri": "file:///srv/app/../lib", "name": "lib" }, //~ root-uri-traversal
                { "uri": "file:///srv/%2e%2e/etc" } //~ root-uri-traversal
            ]
        }
    })
}

fn as_text() -> &'static str {
    r#"{"jsonrpc":"2.0","id":7,"result":{"roots":[{"uri":"file:///srv/app"}]}}"#
}
