//! `mcp-roots-lint serve` with rmcp's own client: both transports, both eras, and all four modes, which count the same.
#![cfg(feature = "runtime")]
#![allow(deprecated, reason = "SEP-2577 deprecated Roots, which is the subject")]

#[path = "support/serve/mod.rs"]
mod serve;

use std::fmt::Debug;
use std::path::PathBuf;
use std::process::Stdio;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rmcp::model::{
    CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, Implementation, ListRootsResult,
    PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams, ResourceContents, Root,
};
use rmcp::service::{RequestContext, RunningService, ServiceError};
use rmcp::transport::StreamableHttpClientTransport;
use rmcp::{ClientHandler, ClientLifecycleMode, ClientServiceExt as _, ErrorData, RoleClient};
use serde_json::{Value, json};
use tokio::time::timeout;

use serve::{PATIENCE, Tree, http, message};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Transport {
    Stdio,
    Http,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Era {
    Legacy,
    Modern,
}

/// Every way to reach the server.
const WAYS: [(Transport, Era); 4] = [
    (Transport::Stdio, Era::Legacy),
    (Transport::Stdio, Era::Modern),
    (Transport::Http, Era::Legacy),
    (Transport::Http, Era::Modern),
];

/// A client with roots, or without the capability.
#[derive(Clone, Default)]
struct Client {
    roots: Option<Arc<Mutex<Vec<PathBuf>>>>,
    asked: Arc<AtomicUsize>,
}

impl Client {
    fn with_roots(tree: &Tree, names: &[&str]) -> Self {
        let client = Self { roots: Some(Arc::default()), ..Self::default() };
        client.open(tree, names);
        client
    }

    fn open(&self, tree: &Tree, names: &[&str]) {
        let roots = self.roots.as_ref().expect("a client with roots");
        *roots.lock().unwrap_or_else(PoisonError::into_inner) = names.iter().map(|name| tree.path(name)).collect();
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let capabilities = match self.roots {
            Some(_) => ClientCapabilities::builder().enable_roots().enable_roots_list_changed().build(),
            None => ClientCapabilities::default(),
        };
        ClientConfig::new(capabilities, Implementation::new("serve-test", "1.0.0"))
    }

    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let Some(roots) = &self.roots else {
            return Err(ErrorData::method_not_found::<rmcp::model::ListRootsRequestMethod>());
        };
        let roots = roots.lock().unwrap_or_else(PoisonError::into_inner);
        let root = |path: &PathBuf| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            Root::new(message::uri(path)).with_name(name)
        };
        Ok(ListRootsResult::new(roots.iter().map(root).collect()))
    }
}

/// The server as a process; it ends when this is dropped.
enum Process {
    Stdio { _child: tokio::process::Child },
    Http { _server: http::Server },
}

/// A client that is connected to a server of its own.
struct Session {
    client: RunningService<RoleClient, Client>,
    _process: Process,
}

/// Waits no longer than it ever has to.
async fn soon<T, E: Debug>(future: impl Future<Output = Result<T, E>>) -> Result<T, E> {
    timeout(PATIENCE, future).await.expect("an answer before the deadline")
}

