//! `mcp-roots-lint rules`.

use std::io::{self, BufWriter, Write};

use clap::{Args, ValueEnum};
use serde_json::json;

use super::{CommonArgs, Error, Exit};
use crate::report::safe;

/// Formats of the list.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum ListFormat {
    /// A table.
    #[default]
    Human,
    /// One JSON array.
    Json,
}

/// Flags of `rules`.
#[derive(Debug, Args)]
pub(super) struct RulesArgs {
    /// How to print the list
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT")]
    format: ListFormat,
    #[command(flatten)]
    common: CommonArgs,
}

pub(super) fn run(args: &RulesArgs) -> Result<Exit, Error> {
    let knowledge = super::load(&args.common)?;
    let mut out = BufWriter::new(io::stdout().lock());
    match args.format {
        ListFormat::Human => {
            let width = knowledge.rules.iter().map(|rule| rule.name.len()).max().unwrap_or_default();
            for rule in &knowledge.rules {
                writeln!(out, "{:width$}  {:11}  {}", rule.name, rule.level_name(), safe::text(&rule.summary))?;
            }
        }
        ListFormat::Json => {
            let rules: Vec<_> = knowledge
                .rules
                .iter()
                .map(|rule| {
                    let mut constructs: Vec<_> =
                        rule.applies.constructs.iter().map(|construct| construct.name()).collect();
                    constructs.dedup();
                    json!({
                        "name": rule.name,
                        "level": rule.level.map(crate::knowledge::rule::Severity::name),
                        "summary": rule.summary,
                        "constructs": constructs,
                    })
                })
                .collect();
            serde_json::to_writer_pretty(&mut out, &rules).map_err(io::Error::from)?;
            writeln!(out)?;
        }
    }
    out.flush()?;
    Ok(Exit::Clean)
}
