//! Dot segments in literals of rmcp clients, plain and encoded.

use rmcp::model as m;
use rmcp::model::{ListRootsResult, Root};

fn plain() -> Root {
    Root::new("file:///srv/app/../shared") //~ root-uri-traversal
}

fn encoded() -> ListRootsResult {
    ListRootsResult::new(vec![
        Root::new("file:///srv/app"),
        Root::new("file:///srv/app/%2e%2e/shared").with_name("shared"), //~ root-uri-traversal
        Root::new("file:///srv/app/%2E./%2e%2E/etc"), //~ root-uri-traversal
        Root::new("file:///srv/app/.%2e".to_owned()), //~ root-uri-traversal
    ])
}

fn literal() -> m::Root {
    m::Root {
        uri: "file:///../etc".into(), //~ root-uri-traversal
        name: None,
    }
}

mod workspace {
    use rmcp::model::Root as ClientRoot;

    pub fn parent(known: &mut Vec<ClientRoot>) {
        known.push(ClientRoot::new("file:///srv/app/..")); //~ root-uri-traversal
    }
}