impl Session {
    async fn start(tree: &Tree, flags: &[&str], client: &Client, (transport, era): (Transport, Era)) -> Self {
        let lifecycle = match era {
            Era::Legacy => ClientLifecycleMode::Initialize,
            Era::Modern => ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] },
        };
        match transport {
            Transport::Stdio => {
                let mut command = tokio::process::Command::from(tree.command(flags));
                command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).kill_on_drop(true);
                let mut child = command.spawn().expect("the server starts");
                let pipes = child.stdout.take().zip(child.stdin.take()).expect("pipes");
                let client = soon(client.clone().serve_with_lifecycle(pipes, lifecycle)).await.expect("a connection");
                Self { client, _process: Process::Stdio { _child: child } }
            }
            Transport::Http => {
                // Only the first of these in a process counts, and all are the same.
                let _ = rustls::crypto::ring::default_provider().install_default();
                let server = http::Server::start(tree, flags);
                let transport = StreamableHttpClientTransport::from_uri(server.url());
                let client =
                    soon(client.clone().serve_with_lifecycle(transport, lifecycle)).await.expect("a connection");
                Self { client, _process: Process::Http { _server: server } }
            }
        }
    }

    async fn call(&self, tool: &'static str, arguments: Value) -> Result<CallToolResult, ServiceError> {
        let mut call = CallToolRequestParams::new(tool);
        call.arguments = arguments.as_object().cloned();
        soon(self.client.call_tool(call)).await
    }

    async fn structured(&self, tool: &'static str, arguments: Value) -> Value {
        let result = self.call(tool, arguments).await.expect("a result");
        result.structured_content.clone().unwrap_or_else(|| panic!("not structured: {result:?}"))
    }

    async fn count(&self, arguments: Value) -> Value {
        self.structured("count_lines", arguments).await
    }

    /// The text of a failure of the tool.
    async fn refusal(&self, arguments: Value) -> String {
        let result = self.call("count_lines", arguments.clone()).await.expect("a result");
        assert!(result.is_error == Some(true) && result.structured_content.is_none(), "{arguments}: {result:?}");
        result.content[0].as_text().expect("a text").text.clone()
    }

    async fn read(&self, uri: &str) -> Result<Value, ServiceError> {
        let result = soon(self.client.read_resource(ReadResourceRequestParams::new(uri))).await?;
        match &result.contents[..] {
            [ResourceContents::TextResourceContents { uri: of, mime_type, text, .. }] => {
                assert_eq!((of.as_str(), mime_type.as_deref()), (uri, Some("application/json")));
                Ok(serde_json::from_str(text).expect("JSON"))
            }
            other => panic!("not one text: {other:?}"),
        }
    }
}

fn error_code<T: Debug>(result: Result<T, ServiceError>) -> i32 {
    match result {
        Err(ServiceError::McpError(error)) => error.code.0,
        other => panic!("not an error of the protocol: {other:?}"),
    }
}

/// The modes with their flags, and how a call names `alpha`, and `sub` in it.
fn modes(tree: &Tree) -> [(Vec<String>, Value, Value); 4] {
    let flags = |mode: &str| {
        let alpha = tree.path("alpha").to_str().expect("UTF-8").to_owned();
        ["--mode", mode, "--allow-dir", &alpha].map(str::to_owned).to_vec()
    };
    let uri = "project-stats://lines/alpha";
    [
        (Vec::new(), json!({}), json!({"subdir": "sub"})),
        (flags("arguments"), json!({"directory": "alpha"}), json!({"directory": "alpha", "subdir": "sub"})),
        (flags("resources"), json!({"uri": uri}), json!({"uri": format!("{uri}/sub")})),
        (flags("config"), json!({}), json!({"subdir": "sub"})),
    ]
}

fn borrowed(flags: &[String]) -> Vec<&str> {
    flags.iter().map(String::as_str).collect()
}

#[tokio::test]
async fn all_modes_count_the_same_in_both_eras_on_both_transports() {
    let tree = Tree::new();
    tree.file("alpha/sub/utf16", b"\xff\xfea\0\n\0");
    tree.file("alpha/sub/..name", "no end");
    #[cfg(unix)]
    for (target, link) in [("../beta", "out"), (".", "loop"), ("absent", "broken")] {
        std::os::unix::fs::symlink(target, tree.path("alpha").join(link)).expect("a link");
    }
    let symlinks = if cfg!(unix) { 3 } else { 0 };
    let counts = |name: &str, numbers: [u64; 4], symlinks: u64| {
        let [files, lines, bytes, binary] = numbers;
        json!({
            "directory": tree.path(name), "files": files, "lines": lines, "bytes": bytes, "binary": binary,
            "symlinks": symlinks, "special": 0, "unreadable": 0, "truncated": null,
        })
    };
    let whole = counts("alpha", [6, 5, 45, 2], symlinks);
    let sub = counts("alpha/sub", [3, 2, 10, 1], 0);
    for way in WAYS {
        for (flags, of_alpha, of_sub) in modes(&tree) {
            let client = Client::with_roots(&tree, &["alpha"]);
            let session = Session::start(&tree, &borrowed(&flags), &client, way).await;
            for (arguments, expected) in [(of_alpha, &whole), (of_sub, &sub)] {
                let mut counted = session.count(arguments).await;
                let source = counted.as_object_mut().expect("an object").remove("source").expect("a source");
                assert_eq!(counted, *expected, "{way:?} {flags:?}");
                let from = match flags.get(1).map(String::as_str) {
                    None if way.1 == Era::Modern => "roots:input-request",
                    None => "roots:",
                    Some("arguments") => "argument",
                    Some("resources") => "resource",
                    Some(other) => other,
                };
                assert!(source.as_str().is_some_and(|source| source.starts_with(from)), "{way:?} {flags:?}: {source}");
            }
            match (flags.is_empty(), way.1) {
                (false, _) => assert_eq!(client.asked(), 0, "{way:?} {flags:?}"),
                (true, Era::Modern) => assert_eq!(client.asked(), 2, "{way:?}: once a call"),
                // On HTTP a call may ask before the answer to the server's own ask is there.
                (true, Era::Legacy) => assert!((1..=3).contains(&client.asked()), "{way:?}: {}", client.asked()),
            }
        }
    }
}

