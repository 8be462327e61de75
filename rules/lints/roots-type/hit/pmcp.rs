//! Types of pmcp by their two paths.

use pmcp::types::roots::{ListRootsResult, Root};

#[derive(Debug, Default)]
pub struct Snapshot {
    roots: Vec<Root>, //~ roots-type deprecated
    taken_at: u64,
}

pub fn snapshot(result: ListRootsResult, taken_at: u64) -> Snapshot { //~ roots-type deprecated
    Snapshot { roots: result.roots, taken_at }
}

pub fn same(left: &pmcp::server::roots::Root, right: &str) -> bool { //~ roots-type deprecated
    left.uri == right
}
