//! Roots of other trees in a crate that is an MCP client as well.

use std::path::PathBuf;

use rmcp::model::ClientCapabilities;

struct Scanner {
    roots: Option<Vec<PathBuf>>,
    capabilities: ClientCapabilities,
}

struct Commitment {
    roots: Vec<[u8; 32]>,
}

fn scanner(folders: Vec<PathBuf>) -> Scanner {
    Scanner {
        roots: Some(folders),
        capabilities: ClientCapabilities::builder().enable_elicitation().build(),
    }
}

fn widen(scanner: &mut Scanner, folder: PathBuf) {
    scanner.roots = Some(vec![folder]);
}

fn commit(leaves: &[[u8; 32]]) -> Commitment {
    Commitment { roots: leaves.to_vec() }
}
