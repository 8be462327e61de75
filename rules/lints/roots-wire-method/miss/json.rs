//! The key `roots` where it declares no capability, and `listChanged` of other capabilities.

use serde_json::{Value, json};

fn tool() -> Value {
    json!({
        "name": "scan",
        "inputSchema": {
            "type": "object",
            "properties": {
                "roots": { "type": "array", "items": { "type": "string" } }
            },
            "required": ["roots"]
        }
    })
}

fn language_server(folders: &[&str]) -> Value {
    json!({
        "jsonrpc": "2.0",
        "method": "initialize",
        "params": {
            "capabilities": { "workspace": { "workspaceFolders": true } },
            "initializationOptions": { "roots": folders },
            "settings": { "roots": ["src"] }
        }
    })
}

fn server_capabilities() -> Value {
    json!({ "capabilities": { "tools": { "listChanged": true }, "prompts": { "listChanged": true } } })
}

fn calls(folders: &[&str]) -> [Value; 2] {
    [
        json!({ "jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": { "name": "list_roots" } }),
        json!({ "arguments": { "roots": folders } }),
    ]
}

fn certificates() -> Value {
    let trust = json!({ "roots": ["isrg-x1"], "intermediates": [] });
    trust
}
