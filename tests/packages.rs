//! Names across files and packages: renamed and inherited dependencies, lock files, re-exports, vendored SDKs.

mod support;

use serde_json::Value;
use support::{Folder, places};

/// `path:line:column rule version` of every finding.
fn findings(folder: &Folder) -> Vec<String> {
    let report = folder.report(&["."]);
    let text = |value: &Value| value.as_str().unwrap_or("-").to_owned();
    let all = report["findings"].as_array().expect("a list").iter().zip(places(&report));
    all.map(|(finding, place)| format!("{place} {} {}", text(&finding["rule"]), text(&finding["sdk"]["version"])))
        .collect()
}

#[test]
fn a_renamed_dependency_is_the_sdk_and_its_version_comes_from_the_lock() {
    let folder = Folder::new();
    folder.file(
        "Cargo.toml",
        "[package]\nname = \"app\"\nversion = \"0.1.0\"\n[dependencies]\nnew = { package = \"rmcp\", version = \"3\" }\n\
         old = { package = \"rmcp\", version = \"0.10\" }\n",
    );
    folder.file(
        "Cargo.lock",
        "version = 4\n[[package]]\nname = \"rmcp\"\nversion = \"0.10.2\"\n[[package]]\nname = \"rmcp\"\nversion = \"3.7.1\"\n",
    );
    folder.file("src/a.rs", "fn f(r: new::model::Root) {}\n");
    folder.file("src/b.rs", "use old::model as m;\nfn f(r: m::Root) {}\n");
    // Here `rmcp` names no crate of this package's manifest, but nothing else is called so either.
    folder.file("src/c.rs", "fn f(r: rmcp::model::Root) {}\n");
    assert_eq!(
        findings(&folder),
        ["src/a.rs:1:9 roots-type 3.7.1", "src/b.rs:2:9 roots-type 0.10.2", "src/c.rs:1:9 roots-type 3.7.1"]
    );
}

#[test]
fn a_workspace_passes_its_dependency_on() {
    let folder = Folder::new();
    folder.file("Cargo.toml", "[workspace]\nmembers = [\"app\"]\n[workspace.dependencies]\nmcp = { package = \"rmcp\", version = \"1.7.0\" }\n");
    folder.file(
        "app/Cargo.toml",
        "[package]\nname = \"app\"\nversion = \"0.1.0\"\n[dependencies]\nmcp.workspace = true\n",
    );
    folder.file("app/src/lib.rs", "async fn f(peer: &mcp::Peer<mcp::RoleServer>) {\n    if peer.peer_info().is_some_and(|i| i.capabilities.roots.is_some()) {\n        let _ = timeout(S, peer.list_roots()).await;\n    }\n}\n");
    let found = findings(&folder);
    assert_eq!(
        found,
        ["app/src/lib.rs:2:56 roots-capability-check 1.7.0", "app/src/lib.rs:3:33 roots-list-request 1.7.0"]
    );
}

#[test]
fn re_exports_are_followed_through_modules_and_packages() {
    let folder = Folder::new();
    folder.file("Cargo.toml", "[workspace]\nmembers = [\"a\", \"b\"]\n");
    folder.file("a/Cargo.toml", "[package]\nname = \"the-a\"\nversion = \"0.1.0\"\n[dependencies]\nrmcp = \"3\"\n");
    folder.file("a/src/lib.rs", "pub mod client;\npub use client::Root as Folder;\n");
    folder.file("a/src/client/mod.rs", "pub use rmcp::model::{ListRootsResult, Root};\n");
    folder.file("a/src/user.rs", "use crate::client::ListRootsResult;\nfn f() -> ListRootsResult { todo!() }\n");
    folder.file(
        "b/Cargo.toml",
        "[package]\nname = \"b\"\nversion = \"0.1.0\"\n[dependencies]\nthe-a = { path = \"../a\" }\nrmcp = \"3\"\n",
    );
    folder.file("b/src/lib.rs", "use the_a::client::Root;\nfn f(root: Root) {}\n");
    // A type of the same name that a package defines itself is not the SDK's.
    folder.file("b/src/own.rs", "use rmcp::Peer;\nstruct Root;\nfn f(root: Root, peer: Peer<X>) {}\n");
    let found = findings(&folder);
    let files: Vec<&str> = found.iter().map(|line| line.split(':').next().unwrap_or_default()).collect();
    assert_eq!(files, ["a/src/client/mod.rs", "a/src/lib.rs", "a/src/user.rs", "b/src/lib.rs"], "{found:?}");
}

#[test]
fn the_source_of_an_sdk_is_skipped_unless_it_is_meant() {
    let folder = Folder::new();
    folder.file("third/rmcp/Cargo.toml", "[package]\nname = \"rmcp\"\nversion = \"3.0.0\"\n");
    let source = folder.file("third/rmcp/src/model.rs", "pub fn f(r: rmcp::model::Root) {}\n");
    let report = folder.report(&["."]);
    assert!(report["findings"].as_array().is_some_and(Vec::is_empty));
    assert_eq!(report["skipped"][0]["path"], "third/rmcp");
    assert_eq!(report["skipped"][0]["reason"], "sdk-source");
    assert_eq!(report["skipped"][0]["incomplete"], false);
    for args in [vec![".", "--include-sdk"], vec!["third/rmcp"], vec![source.to_str().expect("UTF-8")]] {
        assert_eq!(places(&folder.report(&args)), ["third/rmcp/src/model.rs:1:13"], "{args:?}");
    }
}
