//! The same behind aliases, in a nested module, in a macro and in a test.

use rmcp::model as m;

mod relay {
    use rmcp::model::ClientNotification as Incoming;

    pub fn wakes_upstream(notification: &Incoming) -> bool {
        matches!(
            notification,
            Incoming::InitializedNotification(_)
                | Incoming::RootsListChangedNotification(_) //~ roots-list-changed-handler removed
        )
    }
}

fn name(notification: &m::ClientNotification) -> &'static str {
    match notification {
        m::ClientNotification::RootsListChangedNotification(_) => "folders", //~ roots-list-changed-handler removed
        _ => "other",
    }
}

#[cfg(test)]
mod tests {
    use rmcp::service::*;
    use rmcp::*;

    struct Counting(std::sync::atomic::AtomicUsize);

    impl ServerHandler for Counting {
        async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) { //~ roots-list-changed-handler removed
            self.0.fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        }
    }
}
