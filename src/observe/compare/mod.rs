//! Two servers, or a server before and after a migration, taken through the same scenarios: what is the same, what
//! differs, what it costs, and what can be read.
//!
//! | module | what lives there |
//! |---|---|
//! | [`scenario`], `check` | scenario files, and whether their parts fit |
//! | [`places`] | what stands in braces in them |
//! | [`play`] | playing a scenario against one server |
//! | [`outcome`] | what a call came to, and whether that is as expected |
//! | [`access`] | the access boundary |
//! | [`human`], [`markdown`], [`json`], `table` | the report, and what the first two share |

pub mod access;
mod check;
pub mod human;
pub mod json;
pub mod markdown;
pub mod outcome;
pub mod places;
pub mod play;
pub mod scenario;
mod table;

use std::fs;
use std::path::Path;
use std::time::Duration;

use access::Access;
use outcome::{Outcome, Verdict, judge};
use places::Places;
use play::{Cost, NotPlayed, Play, Player};
use scenario::{Call, Expect, File, Scenario, Side};
use serde_json::Value;

use super::client::{Era, Transcript};

/// What to compare.
pub struct Plan {
    /// The scenarios.
    pub file: File,
    /// The server before.
    pub before: Side,
    /// The servers after.
    pub after: Vec<Side>,
    /// Their commands as a report may show them, before and after.
    pub shown: (Vec<String>, Vec<Vec<String>>),
    /// The eras to play, where a scenario has them.
    pub eras: Vec<Era>,
    /// How long an answer may take.
    pub timeout: Duration,
    /// This program, for `{self}`.
    pub program: String,
    /// Where the messages are kept.
    pub transcript: Transcript,
}

/// One step in both servers.
#[derive(Clone, Debug)]
pub struct StepReport {
    /// The call before.
    pub before: Call,
    /// The call after.
    pub after: Call,
    /// What they came to.
    pub outcomes: (Outcome, Outcome),
    /// What they took.
    pub costs: (Cost, Cost),
    /// Whether that is as expected.
    pub verdict: Verdict,
    /// Where they differ, see [`outcome::difference`]; where a stated difference failed, [`outcome::against_stated`].
    pub difference: Vec<(String, Value, Value)>,
}

/// One scenario in one era, before against one server after.
#[derive(Clone, Debug)]
pub struct Cell {
    /// The name of the server after.
    pub side: String,
    /// The steps, or why there are none.
    pub steps: Result<Vec<StepReport>, NotPlayed>,
    /// What could be read.
    pub access: Access,
    /// Messages of the whole session, before and after.
    pub messages: (u64, u64),
}

impl Cell {
    /// The worst of the steps, `None` when it was not played.
    #[must_use]
    pub fn verdict(&self) -> Option<&Verdict> {
        self.steps.as_ref().ok()?.iter().map(|step| &step.verdict).max_by_key(|verdict| verdict.rank())
    }

    /// Whether this makes the comparison fail.
    #[must_use]
    pub fn is_unexpected(&self) -> bool {
        self.verdict().is_some_and(Verdict::is_unexpected) || self.access.boundary().is_wider()
    }

    /// Whether it should have been played and was not.
    #[must_use]
    pub fn is_failed(&self) -> bool {
        matches!(self.steps, Err(NotPlayed::Failed(_)))
    }

    /// The most messages and round trips that a call took, before and after.
    #[must_use]
    pub fn cost(&self) -> (Cost, Cost) {
        let steps = self.steps.as_deref().unwrap_or_default();
        let most = |which: fn(&StepReport) -> Cost| Cost {
            messages: steps.iter().map(|step| which(step).messages).max().unwrap_or_default(),
            round_trips: steps.iter().map(|step| which(step).round_trips).max().unwrap_or_default(),
        };
        (most(|step| step.costs.0), most(|step| step.costs.1))
    }
}

/// One scenario in one era.
#[derive(Clone, Debug)]
pub struct Row {
    /// The scenario.
    pub scenario: String,
    /// The era.
    pub era: Era,
    /// One for each server after.
    pub cells: Vec<Cell>,
}

/// The comparison.
#[derive(Clone, Debug)]
pub struct Report {
    /// The command before, without what may be a secret.
    pub before: Vec<String>,
    /// The servers after: name and command.
    pub after: Vec<(String, Vec<String>)>,
    /// In the order of the file, eras within.
    pub rows: Vec<Row>,
    /// What `{dir}` stood for; the report shows the placeholder.
    pub dir: String,
}

/// What a comparison came to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Conclusion {
    /// Nothing unexpected.
    AsExpected,
    /// An unexpected difference, or a wider boundary.
    Unexpected,
    /// Nothing unexpected, but something could not be played.
    Incomplete,
}

impl Report {
    /// All cells, with their rows.
    pub fn cells(&self) -> impl Iterator<Item = (&Row, &Cell)> {
        self.rows.iter().flat_map(|row| row.cells.iter().map(move |cell| (row, cell)))
    }

