//! The tool on the source of rmcp 3 itself, where cargo has unpacked it on this machine.

mod support;

use std::io::Write as _;
use std::path::PathBuf;

use support::{Folder, named};

/// The newest `rmcp-3.*` below cargo's `registry/src`.
fn rmcp() -> Option<PathBuf> {
    let home = std::env::var_os("CARGO_HOME").map(PathBuf::from);
    let home = home.or_else(|| Some(std::env::home_dir()?.join(".cargo")))?;
    let registries = std::fs::read_dir(home.join("registry/src")).ok()?;
    let packages = registries.flatten().filter_map(|registry| std::fs::read_dir(registry.path()).ok()).flatten();
    let is_rmcp = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("rmcp-3."));
    packages.flatten().map(|package| package.path()).filter(is_rmcp).max()
}

#[test]
fn rmcp_is_checked_as_a_whole() {
    let Some(rmcp) = rmcp() else {
        // Written past the capture of the test harness, so that it is seen.
        let _ = writeln!(std::io::stderr(), "NOT RUN: the source of rmcp 3 is not in cargo's registry folder");
        return;
    };
    let folder = Folder::new();
    let rmcp = rmcp.to_str().expect("UTF-8");
    let run = folder.run(&["check", "--include-sdk", "--format", "json", rmcp]);
    let report = run.json();
    assert_eq!(run.code, Some(1), "{}", run.stderr);
    let skips = report["skipped"].as_array().expect("a list");
    assert!(skips.iter().all(|skip| skip["incomplete"] == false), "{skips:#?}");
    assert_eq!(named(&report, "degraded"), [""; 0]);
    let removed = |construct: &str| {
        let findings = report["findings"].as_array().expect("findings");
        findings.iter().any(|finding| finding["status"] == "removed" && finding["construct"] == construct)
    };
    for construct in ["list-changed-handler", "list-changed-flag", "wire-method"] {
        assert!(removed(construct), "no {construct} that is removed");
    }
    // The report says the same of it again.
    assert!(folder.run(&["check", "--include-sdk", "--format", "json", rmcp]).stdout == run.stdout);
}
