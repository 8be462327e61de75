//! A client that writes its messages as JSON.

use serde_json::{Value, json};

fn initialize(id: u64) -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": id,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {
                "roots": { //~ roots-wire-method deprecated
                    "listChanged": true //~ roots-wire-method removed
                },
                "sampling": {}
            },
            "clientInfo": { "name": "agent", "version": "0.4.0" }
        }
    })
}

fn on_one_line() -> Value {
    serde_json::json!({ "capabilities": { "roots": { "listChanged": true } } }) //~ roots-wire-method deprecated, roots-wire-method removed
}

fn by_its_name() -> Value {
    let capabilities = json!({ "roots": {}, "sampling": {} }); //~ roots-wire-method deprecated
    capabilities
}

fn modern_metadata() -> Value {
    json!({
        "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientCapabilities": { "roots": {} } //~ roots-wire-method deprecated
        }
    })
}

fn as_text() -> &'static str {
    r#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{"roots":{}}}}"# //~ roots-wire-method deprecated
}

async fn folders_changed(connection: &Connection) -> anyhow::Result<()> {
    connection.notify("notifications/roots/list_changed", json!({})).await?; //~ roots-wire-method removed
    Ok(())
}

fn changed() -> Value {
    json!({ "jsonrpc": "2.0", "method": "notifications/roots/list_changed" }) //~ roots-wire-method removed
}
