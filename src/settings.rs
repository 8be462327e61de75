//! From flags to settings in which nothing is left open.

use std::path::PathBuf;

use thiserror::Error;

use crate::check::CheckOptions;
use crate::cli::check::{CheckArgs, FailOn, Format};
use crate::judge::JudgeOptions;
use crate::knowledge::Knowledge;
use crate::project::walk::WalkOptions;
use crate::usage::Confidence;

/// Everything that `check` needs.
#[derive(Clone, Debug)]
pub struct Settings {
    /// What to check and how to judge it.
    pub check: CheckOptions,
    /// The output format.
    pub format: Format,
    /// The level from which findings fail the run.
    pub fail_on: FailOn,
    /// List notes too.
    pub pedantic: bool,
}

/// A setting that does not fit the knowledge.
#[derive(Debug, Error)]
pub enum SettingsError {
    /// `--target` names no revision.
    #[error("--target {given:?}: no such revision; known are {known}")]
    Target {
        /// What was given.
        given: String,
        /// The revisions there are.
        known: String,
    },
    /// `--select` or `--ignore` names no rule.
    #[error("{flag} {given:?}: no such rule{hint}; `mcp-roots-lint rules` lists them")]
    Rule {
        /// The flag.
        flag: &'static str,
        /// What was given.
        given: String,
        /// A rule that may be meant.
        hint: String,
    },
    /// `-` stands among other paths.
    #[error("`-` reads standard input and cannot be mixed with other paths")]
    Stdin,
    /// `--stdin-filename` without `-`.
    #[error("--stdin-filename is for standard input: give `-` as the path")]
    StdinFilename,
}

impl Settings {
    /// Resolves the flags of `check`.
    ///
    /// # Errors
    /// When a revision or rule does not exist, or `-` stands among other paths.
    pub fn resolve(args: CheckArgs, knowledge: &Knowledge) -> Result<Self, SettingsError> {
        let target = args.target.unwrap_or_else(|| knowledge.protocol.default_target.clone());
        if !knowledge.protocol.knows(&target) {
            let ids = knowledge.protocol.revisions.iter().map(|revision| revision.id.as_str());
            return Err(SettingsError::Target { given: target, known: ids.collect::<Vec<_>>().join(", ") });
        }
        for (flag, names) in [("--select", &args.select), ("--ignore", &args.ignore)] {
            if let Some(given) = names.iter().find(|name| knowledge.rule(name).is_none()) {
                let hint = similar(knowledge, given).map(|name| format!(" (`{name}`?)")).unwrap_or_default();
                return Err(SettingsError::Rule { flag, given: given.clone(), hint });
            }
        }
        let is_stdin = args.paths.iter().any(|path| path.as_os_str() == "-");
        if is_stdin && args.paths.len() > 1 {
            return Err(SettingsError::Stdin);
        }
        if !is_stdin && args.stdin_filename.is_some() {
            return Err(SettingsError::StdinFilename);
        }
        let stdin = is_stdin.then(|| args.stdin_filename.unwrap_or_else(|| PathBuf::from("stdin.rs")));
        let mut paths = args.paths;
        if paths.is_empty() && !args.user {
            paths.push(PathBuf::from("."));
        }
        paths.extend(args.user_paths);
        Ok(Self {
            check: CheckOptions {
                walk: WalkOptions {
                    paths,
                    respect_ignore: !args.no_ignore,
                    default_excludes: !args.no_default_excludes,
                    excludes: args.exclude,
                },
                include_sdk: args.include_sdk,
                judge: JudgeOptions {
                    target,
                    select: args.select,
                    ignore: args.ignore,
                    min_confidence: args.min_confidence.unwrap_or(Confidence::Likely),
                    exclude_tests: args.exclude_tests,
                },
                stdin,
            },
            format: args.format,
            fail_on: args.fail_on,
            pedantic: args.pedantic,
        })
    }
}

/// The rule whose name is closest to what was given, if any is close: a few letters off, or two words in common.
pub(crate) fn similar<'k>(knowledge: &'k Knowledge, given: &str) -> Option<&'k str> {
    let names = || knowledge.rules.iter().map(|rule| rule.name.as_str());
    let (letters, typo) = names().map(|name| (strsim::levenshtein(name, given), name)).min()?;
    if letters <= 3 {
        return Some(typo);
    }
    let shared = |name: &str| {
        let words: Vec<&str> = name.split('-').collect();
        given.split(['-', '_']).filter(|word| words.contains(word)).count()
    };
    let best = names().max_by_key(|name| (shared(name), std::cmp::Reverse(name.len())))?;
    (shared(best) >= 2).then_some(best)
}
