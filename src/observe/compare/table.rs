//! What the human and the markdown report have in common: the words of the table, and what is said below it.

use std::collections::BTreeMap;

use serde_json::Value;

use super::access::Boundary;
use super::outcome::Verdict;
use super::play::NotPlayed;
use super::{Cell, Report, Row};

/// A value is cut to this many characters.
const MAX_VALUE: usize = 400;

/// The reasons of the expected differences, each once, in the order of the table.
pub(super) struct Reasons {
    texts: Vec<String>,
}

impl Reasons {
    pub(super) fn of(report: &Report) -> Self {
        let mut texts: Vec<String> = Vec::new();
        for reason in report.cells().flat_map(|(_, cell)| reasons(cell)) {
            if !texts.iter().any(|text| text == reason) {
                texts.push(reason.to_owned());
            }
        }
        Self { texts }
    }

    /// The texts, numbered from 1 by their order.
    pub(super) fn texts(&self) -> &[String] {
        &self.texts
    }

    /// What the table says of a cell, with the numbers of its reasons.
    pub(super) fn words(&self, cell: &Cell) -> String {
        if cell.access.boundary().is_wider() {
            return "WIDER".into();
        }
        match (&cell.steps, cell.verdict()) {
            (Err(NotPlayed::OtherEra(_)), _) => "other era".into(),
            (Err(NotPlayed::Failed(_)), _) => "NOT PLAYED".into(),
            (Ok(_), Some(Verdict::Expected(_))) => {
                let number = |reason: &str| self.texts.iter().position(|text| text == reason).map(|at| at + 1);
                let mut numbers: Vec<_> = reasons(cell).filter_map(number).collect();
                numbers.sort_unstable();
                numbers.dedup();
                let numbers: Vec<_> = numbers.iter().map(usize::to_string).collect();
                format!("expected [{}]", numbers.join(", "))
            }
            (Ok(_), Some(verdict)) if verdict.is_unexpected() => verdict.name().to_uppercase(),
            (Ok(_), _) => "same".into(),
        }
    }
}

fn reasons(cell: &Cell) -> impl Iterator<Item = &str> {
    cell.steps.iter().flatten().filter_map(|step| match &step.verdict {
        Verdict::Expected(reason) => Some(reason.as_str()),
        _ => None,
    })
}

/// One unexpected step, or a wider boundary.
pub(super) struct Trouble {
    /// Scenario, era and server.
    pub(super) place: String,
    /// What is wrong.
    pub(super) what: String,
    /// The calls, before and after.
    pub(super) calls: Option<(String, String)>,
    /// Where they differ: place, before, after.
    pub(super) parts: Vec<(String, String, String)>,
}

/// What was unexpected, in the order of the table.
pub(super) fn troubles(report: &Report) -> Vec<Trouble> {
    report.cells().flat_map(|(row, cell)| troubles_of(report, row, cell)).collect()
}

/// Why something was not played, each reason once, with the places.
pub(super) fn not_played(report: &Report) -> Vec<(String, Vec<String>)> {
    let mut reasons: Vec<(String, Vec<String>)> = Vec::new();
    for (row, cell) in report.cells() {
        let Err(NotPlayed::Failed(why)) = &cell.steps else { continue };
        let (why, place) = (report.shown(why), place(row, cell));
        match reasons.iter_mut().find(|(reason, _)| *reason == why) {
            Some((_, places)) => places.push(place),
            None => reasons.push((why, vec![place])),
        }
    }
    reasons
}

fn place(row: &Row, cell: &Cell) -> String {
    format!("{} ({}), {}", row.scenario, row.era.name(), cell.side)
}

fn troubles_of(report: &Report, row: &Row, cell: &Cell) -> Vec<Trouble> {
    let place = place(row, cell);
    let Ok(steps) = &cell.steps else { return Vec::new() };
    let mut troubles = Vec::new();
    for (at, step) in steps.iter().enumerate().filter(|(_, step)| step.verdict.is_unexpected()) {
        let what = match &step.verdict {
            Verdict::Differs(what) => format!("call {}: {what}", at + 1),
            verdict => format!("call {}: gives a result {}", at + 1, verdict.name()),
        };
        let value = |value: &Value| clip(&report.shown(&value.to_string()));
        let parts = step.difference.iter().map(|(place, before, after)| (place.clone(), value(before), value(after)));
        let mut parts: Vec<_> = parts.collect();
        if parts.is_empty() {
            let (before, after) = &step.outcomes;
            parts.push((String::new(), value(&before.to_json()), value(&after.to_json())));
        }
        let calls = (report.shown(&step.before.to_string()), report.shown(&step.after.to_string()));
        troubles.push(Trouble { place: place.clone(), what, calls: Some(calls), parts });
    }
    let wider: Vec<_> = cell.access.wider().map(|path| format!("`{path}`")).collect();
    if !wider.is_empty() {
        let what = format!(
            "the access boundary is wider: {} can be read after, could not before, and is in no directory that the \
             operator named",
            wider.join(", ")
        );
        troubles.push(Trouble { place, what, calls: None, parts: Vec::new() });
    }
    troubles
}

