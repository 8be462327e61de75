//! The command line: arguments, and one file a command. This is the only module that writes to the terminal.

pub mod check;
#[cfg(feature = "runtime")]
mod compare;
#[cfg(feature = "runtime")]
mod duration;
mod explain;
#[cfg(feature = "runtime")]
mod interrupt;
mod markdown;
#[cfg(feature = "runtime")]
mod probe;
mod rules;
#[cfg(feature = "runtime")]
mod serve;
pub mod terminal;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::knowledge::{Knowledge, KnowledgeError};
use crate::settings::SettingsError;
use terminal::{ColorChoice, Terminal};

/// What a command came to; `Exit::code` is the only place that knows numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// Nothing at or above the level that fails the run.
    Clean,
    /// Something.
    Findings,
    /// Bad arguments, bad settings, or a fault.
    Failure,
    /// Nothing, but not everything could be checked.
    Incomplete,
}

impl Exit {
    fn code(self) -> ExitCode {
        ExitCode::from(match self {
            Self::Clean => 0,
            Self::Findings => 1,
            Self::Failure => 2,
            Self::Incomplete => 3,
        })
    }
}

/// Finds every use of MCP Roots and says what a protocol revision does to it.
#[derive(Debug, Parser)]
#[command(name = "mcp-roots-lint", version, max_term_width = 100, after_help = EXIT_CODES)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
struct Cli {
    #[command(subcommand)]
    command: Option<Command>,
    /// A bare `mcp-roots-lint PATH` checks.
    #[command(flatten)]
    check: check::CheckArgs,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Check files and folders (also what a bare `mcp-roots-lint PATH` does)
    #[command(after_help = EXIT_CODES)]
    Check(check::CheckArgs),
    /// List the rules
    Rules(rules::RulesArgs),
    /// Show the page of a rule
    Explain(explain::ExplainArgs),
    /// Serve MCP with full Roots, or in a migrated form, to compare with
    #[cfg(feature = "runtime")]
    #[command(after_help = serve::AFTER_HELP)]
    Serve(serve::ServeArgs),
    /// Run a server with and without roots, and say what it does with them
    #[cfg(feature = "runtime")]
    #[command(after_help = probe::AFTER_HELP)]
    Probe(Box<probe::ProbeArgs>),
    /// Take a server before and after a migration through the same scenarios
    #[cfg(feature = "runtime")]
    #[command(after_help = compare::AFTER_HELP)]
    Compare(compare::CompareArgs),
}

const EXIT_CODES: &str = "\
Exit codes:
  0  nothing at or above --fail-on
  1  findings
  2  bad arguments or settings, or a fault of the tool
  3  nothing at or above --fail-on, but something could not be checked";

/// More knowledge, and colours: the flags that every command has.
#[derive(Clone, Debug, Default, clap::Args)]
pub struct CommonArgs {
    /// Load more knowledge of the shape of `rules/` (repeatable)
    #[arg(long, value_name = "DIR", help_heading = "General")]
    rules: Vec<PathBuf>,
    /// When to colour
    #[arg(long, value_enum, default_value_t, value_name = "WHEN", help_heading = "General")]
    color: ColorChoice,
}

/// Why a command could not do its work.
#[derive(Debug, thiserror::Error)]
enum Error {
    #[error(transparent)]
    Knowledge(#[from] KnowledgeError),
    #[error(transparent)]
    Settings(#[from] SettingsError),
    #[error(transparent)]
    Check(#[from] crate::check::CheckError),
    #[error("--user: your home folder is not known: neither HOME nor USERPROFILE is set")]
    NoHome,
    #[cfg(feature = "runtime")]
    #[error(transparent)]
    Start(#[from] crate::compat::StartError),
    #[cfg(feature = "runtime")]
    #[error(transparent)]
    Compare(#[from] compare::CompareError),
    #[error("no such rule: {0}")]
    NoRule(String),
    #[cfg(feature = "runtime")]
    #[error(transparent)]
    Probe(#[from] probe::ProbeError),
    #[error("cannot write: {0}")]
    Output(#[from] io::Error),
}

/// Parses the arguments of the process and runs the command.
#[must_use]
pub fn main() -> ExitCode {
    // A fault is reported as a skip of its file. The message of a panic can quote the file, so it is not printed.
    std::panic::set_hook(Box::new(|info| {
        let place = info.location().map(|place| format!(" at {}:{}", place.file(), place.line()));
        let _ = writeln!(io::stderr(), "a fault of this tool{}, please report it", place.unwrap_or_default());
    }));
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        // clap prints help and version to stdout with code 0, mistakes to stderr with code 2.
        Err(error) => {
            let _ = error.print();
            return ExitCode::from(u8::try_from(error.exit_code()).unwrap_or(2));
        }
    };
    let result = match cli.command {
        Some(Command::Check(args)) => check::run(args),
        Some(Command::Rules(args)) => rules::run(&args),
        Some(Command::Explain(args)) => explain::run(&args),
        #[cfg(feature = "runtime")]
        Some(Command::Serve(args)) => serve::run(args),
        #[cfg(feature = "runtime")]
        Some(Command::Compare(args)) => compare::run(&args),
        #[cfg(feature = "runtime")]
        Some(Command::Probe(args)) => probe::run(*args),
        None => check::run(cli.check),
    };
    let exit = result.unwrap_or_else(|error| {
        if let Error::Output(error) = &error
            && error.kind() == io::ErrorKind::BrokenPipe
        {
            // Whoever read us has seen enough.
            return Exit::Clean;
        }
        // What it quotes may come from elsewhere.
        let lines: Vec<String> = error.to_string().lines().map(crate::report::safe::text).collect();
        let _ = writeln!(io::stderr(), "error: {}", lines.join("\n"));
        Exit::Failure
    });
    exit.code()
}

fn load(common: &CommonArgs) -> Result<Knowledge, Error> {
    Ok(Knowledge::load(&common.rules)?)
}

fn terminal(common: &CommonArgs) -> Terminal {
    Terminal::new(common.color)
}
