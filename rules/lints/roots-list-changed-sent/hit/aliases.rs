//! The variant behind a module alias, a rename and a local import.

use rmcp::model as protocol;
use rmcp::model::ClientNotification as Outgoing;

fn behind_an_alias() -> protocol::ClientNotification {
    protocol::ClientNotification::RootsListChangedNotification(Default::default()) //~ roots-list-changed-sent removed
}

fn renamed() -> Vec<Outgoing> {
    vec![Outgoing::RootsListChangedNotification(Default::default())] //~ roots-list-changed-sent removed
}

mod queue {
    pub fn fill(queue: &mut std::collections::VecDeque<rmcp::model::ClientNotification>) {
        use rmcp::model::*;

        let changed = ClientNotification::RootsListChangedNotification(Default::default()); //~ roots-list-changed-sent removed
        queue.push_back(changed);
    }
}
