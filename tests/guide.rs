//! Follows `rules/README.md`: the files of its guides, as they stand there, make the tool find what the guide says;
//! and every item of every built-in SDK is found where a small package uses it.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;

use mcp_roots_lint::check::{CheckOptions, check};
use mcp_roots_lint::finding::Finding;
use mcp_roots_lint::knowledge::Knowledge;
use mcp_roots_lint::knowledge::host::Syntax;
use mcp_roots_lint::knowledge::protocol::Construct;
use mcp_roots_lint::knowledge::sdk::{MethodItem, Sdk};
use serde_json::{Value, json};

/// The code blocks of the guide that stand for files, by path, without their indentation.
fn files_of_the_guide() -> BTreeMap<String, String> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/README.md");
    let guide = fs::read_to_string(path).expect("a readable guide");
    let mut files = BTreeMap::new();
    let mut lines = guide.lines();
    while let Some(line) = lines.next() {
        let Some(name) = line.trim().strip_prefix("<!-- file: ").and_then(|rest| rest.strip_suffix(" -->")) else {
            continue;
        };
        let fence = lines.next().unwrap_or_default();
        assert!(fence.trim().starts_with("```"), "{name}: no code block follows");
        let indent = fence.len() - fence.trim_start().len();
        let code = lines.by_ref().take_while(|line| line.trim() != "```");
        let code: String = code.map(|line| format!("{}\n", line.get(indent..).unwrap_or_default())).collect();
        assert!(files.insert(name.to_owned(), code).is_none(), "{name} stands in the guide twice");
    }
    files
}

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().expect("a folder")).expect("a writable folder");
    fs::write(path, text).expect("a writable file");
}

#[test]
fn the_sdk_guide_works_as_written() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let files = files_of_the_guide();
    let names: Vec<&str> = files.keys().map(String::as_str).collect();
    assert_eq!(names, ["sdks/rust/acme-mcp.toml", "servers/acme-files.toml", "src/main.rs"]);
    write(folder.path(), "company/sdks/rust/acme-mcp.toml", &files["sdks/rust/acme-mcp.toml"]);
    write(folder.path(), "src/main.rs", &files["src/main.rs"]);
    let package = "[package]\nname = \"server\"\nversion = \"0.1.0\"\n\n[dependencies]\nacme-mcp = \"1.4\"\n";
    write(folder.path(), "Cargo.toml", package);

    let run = |args: &[&str]| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-roots-lint"));
        command.args(["check", "--format", "json"]).args(args).arg("src/main.rs").current_dir(folder.path());
        let output = command.output().expect("the program starts");
        let text = String::from_utf8_lossy(&output.stderr).into_owned();
        let report: Value = serde_json::from_slice(&output.stdout).unwrap_or_else(|error| panic!("{error}: {text}"));
        (output.status.code(), report["findings"].as_array().cloned().unwrap_or_default())
    };

    let (code, findings) = run(&[]);
    assert_eq!((code, findings.len()), (Some(0), 0), "found without the file: {findings:#?}");

    let (code, findings) = run(&["--rules", "company"]);
    assert_eq!(code, Some(1), "{findings:#?}");
    for (rule, status, line) in [("roots-list-request", "refused", 7), ("roots-list-changed-handler", "removed", 12)] {
        let found = findings.iter().find(|finding| finding["rule"] == rule);
        let found = found.unwrap_or_else(|| panic!("{rule} is not found: {findings:#?}"));
        assert_eq!(found["status"], status);
        assert_eq!(found["span"]["start"]["line"], line, "{rule}");
        assert_eq!(found["sdk"]["name"], "acme-mcp");
    }
    let request = findings.iter().find(|finding| finding["rule"] == "roots-list-request");
    let notes = request.map(|finding| finding["notes"].to_string()).unwrap_or_default();
    assert!(notes.contains("answers this call from a cache"), "the behaviour of the version is quoted: {notes}");
}

