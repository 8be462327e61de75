//! The report for a person. Whatever came from the server is made safe, cut, and stripped of known secrets here.

use std::collections::BTreeSet;
use std::io::{self, Write};

use super::{Answer, Called, Effect, Exercise, NotRun, Part, Run, View};
use crate::observe::client::Remains;
use crate::report::safe;

/// Characters of an answer, and of a line of standard error.
const MAX_ANSWER: usize = 300;
const MAX_LINE: usize = 200;
/// Lines of standard error for each run.
const MAX_LINES: usize = 8;
/// Names in a list.
const MAX_NAMES: usize = 40;

/// Writes the report.
///
/// # Errors
/// When `out` does.
pub fn write(view: &View<'_>, color: bool, out: &mut dyn Write) -> io::Result<()> {
    let View { plan, probe, .. } = view;
    let finding = &probe.finding;
    let with = &probe.runs[0];
    let (name, revision) = match &with.opened {
        Ok(about) => (about.name.as_str(), about.revision.as_str()),
        Err(_) => ("", ""),
    };
    writeln!(out, "probed   {}", view.show(&view.subject, MAX_ANSWER))?;
    writeln!(out, "server   {}", view.show(if name.is_empty() { "without a name" } else { name }, MAX_LINE))?;
    write!(out, "era      {}, revision {}", probe.era.name(), view.show(revision, MAX_LINE))?;
    writeln!(out, "{}", probe.chosen.as_ref().map_or(String::new(), |why| format!(": {}", view.show(why, MAX_LINE))))?;
    for (at, root) in plan.roots.iter().chain([&plan.added]).enumerate() {
        let label = if at == 0 { "roots" } else { "" };
        let when = if at == plan.roots.len() { " (added in the end)" } else { "" };
        writeln!(out, "{label:7}  {}{when}", view.show(&root.to_string_lossy(), MAX_ANSWER))?;
    }

    let (bold, reset) = match color {
        true => (anstyle::Style::new().bold(), anstyle::Reset.render().to_string()),
        false => (anstyle::Style::new(), String::new()),
    };
    writeln!(out, "\nverdict: {bold}{}{reset}", finding.verdict.words())?;
    for line in &finding.evidence {
        writeln!(out, "  - {}", view.show(line, MAX_ANSWER))?;
    }
    for line in &finding.notes {
        writeln!(out, "note: {}", view.show(line, MAX_ANSWER))?;
    }

    table(view, out)?;
    calls(view, out)?;
    asks(view, out)?;
    let mut known = BTreeSet::new();
    for run in &probe.runs {
        beside(view, title(run.part), &run.remains, &mut known, out)?;
    }
    if !finding.not_called.is_empty() {
        let names: Vec<&str> = finding.not_called.iter().take(MAX_NAMES).map(String::as_str).collect();
        let more = finding.not_called.len() - names.len();
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        writeln!(out, "\nnot called: {}{more}", view.show(&names.join(", "), MAX_NAMES * MAX_LINE))?;
    }
    Ok(())
}

/// Writes why a server could not be run.
///
/// # Errors
/// When `out` does.
pub fn write_not_run(view: &View<'_, NotRun>, out: &mut dyn Write) -> io::Result<()> {
    let NotRun { era, error } = view.probe;
    writeln!(out, "probed   {}", view.show(&view.subject, MAX_ANSWER))?;
    writeln!(out, "era      {}", era.name())?;
    writeln!(out, "\nthe server could not be run: {}", view.show(&error.to_string(), MAX_ANSWER))?;
    if let Some(remains) = error.remains() {
        if let Some(ending) = remains.ending {
            writeln!(out, "  - the process {ending}")?;
        }
        beside(view, "first run", remains, &mut BTreeSet::new(), out)?;
    }
    Ok(())
}

fn title(part: Part) -> &'static str {
    match part {
        Part::Roots => "with roots",
        Part::None => "no roots",
        Part::Empty => "empty list",
        Part::NoneAgain => "no roots, again",
    }
}

fn table(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let runs = &view.probe.runs;
    let row = |out: &mut dyn Write, label: &str, cell: &dyn Fn(&Run) -> String| {
        let cells: Vec<String> = runs.iter().map(|run| format!("{:>16}", cell(run))).collect();
        writeln!(out, "{}", format!("{label:15}{}", cells.concat()).trim_end())
    };
    writeln!(out)?;
    row(out, "", &|run| title(run.part).to_owned())?;
    row(out, "asked for roots", &|run| run.counts.asks.to_string())?;
    let offered = |run: &Run, count: usize| if run.opened.is_ok() { count.to_string() } else { "-".to_owned() };
    row(out, "tools", &|run| offered(run, run.exercise.offer.tools.len()))?;
    row(out, "resources", &|run| offered(run, run.exercise.offer.resources.len()))?;
    row(out, "templates", &|run| offered(run, run.exercise.offer.templates.len()))?;
    row(out, "prompts", &|run| offered(run, run.exercise.offer.prompts.len()))?;
    row(out, "messages out/in", &|run| format!("{}/{}", run.counts.sent, run.counts.received))?;
    if runs.iter().any(|run| run.remains.ending.is_some()) {
        row(out, "ended", &|run| run.remains.ending.map_or("-", |ending| ending.reason.name()).to_owned())?;
        row(out, "exit", &|run| {
            let code = |status: std::process::ExitStatus| status.code().map(|code| code.to_string());
            let status = run.remains.ending.and_then(|ending| ending.status);
            status.map_or("-".to_owned(), |status| code(status).unwrap_or_else(|| "signal".to_owned()))
        })?;
    }
    for run in runs {
        match (&run.opened, &run.given_up) {
            (Err(error), _) => {
                writeln!(out, "{}: not run: {}", title(run.part), view.show(&error.to_string(), MAX_ANSWER))?;
            }
            (_, Some(fault)) => {
                writeln!(out, "{}: given up: {}", title(run.part), view.show(&fault.to_string(), MAX_ANSWER))?;
            }
            _ => {}
        }
    }
    Ok(())
}

