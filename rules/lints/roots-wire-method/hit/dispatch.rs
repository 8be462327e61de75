//! A client that dispatches requests of the server by method name, constants, and serde names.

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

pub const LIST_ROOTS: &str = "roots/list"; //~ roots-wire-method deprecated
pub const CHANGED: &str = "notifications/roots/list_changed"; //~ roots-wire-method removed

#[derive(Deserialize, Serialize)]
#[serde(tag = "method", content = "params")]
enum ServerMessage {
    #[serde(rename = "sampling/createMessage")]
    CreateMessage(Value),
    #[serde(rename = "roots/list")] //~ roots-wire-method deprecated
    Folders,
}

fn answer(method: &str, folders: &[String]) -> Result<Value, i32> {
    match method {
        "ping" => Ok(json!({})),
        "roots/list" => Ok(json!({ "roots": folders })), //~ roots-wire-method deprecated
        _ => Err(-32601),
    }
}

fn is_local(method: &str) -> bool {
    matches!(method, "ping" | "roots/list") //~ roots-wire-method deprecated
}

fn target(request: &Value) -> Option<&'static str> {
    if request["method"] == "roots/list" { //~ roots-wire-method deprecated
        return Some("folders");
    }
    None
}

fn register(handlers: &mut Handlers) {
    handlers.register("roots/list", |_| json!({ "roots": [] })); //~ roots-wire-method deprecated
}