#[tokio::test]
async fn nothing_is_counted_outside() {
    let tree = Tree::new();
    for way in WAYS {
        for (flags, of_alpha, _) in modes(&tree) {
            let client = Client::with_roots(&tree, &["alpha"]);
            let session = Session::start(&tree, &borrowed(&flags), &client, way).await;
            for outside in ["..", "../beta", "sub/../../beta", "absent", "text"] {
                let mut arguments = of_alpha.clone();
                match arguments["uri"].as_str() {
                    Some(uri) => arguments["uri"] = format!("{uri}/{outside}").into(),
                    None => arguments["subdir"] = outside.into(),
                }
                let text = session.refusal(arguments).await;
                assert!(!text.is_empty(), "{way:?} {flags:?} {outside}");
            }
            assert_eq!(session.count(of_alpha).await["lines"], 4, "{way:?} {flags:?}");
        }
    }
}

#[tokio::test]
async fn a_client_without_roots_gets_the_fallback_or_none() {
    let tree = Tree::new();
    for way in WAYS {
        let session = Session::start(&tree, &[], &Client::default(), way).await;
        let counted = session.count(json!({})).await;
        let here = json!(tree.path("here"));
        assert_eq!((&counted["source"], &counted["directory"]), (&json!("cwd:no-capability"), &here), "{way:?}");
        let listed = session.structured("list_roots", json!({})).await;
        assert_eq!(listed, json!({"source": "cwd:no-capability", "roots": [], "ignored": 0, "fallback": here}));
        assert_eq!(session.client.service().asked(), 0, "{way:?}");

        let empty = Client::with_roots(&tree, &[]);
        let session = Session::start(&tree, &[], &empty, way).await;
        assert_eq!(session.count(json!({})).await["source"], "cwd:empty-list", "{way:?}");
        for client in [Client::default(), empty] {
            let session = Session::start(&tree, &["--strict"], &client, way).await;
            let text = session.refusal(json!({})).await;
            assert!(text.contains("open a folder") && text.contains("--allow-dir"), "{way:?}: {text}");
        }
    }
}

#[tokio::test]
async fn a_root_can_be_added() {
    let tree = Tree::new();
    for way in WAYS {
        let client = Client::with_roots(&tree, &["alpha"]);
        let session = Session::start(&tree, &[], &client, way).await;
        assert_eq!(session.count(json!({})).await["lines"], 4, "{way:?}");
        client.open(&tree, &["alpha", "beta"]);
        if way.1 == Era::Legacy {
            soon(session.client.notify_roots_list_changed()).await.expect("a connection");
        }
        let listed = session.structured("list_roots", json!({})).await;
        let names: Vec<_> = listed["roots"].as_array().expect("a list").iter().map(|root| &root["name"]).collect();
        assert_eq!(names, ["alpha", "beta"], "{way:?}");
        for (root, lines) in [(json!("beta"), 5), (json!(0), 4), (json!(message::uri(&tree.path("beta"))), 5)] {
            assert_eq!(session.count(json!({"root": root})).await["lines"], lines, "{way:?}");
        }
        let text = session.refusal(json!({})).await;
        assert!(text.contains("`alpha`") && text.contains("`beta`"), "{way:?}: {text}");
    }
}

