//! The answer to `roots/list` and to an input request, written as JSON.

use serde_json::{Value, json};

fn answer(id: u64) -> Value {
    json!({
        "jsonrpc": "2.0",
        "id": id,
        "result": {
            "roots": [
                { "uri": "file:///srv/app", "name": "app" },
                { "uri": "s3://bucket/data", "name": "data" }, //~ root-uri-scheme
                {
                    "name": "site",
                    "uri": "http://localhost:8080/site" //~ root-uri-scheme
                }
            ]
        }
    })
}

fn input_response() -> Value {
    json!({
        "inputResponses": {
            "folders": { "roots": [{ "uri": "git+ssh://git@example.com/app.git" }] } //~ root-uri-scheme
        }
    })
}