    /// What it came to.
    #[must_use]
    pub fn conclusion(&self) -> Conclusion {
        let played = self.cells().any(|(_, cell)| cell.steps.is_ok());
        if self.cells().any(|(_, cell)| cell.is_unexpected()) {
            Conclusion::Unexpected
        } else if !played || self.cells().any(|(_, cell)| cell.is_failed()) {
            Conclusion::Incomplete
        } else {
            Conclusion::AsExpected
        }
    }

    /// A text in which the tree is called by its placeholder.
    #[must_use]
    pub fn shown(&self, text: &str) -> String {
        text.replace(&self.dir, "{dir}")
    }
}

/// Plays everything.
///
/// # Errors
///
/// When there is no place for the trees.
pub async fn run(plan: &Plan) -> std::io::Result<Report> {
    let place = tempfile::Builder::new().prefix("mcp-roots-lint-").tempdir()?;
    // Servers show canonical paths; a temporary folder can be a link.
    let dir = fs::canonicalize(place.path())?.join("tree").to_string_lossy().into_owned();
    let places = Places { dir, program: plan.program.clone() };
    let mut rows = Vec::new();
    for scenario in &plan.file.scenarios {
        for era in scenario.eras.iter().copied().filter(|era| plan.eras.contains(era)) {
            rows.push(row(plan, scenario, era, &places).await);
        }
    }
    Ok(Report {
        before: plan.shown.0.clone(),
        after: plan.after.iter().map(|side| side.name.clone()).zip(plan.shown.1.iter().cloned()).collect(),
        rows,
        dir: places.dir,
    })
}

async fn row(plan: &Plan, scenario: &Scenario, era: Era, places: &Places) -> Row {
    let player = |side, is_after| Player {
        file: &plan.file,
        side,
        is_after,
        era,
        places,
        timeout: plan.timeout,
        transcript: &plan.transcript,
    };
    let before = player(&plan.before, false).play(scenario).await;
    let mut cells = Vec::new();
    for side in &plan.after {
        let after = player(side, true).play(scenario).await;
        cells.push(cell(plan, scenario, side, places, &before, &after));
    }
    Row { scenario: scenario.name.clone(), era, cells }
}

fn cell(
    plan: &Plan,
    scenario: &Scenario,
    side: &Side,
    places: &Places,
    before: &Result<Play, NotPlayed>,
    after: &Result<Play, NotPlayed>,
) -> Cell {
    let side_name = side.name.clone();
    let (before, after) = match (before, after) {
        (Ok(before), Ok(after)) => (before, after),
        (before, after) => {
            let why = not_played(before.as_ref().err(), after.as_ref().err());
            return Cell { side: side_name, steps: Err(why), access: Access::default(), messages: (0, 0) };
        }
    };
    let mut access = Access::default();
    let mut steps = Vec::new();
    let calls = scenario.steps.iter().filter(|step| step.before.is_some());
    for ((step, before), after) in calls.zip(&before.calls).zip(&after.calls) {
        let (Some(call_before), Some(call_after)) = (&step.before, step.after(&side.name)) else { continue };
        if let Some(path) = &step.reads {
            access.note(path, false, before.0.is_result());
        }
        if let Some(path) = step.reads(&side.name) {
            access.note(path, true, after.0.is_result());
        }
        let ignored = &plan.file.ignore;
        let verdict = judge(&before.0, &after.0, step.expect(&side.name), ignored, places);
        let difference = match step.expect(&side.name) {
            Expect::Differs(stated) if verdict.is_unexpected() => {
                outcome::against_stated(&before.0, &after.0, stated, ignored, places)
            }
            _ => outcome::difference(&before.0, &after.0, ignored),
        };
        steps.push(StepReport {
            before: call_before.clone(),
            after: call_after.clone(),
            outcomes: (before.0.clone(), after.0.clone()),
            costs: (before.1, after.1),
            verdict,
            difference,
        });
    }
    for (path, probe) in &mut access.probes {
        probe.named = is_named(path, side, places);
    }
    Cell { side: side_name, steps: Ok(steps), access, messages: (before.messages, after.messages) }
}

/// Whether a path, with links followed, is in a directory that the operator named. A path that is not there is in none.
fn is_named(path: &str, side: &Side, places: &Places) -> bool {
    let real = |path: &str| fs::canonicalize(Path::new(&places.dir).join(path)).ok();
    let Some(path) = real(path) else { return false };
    side.allowed.iter().filter_map(|allowed| real(allowed)).any(|allowed| path.starts_with(allowed))
}

fn not_played(before: Option<&NotPlayed>, after: Option<&NotPlayed>) -> NotPlayed {
    let text = |who: &str, why: Option<&NotPlayed>| {
        why.map(|why| match why {
            NotPlayed::OtherEra(text) | NotPlayed::Failed(text) => format!("{who}: {text}"),
        })
    };
    let all: Vec<_> = [text("before", before), text("after", after)].into_iter().flatten().collect();
    let failed = [before, after].into_iter().flatten().any(|why| matches!(why, NotPlayed::Failed(_)));
    let all = all.join("; ");
    if failed { NotPlayed::Failed(all) } else { NotPlayed::OtherEra(all) }
}
