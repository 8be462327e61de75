//! Dot segments in answers that are written as JSON.

use serde_json::{Value, json};

fn answer(request: &Value) -> Option<Value> {
    if request["method"] != "roots/list" {
        return None;
    }
    Some(json!({
        "jsonrpc": "2.0",
        "id": request["id"],
        "result": {
            "roots": [
                { "uri": "file:///srv/app/../lib", "name": "lib" }, //~ root-uri-traversal
                { "uri": "file:///srv/%2e%2e/etc" } //~ root-uri-traversal
            ]
        }
    }))
}

fn as_text() -> &'static str {
    r#"{"jsonrpc":"2.0","id":7,"result":{"roots":[{"uri":"file:///srv/app"}]}}"#
}
