//! `mcp-roots-lint compare`.

use std::env;
use std::fs;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, ValueEnum};

use super::{Error, Exit, duration};
use crate::analyze::hosts::servers::shown_words;
use crate::observe::client::{Era, Transcript};
use crate::observe::compare::scenario::{BUILT_IN, File, FileError, Scenario, Side};
use crate::observe::compare::{self, Conclusion, Plan, human, json, markdown};

/// What follows `--help`.
pub(super) const AFTER_HELP: &str = "\
Without --scenario the built-in scenarios are played, and without --before and --after they compare
the bundled server with Roots to each of its migrated forms. A command is written as in a
shell; {dir} in it stands for the directory that is made for each play, where the server is
started, while the program's path is looked up from here. The format of scenario files is
described in rules/scenarios/README.md.

Exit codes:
  0  nothing unexpected
  1  an unexpected difference, or a wider access boundary
  2  bad arguments or scenarios, or a fault of the tool
  3  nothing unexpected, but a scenario could not be played";

/// Formats of the report.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum CompareFormat {
    /// For a terminal
    #[default]
    Human,
    /// One JSON object
    Json,
    /// For a pull request
    Markdown,
}

/// The eras to play.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
enum Eras {
    /// Those that a scenario has
    #[default]
    Both,
    /// Revisions with `initialize`
    Legacy,
    /// 2026-07-28
    Modern,
}

/// Flags of `compare`.
#[derive(Debug, Args)]
pub(super) struct CompareArgs {
    /// The command of the server before the migration
    #[arg(long, value_name = "COMMAND", help_heading = "Servers")]
    before: Option<String>,
    /// The command of the server after it; a name says which calls of the scenarios are its (repeatable)
    #[arg(long, value_name = "[NAME=]COMMAND", help_heading = "Servers")]
    after: Vec<String>,
    /// A directory of the tree that the operator of the server after has named (repeatable)
    #[arg(long, value_name = "PATH", requires = "after", help_heading = "Servers")]
    allowed: Vec<String>,

    /// The scenarios to play
    #[arg(long, value_name = "FILE", help_heading = "Scenarios")]
    scenario: Option<PathBuf>,
    /// Play only these (repeatable, or with commas)
    #[arg(long, value_name = "NAME", value_delimiter = ',', help_heading = "Scenarios")]
    only: Vec<String>,
    /// The eras to play
    #[arg(long, value_enum, default_value_t, value_name = "ERA", help_heading = "Scenarios")]
    era: Eras,
    /// How long to wait for each answer
    #[arg(long, value_name = "DURATION", default_value = "10s", value_parser = duration::parse)]
    #[arg(help_heading = "Scenarios")]
    timeout: Duration,

    /// How to print the report
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = "Output")]
    format: CompareFormat,
    /// Write all messages to a file, one JSON object a line; it may hold secrets
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    transcript: Option<PathBuf>,
}

