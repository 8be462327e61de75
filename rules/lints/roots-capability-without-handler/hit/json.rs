//! Boilerplate of a client that speaks JSON by hand: every request of the server is answered by an error.

use serde_json::{Value, json};

fn initialize() -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-03-26",
            "capabilities": {
                "roots": {} //~ roots-capability-without-handler
            },
            "clientInfo": { "name": "agent", "version": "0.4.0" }
        }
    })
}

fn answer(request: &Value) -> Value {
    let error = json!({ "code": -32601, "message": "method not found" });
    json!({ "jsonrpc": "2.0", "id": request["id"], "error": error })
}