/// What a call after `list_changed` sees is never from before it, on either transport.
#[tokio::test]
async fn a_call_after_a_change_never_sees_the_old_roots() {
    let tree = Tree::new();
    for transport in [Transport::Stdio, Transport::Http] {
        let client = Client::with_roots(&tree, &["alpha"]);
        let session = Session::start(&tree, &[], &client, (transport, Era::Legacy)).await;
        session.count(json!({})).await;
        for turn in 0..50 {
            let (name, lines) = if turn % 2 == 0 { ("beta", 5) } else { ("alpha", 4) };
            client.open(&tree, &[name]);
            soon(session.client.notify_roots_list_changed()).await.expect("a connection");
            assert_eq!(session.count(json!({})).await["lines"], lines, "{transport:?}, turn {turn}");
        }
    }
}

#[tokio::test]
async fn allowed_directories_are_listed() {
    let tree = Tree::new();
    let (alpha, beta) = (tree.path("alpha"), tree.path("beta"));
    let (alpha, beta) = (alpha.to_str().expect("UTF-8"), beta.to_str().expect("UTF-8"));
    let both = ["--allow-dir", alpha, "--allow-dir", beta];
    for way in WAYS {
        let session =
            Session::start(&tree, &[&["--mode", "arguments"], &both[..]].concat(), &Client::default(), way).await;
        let listed = session.structured("list_directories", json!({})).await;
        let listed = listed["directories"].as_array().expect("a list");
        let paths: Vec<_> = listed.iter().map(|directory| (&directory["name"], &directory["path"])).collect();
        assert_eq!(paths, [(&json!("alpha"), &json!(alpha)), (&json!("beta"), &json!(beta))], "{way:?}");
        // Whatever it lists can be used.
        for (directory, lines) in listed.iter().zip([4, 5]) {
            for field in ["name", "path", "uri"] {
                let counted = session.count(json!({"directory": directory[field]})).await;
                assert_eq!(counted["lines"], lines, "{way:?} {directory}");
            }
        }
        for outside in ["gamma", "/", "..", tree.path("gamma").to_str().expect("UTF-8"), ""] {
            let text = session.refusal(json!({"directory": outside})).await;
            assert!(text.contains("alpha") && text.contains("beta"), "{way:?} {outside}: {text}");
        }
    }
}

#[tokio::test]
async fn resources_are_listed_and_read_and_count_the_same() {
    let tree = Tree::new();
    let (alpha, beta) = (tree.path("alpha"), tree.path("beta"));
    let both = ["--allow-dir", alpha.to_str().expect("UTF-8"), "--allow-dir", beta.to_str().expect("UTF-8")];
    for way in WAYS {
        let session =
            Session::start(&tree, &[&["--mode", "resources"], &both[..]].concat(), &Client::default(), way).await;
        let listed = soon(session.client.list_resources(None)).await.expect("a result");
        let uris: Vec<_> = listed.resources.iter().map(|resource| resource.uri.as_str()).collect();
        assert_eq!(uris, ["project-stats://lines/alpha", "project-stats://lines/beta"], "{way:?}");
        let templates = soon(session.client.list_resource_templates(None)).await.expect("a result");
        let templates: Vec<_> = templates.resource_templates.iter().map(|one| one.uri_template.as_str()).collect();
        assert_eq!(templates, ["project-stats://lines/{directory}{/path*}"], "{way:?}");

        for (uri, lines) in [(uris[0], 4), (uris[1], 5), ("project-stats://lines/alpha/sub", 1)] {
            let read = session.read(uri).await.expect("a resource");
            assert_eq!((&read["lines"], &read["source"]), (&json!(lines), &json!("resource")), "{way:?} {uri}");
            assert_eq!(read, session.count(json!({"uri": uri})).await, "{way:?} {uri}");
        }
        // Not there, for the one who reads; something to act on, for the model that calls.
        let not_found = if way.1 == Era::Modern { -32602 } else { -32002 };
        for bad in [
            "project-stats://lines/gamma",
            "project-stats://lines/",
            "project-stats://lines/alpha/..",
            "project-stats://lines/alpha/../beta",
            "project-stats://lines/alpha/%2e%2e/beta",
            "project-stats://lines/alpha%2Fsub",
            "project-stats://lines/alpha/%00",
            "project-stats://lines/alpha?x",
            "project-stats://lines/alpha/absent",
            "project-stats://lines/alpha/text",
            "project-stats://other/alpha",
            "file:///",
            "alpha",
            "",
        ] {
            assert_eq!(error_code(session.read(bad).await), not_found, "{way:?} {bad}");
            assert!(!session.refusal(json!({"uri": bad})).await.is_empty(), "{way:?} {bad}");
        }
        let cursor = || Some(PaginatedRequestParams::default().with_cursor(Some("more".into())));
        assert_eq!(error_code(soon(session.client.list_resources(cursor())).await), -32602, "{way:?}");
        assert_eq!(error_code(soon(session.client.list_resource_templates(cursor())).await), -32602, "{way:?}");
        assert_eq!(error_code(soon(session.client.list_tools(cursor())).await), -32602, "{way:?}");
    }
}

