//! `mcp-roots-lint explain RULE`.

use std::io::{self, BufWriter, Write};

use clap::Args;

use super::{CommonArgs, Error, Exit, markdown};
use crate::settings::similar;

/// Flags of `explain`.
#[derive(Debug, Args)]
pub(super) struct ExplainArgs {
    /// The rule's name
    #[arg(value_name = "RULE")]
    rule: String,
    #[command(flatten)]
    common: CommonArgs,
}

pub(super) fn run(args: &ExplainArgs) -> Result<Exit, Error> {
    let knowledge = super::load(&args.common)?;
    let Some(rule) = knowledge.rule(&args.rule) else {
        let hint = similar(&knowledge, &args.rule).map(|name| format!(" (`{name}`?)")).unwrap_or_default();
        return Err(Error::NoRule(format!("`{}`{hint}; `mcp-roots-lint rules` lists them", args.rule)));
    };
    let mut out = BufWriter::new(io::stdout().lock());
    markdown::write(&rule.page, super::terminal(&args.common).color, &mut out)?;
    out.flush()?;
    Ok(Exit::Clean)
}
