//! The cases of `rules/servers/*.toml`: each launch, written into a config, gives just what its file says.

use std::collections::BTreeSet;
use std::fs;

use mcp_roots_lint::check::{CheckOptions, check};
use mcp_roots_lint::knowledge::Knowledge;
use mcp_roots_lint::knowledge::server::Case;
use serde_json::{Map, Value, json};

/// The entry that a case describes.
fn entry(case: &Case) -> Value {
    let mut entry = Map::new();
    if let Some((program, args)) = case.command.split_first() {
        entry.insert("command".to_owned(), json!(program));
        entry.insert("args".to_owned(), json!(args));
    }
    if let Some(url) = &case.url {
        entry.insert("url".to_owned(), json!(url));
    }
    if !case.env.is_empty() {
        entry.insert("env".to_owned(), json!(case.env));
    }
    if let Some(cwd) = &case.cwd {
        entry.insert("cwd".to_owned(), json!(cwd));
    }
    Value::Object(entry)
}

#[test]
fn every_case_gives_what_its_file_says() {
    let knowledge = Knowledge::load(&[]).expect("the embedded knowledge is sound");
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut wrong = Vec::new();
    for server in &knowledge.servers {
        for case in &server.cases {
            let entry = entry(case);
            let path = folder.path().join(".mcp.json");
            fs::write(&path, json!({ "mcpServers": { "it": entry } }).to_string()).expect("a writable folder");
            let outcome = check(&knowledge, &CheckOptions::all_of(&knowledge, vec![path])).expect("a check");
            assert!(outcome.skipped.is_empty(), "{:?}", outcome.skipped);
            let line =
                |finding: &mcp_roots_lint::finding::Finding| format!("{} {}", finding.rule, finding.severity.name());
            let found: BTreeSet<String> = outcome.findings.iter().map(line).collect();
            let expected: BTreeSet<String> = case.expect.iter().cloned().collect();
            if found != expected {
                wrong.push(format!("{}: {entry}: expected {expected:?}, found {found:?}", server.name));
            }
        }
    }
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn every_server_that_asks_has_a_case_that_hits() {
    let knowledge = Knowledge::load(&[]).expect("the embedded knowledge is sound");
    for server in &knowledge.servers {
        let hits = server.cases.iter().any(|case| !case.expect.is_empty());
        assert_eq!(hits, !server.look_alike, "{}", server.name);
    }
}
