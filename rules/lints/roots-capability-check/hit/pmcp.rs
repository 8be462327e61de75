//! pmcp servers see the capabilities in their own struct.

use pmcp::types::ClientCapabilities;

struct Negotiated {
    client_capabilities: ClientCapabilities,
    allowed: Vec<std::path::PathBuf>,
}

impl Negotiated {
    fn scope(&self) -> usize {
        if self.client_capabilities.roots.is_some() { //~ roots-capability-check deprecated
            return usize::MAX;
        }
        self.allowed.len()
    }
}
