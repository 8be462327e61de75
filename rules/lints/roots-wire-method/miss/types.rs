//! Types of other protocols with names and fields that look alike.

use std::path::PathBuf;

#[derive(Debug, Default)]
pub struct ServerCapabilities {
    pub tools: Option<serde_json::Value>,
}

/// A tree of digests.
#[derive(Debug, Clone)]
pub struct Root {
    pub digest: [u8; 32],
    pub height: u32,
}

#[derive(Debug, Clone)]
pub struct Forest {
    pub roots: Vec<Root>,
}

#[derive(Debug, clap::Subcommand)]
pub enum Commands {
    ListRoots,
    Roots { add: Vec<PathBuf> },
}

#[derive(Debug, clap::Args)]
pub struct Arguments {
    #[arg(long)]
    pub roots: Vec<PathBuf>,
    #[arg(long)]
    pub enable_roots: bool,
}

pub fn run(command: &Commands, forest: &Forest) -> usize {
    match command {
        Commands::ListRoots => forest.roots.len(),
        Commands::Roots { add } => add.len(),
    }
}

pub fn completions() -> Vec<&'static str> {
    vec!["index", "roots", "list"]
}
