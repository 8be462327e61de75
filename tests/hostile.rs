//! Input made to hurt: the tool ends, soon and with the truth, and shows nothing of a config that it should not.

mod support;

use std::fmt::Write as _;
use std::time::{Duration, Instant};

use serde_json::json;
use support::{Folder, named, places};

const PACKAGE: &str = "@modelcontextprotocol/server-filesystem";
const ASKS: &str = "fn f(p: &rmcp::Peer<rmcp::RoleServer>) { p.list_roots(); }\n";

/// Debug builds on busy machines are slow; what is quadratic takes minutes.
fn soon<T>(work: impl FnOnce() -> T) -> T {
    let begin = Instant::now();
    let result = work();
    assert!(begin.elapsed() < Duration::from_secs(60), "{:?}", begin.elapsed());
    result
}

#[test]
fn yaml_aliases_neither_fill_memory_nor_the_stack() {
    let mut wide = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n".to_owned();
    let mut deep = "a0: &a0 [x]\n".to_owned();
    for level in 1..10 {
        let below = vec![format!("*a{}", level - 1); 10].join(", ");
        let _ = writeln!(wide, "a{level}: &a{level} [{below}]");
    }
    for level in 1..6_000 {
        let _ = writeln!(deep, "a{level}: &a{level} [*a{}]", level - 1);
    }
    for (text, reason) in [(wide, "parse-error"), (deep, "too-deep")] {
        let folder = Folder::new();
        folder.file("fastagent.config.yaml", text);
        let report = soon(|| folder.report(&["."]));
        assert_eq!(named(&report, "skipped"), [format!("fastagent.config.yaml {reason}")]);
    }
}

#[test]
fn a_line_or_a_file_with_thousands_of_anything_ends() {
    let line = format!("use rmcp::*;\nfn f(p: Peer<RoleServer>) {{{}}}\n", "/*é*/p.list_roots();".repeat(10_000));
    let comments = format!("use rmcp::Peer;\n{}", "// mcp-roots-lint: allow(roots-type) x\n".repeat(30_000));
    let imports: String = (0..10_000).fold(String::new(), |mut text, number| {
        let _ = writeln!(text, "use rmcp::model::Root as R{number};");
        text
    });
    for (text, count) in [(line, 3), (comments, 30_000), (imports, 10_000)] {
        let folder = Folder::new();
        folder.file("src/lib.rs", text);
        assert_eq!(soon(|| places(&folder.report(&["."]))).len(), count);
    }
}

#[test]
fn many_functions_of_one_name_that_call_each_other_end() {
    let folder = Folder::new();
    for number in 0..300 {
        let text =
            "pub async fn run(p: &rmcp::Peer<rmcp::RoleServer>) { p.list_roots().await; crate::m1::run(p).await; }\n";
        folder.file(format!("src/m{number}.rs"), text);
    }
    assert_eq!(soon(|| places(&folder.report(&["."]))).len(), 900);
}

#[test]
fn a_manifest_that_does_not_parse_hides_nothing() {
    let folder = Folder::new();
    folder.file("Cargo.toml", "[package\n");
    folder.file("src/lib.rs", "use crate::sdk::Root;\nfn f(p: &rmcp::Peer<rmcp::RoleServer>) { p.list_roots(); }\n");
    assert!(!places(&folder.report(&["."])).is_empty());
    folder.file(
        "Cargo.toml",
        "[package]\nname = \"a\"\n[dependencies]\nodd = 3\nmysdk = { package = \"rmcp\", version = \"1\" }\n",
    );
    folder.file("src/b.rs", "use mysdk::model::*;\npub fn h() -> Root { todo!() }\n");
    assert!(places(&folder.report(&["src/b.rs"])).contains(&"src/b.rs:2:15".to_owned()));
}

