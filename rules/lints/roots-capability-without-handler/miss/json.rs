//! A hand-written client that declares the capability and dispatches on the method.

use serde_json::{Value, json};

fn initialize() -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": { "protocolVersion": "2025-06-18", "capabilities": { "roots": {} } }
    })
}

fn answer(request: &Value, folders: &[Value]) -> Value {
    match request["method"].as_str() {
        Some("ping") => json!({ "jsonrpc": "2.0", "id": request["id"], "result": {} }),
        Some("roots/list") => {
            json!({ "jsonrpc": "2.0", "id": request["id"], "result": { "roots": folders } })
        }
        _ => json!({ "jsonrpc": "2.0", "id": request["id"], "error": { "code": -32601, "message": "unknown" } }),
    }
}