/// Why nothing was compared.
#[derive(Debug, thiserror::Error)]
pub(super) enum CompareError {
    #[error("{}: {error}", path.display())]
    Read { path: PathBuf, error: io::Error },
    #[error("{place}: {error}")]
    File { place: String, error: FileError },
    #[error("--{flag}: {what}")]
    Command { flag: &'static str, what: &'static str },
    #[error("--only: there is no scenario `{0}`; there are: {1}")]
    NoScenario(String, String),
    #[error("{0}: there is no server `{1}`: say it in the file, or with --{1}")]
    NoServer(String, &'static str),
    #[error("--era {1}: no scenario of {0} has this era: there is nothing to play")]
    NothingToPlay(String, &'static str),
    #[error("cannot start: {0}")]
    Start(io::Error),
    #[error("interrupted; the servers were ended")]
    Interrupted,
}

pub(super) fn run(args: &CompareArgs) -> Result<Exit, Error> {
    let plan = plan(args)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(CompareError::Start)?;
    if io::stderr().is_terminal() {
        let _ = writeln!(io::stderr(), "playing {} scenarios …", plan.file.scenarios.len());
    }
    let report = runtime.block_on(async {
        // The servers are in process groups of their own, where no Ctrl-C reaches them: dropping the play ends them.
        tokio::select! {
            report = compare::run(&plan) => report.map_err(CompareError::Start),
            () = super::interrupt::interrupted() => Err(CompareError::Interrupted),
        }
    });
    runtime.shutdown_background();
    let report = report?;
    if let Some(path) = &args.transcript {
        plan.transcript.finish().map_err(|error| CompareError::Read { path: path.clone(), error })?;
    }
    let mut out = BufWriter::new(io::stdout().lock());
    match args.format {
        CompareFormat::Human => human::write(&report, &mut out)?,
        CompareFormat::Markdown => markdown::write(&report, &mut out)?,
        CompareFormat::Json => {
            serde_json::to_writer_pretty(&mut out, &json::value(&report)).map_err(io::Error::from)?;
            writeln!(out)?;
        }
    }
    out.flush()?;
    Ok(match report.conclusion() {
        Conclusion::AsExpected => Exit::Clean,
        Conclusion::Unexpected => Exit::Findings,
        Conclusion::Incomplete => Exit::Incomplete,
    })
}

fn plan(args: &CompareArgs) -> Result<Plan, CompareError> {
    let (place, text) = match &args.scenario {
        None => ("the built-in scenarios".to_owned(), BUILT_IN.to_owned()),
        Some(path) => {
            let text = fs::read_to_string(path).map_err(|error| CompareError::Read { path: path.clone(), error })?;
            (path.display().to_string(), text)
        }
    };
    let mut file = File::parse(&text).map_err(|error| CompareError::File { place: place.clone(), error })?;
    select(&mut file, &args.only)?;
    let before = match &args.before {
        None => file.before.clone(),
        Some(command) => Some(side(&file, "before", words("before", command)?, &[])),
    };
    let after = match args.after.as_slice() {
        [] => file.after.clone(),
        commands => {
            commands.iter().map(|command| after_side(&file, command, &args.allowed)).collect::<Result<_, _>>()?
        }
    };
    let Some(before) = before else { return Err(CompareError::NoServer(place, "before")) };
    if after.is_empty() {
        return Err(CompareError::NoServer(place, "after"));
    }
    let eras = match args.era {
        Eras::Both => vec![Era::Legacy, Era::Modern],
        Eras::Legacy => vec![Era::Legacy],
        Eras::Modern => vec![Era::Modern],
    };
    let has_era = |scenario: &Scenario| scenario.eras.iter().any(|era| eras.contains(era));
    if let ([era], false) = (eras.as_slice(), file.scenarios.iter().any(has_era)) {
        return Err(CompareError::NothingToPlay(place, era.name()));
    }
    file.check_sides(&after).map_err(|error| CompareError::File { place, error })?;
    let hidden = |side: &Side| shown_words(&side.command);
    let shown = (hidden(&before), after.iter().map(hidden).collect());
    let transcript = match &args.transcript {
        None => Transcript::default(),
        Some(path) => Transcript::create(path).map_err(|error| CompareError::Read { path: path.clone(), error })?,
    };
    Ok(Plan {
        file,
        before,
        after,
        shown,
        eras,
        timeout: args.timeout,
        program: env::current_exe().map_err(CompareError::Start)?.to_string_lossy().into_owned(),
        transcript,
    })
}

/// A server that the command line names stands in for the one of that name in the file, where there is one.
fn side(file: &File, name: &str, command: Vec<String>, allowed: &[String]) -> Side {
    let of_file =
        if name == "before" { file.before.as_ref() } else { file.after.iter().find(|side| side.name == name) };
    let mut side = of_file.or(file.before.as_ref()).cloned().unwrap_or_default();
    if of_file.is_none() || !allowed.is_empty() {
        side.allowed = allowed.to_vec();
    }
    Side { name: name.to_owned(), command, ..side }
}

/// `COMMAND` or `NAME=COMMAND`.
fn after_side(file: &File, text: &str, allowed: &[String]) -> Result<Side, CompareError> {
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-');
    let (name, command) = text.split_once('=').filter(|(name, _)| is_name(name)).unwrap_or(("after", text));
    Ok(side(file, name, words("after", command)?, allowed))
}

fn select(file: &mut File, only: &[String]) -> Result<(), CompareError> {
    if only.is_empty() {
        return Ok(());
    }
    let names: Vec<_> = file.scenarios.iter().map(|scenario| scenario.name.clone()).collect();
    if let Some(unknown) = only.iter().find(|name| !names.contains(name)) {
        return Err(CompareError::NoScenario(unknown.clone(), names.join(", ")));
    }
    file.scenarios.retain(|scenario| only.contains(&scenario.name));
    Ok(())
}

fn words(flag: &'static str, command: &str) -> Result<Vec<String>, CompareError> {
    match shlex::split(command) {
        None => Err(CompareError::Command { flag, what: "a quotation mark is not closed" }),
        Some(words) if words.is_empty() => Err(CompareError::Command { flag, what: "the command is empty" }),
        Some(words) => Ok(words),
    }
}
