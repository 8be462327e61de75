//! Lines that are no messages of MCP, and messages whose parameters are none.

use std::time::Duration;

use serde_json::{Value, json};

use crate::serve::Tree;
use crate::serve::message::{self, LEGACY, code, tool};
use crate::serve::stdio::{Answer, Client};

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const METHOD_NOT_FOUND: i64 = -32601;
const INVALID_PARAMS: i64 = -32602;

/// A line, and the error that answers it.
struct Bad {
    line: Vec<u8>,
    id: Value,
    code: i64,
}

fn bad_lines() -> Vec<Bad> {
    let bad = |line: &[u8], id: Value, code| Bad { line: line.to_owned(), id, code };
    let deep = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    let deep_arguments = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{{"name":"x","arguments":{{"a":{}}}}}}}"#,
        deep(5_000)
    );
    let mut all = vec![
        bad(br#"{"jsonrpc":"2.0","id":1,"method":"ping""#, Value::Null, PARSE_ERROR),
        bad(b"hello", Value::Null, PARSE_ERROR),
        bad(b"\0\0\0\0", Value::Null, PARSE_ERROR),
        bad(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"ping\"}\0", Value::Null, PARSE_ERROR),
        bad(b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}", Value::Null, PARSE_ERROR),
        bad(br#"{"jsonrpc":"2.0","id":1,"method":"\udcff"}"#, Value::Null, PARSE_ERROR),
        bad(br#"{"jsonrpc":"2.0","id":1,"method":"ping"}{"#, Value::Null, PARSE_ERROR),
        bad(deep(5_000).as_bytes(), Value::Null, PARSE_ERROR),
        bad("[".repeat(5_000).as_bytes(), Value::Null, PARSE_ERROR),
        bad(deep_arguments.as_bytes(), Value::Null, PARSE_ERROR),
        bad(br#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, Value::Null, INVALID_REQUEST),
        bad(br#"{"jsonrpc":"1.0","id":9,"method":"ping"}"#, json!(9), INVALID_REQUEST),
        bad(br#"{"id":"nine","method":"ping"}"#, json!("nine"), INVALID_REQUEST),
        bad(br#"{"jsonrpc":"2.0","id":3}"#, json!(3), INVALID_REQUEST),
        bad(br#"{"jsonrpc":"2.0","id":3,"method":7}"#, json!(3), INVALID_REQUEST),
        bad(br#"{"jsonrpc":"2.0","id":3,"error":"text"}"#, Value::Null, INVALID_REQUEST),
        bad(br#"{"jsonrpc":"2.0","id":{"a":1},"method":"ping"}"#, Value::Null, INVALID_REQUEST),
        bad(br#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, Value::Null, INVALID_REQUEST),
        bad(&vec![b'x'; 17 << 20], Value::Null, INVALID_REQUEST),
    ];
    let no_object = ["[]", "{}", "7", "-1.5e3", "\"text\"", "null", "true"];
    all.extend(no_object.iter().map(|line| bad(line.as_bytes(), Value::Null, INVALID_REQUEST)));
    all
}

/// Sends all bad lines, each after this text.
pub fn refuses_all_and_lives(client: &mut Client, before_each: &str) {
    for Bad { line, id, code: expected } in bad_lines() {
        let shown = String::from_utf8_lossy(&line[..line.len().min(80)]).into_owned();
        client.send_bytes(&[before_each.as_bytes(), &line, b"\n"].concat());
        let response = client.response_to(id);
        assert_eq!(code(&response), expected, "{shown}: {response}");
        assert!(response["error"]["message"].is_string(), "{shown}: {response}");
        client.ping();
    }
    client.expect_silence(Duration::from_millis(50));
}

#[test]
fn bad_lines_get_an_error_before_and_after_the_handshake() {
    let tree = Tree::new();
    let mut client = Client::start(&mut tree.command(&[]));
    refuses_all_and_lives(&mut client, "");
    client.initialize(LEGACY, json!({}));
    refuses_all_and_lives(&mut client, "\n\r\n  \n");
}

#[test]
fn empty_lines_and_carriage_returns_mean_nothing() {
    let tree = Tree::new();
    let mut client = Client::legacy(&tree, &[], Answer::Never);
    client.send_bytes(b"\n\r\n \t\r\n\n");
    client.send_bytes(b"  {\"jsonrpc\":\"2.0\",\"id\":\"crlf\",\"method\":\"ping\"}\r\n");
    assert_eq!(client.response_to("crlf")["result"], json!({}));
    // A message may come in pieces, and several at once.
    client.send_bytes(b"{\"jsonrpc\":\"2.0\",");
    client.idle(Duration::from_millis(30));
    client.send_bytes(b"\"id\":1,\"method\":\"ping\"}\n{\"jsonrpc\":\"2.0\",\"id\":2,\"method\":\"ping\"}\n");
    assert_eq!(client.response_to(1)["result"], json!({}));
    assert_eq!(client.response_to(2)["result"], json!({}));
    client.expect_silence(Duration::from_millis(50));
}

/// Nothing that a client sends is repeated at its full length.
#[test]
fn long_texts_are_read_and_answered_shortly() {
    const LONG: usize = 1 << 20;
    let long = "x".repeat(LONG);
    let tree = Tree::new();
    let alpha = tree.path("alpha");
    let in_arguments = ["--mode", "arguments", "--allow-dir", alpha.to_str().expect("UTF-8")];
    let in_resources = ["--mode", "resources", "--allow-dir", alpha.to_str().expect("UTF-8")];
    let stats = format!("project-stats://lines/alpha/{long}");
    let cases: [(&[&str], &str, Value); 12] = [
        (&[], "tools/call", tool("count_lines", json!({"subdir": long}))),
        (&[], "tools/call", tool("count_lines", json!({"root": long}))),
        (&[], "tools/call", tool("count_lines", json!({"root": format!("file:///{long}")}))),
        (&[], "tools/call", tool("count_lines", json!({long.as_str(): 1}))),
        (&[], "tools/call", tool(&long, json!({}))),
        (&[], "tools/list", json!({"cursor": long})),
        (&[], &long, json!({})),
        (&in_arguments, "tools/call", tool("count_lines", json!({"directory": long}))),
        (&in_arguments, "tools/call", tool("count_lines", json!({"directory": format!("/{long}")}))),
        (&in_arguments, "tools/call", tool("count_lines", json!({"directory": alpha.join(&long)}))),
        (&in_resources, "tools/call", tool("count_lines", json!({"uri": stats}))),
        (&in_resources, "tools/call", tool("count_lines", json!({"uri": format!("project-stats://lines/{long}")}))),
    ];
    for (flags, method, params) in cases {
        let mut client = Client::legacy(&tree, flags, Answer::Result(tree.roots(&["alpha", "beta"])));
        let response = client.request(method, params);
        let length = response.to_string().len();
        assert!(length < LONG / 4, "{flags:?} {method:.20}: {length} bytes: {:.200}", response.to_string());
        assert!(response["error"].is_object() || response["result"]["isError"] == true, "{response}");
        client.ping();
    }
}

/// The limit of a line is not below what it says.
#[test]
fn a_line_of_almost_16_mib_is_read() {
    let tree = Tree::new();
    let mut client = Client::start(&mut tree.command(&[]));
    let mut params = message::handshake(LEGACY, json!({}));
    params["clientInfo"]["name"] = "x".repeat((16 << 20) - 300).into();
    assert!(client.request("initialize", params)["result"].is_object());
}

/// Parameters that are not what the method takes: an error of the protocol, for the request that it is.
pub fn refuses_ill_typed_parameters(client: &mut Client) {
    let shapes = [json!([]), json!("text"), json!(5), json!(true), json!([{"name": "count_lines"}])];
    let mut cases: Vec<(&str, Value, i64)> = vec![
        ("tools/call", json!({}), INVALID_PARAMS),
        ("tools/call", json!({"name": 5}), INVALID_PARAMS),
        ("tools/call", json!({"name": null}), INVALID_PARAMS),
        ("tools/call", json!({"name": "count_lines", "arguments": []}), INVALID_PARAMS),
        ("tools/call", json!({"name": "count_lines", "arguments": "{}"}), INVALID_PARAMS),
        ("tools/call", json!({"name": "no_such_tool"}), INVALID_PARAMS),
        ("tools/call", json!({"name": "list_directories"}), INVALID_PARAMS),
        ("tools/call", json!({"name": "count_lines", "arguments": {"directory": "alpha"}}), INVALID_PARAMS),
        ("tools/call", json!({"name": "count_lines", "arguments": {"root": true}}), INVALID_PARAMS),
        ("tools/call", json!({"name": "count_lines", "arguments": {"root": -1}}), INVALID_PARAMS),
        ("tools/call", json!({"name": "count_lines", "arguments": {"root": 0.5}}), INVALID_PARAMS),
        ("tools/call", json!({"name": "count_lines", "arguments": {"root": ["alpha"]}}), INVALID_PARAMS),
        ("tools/call", json!({"name": "count_lines", "arguments": {"subdir": 7}}), INVALID_PARAMS),
        ("tools/call", json!({"name": "list_roots", "arguments": {"root": "alpha"}}), INVALID_PARAMS),
        ("tools/list", json!({"cursor": "more"}), INVALID_PARAMS),
        ("initialize", json!({"protocolVersion": 5, "capabilities": {}, "clientInfo": {}}), INVALID_PARAMS),
        ("no/such/method", json!({}), METHOD_NOT_FOUND),
        ("no/such/method", json!("text"), METHOD_NOT_FOUND),
        ("no/such/method", json!([1]), METHOD_NOT_FOUND),
        ("", json!({}), METHOD_NOT_FOUND),
        ("roots/list", json!({}), METHOD_NOT_FOUND),
    ];
    for method in ["tools/call", "tools/list", "initialize"] {
        cases.extend(shapes.iter().map(|shape| (method, shape.clone(), INVALID_PARAMS)));
    }
    for (method, params, expected) in cases {
        let response = client.request(method, params.clone());
        assert_eq!(code(&response), expected, "{method} {params}: {response}");
    }
}

#[test]
fn ill_typed_parameters_are_told_apart_from_unknown_methods() {
    let tree = Tree::new();
    let mut client = Client::legacy(&tree, &[], Answer::Result(tree.roots(&["alpha"])));
    refuses_ill_typed_parameters(&mut client);
    assert_eq!(client.count()["result"]["structuredContent"]["lines"], 4);
}

#[test]
fn methods_without_their_parameters_are_malformed() {
    let tree = Tree::new();
    let mut client = Client::legacy(&tree, &[], Answer::Never);
    for method in ["tools/call", "initialize"] {
        client.send(&json!({"jsonrpc": "2.0", "id": method, "method": method}));
        assert_eq!(code(&client.response_to(method)), INVALID_PARAMS, "{method}");
    }
    client.ping();
}
