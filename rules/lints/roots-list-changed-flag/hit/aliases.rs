//! The flag behind aliases, in tests and inside a macro.

use rmcp::model as protocol;
use rmcp::model::RootsCapabilities as Announced;

fn behind_an_alias() -> protocol::RootsCapabilities {
    protocol::RootsCapabilities { list_changed: Some(true) } //~ roots-list-changed-flag removed
}

fn renamed() -> Announced {
    Announced { list_changed: Some(true) } //~ roots-list-changed-flag removed
}

fn in_a_macro(offers: &mut Vec<protocol::ClientCapabilities>) {
    offers.extend(vec![
        protocol::ClientCapabilities::builder()
            .enable_roots()
            .enable_roots_list_changed() //~ roots-list-changed-flag removed
            .build(),
    ]);
}

#[cfg(test)]
mod tests {
    #[test]
    fn announces_changes() {
        use rmcp::model::ClientCapabilities;

        let offered = ClientCapabilities::builder().enable_roots().enable_roots_list_changed().build(); //~ roots-list-changed-flag removed
        drop(offered);
    }
}
