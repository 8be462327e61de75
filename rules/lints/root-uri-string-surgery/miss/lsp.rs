//! URIs of an editor protocol, in a file without MCP.

use std::path::PathBuf;

use lsp_types::{TextDocumentItem, WorkspaceFolder};

fn document_path(document: &TextDocumentItem) -> PathBuf {
    let uri = document.uri.as_str();
    PathBuf::from(uri.strip_prefix("file://").unwrap_or(uri))
}

fn workspace(folders: &[WorkspaceFolder]) -> Vec<String> {
    folders
        .iter()
        .map(|folder| folder.uri.as_str().trim_start_matches("file://").to_owned())
        .collect()
}

fn database(url: &str) -> &str {
    url.strip_prefix("sqlite://").unwrap_or(url)
}
