//! `probe` against servers of other people, with the results that are known of them. Installed by
//! `tests/clients/servers/install`; needs Node.js, Python and git.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::{Value, json};

fn installed(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/clients/servers").join(path);
    assert!(path.exists(), "{} is not there; run tests/clients/servers/install first", path.display());
    path.display().to_string()
}

fn node(server: &str) -> Vec<String> {
    vec!["node".to_owned(), installed(&format!("node_modules/@modelcontextprotocol/{server}/dist/index.js"))]
}

fn git(version: &str) -> Vec<String> {
    vec![installed(&format!(".venv-git-{version}/bin/mcp-server-git"))]
}

/// The report of a probe that ran to its end.
fn probe(era: &str, calls: &[&str], server: &[String]) -> Value {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-roots-lint"));
    command.args(["probe", "--format", "json", "--timeout", "60s", "--era", era]);
    command.args(calls.iter().flat_map(|call| ["--call", call]));
    let output = command.arg("--").args(server).output().expect("the program runs");
    let report = serde_json::from_slice(&output.stdout);
    report.unwrap_or_else(|error| panic!("{error}: {}", String::from_utf8_lossy(&output.stderr)))
}

/// Questions with roots, without, and with an empty list; and the moments of the first.
fn asks(report: &Value) -> (Vec<u64>, Vec<&str>) {
    let runs = report["runs"].as_array().expect("runs");
    let moments = runs[0]["asks"].as_array().expect("asks");
    (
        runs.iter().take(3).filter_map(|run| run["asks_total"].as_u64()).collect(),
        moments.iter().filter_map(|ask| ask["moment"].as_str()).collect(),
    )
}

fn tools(report: &Value, run: usize) -> usize {
    report["runs"][run]["offer"]["tools"].as_array().map_or(0, Vec::len)
}

const LEGACY_ASKS: [&str; 2] = ["after-initialized", "after-list-changed"];
const READ: &str = r#"read_text_file={"path": "{root}/README.md"}"#;

#[test]
fn filesystem_without_arguments_works_only_through_roots() {
    let server = node("server-filesystem");
    for era in ["legacy", "auto"] {
        let report = probe(era, &["list_allowed_directories", READ], &server);
        assert_eq!(report["verdict"], "works-only-through-roots", "{report:#}");
        assert_eq!(report["era"], "legacy");
        assert_eq!(asks(&report), (vec![2, 0, 1], LEGACY_ASKS.to_vec()));
        // Silent: all tools are there, and the process ends well.
        assert_eq!((tools(&report, 0), tools(&report, 1)), (14, 14));
        assert_eq!(report["runs"][1]["remains"]["ending"]["exit_code"], 0);
        assert_eq!(report["calls"][0]["effect"], "emptied");
        assert_eq!(report["calls"][1]["effect"], "fails-without");
        let refusal = report["runs"][1]["answers"][1]["answer"].to_string();
        assert!(refusal.contains("Access denied"), "{refusal}");
    }
}

#[test]
fn filesystem_with_a_directory_has_it_replaced() {
    let outside = tempfile::tempdir().expect("a temporary folder");
    let outside = outside.path().canonicalize().expect("a path");
    fs::write(outside.join("file"), "text").expect("a writable folder");
    let server = [node("server-filesystem"), vec![outside.display().to_string()]].concat();
    let report = probe("legacy", &["list_allowed_directories"], &server);
    assert_eq!(report["verdict"], "roots-replace-directories", "{report:#}");
    assert_eq!(asks(&report), (vec![2, 0, 1], LEGACY_ASKS.to_vec()));

    // The same by access alone.
    let inside = format!("read_text_file={}", json!({ "path": outside.join("file") }));
    let report = probe("legacy", &[READ, &inside], &server);
    assert_eq!(report["verdict"], "roots-replace-directories", "{report:#}");
    // One of the two does not show it.
    let report = probe("legacy", &[&inside], &server);
    assert_eq!(report["verdict"], "uses-roots-with-fallback", "{report:#}");
}

#[test]
fn everything_has_a_tool_for_clients_with_roots() {
    let report = probe("legacy", &["get-roots-list"], &node("server-everything"));
    assert_eq!(report["verdict"], "uses-roots-with-fallback", "{report:#}");
    assert_eq!(asks(&report), (vec![2, 0, 1], LEGACY_ASKS.to_vec()));
    assert_eq!((tools(&report, 0), tools(&report, 1)), (14, 13));
    assert_eq!(report["offered_with_roots_only"], json!(["tool get-roots-list"]));
    assert_eq!(report["calls"][0]["effect"], "not-offered-without");
}

#[test]
fn the_node_servers_are_legacy_only() {
    for server in ["server-filesystem", "server-everything"] {
        let report = probe("modern", &[], &node(server));
        let failure = report["failure"].as_str().unwrap_or_default();
        assert!(failure.contains("-32601"), "{report:#}");
    }
}

#[test]
fn git_uses_no_roots_at_run_time_before_and_after() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let repository: PathBuf = folder.path().canonicalize().expect("a path");
    let made = Command::new("git").args(["init", "--quiet"]).arg(&repository).status().expect("git runs");
    assert!(made.success());
    let status = format!("git_status={}", json!({ "repo_path": repository }));
    for (version, era, eras) in
        [("2026.8.18", "legacy", "legacy"), ("2026.10.19", "legacy", "legacy"), ("2026.10.19", "auto", "modern")]
    {
        // The old one has code for roots that nothing reaches.
        let report = probe(era, &[&status], &git(version));
        assert_eq!(report["verdict"], "did-not-ask", "{version}: {report:#}");
        assert_eq!(report["era"], eras);
        assert_eq!(asks(&report), (vec![0, 0, 0], Vec::new()));
        assert_eq!(report["calls"][0]["effect"], "same", "{report:#}");
        assert_eq!(report["tools_not_called"].as_array().map(Vec::len), Some(tools(&report, 0) - 1));
    }
}
