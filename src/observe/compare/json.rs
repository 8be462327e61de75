//! The report as one JSON object.

use serde_json::{Value, json};

use super::outcome::Verdict;
use super::play::{Cost, NotPlayed};
use super::{Cell, Conclusion, Report, StepReport};

/// The report.
#[must_use]
pub fn value(report: &Report) -> Value {
    let rows: Vec<_> = report
        .rows
        .iter()
        .flat_map(|row| row.cells.iter().map(move |of| (row, of)))
        .map(|(row, of)| {
            let mut value = cell(of);
            value["scenario"] = row.scenario.as_str().into();
            value["era"] = row.era.name().into();
            value
        })
        .collect();
    let value = json!({
        "schema_version": 1,
        "tool": {"name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION")},
        "before": {"command": report.before},
        "after": report.after.iter().map(|(name, command)| json!({"name": name, "command": command})).collect::<Vec<_>>(),
        "conclusion": match report.conclusion() {
            Conclusion::AsExpected => "as-expected",
            Conclusion::Unexpected => "unexpected",
            Conclusion::Incomplete => "incomplete",
        },
        "plays": rows,
    });
    shown(&value, report)
}

/// With the tree called by its placeholder, so that two runs say the same.
fn shown(value: &Value, report: &Report) -> Value {
    match value {
        Value::String(text) => report.shown(text).into(),
        Value::Array(items) => items.iter().map(|item| shown(item, report)).collect(),
        Value::Object(members) => {
            Value::Object(members.iter().map(|(name, value)| (name.clone(), shown(value, report))).collect())
        }
        other => other.clone(),
    }
}

fn cell(cell: &Cell) -> Value {
    let (verdict, reason) = match &cell.steps {
        Ok(_) => (cell.verdict().map_or("same", Verdict::name), None),
        Err(NotPlayed::OtherEra(why)) => ("other era", Some(why)),
        Err(NotPlayed::Failed(why)) => ("not played", Some(why)),
    };
    let (before, after) = cell.cost();
    let probes = cell.access.probes.iter().map(|(path, probe)| {
        json!({"path": path, "before": probe.before, "after": probe.after, "named_by_operator": probe.named})
    });
    json!({
        "after": cell.side,
        "verdict": verdict,
        "unexpected": cell.is_unexpected(),
        "reason": reason,
        "calls": cell.steps.iter().flatten().map(step).collect::<Vec<_>>(),
        "boundary": (!cell.access.probes.is_empty()).then(|| cell.access.boundary().name()),
        "probes": probes.collect::<Vec<_>>(),
        "messages": {"before": cell.messages.0, "after": cell.messages.1},
        "most_per_call": {"before": cost(before), "after": cost(after)},
    })
}

fn step(step: &StepReport) -> Value {
    let reason = match &step.verdict {
        Verdict::Expected(reason) | Verdict::Differs(reason) => Some(reason),
        Verdict::Same | Verdict::OnlyBefore | Verdict::OnlyAfter => None,
    };
    let difference = step
        .difference
        .iter()
        .map(|(place, before, after)| json!({"pointer": place, "before": before, "after": after}));
    json!({
        "verdict": step.verdict.name(),
        "reason": reason,
        "before": {"call": step.before.to_string(), "outcome": step.outcomes.0.to_json(), "cost": cost(step.costs.0)},
        "after": {"call": step.after.to_string(), "outcome": step.outcomes.1.to_json(), "cost": cost(step.costs.1)},
        "difference": difference.collect::<Vec<_>>(),
    })
}

fn cost(cost: Cost) -> Value {
    json!({"messages": cost.messages, "round_trips": cost.round_trips})
}
