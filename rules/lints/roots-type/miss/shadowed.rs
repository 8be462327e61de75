//! A local type wins over the glob of an SDK, and a type next to another use belongs to that use.

use rmcp::model::*;

use self::tree::Root as TreeRoot;

struct Root {
    digest: [u8; 32],
    children: Vec<Root>,
}

mod tree {
    pub struct Root {
        pub depth: usize,
    }
}

fn depth(root: &Root) -> usize {
    1 + root.children.iter().map(depth).max().unwrap_or(0)
}

fn of_the_tree(root: &TreeRoot) -> usize {
    root.depth
}

fn tools(list: ListToolsResult) -> usize {
    list.tools.len()
}

fn ask() -> InputRequest {
    InputRequest::ListRoots(ListRootsRequest::default())
}

fn digest(root: &Root) -> String {
    root.digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
