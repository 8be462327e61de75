//! JSON-RPC messages, and what is read from the answers.

use std::path::Path;

use serde_json::{Value, json};

/// The newest revision with `initialize`.
pub const LEGACY: &str = "2025-11-25";
/// The first revision without.
pub const MODERN: &str = "2026-07-28";

pub fn request(id: impl Into<Value>, method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id.into(), "method": method, "params": params})
}

pub fn notification(method: &str) -> Value {
    json!({"jsonrpc": "2.0", "method": method})
}

/// `notifications/cancelled`.
pub fn cancelled(id: impl Into<Value>) -> Value {
    json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id.into()}})
}

pub fn result(id: &Value, result: &Value) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "result": result})
}

pub fn error(id: &Value, code: i64) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": "by the test"}})
}

/// The capabilities of a client that has roots.
pub fn with_roots() -> Value {
    json!({"roots": {"listChanged": true}})
}

/// The parameters of `initialize`.
pub fn handshake(version: &str, capabilities: Value) -> Value {
    let client = json!({"name": "test", "version": "1"});
    json!({"protocolVersion": version, "capabilities": capabilities, "clientInfo": client})
}

/// The parameters of `tools/call`.
pub fn tool(name: &str, arguments: Value) -> Value {
    json!({"name": name, "arguments": arguments})
}

/// Parameters with the `_meta` of a request of this revision.
pub fn in_version(version: &str, capabilities: Value, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": version,
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": capabilities,
    });
    params
}

/// Parameters with the `_meta` of a request of 2026-07-28.
pub fn modern(capabilities: Value, params: Value) -> Value {
    in_version(MODERN, capabilities, params)
}

/// The file URI of a path.
pub fn uri(path: &Path) -> String {
    url::Url::from_file_path(path).expect("an absolute path").into()
}

/// The structured result of a tool.
pub fn structured(response: &Value) -> &Value {
    let result = &response["result"];
    assert!(result["isError"] != true && result["structuredContent"].is_object(), "not a result: {response}");
    &result["structuredContent"]
}

/// Lines and source of a `count_lines`.
pub fn counted(response: &Value) -> (u64, &str) {
    let counts = structured(response);
    (counts["lines"].as_u64().expect("a number"), counts["source"].as_str().expect("a text"))
}

/// The text of a tool's failure. Such a result has nothing that was counted.
pub fn refusal(response: &Value) -> &str {
    let result = &response["result"];
    assert!(result["isError"] == true && result.get("structuredContent").is_none(), "not refused: {response}");
    result["content"][0]["text"].as_str().expect("a text")
}

/// The code of a JSON-RPC error.
pub fn code(response: &Value) -> i64 {
    response["error"]["code"].as_i64().unwrap_or_else(|| panic!("not an error: {response}"))
}

/// The sealed state of an `InputRequiredResult` that asks for the roots.
pub fn state(response: &Value) -> &str {
    let result = &response["result"];
    assert!(result["resultType"] == "input_required", "not asked: {response}");
    let asked: Vec<_> = result["inputRequests"].as_object().expect("requests").values().collect();
    assert!(asked.len() == 1 && asked[0]["method"] == "roots/list", "{response}");
    result["requestState"].as_str().expect("a text")
}

/// The key of the one input request of such a result.
pub fn key(response: &Value) -> &str {
    let asked = response["result"]["inputRequests"].as_object().and_then(|asked| asked.keys().next());
    asked.unwrap_or_else(|| panic!("not asked: {response}"))
}
