//! `mcp-roots-lint serve --transport http`, with requests in bytes: who may talk to it, what is no message, what is too
//! much or too slow, and Roots in sessions and without.
#![cfg(feature = "runtime")]

#[path = "support/serve/mod.rs"]
mod serve;

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use mcp_roots_lint::compat::events::Events;
use mcp_roots_lint::compat::http::{Limits, MAX_BODY, serve_on};
use mcp_roots_lint::compat::roots::session;
use mcp_roots_lint::compat::shared::Shared;
use mcp_roots_lint::compat::{Mode, Offer, Options};
use serde_json::{Value, json};

use serve::http::{Request, Response, Server};
use serve::message::{
    self, LEGACY, MODERN, code, counted, handshake, in_version, key, modern, notification, refusal, request, state,
    structured, tool, with_roots,
};
use serve::{PATIENCE, Process, Tree};

const PARSE_ERROR: i64 = -32700;
const INVALID_REQUEST: i64 = -32600;
const INVALID_PARAMS: i64 = -32602;
const HEADER_MISMATCH: i64 = -32020;
const UNSUPPORTED_VERSION: i64 = -32022;

fn initialize() -> Value {
    request(0, "initialize", handshake(LEGACY, json!({})))
}

fn tools_list() -> Value {
    request(7, "tools/list", modern(json!({}), json!({})))
}

fn count(capabilities: Value, arguments: Value) -> Value {
    request(7, "tools/call", modern(capabilities, tool("count_lines", arguments)))
}

/// Asserts that the server still does what it is there for, in both eras.
fn is_alive(server: &Server) {
    assert!(server.open(&Request::modern(&tools_list())).message(7)["result"]["tools"].is_array());
    let session = server.session(json!({}));
    let closed = server.send(&Request::new("DELETE", "").in_session(&session));
    assert!((200..300).contains(&closed.status), "{closed:?}");
}

#[test]
fn only_pages_and_names_of_this_address_are_served() {
    let tree = Tree::new();
    let server = Server::start(&tree, &[]);
    let port = server.address.port();
    let other = port ^ 1;
    let own = ["localhost", "127.0.0.1", "[::1]"].map(|host| format!("{host}:{port}"));
    let foreign_hosts = [
        "evil.com".to_owned(),
        format!("evil.com:{port}"),
        format!("localhost:{other}"),
        format!("127.0.0.1:{other}"),
        format!("127.0.0.1.nip.io:{port}"),
        format!("localhost.evil.com:{port}"),
        format!("127.0.0.2:{port}"),
    ];
    let foreign_origins = [
        "http://evil.com".to_owned(),
        format!("http://evil.com:{port}"),
        "null".to_owned(),
        format!("http://localhost:{other}"),
        format!("http://127.0.0.1:{other}"),
        "http://localhost".to_owned(),
        format!("https://127.0.0.1:{port}"),
        format!("http://127.0.0.1:{port}.evil.com"),
        format!("http://127.0.0.1.nip.io:{port}"),
        "chrome-extension://abcdefghijklmnop".to_owned(),
        String::new(),
    ];
    let messages = [
        ("legacy", Request::post(&initialize())),
        ("modern", Request::modern(&tools_list())),
        ("malformed", Request::new("POST", "{")),
        ("empty", Request::new("POST", "")),
        ("batch", Request::new("POST", "[]")),
        ("get", Request::new("GET", "").with("Accept", "text/event-stream")),
        ("delete", Request::new("DELETE", "")),
        ("options", Request::new("OPTIONS", "").with("Access-Control-Request-Method", "POST")),
    ];
    let mut cases = Vec::new();
    for (name, message) in &messages {
        let hosts = foreign_hosts.iter().map(|host| message.clone().with("Host", host));
        let origins = foreign_origins.iter().map(|origin| message.clone().with("Origin", origin));
        cases.extend(hosts.chain(origins).map(|request| (*name, request, 403)));
    }
    for (name, message) in &messages[..2] {
        cases.push((name, message.clone(), 200));
        for host in &own {
            cases.push((name, message.clone().with("Host", host), 200));
            cases.push((name, message.clone().with("Origin", &format!("http://{host}")), 200));
        }
    }
    for (name, request, status) in cases {
        let response = server.open(&request);
        assert_eq!(response.status, status, "{name} {:?}", request.headers);
        assert_eq!(response.header("Access-Control-Allow-Origin"), None, "pages of others may not read it");
    }
    is_alive(&server);
}

