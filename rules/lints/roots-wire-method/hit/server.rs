//! A server that sends and receives by method name, in both eras.

use std::time::Duration;

use serde_json::{Value, json};

async fn ask(connection: &Connection) -> anyhow::Result<Value> {
    let answer = connection.send_request("roots/list", json!({})); //~ roots-wire-method refused
    Ok(tokio::time::timeout(Duration::from_secs(5), answer).await??)
}

fn request(id: u64) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "method": "roots/list" }) //~ roots-wire-method refused
}

fn input_required(state: &str) -> Value {
    json!({
        "resultType": "input_required",
        "inputRequests": {
            "folders": { "method": "roots/list" } //~ roots-wire-method deprecated
        },
        "requestState": state
    })
}

fn received(method: &str, stale: &mut bool) -> bool {
    match method {
        "notifications/initialized" => true,
        "notifications/roots/list_changed" => { //~ roots-wire-method removed
            *stale = true;
            true
        }
        _ => false,
    }
}

fn is_change(message: &Value) -> bool {
    message["method"] == "notifications/roots/list_changed" //~ roots-wire-method removed
}

fn misspelt(method: &str) -> bool {
    method == "notifications/roots/listChanged" //~ roots-wire-method removed
}