#[tokio::test]
async fn each_mode_offers_its_tools_and_only_resources_has_resources() {
    let tree = Tree::new();
    let tools: [&[&str]; 4] = [
        &["count_lines", "list_roots"],
        &["count_lines", "list_directories"],
        &["count_lines"],
        &["count_lines", "list_directories"],
    ];
    for way in WAYS {
        for ((flags, ..), expected) in modes(&tree).into_iter().zip(tools) {
            let session = Session::start(&tree, &borrowed(&flags), &Client::default(), way).await;
            let listed = soon(session.client.list_all_tools()).await.expect("a list");
            let names: Vec<_> = listed.iter().map(|tool| tool.name.as_ref()).collect();
            assert_eq!(names, expected, "{way:?} {flags:?}");
            for tool in ["list_roots", "list_directories", "test_input_required_result_list_roots"] {
                if !expected.contains(&tool) {
                    assert_eq!(error_code(session.call(tool, json!({})).await), -32602, "{way:?} {flags:?} {tool}");
                }
            }
            if !flags.contains(&"resources".to_owned()) {
                let client = &session.client;
                assert_eq!(error_code(soon(client.list_resources(None)).await), -32601, "{way:?} {flags:?}");
                assert_eq!(error_code(soon(client.list_resource_templates(None)).await), -32601, "{way:?} {flags:?}");
                assert_eq!(error_code(session.read("project-stats://lines/alpha").await), -32601, "{way:?} {flags:?}");
            }
        }
    }
}

/// The results are what the schemas of the tools promise.
#[tokio::test]
async fn results_match_the_schemas() {
    let tree = Tree::new();
    for (flags, of_alpha, _) in modes(&tree) {
        let client = Client::with_roots(&tree, &["alpha", "absent"]);
        let session = Session::start(&tree, &borrowed(&flags), &client, WAYS[0]).await;
        for tool in soon(session.client.list_all_tools()).await.expect("a list") {
            let (name, arguments) = match tool.name.as_ref() {
                "count_lines" => ("count_lines", of_alpha.clone()),
                "list_roots" => ("list_roots", json!({})),
                _ => ("list_directories", json!({})),
            };
            let input = Value::Object((*tool.input_schema).clone());
            let output = Value::Object((*tool.output_schema.expect("a schema")).clone());
            let result = session.structured(name, arguments.clone()).await;
            for (schema, value) in [(input, arguments), (output, result)] {
                let errors: Vec<_> = jsonschema::validator_for(&schema)
                    .expect("a schema")
                    .iter_errors(&value)
                    .map(|error| error.to_string())
                    .collect();
                assert!(errors.is_empty(), "{flags:?} {name} {value}: {errors:?}");
            }
        }
    }
}