#[test]
fn requests_that_are_not_of_the_transport_are_refused() {
    let tree = Tree::new();
    let server = Server::start(&tree, &[]);
    let good = [Request::post(&initialize()), Request::modern(&tools_list())];
    let at = |path: &str| Request { path: path.into(), ..good[0].clone() };
    let mut cases = vec![
        (at("/"), 404),
        (at("/mcp/"), 404),
        (at("/MCP"), 404),
        (at("/mcp/../mcp"), 404),
        (at("//mcp"), 404),
        (Request::new("PUT", initialize().to_string()), 405),
        (Request::new("PATCH", initialize().to_string()), 405),
        (Request::new("OPTIONS", ""), 405),
        (Request::new("HEAD", ""), 405),
    ];
    for request in good {
        // What a form or a simple request of a page may send.
        for kind in
            ["text/plain", "text/plain;application/json", "application/x-www-form-urlencoded", "application/jsonp"]
        {
            cases.push((request.clone().with("Content-Type", kind), 415));
        }
        cases.push((request.clone().without("Content-Type"), 415));
        for accept in ["application/json", "text/event-stream", "text/html"] {
            cases.push((request.clone().with("Accept", accept), 406));
        }
        cases.push((request.clone().with("Content-Type", "application/json; charset=utf-8"), 200));
    }
    for (request, status) in cases {
        let response = server.open(&request);
        assert_eq!(response.status, status, "{} {} {:?}", request.method, request.path, request.headers);
    }
    is_alive(&server);
}

