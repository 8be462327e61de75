//! The report as JSON, `schema_version` 1: one object. Fields that do not apply are `null`, never absent. Known
//! secrets are stripped; long text is cut.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::{Answer, Called, Exercise, NotRun, Offer, Run, View};
use crate::observe::client::{Ask, Ending, Remains};
use crate::report::safe;

/// Bytes of one answer as JSON, above which its text is given cut.
const MAX_ANSWER: usize = 16 << 10;

/// Writes the report.
///
/// # Errors
/// When `out` does.
pub fn write(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let View { plan, probe, .. } = view;
    let finding = &probe.finding;
    let calls = plan.calls.iter().zip(&finding.effects);
    let calls: Vec<Value> = calls
        .map(|(call, effect)| json!({ "tool": call.tool, "arguments": call.arguments, "effect": effect.name() }))
        .collect();
    let mut report = head(view, probe.era.name());
    report["verdict"] = json!(finding.verdict.name());
    report["words"] = json!(finding.verdict.words());
    report["evidence"] = json!(finding.evidence);
    report["notes"] = json!(finding.notes);
    report["era_chosen"] = json!(probe.chosen);
    report["calls"] = json!(calls);
    report["tools_not_called"] = json!(finding.not_called);
    report["offered_with_roots_only"] = json!(finding.only_with);
    report["offered_without_roots_only"] = json!(finding.only_without);
    report["runs"] = probe.runs.iter().map(run).collect();
    view.hide_all(&mut report);
    safe::json(&report, out)
}

/// Writes why a server could not be run.
///
/// # Errors
/// When `out` does.
pub fn write_not_run(view: &View<'_, NotRun>, out: &mut dyn Write) -> io::Result<()> {
    let NotRun { era, error } = view.probe;
    let mut report = head(view, era.name());
    report["failure"] = json!(error.to_string());
    report["remains"] = error.remains().map_or(Value::Null, remains);
    view.hide_all(&mut report);
    safe::json(&report, out)
}

/// Paths need not be UTF-8, JSON has to be.
fn shown(paths: &[std::path::PathBuf]) -> Vec<String> {
    paths.iter().map(|path| path.to_string_lossy().into_owned()).collect()
}

/// The fields that both kinds of report have.
fn head<P>(view: &View<'_, P>, era: &str) -> Value {
    json!({
        "schema_version": 1,
        "tool": { "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION") },
        "probed": view.subject,
        "era": era,
        "roots": shown(&view.plan.roots),
        "root_added": view.plan.added.to_string_lossy(),
        "configured_directories": shown(&view.plan.configured),
        "failure": null,
        "verdict": null,
        "words": null,
        "evidence": [],
        "notes": [],
        "era_chosen": null,
        "calls": [],
        "tools_not_called": [],
        "offered_with_roots_only": [],
        "offered_without_roots_only": [],
        "runs": [],
        "remains": null,
    })
}

fn run(run: &Run) -> Value {
    let about = run.opened.as_ref().ok();
    json!({
        "run": run.part.name(),
        "failure": run.opened.as_ref().err().map(ToString::to_string),
        "server": about.map(|about| &about.name),
        "revision": about.map(|about| &about.revision),
        "asks": run.asks.iter().map(ask).collect::<Value>(),
        "asks_total": run.counts.asks,
        "messages_sent": run.counts.sent,
        "messages_received": run.counts.received,
        "offer": offer(&run.exercise.offer),
        "answers": run.exercise.calls.iter().map(called).collect::<Value>(),
        "after_change": run.after_change.as_ref().map(after_change),
        "given_up": run.given_up.as_ref().map(ToString::to_string),
        "remains": remains(&run.remains),
    })
}

fn after_change(exercise: &Exercise) -> Value {
    json!({ "offer": offer(&exercise.offer), "answers": exercise.calls.iter().map(called).collect::<Value>() })
}

fn ask(ask: &Ask) -> Value {
    json!({
        "at_ms": u64::try_from(ask.at.as_millis()).unwrap_or(u64::MAX),
        "moment": ask.moment.name(),
        "of": ask.moment.of(),
        "answer": ask.answer.to_string(),
    })
}

fn offer(offer: &Offer) -> Value {
    let Offer { tools, resources, templates, prompts, stopped } = offer;
    json!({
        "tools": tools,
        "resources": resources,
        "templates": templates,
        "prompts": prompts,
        "not_read_to_the_end": stopped,
    })
}

fn called(called: &Called) -> Value {
    let (outcome, answer) = match &called.answer {
        Answer::Result(result) => ("result", bounded(result)),
        Answer::ToolError(result) => ("tool-error", bounded(result)),
        Answer::Error { code, message } => ("error", json!({ "code": code, "message": message })),
        Answer::Silent(fault) => ("none", json!(fault.to_string())),
    };
    json!({
        "outcome": outcome,
        "answer": answer,
        "rounds": called.rounds,
        "asks": called.counts.asks,
        "messages_sent": called.counts.sent,
        "messages_received": called.counts.received,
        "elapsed_ms": u64::try_from(called.elapsed.as_millis()).unwrap_or(u64::MAX),
    })
}

/// An answer, or the begin of its text.
fn bounded(result: &Value) -> Value {
    let text = result.to_string();
    if text.len() <= MAX_ANSWER {
        return result.clone();
    }
    let end = (0..=MAX_ANSWER).rev().find(|at| text.is_char_boundary(*at)).unwrap_or_default();
    json!({ "cut": &text[..end], "bytes": text.len() })
}

fn remains(remains: &Remains) -> Value {
    let ending = remains.ending.map(|Ending { reason, status }| {
        json!({
            "reason": reason.name(),
            "exit_code": status.and_then(|status| status.code()),
            "status": status.map(|status| status.to_string()),
        })
    });
    json!({
        "ending": ending,
        "stderr": remains.stderr.text(),
        "stderr_bytes": remains.stderr.bytes,
        "noise_lines": remains.noise.lines,
        "noise_bytes": remains.noise.bytes,
        "noise_first": remains.noise.first,
    })
}

impl<P> View<'_, P> {
    /// Hides secrets in every text of a value.
    fn hide_all(&self, value: &mut Value) {
        match value {
            Value::String(text) => *text = self.hide(text),
            Value::Array(items) => items.iter_mut().for_each(|item| self.hide_all(item)),
            Value::Object(properties) => {
                let hidden = std::mem::take(properties).into_iter().map(|(name, mut value)| {
                    self.hide_all(&mut value);
                    (self.hide(&name), value)
                });
                *properties = hidden.collect();
            }
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
}
