//! Struct literals, as rmcp before 1.0 lets them be written: behind a module alias, renamed, with a local import.

use rmcp::model as m;

fn behind_an_alias() -> m::ClientCapabilities {
    m::ClientCapabilities {
        roots: Some(m::RootsCapabilities { list_changed: None }), //~ roots-capability deprecated
        ..Default::default()
    }
}

fn spelled_out() -> rmcp::model::ClientInfo {
    rmcp::model::ClientInfo {
        capabilities: rmcp::model::ClientCapabilities {
            sampling: None,
            roots: Some(Default::default()), //~ roots-capability deprecated
            ..Default::default()
        },
        ..Default::default()
    }
}

fn with_a_local_import() -> bool {
    use rmcp::model::{ClientCapabilities, RootsCapabilities};

    let capabilities = ClientCapabilities {
        roots: Some(RootsCapabilities::default()), //~ roots-capability deprecated
        ..Default::default()
    };
    capabilities.sampling.is_none()
}

mod session {
    use rmcp::model::ClientCapabilities as Offered;

    pub fn offered() -> Offered {
        Offered {
            roots: Some(Default::default()), //~ roots-capability deprecated
            ..Offered::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use rmcp::model::*;

    #[test]
    fn builds() {
        let built = ClientCapabilities::builder().enable_roots().build(); //~ roots-capability deprecated
        assert!(built.sampling.is_none());
    }
}
