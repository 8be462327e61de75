//! Nothing is declared: the field is withdrawn, the flag is one of the command line.

use rmcp::ClientHandler;
use rmcp::model::{ClientCapabilities, ClientInfo, Implementation};

#[derive(clap::Parser)]
struct Arguments {
    #[arg(long)]
    enable_roots: bool,
}

struct Agent {
    arguments: Arguments,
}

impl ClientHandler for Agent {
    fn get_info(&self) -> ClientInfo {
        let mut info = ClientInfo::new(ClientCapabilities::default(), Implementation::new("agent", "0.4.0"));
        info.capabilities.roots = None;
        if self.arguments.enable_roots {
            // enable_roots() has no handler yet
            tracing::warn!("roots are not supported");
        }
        info
    }
}
