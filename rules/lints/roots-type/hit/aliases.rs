//! Renames, a module alias, a glob, an import inside a function, and a type inside a macro.

use rmcp::model as m;
use rmcp::model::Root as ClientRoot;

struct Cache {
    by_client: Vec<ClientRoot>, //~ roots-type deprecated
}

fn behind_an_alias(result: m::ListRootsResult) -> usize { //~ roots-type deprecated
    result.roots.len()
}

fn in_a_macro() -> Vec<m::ListRootsResult> { //~ roots-type deprecated
    vec![m::ListRootsResult::default()]
}

mod proxied {
    use rmcp::model::*;

    pub struct Upstream {
        pub known: Vec<Root>, //~ roots-type deprecated
        pub tools: Vec<Tool>,
    }
}

fn with_a_local_import(uris: &[String]) -> usize {
    use rmcp::model::Root;

    let roots: Vec<_> = uris.iter().map(Root::new).collect(); //~ roots-type deprecated
    roots.len()
}

const METHOD: &str = m::RootsListChangedNotificationMethod::VALUE; //~ roots-type removed
