//! A root that leaves its folder, which is wrong at every revision.

use rmcp::model::Root;

pub fn parent() -> Root {
    Root::new("file:///srv/app/..")
}
