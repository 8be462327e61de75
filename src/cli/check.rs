//! `mcp-roots-lint check`.

use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::time::Instant;

use clap::{Args, ValueEnum};

use super::{CommonArgs, Error, Exit};
use crate::analyze::hosts::files::{UserFile, user_files};
use crate::check;
use crate::finding::Outcome;
use crate::knowledge::rule::Severity;
use crate::report::{self, View, safe};
use crate::settings::Settings;
use crate::usage::Confidence;

/// Output formats.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// Code with labels, for a person.
    #[default]
    Human,
    /// One line a finding.
    Short,
    /// One JSON object; its schema is in `rules/report.schema.json`.
    Json,
}

/// Levels that fail a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum FailOn {
    /// Errors.
    #[default]
    Error,
    /// Warnings and errors.
    Warning,
    /// Anything.
    Note,
    /// Nothing.
    Never,
}

impl FailOn {
    fn level(self) -> Option<Severity> {
        match self {
            Self::Error => Some(Severity::Error),
            Self::Warning => Some(Severity::Warning),
            Self::Note => Some(Severity::Note),
            Self::Never => None,
        }
    }
}

/// Flags of `check`.
#[derive(Clone, Debug, Default, Args)]
pub struct CheckArgs {
    /// Files and folders to check; `-` reads standard input [default: .]
    #[arg(value_name = "PATH")]
    pub paths: Vec<PathBuf>,

    /// Judge against this protocol revision [default: the newest known]
    #[arg(long, value_name = "REVISION", help_heading = "Judging")]
    pub target: Option<String>,
    /// Only these rules (comma-separated or repeated)
    #[arg(long, value_name = "RULE", value_delimiter = ',', help_heading = "Judging")]
    pub select: Vec<String>,
    /// Not these rules (comma-separated or repeated)
    #[arg(long, value_name = "RULE", value_delimiter = ',', help_heading = "Judging")]
    pub ignore: Vec<String>,
    /// Leave out what is less sure [default: likely]
    #[arg(long, value_enum, value_name = "LEVEL", help_heading = "Judging")]
    pub min_confidence: Option<Confidence>,
    /// Leave out test code
    #[arg(long, help_heading = "Judging")]
    pub exclude_tests: bool,
    /// Exit with 1 from this level on
    #[arg(long, value_enum, default_value_t, value_name = "LEVEL", help_heading = "Judging")]
    pub fail_on: FailOn,

    /// Leave out what matches (gitignore dialect, repeatable)
    #[arg(long, value_name = "GLOB", help_heading = "Files")]
    pub exclude: Vec<String>,
    /// Read what gitignore files leave out
    #[arg(long, help_heading = "Files")]
    pub no_ignore: bool,
    /// Read `node_modules`, `target`, `vendor` and `dist` too
    #[arg(long, help_heading = "Files")]
    pub no_default_excludes: bool,
    /// Check the source of SDKs too (`rmcp`, `rust-mcp-schema`, …)
    #[arg(long, help_heading = "Files")]
    pub include_sdk: bool,
    /// Check this user's own host configs, and only them unless paths are given; lists where it looked
    #[arg(long, help_heading = "Files")]
    pub user: bool,
    /// The name that standard input goes by [default: stdin.rs]
    #[arg(long, value_name = "PATH", help_heading = "Files")]
    pub stdin_filename: Option<PathBuf>,

    /// How to print the findings
    #[arg(long, value_enum, default_value_t, value_name = "FORMAT", help_heading = "Output")]
    pub format: Format,
    /// List notes too, not only count them
    #[arg(long, help_heading = "Output")]
    pub pedantic: bool,

    /// What `--user` found.
    #[arg(skip)]
    pub user_paths: Vec<PathBuf>,

    #[command(flatten)]
    #[allow(missing_docs, reason = "the struct says it")]
    pub common: CommonArgs,
}

pub(super) fn run(args: CheckArgs) -> Result<Exit, Error> {
    let begin = Instant::now();
    let common = args.common.clone();
    let knowledge = super::load(&common)?;
    let mut args = args;
    if args.user {
        if ["HOME", "USERPROFILE"].iter().all(|name| std::env::var_os(name).is_none_or(|value| value.is_empty())) {
            return Err(Error::NoHome);
        }
        let files = user_files(&knowledge, &|name| std::env::var(name).ok().filter(|value| !value.is_empty()));
        list_user_files(&files);
        args.user_paths = files.into_iter().flat_map(|file| file.found).collect();
    }
    let settings = Settings::resolve(args, &knowledge)?;
    let outcome = check::check(&knowledge, &settings.check)?;

    let exit = exit(&outcome, settings.fail_on);
    let view = View { outcome: &outcome, pedantic: settings.pedantic, elapsed: begin.elapsed() };
    let written = write(&view, settings.format, super::terminal(&common).color);
    if outcome.files_checked == 0 && outcome.skipped.is_empty() {
        let _ = writeln!(
            io::stderr(),
            "hint: there was nothing to check here; Rust sources (`*.rs`) and the configs of MCP hosts are checked"
        );
    }
    match written {
        // Whoever read us has seen enough; the verdict stands.
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(exit),
        Err(error) => Err(error.into()),
        Ok(()) => Ok(exit),
    }
}

fn write(view: &View<'_>, format: Format, color: bool) -> io::Result<()> {
    let mut out = BufWriter::new(io::stdout().lock());
    match format {
        Format::Human => report::human::write(view, color, &mut out)?,
        Format::Short => report::short::write(view, &mut out)?,
        Format::Json => report::json::write(view, &mut out)?,
    }
    out.flush()
}

/// Says on stderr where this user's configs were looked for, and which are there.
fn list_user_files(files: &[UserFile]) {
    let mut err = io::stderr().lock();
    for file in files {
        for found in &file.found {
            let _ = writeln!(err, "found   {} ({})", safe::text(&found.to_string_lossy()), safe::text(&file.host));
        }
    }
    for file in files.iter().filter(|file| file.found.is_empty()) {
        let _ = writeln!(err, "absent  {} ({})", safe::text(&file.place.to_string_lossy()), safe::text(&file.host));
    }
}

fn exit(outcome: &Outcome, fail_on: FailOn) -> Exit {
    let fails = |level| outcome.active().any(|finding| finding.severity >= level);
    match fail_on.level() {
        Some(level) if fails(level) => Exit::Findings,
        _ if outcome.is_incomplete() => Exit::Incomplete,
        _ => Exit::Clean,
    }
}
