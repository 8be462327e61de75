//! `roots` and `enable_roots` that declare nothing: withdrawn, never set, a flag of the command line.

use clap::Parser;
use rmcp::model::{ClientCapabilities, ClientInfo};

#[derive(Parser)]
struct Arguments {
    /// Ask the client for its directories.
    #[arg(short = 't', long, env = "ENABLE_ROOTS")]
    enable_roots: bool,
}

fn withdrawn(info: &mut ClientInfo) {
    info.capabilities.roots = None;
}

fn never_declared() -> ClientCapabilities {
    ClientCapabilities {
        roots: None,
        ..Default::default()
    }
}

fn flag(arguments: &Arguments) -> bool {
    arguments.enable_roots
}

fn other_builder() -> ClientCapabilities {
    ClientCapabilities::builder().enable_sampling().enable_elicitation().build()
}

/// `enable_roots()` in a comment is text.
fn describe(arguments: &Arguments) -> &'static str {
    if flag(arguments) { "asks the client" } else { "asks nobody" }
}