#[test]
fn the_server_guide_works_as_written() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = "servers/acme-files.toml";
    write(folder.path(), &format!("company/{path}"), &files_of_the_guide()[path]);
    let knowledge = Knowledge::load(&[folder.path().join("company")]).expect("the guide's file is sound");
    let server = knowledge.servers.iter().find(|server| server.name == "acme-files").expect("the guide's server");
    assert_eq!(server.cases.len(), 3);
    for case in &server.cases {
        let entry = json!({ "command": case.command[0], "args": case.command[1..] });
        write(folder.path(), "project/.vscode/mcp.json", &json!({ "servers": { "it": entry } }).to_string());
        let outcome = check(&knowledge, &options(&knowledge, &folder.path().join("project"))).expect("a check");
        let line = |finding: &Finding| format!("{} {}", finding.rule, finding.severity.name());
        assert_eq!(outcome.findings.iter().map(line).collect::<Vec<_>>(), case.expect, "{:?}", case.command);
        if let Some(finding) = outcome.findings.first() {
            let help = "`\"args\": [\"-y\", \"@acme/files\", \"--dir\", \"${workspaceFolder}\"]`";
            assert!(finding.help[0].contains(help), "{:?}", finding.help);
        }
    }
}

fn options(knowledge: &Knowledge, folder: &Path) -> CheckOptions {
    CheckOptions::all_of(knowledge, vec![folder.to_owned()])
}

/// A file that uses one item, and the construct that must be found in it.
struct Sample {
    what: String,
    construct: Construct,
    code: String,
}

fn sample(what: impl Into<String>, construct: Construct, code: impl Into<String>) -> Sample {
    Sample { what: what.into(), construct, code: code.into() }
}

/// The SDK's crate by the name that code gives it.
fn crate_name(sdk: &Sdk) -> String {
    sdk.crate_names().next().expect("a package")
}

fn method_samples(name: &str, krate: &str, method: &MethodItem) -> Vec<Sample> {
    let args = vec!["a"; method.args.first().copied().unwrap_or_default()].join(", ");
    let mut samples = Vec::new();
    for ty in &method.receiver_types {
        let head = ty.split('<').next().unwrap_or(ty);
        let rest = ty.strip_prefix(head).unwrap_or_default();
        let code = format!("fn f(x: &{krate}::{head}{rest}) {{ x.{name}({args}); }}\n");
        samples.push(sample(format!("method {ty}::{name}"), method.construct, code));
    }
    for word in &method.receiver_words {
        let code = format!("use {krate}::prelude;\nfn f(x: Holder) {{ x.{word}.{name}({args}); }}\n");
        samples.push(sample(format!("method {name} on `{word}`"), method.construct, code));
    }
    if method.distinctive {
        let code = format!("use {krate}::prelude;\nfn f() {{ let x = prelude::get(); x.{name}({args}); }}\n");
        samples.push(sample(format!("method {name} on anything"), method.construct, code));
    }
    assert!(!samples.is_empty(), "{krate}: method {name} has no receiver and is not distinctive");
    samples
}

/// A use of every item of an SDK.
fn samples(sdk: &Sdk, knowledge: &Knowledge) -> Vec<Sample> {
    let krate = crate_name(sdk);
    let mut samples = Vec::new();
    for item in &sdk.types {
        for name in &item.names {
            let code = format!("fn f(x: {krate}::{name}) {{}}\n");
            samples.push(sample(format!("type {name}"), item.construct, code));
        }
    }
    for item in &sdk.methods {
        for name in &item.names {
            samples.extend(method_samples(name, &krate, item));
        }
    }
    for item in &sdk.overrides {
        for (of, name) in item.traits.iter().flat_map(|of| item.names.iter().map(move |name| (of, name))) {
            let code = format!("struct Mine;\nimpl {krate}::{of} for Mine {{ fn {name}(&self) {{}} }}\n");
            samples.push(sample(format!("override {of}::{name}"), item.construct, code));
        }
    }
    for item in &sdk.variants {
        for (of, name) in item.of.iter().flat_map(|of| item.names.iter().map(move |name| (of, name))) {
            let code = format!("fn f() -> {krate}::{of} {{ {krate}::{of}::{name}(todo()) }}\n");
            samples.push(sample(format!("variant {of}::{name}"), item.construct, code));
            if let Some(matched) = item.matched {
                let code =
                    format!("fn f(x: {krate}::{of}) -> u8 {{ match x {{ {krate}::{of}::{name}(_) => 1, _ => 2 }} }}\n");
                samples.push(sample(format!("matched variant {of}::{name}"), matched, code));
            }
        }
    }
    for item in &sdk.fields {
        for (of, name) in item.of.iter().flat_map(|of| item.names.iter().map(move |name| (of, name))) {
            let code = format!("fn f(x: &mut {krate}::{of}, y: Y) {{ x.{name} = y; }}\n");
            samples.push(sample(format!("written field {of}.{name}"), item.written, code));
            let code = format!("fn f(x: &{krate}::{of}) -> bool {{ x.{name}.is_some() }}\n");
            samples.push(sample(format!("read field {of}.{name}"), item.read, code));
        }
    }
    for item in &sdk.consts {
        let method = knowledge.wire.method(&item.value);
        let method = method.unwrap_or_else(|| panic!("{}: wire.toml has no method {}", sdk.name, item.value));
        for name in &item.names {
            let code = format!("fn f(x: &X) {{ x.record({krate}::{name}); }}\n");
            samples.push(sample(format!("const {name}"), method.unknown, code));
        }
    }
    for item in &sdk.macros {
        for name in &item.names {
            let code = format!("use {krate}::{name};\n{name}! {{ a }}\n#[{name}]\nfn f() {{}}\n");
            samples.push(sample(format!("macro {name}"), item.construct, code));
        }
    }
    samples
}

