//! Reads inside macros, tests, nested modules and behind a renamed type.

use rmcp::model::ClientCapabilities as Declared;

fn renamed(declared: &Declared) -> bool {
    matches!(declared, Declared { roots: Some(_), .. }) //~ roots-capability-check deprecated
}

mod session {
    pub struct Session {
        pub info: rmcp::model::ClientInfo,
    }

    impl Session {
        pub fn lists_folders(&self) -> bool {
            self.info.capabilities.roots.is_some() //~ roots-capability-check deprecated
        }
    }
}

fn local(info: &rmcp::model::ClientInfo) -> Option<String> {
    use rmcp::model::ClientCapabilities;

    let caps: &ClientCapabilities = &info.capabilities;
    caps.roots.as_ref().map(|announced| format!("{announced:?}")) //~ roots-capability-check deprecated
}

#[cfg(test)]
mod tests {
    #[tokio::test]
    async fn client_declares_folders() {
        let server = crate::harness::connected().await;
        let info = server.peer().peer_info().unwrap();
        assert!(info.capabilities.roots.is_some(), "no roots"); //~ roots-capability-check deprecated
    }
}
