//! A file watcher of an editor: the hook is its own, no MCP anywhere.

use std::path::PathBuf;

use lsp_types::{DidChangeWorkspaceFoldersParams, WorkspaceFolder};

struct Watcher {
    roots: Vec<PathBuf>,
}

impl Watcher {
    fn on_roots_list_changed(&mut self, roots: Vec<PathBuf>) {
        self.roots = roots;
    }

    fn folders_changed(&mut self, params: DidChangeWorkspaceFoldersParams) {
        let added: Vec<PathBuf> = params.event.added.iter().map(path).collect();
        self.on_roots_list_changed(added);
    }
}

fn path(folder: &WorkspaceFolder) -> PathBuf {
    PathBuf::from(folder.uri.path())
}