#[test]
fn every_item_of_every_sdk_is_found() {
    let knowledge = Knowledge::load(&[]).expect("the embedded knowledge is sound");
    let mut missed = Vec::new();
    for sdk in &knowledge.rust_sdks {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let manifest = format!(
            "[package]\nname = \"user\"\nversion = \"0.1.0\"\n\n[dependencies]\n{} = \"*\"\n",
            sdk.packages.first().expect("a package")
        );
        write(folder.path(), "Cargo.toml", &manifest);
        let samples = samples(sdk, &knowledge);
        for (number, sample) in samples.iter().enumerate() {
            write(folder.path(), &format!("examples/sample{number}.rs"), &sample.code);
        }
        let outcome = check(&knowledge, &options(&knowledge, folder.path())).expect("a check");
        assert!(outcome.skipped.is_empty(), "{}: {:?}", sdk.name, outcome.skipped);
        assert!(outcome.degraded.is_empty(), "{}: {:?}", sdk.name, outcome.degraded);
        let found: BTreeSet<(String, &str)> = outcome
            .findings
            .iter()
            .filter_map(|finding| {
                let file = finding.source.path().file_name()?.to_string_lossy().into_owned();
                Some((file, finding.construct?))
            })
            .collect();
        for (number, sample) in samples.iter().enumerate() {
            let file = format!("sample{number}.rs");
            if !found.contains(&(file, sample.construct.name())) {
                missed.push(format!("{}: {} ({})", sdk.name, sample.what, sample.construct.name()));
            }
        }
    }
    assert!(missed.is_empty(), "no use of these is found:\n{}", missed.join("\n"));
}

/// A config with one entry, which starts a server that is given no directories.
fn config(syntax: Syntax) -> Option<&'static str> {
    match syntax {
        Syntax::Json => Some(
            r#"{"mcpServers": {"a": {"command": "npx", "args": ["-y", "@modelcontextprotocol/server-filesystem"]}}}"#,
        ),
        Syntax::Yaml => Some("a:\n  command: npx\n  args: ['-y', '@modelcontextprotocol/server-filesystem']\n"),
        Syntax::Toml => {
            Some("[servers.a]\ncommand = 'npx'\nargs = ['-y', '@modelcontextprotocol/server-filesystem']\n")
        }
        Syntax::FrontMatter => Some(
            "---\nmcpServers:\n  a:\n    command: npx\n    args: ['-y', '@modelcontextprotocol/server-filesystem']\n---\n",
        ),
        // Which keys hold a command differs from host to host.
        Syntax::Properties => None,
    }
}

#[test]
fn configs_of_every_host_are_read() {
    let knowledge = Knowledge::load(&[]).expect("the embedded knowledge is sound");
    let mut unread = Vec::new();
    for host in &knowledge.hosts {
        for file in &host.files {
            let Some(text) = config(file.syntax) else { continue };
            for pattern in file.patterns.iter().filter(|pattern| !pattern.starts_with('!')) {
                let folder = tempfile::tempdir().expect("a temporary folder");
                write(folder.path(), &pattern.replace("**", "deep").replace('*', "any"), text);
                let outcome = check(&knowledge, &options(&knowledge, folder.path())).expect("a check");
                if !outcome.findings.iter().any(|finding| finding.rule == "config-roots-server") {
                    unread.push(format!("{}: {pattern}", host.name));
                }
            }
        }
    }
    assert!(unread.is_empty(), "nothing is found in configs of these names:\n{}", unread.join("\n"));
}
