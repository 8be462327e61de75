//! Fields called `roots` that no client declared, other capabilities, and the capability being withdrawn.

use std::path::{Path, PathBuf};

use rmcp::model::{ClientInfo, ListRootsResult};

#[derive(serde::Deserialize)]
struct Manifest {
    roots: Vec<PathBuf>,
    capabilities: Vec<String>,
}

struct Index {
    manifest: Manifest,
    roots: Option<Vec<PathBuf>>,
}

impl Index {
    fn is_scoped(&self) -> bool {
        self.roots.is_some() || !self.manifest.roots.is_empty()
    }

    fn can(&self, name: &str) -> bool {
        self.manifest.capabilities.iter().any(|known| known == name)
    }
}

fn others(info: &ClientInfo) -> bool {
    info.capabilities.sampling.is_some() && info.capabilities.elicitation.is_none()
}

fn withdraw(info: &mut ClientInfo) {
    info.capabilities.roots = None;
}

fn answer_is_empty(result: &ListRootsResult) -> bool {
    result.roots.is_empty()
}

fn debug(f: &mut std::fmt::Formatter<'_>, folders: &[&Path]) -> std::fmt::Result {
    // capabilities.roots.is_some() decides elsewhere
    f.debug_struct("Folders").field("roots", &folders).finish()
}