#[test]
#[cfg(unix)]
fn pipes_and_devices_are_not_waited_for() {
    let folder = Folder::new();
    std::fs::remove_file(folder.path().join("Cargo.toml")).expect("a manifest");
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("Cargo.toml")).expect("a link");
    folder.file("src/lib.rs", ASKS);
    assert!(!soon(|| places(&folder.report(&["."]))).is_empty());
    folder.file("odd/lib.rs", ASKS);
    std::os::unix::fs::symlink("/dev/zero", folder.path().join("odd/.ignore")).expect("a link");
    let report = soon(|| folder.report(&["."]));
    assert_eq!(named(&report, "skipped"), ["odd unreadable"]);
}

#[test]
#[cfg(unix)]
fn a_link_to_a_file_that_is_not_read_under_its_own_name_is_read() {
    let folder = Folder::new();
    folder.file("src/lib.txt", ASKS);
    std::os::unix::fs::symlink("lib.txt", folder.path().join("src/lib.rs")).expect("a link");
    folder.file("elsewhere/lib.rs", ASKS);
    let outside = Folder::new();
    std::os::unix::fs::symlink(outside.path(), folder.path().join("linked")).expect("a link");
    let report = folder.report(&["src"]);
    assert!(places(&report).iter().any(|place| place.starts_with("src/lib.rs:1:")), "{report}");
    let report = folder.report(&["."]);
    assert_eq!(named(&report, "skipped"), ["linked linked-folder"]);
}

#[test]
fn words_that_may_be_secrets_are_not_shown() {
    let args = |args: &[&str]| json!({ "command": args[0], "args": args[1..] });
    let entries = [
        args(&["sh", "-c", &format!("/usr/bin/env GH_KEY=hunter2zz npx -y {PACKAGE}")]),
        args(&["bash", "-c", &format!("/usr/bin/npx -y {PACKAGE} --pat hunter2zz")]),
        args(&["doppler", "run", "--token", "hunter2zz", "--", "npx", "-y", PACKAGE]),
        args(&["npx", "-y", &format!("{PACKAGE}@hunter2zz")]),
        args(&["npx", "-y", PACKAGE, "--api-key", "/hunter2zz+abc=="]),
        args(&["npx", "-y", PACKAGE, "-phunter2zz"]),
        args(&["node", &format!("/x hunter2zz/node_modules/{PACKAGE}/dist/index.js")]),
        json!({ "command": "x", "args": [], "roots": [{ "uri": "https:hunter2zz@host" }] }),
    ];
    for entry in entries {
        let folder = Folder::new();
        folder.file(".mcp.json", json!({ "mcpServers": { "a": entry } }).to_string());
        for format in ["human", "short", "json"] {
            let run = folder.run(&["check", "--pedantic", "--format", format, ".mcp.json"]);
            assert!(!format!("{}{}", run.stdout, run.stderr).contains("hunter2zz"), "{entry} {format}: {run:?}");
        }
    }
    let folder = Folder::new();
    folder.file("a.properties", "#password hunter2zz\rquarkus.langchain4j.mcp.a.roots=hunter2zz\r");
    folder.file(
        "fastagent.config.yaml",
        format!("a: {{? {{password: hunter2zz}} : x, command: npx, args: ['{PACKAGE}']}}\n"),
    );
    let run = folder.run(&["check", "a.properties", "fastagent.config.yaml"]);
    assert!(run.stdout.contains("config-roots") && !run.stdout.contains("hunter2zz"), "{run:?}");
}

#[test]
fn text_in_values_suppresses_nothing_and_comments_after_them_do() {
    let folder = Folder::new();
    let value = format!(
        "a:\n  description: 'x # mcp-roots-lint: allow-file(config-roots-server) y'\n  command: npx\n  args: ['{PACKAGE}']\n"
    );
    folder.file("fastagent.config.yaml", value);
    assert_eq!(folder.run(&["check", "fastagent.config.yaml"]).code, Some(1));
    let comment = format!(
        "{{\"a\": {{\"cwd\": \"C:\\\\\", \"command\": \"npx\", \"args\": [\"{PACKAGE}\"]}}}} // mcp-roots-lint: allow(config-roots-server) known\n"
    );
    folder.file(".vscode/mcp.json", comment);
    assert_eq!(folder.run(&["check", ".vscode/mcp.json"]).code, Some(0));
}