/// What became of the access boundary of one server after.
pub(super) struct BoundaryOf {
    /// The server.
    pub(super) side: String,
    /// Over all plays; `None` when no path was tried.
    pub(super) boundary: Option<Boundary>,
    /// How many different paths were tried, and how many of them are in no directory that the operator named.
    pub(super) tried: (usize, usize),
    /// What was readable before only, each path with its scenarios.
    pub(super) narrower: Vec<String>,
    /// What is readable after only, and must not be.
    pub(super) wider: Vec<String>,
    /// What is readable after only, since the operator named it.
    pub(super) named: Vec<String>,
}

impl BoundaryOf {
    /// The word, and what it rests on.
    pub(super) fn words(&self) -> String {
        match self.boundary {
            None => "not tested: no call that says what it `reads` was played".into(),
            Some(boundary) => {
                let (all, outside) = self.tried;
                format!("{} ({all} paths tried, {outside} of them outside of what the operator named)", boundary.name())
            }
        }
    }
}

/// The access boundary, by server.
pub(super) fn boundaries(report: &Report) -> Vec<BoundaryOf> {
    let of = |side: &String| {
        let cells: Vec<_> = report.cells().filter(|(_, cell)| cell.side == *side).collect();
        let collect = |which: &dyn Fn(&Cell) -> Vec<String>| {
            let mut paths: BTreeMap<String, Vec<&str>> = BTreeMap::new();
            for (row, cell) in &cells {
                for path in which(cell) {
                    let scenarios = paths.entry(path).or_default();
                    if !scenarios.contains(&row.scenario.as_str()) {
                        scenarios.push(&row.scenario);
                    }
                }
            }
            paths.into_iter().map(|(path, scenarios)| format!("`{path}` ({})", scenarios.join(", "))).collect()
        };
        let narrower: Vec<String> = collect(&|cell| cell.access.narrower().map(str::to_owned).collect());
        let wider: Vec<String> = collect(&|cell| cell.access.wider().map(str::to_owned).collect());
        let probes: BTreeMap<_, _> = cells.iter().flat_map(|(_, cell)| &cell.access.probes).collect();
        let tried = (probes.len(), probes.values().filter(|probe| !probe.named).count());
        let boundary = match (wider.is_empty(), narrower.is_empty()) {
            (true, true) => Boundary::Equal,
            (true, false) => Boundary::Narrower,
            (false, true) => Boundary::Wider,
            (false, false) => Boundary::Neither,
        };
        let boundary = (tried.0 > 0).then_some(boundary);
        let named = collect(&|cell| cell.access.named().map(str::to_owned).collect());
        BoundaryOf { side: side.clone(), boundary, tried, narrower, wider, named }
    };
    report.after.iter().map(|(side, _)| of(side)).collect()
}

/// `messages of the session / most round trips of a call`, before and then after for each server.
pub(super) fn costs(row: &Row) -> Vec<String> {
    let cell = |messages: u64, trips: u64| format!("{messages} / {trips}");
    let played = |cell: &&Cell| cell.steps.is_ok();
    let before = row.cells.iter().find(played).map(|of| cell(of.messages.0, of.cost().0.round_trips));
    let after = row.cells.iter().map(|of| match of.steps {
        Ok(_) => cell(of.messages.1, of.cost().1.round_trips),
        Err(_) => "-".into(),
    });
    std::iter::once(before.unwrap_or_else(|| "-".into())).chain(after).collect()
}

/// One line: how many plays, and what came of them.
pub(super) fn summary(report: &Report) -> String {
    let count = |which: &dyn Fn(&Cell) -> bool| report.cells().filter(|(_, cell)| which(cell)).count();
    let unexpected = count(&Cell::is_unexpected);
    let expected = count(&|cell| !cell.is_unexpected() && matches!(cell.verdict(), Some(Verdict::Expected(_))));
    let same = count(&|cell| !cell.is_unexpected() && matches!(cell.verdict(), Some(Verdict::Same)));
    let failed = count(&Cell::is_failed);
    let other = count(&|cell| matches!(cell.steps, Err(NotPlayed::OtherEra(_))));
    let mut text = format!("{same} same, {expected} with expected differences, {unexpected} unexpected");
    if failed > 0 {
        text += &format!(", {failed} not played");
    }
    if other > 0 {
        text += &format!(", {other} left out (the server does not speak that era)");
    }
    text
}

fn clip(text: &str) -> String {
    match text.char_indices().nth(MAX_VALUE) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