#[test]
fn a_body_that_is_no_message_gets_a_json_rpc_error() {
    let deep = format!("{}{}", "[".repeat(5_000), "]".repeat(5_000));
    let bodies: Vec<(Vec<u8>, Value, i64)> = vec![
        (b"".to_vec(), Value::Null, PARSE_ERROR),
        (br#"{"jsonrpc":"2.0","id":1,"method":"ping""#.to_vec(), Value::Null, PARSE_ERROR),
        (b"hello".to_vec(), Value::Null, PARSE_ERROR),
        (b"\0\0".to_vec(), Value::Null, PARSE_ERROR),
        (b"{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"\xff\"}".to_vec(), Value::Null, PARSE_ERROR),
        (br#"{"jsonrpc":"2.0","id":1,"method":"\udcff"}"#.to_vec(), Value::Null, PARSE_ERROR),
        (deep.into_bytes(), Value::Null, PARSE_ERROR),
        (b"[]".to_vec(), Value::Null, INVALID_REQUEST),
        (format!("[{}]", initialize()).into_bytes(), Value::Null, INVALID_REQUEST),
        (b"{}".to_vec(), Value::Null, INVALID_REQUEST),
        (b"7".to_vec(), Value::Null, INVALID_REQUEST),
        (b"null".to_vec(), Value::Null, INVALID_REQUEST),
        (br#"{"jsonrpc":"1.0","id":9,"method":"ping"}"#.to_vec(), json!(9), INVALID_REQUEST),
        (br#"{"jsonrpc":"2.0","id":3}"#.to_vec(), json!(3), INVALID_REQUEST),
        (request(4, "initialize", json!("text")).to_string().into_bytes(), json!(4), INVALID_PARAMS),
        (request(4, "initialize", json!({"protocolVersion": 5})).to_string().into_bytes(), json!(4), INVALID_PARAMS),
        (request(4, "tools/call", json!([])).to_string().into_bytes(), json!(4), INVALID_PARAMS),
        (request("x", "tools/call", json!({"name": 5})).to_string().into_bytes(), json!("x"), INVALID_PARAMS),
    ];
    let tree = Tree::new();
    let server = Server::start(&tree, &[]);
    let session = server.session(json!({}));
    for (body, id, expected) in bodies {
        let shown = String::from_utf8_lossy(&body[..body.len().min(60)]).into_owned();
        let plain = Request::new("POST", body);
        let response = server.send(&plain);
        assert_eq!(response.status, 400, "{shown}: {response:?}");
        assert_eq!(response.header("Content-Type"), Some("application/json"), "{shown}");
        let response = response.json();
        assert_eq!((code(&response), &response["id"]), (expected, &id), "{shown}: {response}");
        // In a session the same error may come as an event.
        let response = server.open(&plain.clone().in_session(&session)).message(id);
        assert_eq!(code(&response), expected, "{shown}: {response}");
        // Who may not talk to it at all learns nothing about the body.
        let response = server.send(&plain.with("Origin", "http://evil.com"));
        assert_eq!(response.status, 403, "{shown}");
    }
    is_alive(&server);
}

#[test]
fn a_call_of_an_ill_typed_or_unknown_kind_is_an_error_of_the_protocol() {
    let tree = Tree::new();
    let server = Server::start(&tree, &[]);
    let session = server.session(json!({}));
    let cases = [
        ("tools/call", json!({"name": "no_such_tool"}), INVALID_PARAMS),
        ("tools/call", json!({"name": "count_lines", "arguments": {"directory": "x"}}), INVALID_PARAMS),
        ("tools/call", json!({"name": "count_lines", "arguments": {"root": true}}), INVALID_PARAMS),
        ("tools/list", json!({"cursor": "more"}), INVALID_PARAMS),
        ("no/such/method", json!({}), -32601),
        ("resources/list", json!({}), -32601),
    ];
    for (method, params, expected) in cases {
        let legacy = Request::post(&request(7, method, params.clone())).in_session(&session);
        let modern = Request::modern(&request(7, method, modern(json!({}), params.clone())));
        for sent in [legacy, modern] {
            let response = server.open(&sent).message(7);
            assert_eq!(code(&response), expected, "{method} {params}: {response}");
        }
    }
    is_alive(&server);
}

#[test]
fn a_body_over_the_limit_is_refused() {
    let tree = Tree::new();
    let server = Server::start(&tree, &[]);
    let body = vec![b' '; MAX_BODY + 1];
    let response = server.send(&Request::new("POST", body.clone()));
    assert_eq!((response.status, code(&response.json())), (413, INVALID_REQUEST));

    // Without a length, too.
    let mut chunked = Request::new("POST", format!("{:x}\r\n", body.len())).with("Transfer-Encoding", "chunked");
    chunked.body.extend(body);
    chunked.body.extend(b"\r\n0\r\n\r\n");
    assert_eq!(server.send(&chunked).status, 413);

    // As long as allowed, it is read.
    let mut long = initialize();
    long["params"]["clientInfo"]["name"] = "x".repeat(MAX_BODY - 1_000).into();
    let mut response = server.open(&Request::post(&long));
    assert!(response.message(0)["result"].is_object());
    is_alive(&server);
}

#[test]
fn what_is_no_http_is_survived() {
    let tree = Tree::new();
    let server = Server::start(&tree, &[]);
    let lies = [
        &b"\0\0\0\0\r\n\r\n"[..],
        b"garbage\r\n\r\n",
        b"POST /mcp HTTP/9.9\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /mcp HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nhello",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    ];
    for lie in lies {
        let mut stream = server.connect();
        stream.write_all(lie).expect("a connection");
        stream.shutdown(Shutdown::Write).expect("a connection");
        let mut response = Vec::new();
        // Whether it is refused or dropped, it ends.
        let _ = stream.read_to_end(&mut response);
        assert!(response.is_empty() || response.starts_with(b"HTTP/1.1 400"), "{}", String::from_utf8_lossy(&response));
    }
    let many = format!("X-Many: {}\r\n", "x".repeat(1_000)).repeat(1_000);
    let mut stream = server.connect();
    let _ = stream.write_all(format!("POST /mcp HTTP/1.1\r\n{many}\r\n").as_bytes());
    let mut response = String::new();
    let _ = stream.read_to_string(&mut response);
    assert!(response.is_empty() || response.starts_with("HTTP/1.1 4"), "{response}");
    is_alive(&server);
}

/// A server in this process that waits half a second for headers, and for bodies.
fn impatient(tree: &Tree) -> SocketAddr {
    let options = Options {
        mode: Mode::Roots,
        offer: Offer::Both,
        strict: true,
        limits: session::Limits { timeout: PATIENCE, max_roots: 1 },
        allow_dirs: Vec::new(),
        conformance: false,
        deprecation: String::new(),
    };
    let events = Events::file(&tree.path("events.jsonl")).expect("a file");
    let shared = Shared::new(options, events).expect("good options");
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.set_nonblocking(true).expect("a socket");
    let address = listener.local_addr().expect("an address");
    thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let half = Duration::from_millis(500);
        let limits = Limits { header_time: half, body_time: half, ..Limits::new(10) };
        runtime.block_on(async {
            let listener = tokio::net::TcpListener::from_std(listener).expect("a socket");
            serve_on(shared, listener, limits).await
        })
    });
    address
}

#[test]
fn slow_headers_and_bodies_are_cut_off() {
    let tree = Tree::new();
    let address = impatient(&tree);
    let connect = || {
        let stream = TcpStream::connect(address).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream
    };
    let whole = Request::post(&initialize()).bytes(address);

    let begun = Instant::now();
    let mut stream = connect();
    stream.write_all(&whole[..30]).expect("a connection");
    let mut response = Vec::new();
    // Ended, by a response or without; not by the patience of this test.
    let ended = stream.read_to_end(&mut response);
    assert!(ended.is_ok() || begun.elapsed() < PATIENCE, "{ended:?}");
    assert!(response.is_empty() || response.starts_with(b"HTTP/1.1 408"), "{}", String::from_utf8_lossy(&response));
    assert!(begun.elapsed() >= Duration::from_millis(450), "{:?}", begun.elapsed());

    let begun = Instant::now();
    let mut stream = connect();
    stream.write_all(&whole[..whole.len() - 1]).expect("a connection");
    let response = Response::read(stream.try_clone().expect("a stream")).whole();
    assert_eq!((response.status, code(&response.json())), (408, INVALID_REQUEST));
    assert!(begun.elapsed() >= Duration::from_millis(450), "{:?}", begun.elapsed());

    // What comes in pieces, but in time, is served.
    let mut stream = connect();
    for piece in whole.chunks(whole.len() / 4) {
        stream.write_all(piece).expect("a connection");
        thread::sleep(Duration::from_millis(20));
    }
    assert_eq!(Response::read(stream).status, 200);
}

#[test]
fn headers_of_2026_have_to_say_what_the_body_says() {
    let tree = Tree::new();
    let server = Server::start(&tree, &[]);
    let list = Request::modern(&tools_list());
    let call = Request::modern(&count(json!({}), json!({})));
    let cases = [
        list.clone().without("MCP-Protocol-Version"),
        list.clone().with("MCP-Protocol-Version", LEGACY),
        list.clone().without("Mcp-Method"),
        list.clone().with("Mcp-Method", "tools/call"),
        list.clone().with("Mcp-Method", ""),
        call.clone().without("Mcp-Name"),
        call.clone().with("Mcp-Name", "list_roots"),
        call.clone().without("Mcp-Method"),
    ];
    for request in cases {
        let response = server.send(&request);
        assert_eq!(response.status, 400, "{request:?}: {response:?}");
        let response = response.json();
        assert_eq!(
            (code(&response), &response["id"]),
            (HEADER_MISMATCH, &json!(7)),
            "{:?}: {response}",
            request.headers
        );
    }
    for (request, id) in [(list, 7), (call, 7)] {
        assert!(server.open(&request).message(id)["result"].is_object());
    }
    for asked in ["1999-01-01", "2030-01-01"] {
        let message = request(7, "tools/list", in_version(asked, json!({}), json!({})));
        let response = server.send(&Request::modern(&message).with("MCP-Protocol-Version", asked));
        assert_eq!(response.status, 400, "{asked}: {response:?}");
        let response = response.json();
        assert_eq!(code(&response), UNSUPPORTED_VERSION, "{asked}: {response}");
        assert!(response["error"]["data"]["supported"].as_array().is_some_and(|all| all.contains(&json!(MODERN))));
    }
}

#[test]
fn an_era_that_is_not_offered_is_refused() {
    let tree = Tree::new();
    let server = Server::start(&tree, &["--era", "modern", "--max-sessions", "1"]);
    // Refused handshakes take no session, however many.
    for _ in 0..3 {
        let response = server.open(&Request::post(&initialize())).message(0);
        assert_eq!(code(&response), UNSUPPORTED_VERSION, "{response}");
        assert_eq!(response["error"]["data"]["supported"], json!([MODERN]));
    }
    assert!(server.open(&Request::modern(&tools_list())).message(7)["result"].is_object());

    let server = Server::start(&tree, &["--era", "legacy"]);
    let response = server.send(&Request::modern(&tools_list()));
    assert_eq!((response.status, code(&response.json())), (400, UNSUPPORTED_VERSION), "{response:?}");
    let supported = &response.json()["error"]["data"]["supported"];
    assert!(supported.as_array().is_some_and(|all| all.len() == 4 && !all.contains(&json!(MODERN))), "{supported}");
    server.session(json!({}));
}

#[test]
fn there_are_no_more_sessions_than_allowed() {
    let tree = Tree::new();
    let server = Server::start(&tree, &["--max-sessions", "2"]);
    // What opens no session takes no place.
    for refused in [
        Request::post(&initialize()).with("Origin", "null"),
        Request::post(&initialize()).with("Accept", "text/html"),
        Request::post(&request(0, "initialize", json!({}))),
        Request::modern(&tools_list()),
    ] {
        for _ in 0..3 {
            server.open(&refused).whole();
        }
    }
    let first = server.session(json!({}));
    let second = server.session(json!({}));
    assert_ne!(first, second);
    for _ in 0..3 {
        let response = server.send(&Request::post(&initialize()));
        assert_eq!(response.status, 503, "{response:?}");
        assert!(response.header("Retry-After").is_some());
        let response = response.json();
        assert_eq!(response["id"], 0);
        let message = response["error"]["message"].as_str().expect("a text");
        assert!(code(&response) != 0 && message.contains("--max-sessions"), "{message}");
    }
    // Those that are open work on, and requests without a session are served.
    let ping = request(1, "ping", json!({}));
    assert!(server.open(&Request::post(&ping).in_session(&first)).message(1)["result"].is_object());
    assert!(server.open(&Request::modern(&tools_list())).message(7)["result"].is_object());

    server.send(&Request::new("DELETE", "").in_session(&first));
    let gone = server.send(&Request::post(&ping).in_session(&first));
    assert_eq!(gone.status, 404, "{gone:?}");
    server.session(json!({}));
    assert_eq!(server.send(&Request::post(&initialize())).status, 503);
    for unknown in ["", "x", "00000000-0000-0000-0000-000000000000", &"x".repeat(10_000)] {
        let response = server.send(&Request::post(&ping).in_session(unknown));
        assert!((400..500).contains(&response.status), "{response:?}");
    }
}

#[test]
fn sessions_that_are_opened_at_once_are_counted_too() {
    let tree = Tree::new();
    let server = Server::start(&tree, &["--max-sessions", "2"]);
    let streams: Vec<_> = (0..40).map(|_| server.connect()).collect();
    let bytes = Request::post(&initialize()).bytes(server.address);
    for mut stream in &streams {
        stream.write_all(&bytes).expect("a connection");
    }
    let statuses: Vec<_> = streams.into_iter().map(|stream| Response::read(stream).status).collect();
    let of = |status| statuses.iter().filter(|other| **other == status).count();
    assert_eq!((of(200), of(503)), (2, 38), "{statuses:?}");
}

/// A call in a session, answering `roots/list` on the stream of the call itself.
fn call_in_session(server: &Server, session: &str, roots: &Value) -> Value {
    let call = request(1, "tools/call", tool("count_lines", json!({})));
    let mut stream = server.open(&Request::post(&call).in_session(session));
    assert_eq!(stream.status, 200);
    loop {
        let message = stream.next().expect("a response before the end of the stream");
        if message["method"] == "roots/list" {
            let answer = message::result(&message["id"], roots);
            let accepted = server.send(&Request::post(&answer).in_session(session));
            assert_eq!(accepted.status, 202);
        } else if message["id"] == 1 && message.get("method").is_none() {
            return message;
        }
    }
}

#[test]
fn without_a_get_stream_roots_are_asked_for_on_the_calls_own() {
    let tree = Tree::new();
    let server = Server::start(&tree, &[]);
    let session = server.session(with_roots());
    let response = call_in_session(&server, &session, &tree.roots(&["alpha"]));
    assert_eq!(counted(&response), (4, "roots:asked"));
    // Now it is known. Only a change makes a call ask again.
    let response = call_in_session(&server, &session, &tree.roots(&["beta"]));
    assert_eq!(counted(&response), (4, "roots:cached"));
    let changed = Request::post(&notification("notifications/roots/list_changed")).in_session(&session);
    assert_eq!(server.send(&changed).status, 202);
    let response = call_in_session(&server, &session, &tree.roots(&["beta"]));
    assert_eq!(counted(&response), (5, "roots:asked"));
}

#[test]
fn a_get_stream_is_asked_once_the_handshake_is_over() {
    let tree = Tree::new();
    let server = Server::start(&tree, &[]);
    let session = server.session(with_roots());
    let get = Request::new("GET", "").with("Accept", "text/event-stream").in_session(&session);
    let mut stream = server.open(&get);
    assert_eq!(stream.status, 200);
    let mut answer = |name: &str, moment: &str| {
        let asked = loop {
            let message = stream.next().expect("an open stream");
            if message["method"] == "roots/list" {
                break message;
            }
        };
        let answer = message::result(&asked["id"], &tree.roots(&[name]));
        assert_eq!(server.send(&Request::post(&answer).in_session(&session)).status, 202);
        server.process.event("roots-answered", |event| event["moment"] == moment && event["outcome"] == "roots");
    };
    answer("alpha", "initialized");
    // Whatever is said on the call's own stream, there was nothing to ask.
    assert_eq!(counted(&call_in_session(&server, &session, &json!({}))), (4, "roots:cached"));

    let changed = Request::post(&notification("notifications/roots/list_changed")).in_session(&session);
    assert_eq!(server.send(&changed).status, 202);
    answer("beta", "list-changed");
    assert_eq!(counted(&call_in_session(&server, &session, &json!({}))), (5, "roots:cached"));
}

#[test]
fn a_silent_session_costs_one_deadline() {
    let tree = Tree::new();
    let server = Server::start(&tree, &["--roots-timeout", "300ms"]);
    let session = server.session(with_roots());
    let call = request(1, "tools/call", tool("count_lines", json!({})));
    let call = Request::post(&call).in_session(&session);
    let mut asked = Vec::new();
    let mut cancelled = Vec::new();
    for _ in 0..3 {
        let mut stream = server.open(&call);
        let response = loop {
            let message = stream.next().expect("a response before the end of the stream");
            match message["method"].as_str() {
                Some("roots/list") => asked.push(message["id"].clone()),
                Some("notifications/cancelled") => cancelled.push(message["params"]["requestId"].clone()),
                Some(other) => panic!("{other}"),
                None => break message,
            }
        };
        assert_eq!(counted(&response), (2, "cwd:no-answer"));
    }
    assert_eq!(asked.len(), 1, "on the streams of the calls");
    assert!(cancelled.iter().all(|id| asked.contains(id)), "{cancelled:?} {asked:?}");
}

#[test]
fn sessions_and_requests_of_their_own_do_not_mix() {
    let tree = Tree::new();
    let server = Server::start(&tree, &[]);
    let names = [("alpha", 4), ("beta", 5), ("gamma", 7)];
    let sessions = names.map(|(name, lines)| (server.session(with_roots()), tree.roots(&[name]), lines));
    let without = server.session(json!({}));
    for source in ["roots:asked", "roots:cached"] {
        for (session, roots, lines) in &sessions {
            assert_eq!(counted(&call_in_session(&server, session, roots)), (*lines, source));
        }
        assert_eq!(counted(&call_in_session(&server, &without, &json!({}))), (2, "cwd:no-capability"));
        let mut response = server.open(&Request::modern(&count(json!({}), json!({}))));
        assert_eq!(counted(&response.message(7)), (2, "cwd:no-capability"));
        let mut response = server.open(&Request::modern(&count(with_roots(), json!({}))));
        assert!(!state(&response.message(7)).is_empty(), "nothing of the sessions");
    }
    assert_eq!(server.process.warnings().len(), 1, "once a process, not once a session");
}

#[test]
fn requests_of_2026_have_no_session() {
    let tree = Tree::new();
    let server = Server::start(&tree, &["--strict"]);
    let mut response = server.open(&Request::modern(&count(with_roots(), json!({}))));
    assert_eq!((response.status, response.header("Mcp-Session-Id")), (200, None));
    let asked = response.message(7);
    let retry = |state: &str, arguments: Value| {
        let mut retry = count(with_roots(), arguments);
        retry["params"]["requestState"] = state.into();
        retry["params"]["inputResponses"] = json!({key(&asked): tree.roots(&["alpha"])});
        // Another connection: the state is all that there is.
        server.open(&Request::modern(&retry)).message(7)
    };
    let good = state(&asked);
    assert_eq!(counted(&retry(good, json!({}))), (4, "roots:input-request"));
    for (state, arguments) in
        [(&good[..good.len() - 4], json!({})), ("garbage", json!({})), (good, json!({"root": "alpha"}))]
    {
        assert_eq!(code(&retry(state, arguments)), INVALID_PARAMS);
    }
    let other = Server::start(&tree, &[]);
    let mut foreign = count(with_roots(), json!({}));
    foreign["params"]["requestState"] = good.into();
    assert_eq!(code(&other.open(&Request::modern(&foreign)).message(7)), INVALID_PARAMS);

    let mut undeclared = server.open(&Request::modern(&count(json!({}), json!({}))));
    assert!(refusal(&undeclared.message(7)).contains("--allow-dir"));
    let list = request(7, "tools/call", modern(with_roots(), tool("list_roots", json!({}))));
    let asked = server.open(&Request::modern(&list)).message(7);
    let mut retry = list;
    retry["params"]["requestState"] = state(&asked).into();
    retry["params"]["inputResponses"] = json!({key(&asked): tree.roots(&["alpha", "beta"])});
    let listed = server.open(&Request::modern(&retry)).message(7);
    assert_eq!(structured(&listed)["roots"].as_array().map(Vec::len), Some(2));
    // A change is announced to nobody.
    let changed = Request::modern(&notification("notifications/roots/list_changed"));
    assert!((200..500).contains(&server.send(&changed).status));
}

/// How long a walk may go on that was to stop: the machine may be busy.
const AT_ONCE: Duration = Duration::from_secs(2);

/// A call that counts what takes long, by the stream that it is answered on.
fn counting(server: &Server, sent: &Request) -> TcpStream {
    let mut stream = server.connect();
    stream.write_all(&sent.bytes(server.address)).expect("a connection");
    thread::sleep(Duration::from_millis(300));
    assert!(server.process.events().iter().all(|event| event["event"] != "counted"), "not long enough");
    stream
}

#[test]
fn a_walk_ends_with_its_client() {
    let tree = Tree::new();
    let endless = tree.endless();
    let server = Server::start(&tree, &["--mode", "config", "--allow-dir", endless.to_str().expect("UTF-8")]);
    let sent = Request::modern(&count(json!({}), json!({})));
    // Others are served meanwhile, more than once.
    let streams: Vec<_> = (0..3).map(|_| counting(&server, &sent)).collect();
    let begun = Instant::now();
    is_alive(&server);
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    drop(streams);
    #[cfg(target_os = "linux")]
    server.process.is_idle_within(AT_ONCE, "disconnected");

    // In a session the client says so, or ends the session.
    let call = request(1, "tools/call", tool("count_lines", json!({})));
    // rmcp lets calls of a session that is deleted go on for 5 seconds.
    for (ends, deadline) in [("cancelled", AT_ONCE), ("deleted", Duration::from_secs(8))] {
        let session = server.session(json!({}));
        let stream = counting(&server, &Request::post(&call).in_session(&session));
        let end = match ends {
            "cancelled" => Request::post(&message::cancelled(1)).in_session(&session),
            _ => Request::new("DELETE", "").in_session(&session),
        };
        assert_eq!(server.send(&end).status, 202, "{ends}");
        #[cfg(target_os = "linux")]
        server.process.is_idle_within(deadline, ends);
        drop(stream);
    }
    assert!(server.process.events().iter().all(|event| event["event"] != "counted"));
}

#[test]
fn a_hundred_thousand_roots_fit() {
    let tree = Tree::new();
    let server = Server::start(&tree, &[]);
    let roots = json!({"roots": vec![tree.root("alpha"); 100_000]});
    let session = server.session(with_roots());
    assert_eq!(counted(&call_in_session(&server, &session, &roots)), (4, "roots:asked"));
    let mut response = server.open(&Request::modern(&count(with_roots(), json!({}))));
    let asked = response.message(7);
    let mut retry = count(with_roots(), json!({}));
    retry["params"]["requestState"] = state(&asked).into();
    retry["params"]["inputResponses"] = json!({key(&asked): roots});
    let response = server.open(&Request::modern(&retry)).message(7);
    assert_eq!(counted(&response), (4, "roots:input-request"));
}

#[test]
fn an_address_in_use_is_an_error() {
    let tree = Tree::new();
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let mut process = Process::start(&mut tree.command(&["--transport", "http", "--listen", &address]));
    assert_eq!(process.ends_within(PATIENCE).code(), Some(2));
    process.stderr.wait("error", |line| line.starts_with(&format!("error: cannot listen on {address}")).then_some(()));
}

/// An open connection that says nothing keeps nobody else from being served.
#[test]
fn idle_connections_do_not_stand_in_the_way() {
    let tree = Tree::new();
    let server = Server::start(&tree, &[]);
    let (done, waits) = mpsc::channel();
    let _idle: Vec<_> = (0..200).map(|_| server.connect()).collect();
    thread::scope(|scope| {
        scope.spawn(|| {
            is_alive(&server);
            let _ = done.send(());
        });
        waits.recv_timeout(Duration::from_secs(5)).expect("an answer while others are idle");
    });
}
