//! What reports consume: judged usages, and what was not or only half looked at.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Serialize;

use crate::knowledge::protocol::{Role, Status};
use crate::knowledge::rule::Severity;
use crate::project::source::{Source, Span};
use crate::usage::{Confidence, SdkUse};

/// A second place that belongs to a finding.
#[derive(Clone, Debug)]
pub struct Related {
    /// The file it is in.
    pub source: Arc<Source>,
    /// Bytes of that file's text.
    pub range: std::ops::Range<usize>,
    /// Where.
    pub span: Span,
    /// What stands there.
    pub message: String,
}

/// One usage, judged at a target revision.
#[derive(Clone, Debug)]
pub struct Finding {
    /// The rule's name.
    pub rule: String,
    /// The construct's name; `None` for advice.
    pub construct: Option<&'static str>,
    /// What the target says of the construct; `None` for advice.
    pub status: Option<Status>,
    /// How much it weighs.
    pub severity: Severity,
    /// How sure the analyzer is.
    pub confidence: Confidence,
    /// Which side of the protocol.
    pub role: Role,
    /// The file it is in.
    pub source: Arc<Source>,
    /// Bytes of the file's text.
    pub range: std::ops::Range<usize>,
    /// Where.
    pub span: Span,
    /// The headline.
    pub message: String,
    /// A word or two for the place itself.
    pub label: &'static str,
    /// What to do, best first.
    pub help: Vec<String>,
    /// What else to know.
    pub notes: Vec<String>,
    /// Where to read on.
    pub url: String,
    /// The SDK, where one is behind it.
    pub sdk: Option<SdkUse>,
    /// Test code.
    pub in_test: bool,
    /// Places that belong to it.
    pub related: Vec<Related>,
    /// The reason of the comment that suppresses it.
    pub suppressed: Option<String>,
    /// Stable over moves within the file: see design, `fingerprint`.
    pub fingerprint: String,
}

/// Why a file or folder was not checked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum SkipReason {
    /// The system does not let us read it.
    Unreadable,
    /// A link that leads nowhere.
    BrokenLink,
    /// A link to a folder that is not among the checked ones.
    LinkedFolder,
    /// Larger than the limit.
    TooLarge,
    /// Nested deeper than a parser can follow.
    TooDeep,
    /// Not UTF-8.
    NotUtf8,
    /// Neither the parser nor the lexer understands it.
    ParseError,
    /// A fault of this tool.
    Panic,
    /// Source of an SDK, not a use of it.
    SdkSource,
    /// A folder that is excluded by default.
    Excluded,
    /// Named on the command line, but of no kind that is checked.
    UnknownKind,
}

impl SkipReason {
    /// Whether the check is incomplete because of it; else it was a choice.
    #[must_use]
    pub fn is_incomplete(self) -> bool {
        !matches!(self, Self::SdkSource | Self::Excluded | Self::BrokenLink | Self::LinkedFolder)
    }

    /// The name of design and output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::BrokenLink => "broken-link",
            Self::LinkedFolder => "linked-folder",
            Self::TooLarge => "too-large",
            Self::TooDeep => "too-deep",
            Self::NotUtf8 => "not-utf8",
            Self::ParseError => "parse-error",
            Self::Panic => "panic",
            Self::SdkSource => "sdk-source",
            Self::Excluded => "excluded",
            Self::UnknownKind => "unknown-kind",
        }
    }
}

/// A file or folder that was not checked.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// Which one.
    pub path: PathBuf,
    /// Why.
    pub reason: SkipReason,
    /// More on why, for a person.
    pub detail: String,
}

impl Skipped {
    /// A skip with its detail.
    #[must_use]
    pub fn new(path: &Path, reason: SkipReason, detail: impl Into<String>) -> Self {
        Self { path: path.to_owned(), reason, detail: detail.into() }
    }
}

/// A file that was checked by its tokens because it does not parse or is nested too deep.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Degraded {
    /// Which file.
    pub path: PathBuf,
    /// Why its syntax tree could not be used.
    pub reason: SkipReason,
    /// More on why, for a person.
    pub detail: String,
}

/// The result of one check.
#[derive(Clone, Debug, Default)]
pub struct Outcome {
    /// The revision that the code was judged against.
    pub target: String,
    /// All findings of the selected rules, suppressed ones and notes included, in order of path, offset, rule.
    pub findings: Vec<Finding>,
    /// What was not checked.
    pub skipped: Vec<Skipped>,
    /// What was checked by its tokens.
    pub degraded: Vec<Degraded>,
    /// Files that were read.
    pub files_checked: usize,
}

impl Outcome {
    /// Findings of a level that no comment suppresses.
    #[must_use]
    pub fn count(&self, severity: Severity) -> usize {
        self.active().filter(|finding| finding.severity == severity).count()
    }

    /// Findings that no comment suppresses.
    pub fn active(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.suppressed.is_none())
    }

    /// Whether something that should have been read was not.
    #[must_use]
    pub fn is_incomplete(&self) -> bool {
        self.skipped.iter().any(|skip| skip.reason.is_incomplete())
    }
}