fn calls(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let probe = view.probe;
    for (at, (call, effect)) in view.plan.calls.iter().zip(&probe.finding.effects).enumerate() {
        let arguments = serde_json::Value::from(call.arguments.clone()).to_string();
        writeln!(out, "\n{} {}: {}", view.show(&call.tool, MAX_LINE), view.show(&arguments, MAX_LINE), effect.words())?;
        let mut line = |title: &str, exercise: &Exercise| match exercise.calls.get(at) {
            Some(called) => writeln!(out, "  {title:16} {}", view.show(&shown(called), MAX_ANSWER)),
            None => writeln!(out, "  {title:16} not called"),
        };
        // The second run without roots is told only where it differs from the first.
        let runs = probe
            .runs
            .iter()
            .filter(|run| run.part != Part::NoneAgain || matches!(effect, Effect::Varies | Effect::Unsteady));
        for run in runs {
            line(title(run.part), &run.exercise)?;
            if let Some(exercise) = &run.after_change {
                line("root added", exercise)?;
            }
        }
    }
    Ok(())
}

/// What was answered, in one line.
fn shown(called: &Called) -> String {
    let text = match &called.answer {
        Answer::Result(result) => of_result(result),
        Answer::ToolError(result) => format!("failed: {}", of_result(result)),
        Answer::Error { code, message } => format!("error {code}: {message}"),
        Answer::Silent(fault) => fault.to_string(),
    };
    if called.rounds > 1 { format!("{text}  [{} rounds]", called.rounds) } else { text }
}

/// The text of a result, else its JSON.
fn of_result(result: &serde_json::Value) -> String {
    let blocks = result.get("content").and_then(serde_json::Value::as_array);
    let texts: Option<Vec<&str>> =
        blocks.map(|blocks| blocks.iter().map(|block| block.get("text")?.as_str()).collect()).unwrap_or_default();
    match texts {
        Some(texts) if !texts.is_empty() => texts.join("\n"),
        _ => result.to_string(),
    }
}

fn asks(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    if view.probe.runs.iter().all(|run| run.asks.is_empty()) {
        return Ok(());
    }
    writeln!(out, "\nquestions for roots")?;
    for run in &view.probe.runs {
        for ask in run.asks.iter().take(MAX_NAMES) {
            let (at, moment) = (ask.at.as_secs_f64(), view.show(&ask.moment.to_string(), MAX_LINE));
            writeln!(out, "  {:16} {at:6.2} s  {moment}: {}", title(run.part), ask.answer)?;
        }
        if let more @ 1.. = run.counts.asks.saturating_sub(MAX_NAMES as u64) {
            writeln!(out, "  {:16} and {more} more", title(run.part))?;
        }
    }
    Ok(())
}

/// What came beside messages; of standard error the lines that no run before had.
fn beside<P>(
    view: &View<'_, P>,
    title: &str,
    remains: &Remains,
    known: &mut BTreeSet<String>,
    out: &mut dyn Write,
) -> io::Result<()> {
    let Remains { noise, stderr, .. } = remains;
    if noise.lines > 0 {
        writeln!(out, "\nstdout, not messages ({title}): {} lines, {} bytes", noise.lines, noise.bytes)?;
        for line in &noise.first {
            writeln!(out, "  | {}", view.show(line, MAX_LINE))?;
        }
    }
    let text = stderr.text();
    let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    let new: Vec<&str> = lines.iter().copied().filter(|line| !known.contains(*line)).collect();
    if new.is_empty() {
        return Ok(());
    }
    known.extend(new.iter().map(|line| (*line).to_owned()));
    let same = lines.len() - new.len();
    let same = if same > 0 { format!(", {same} lines as before and") } else { String::new() };
    writeln!(out, "\nstderr ({title}): {} bytes{same}", stderr.bytes)?;
    let begin = MAX_LINES / 2;
    for (at, line) in new.iter().enumerate() {
        if new.len() <= MAX_LINES || at < begin || at >= new.len() - begin {
            writeln!(out, "  | {}", view.show(line, MAX_LINE))?;
        } else if at == begin {
            writeln!(out, "  | … {} lines …", new.len() - 2 * begin)?;
        }
    }
    Ok(())
}

impl<P> View<'_, P> {
    /// Text from anywhere as one line.
    fn show(&self, text: &str, most: usize) -> String {
        let line = self.hide(text).trim_end().replace("\r\n", "\n").replace('\n', " ⏎ ");
        safe::text(&cut(&line, most))
    }
}

fn cut(text: &str, most: usize) -> String {
    match text.char_indices().nth(most) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}
