//! Output formats, one file each. They decide nothing.

pub mod human;
pub mod json;
pub mod paths;
pub mod safe;
pub mod short;

use std::time::Duration;

use crate::finding::{Finding, Outcome};
use crate::knowledge::rule::Severity;

/// What a report shows.
pub struct View<'a> {
    /// The result of the check.
    pub outcome: &'a Outcome,
    /// List notes, not only count them.
    pub pedantic: bool,
    /// How long it took.
    pub elapsed: Duration,
}

impl<'a> View<'a> {
    /// Findings to list for a person: not suppressed, and notes only on request.
    pub fn listed(&self) -> impl Iterator<Item = &'a Finding> {
        let pedantic = self.pedantic;
        self.outcome.active().filter(move |finding| pedantic || finding.severity > Severity::Note)
    }
}
