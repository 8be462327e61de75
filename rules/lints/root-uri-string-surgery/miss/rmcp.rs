//! A parser, a test of the scheme, and surgery on strings that are no root URIs.

use std::path::PathBuf;

use rmcp::model::Root;
use url::Url;

fn parsed(root: &Root) -> Option<PathBuf> {
    let url = Url::parse(&root.uri).ok()?;
    (url.scheme() == "file").then(|| url.to_file_path().ok()).flatten()
}

fn is_local(root: &Root) -> bool {
    root.uri.starts_with("file://")
}

fn label(root: &Root) -> &str {
    let name = root.name.as_deref().unwrap_or_default();
    name.strip_prefix("workspace-").unwrap_or(name)
}

fn last_segment(root: &Root) -> Option<&str> {
    root.uri.rsplit('/').next()
}

fn revision(line: &str) -> &str {
    &line[7..]
}

fn repository(remote: &str) -> Option<&str> {
    // root.uri.strip_prefix("file://") was here
    remote.strip_prefix("https://github.com/")?.strip_suffix(".git")
}
