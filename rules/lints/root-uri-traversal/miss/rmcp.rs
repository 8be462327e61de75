//! Dots that are part of names, and `..` that belongs to no root.

use std::path::{Path, PathBuf};

use rmcp::model::Root;

const README: &str = include_str!("../README.md");

fn names() -> [Root; 4] {
    [
        Root::new("file:///srv/..cache"),
        Root::new("file:///srv/app.old./v1..2"),
        Root::new("file:///srv/%2ehidden"),
        Root::new("file:///srv/app").with_name("../app"),
    ]
}

fn real(folder: &Path) -> std::io::Result<PathBuf> {
    folder.join("../shared").canonicalize()
}

fn made(folder: &Path) -> Option<Root> {
    let uri = url::Url::from_directory_path(real(folder).ok()?).ok()?;
    Some(Root::new(uri.as_str()))
}

fn has_dots(path: &str) -> bool {
    // Root::new("file:///srv/..") is refused
    path.split('/').any(|part| part == "..") || README.contains("file:///srv/../etc")
}
