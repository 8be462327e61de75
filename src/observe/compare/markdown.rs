//! The report for a pull request.

use std::io::{self, Write};

use super::Report;
use super::table::{Reasons, boundaries, costs, not_played, summary, troubles};
use crate::report::safe;

/// Writes the report.
///
/// # Errors
///
/// When `out` cannot be written.
pub fn write(report: &Report, out: &mut dyn Write) -> io::Result<()> {
    writeln!(out, "## Before and after the migration\n")?;
    writeln!(out, "{}.\n", summary(report))?;
    writeln!(out, "- before: {}", code(&report.before.join(" ")))?;
    for (name, command) in &report.after {
        writeln!(out, "- {}: {}", text(name), code(&command.join(" ")))?;
    }

    let troubles = troubles(report);
    if !troubles.is_empty() {
        writeln!(out, "\n### Unexpected\n")?;
    }
    for trouble in &troubles {
        writeln!(out, "- **{}**: {}", text(&trouble.place), text(&trouble.what))?;
        if let Some((before, after)) = &trouble.calls {
            writeln!(out, "  - before: {}\n  - after: {}", code(before), code(after))?;
        }
        for (place, before, after) in &trouble.parts {
            let place = if place.is_empty() { "outcome" } else { place };
            writeln!(out, "  - {}: {} became {}", code(place), code(before), code(after))?;
        }
    }

    let not_played = not_played(report);
    if !not_played.is_empty() {
        writeln!(out, "\n### Not played\n")?;
    }
    for (why, places) in not_played {
        writeln!(out, "- {}: {}", text(&places.join("; ")), text(&why))?;
    }

    let reasons = Reasons::of(report);
    let mut head = vec!["scenario".to_owned(), "era".to_owned()];
    head.extend(report.after.iter().map(|(name, _)| name.clone()));
    writeln!(out, "\n### Scenarios\n")?;
    let rows = report.rows.iter().map(|row| {
        let mut line = vec![row.scenario.clone(), row.era.name().to_owned()];
        line.extend(row.cells.iter().map(|cell| reasons.words(cell)));
        line
    });
    table(out, &head, rows)?;
    if !reasons.texts().is_empty() {
        writeln!(out, "\nExpected differences:\n")?;
        for (at, reason) in reasons.texts().iter().enumerate() {
            writeln!(out, "{}. {}", at + 1, authored(reason))?;
        }
    }

    writeln!(out, "\n### Access boundary\n")?;
    let columns = ["server", "boundary", "no longer readable", "readable, as named", "readable, and must not be"];
    let rows = boundaries(report)
        .into_iter()
        .map(|of| vec![of.side.clone(), of.words(), list(&of.narrower), list(&of.named), list(&of.wider)]);
    table(out, &columns.map(str::to_owned), rows)?;

    writeln!(out, "\n### Messages of the session / most round trips of a call\n")?;
    head.insert(2, "before".into());
    let rows = report.rows.iter().map(|row| {
        let mut line = vec![row.scenario.clone(), row.era.name().to_owned()];
        line.extend(costs(row));
        line
    });
    table(out, &head, rows)
}

fn table(out: &mut dyn Write, head: &[String], rows: impl Iterator<Item = Vec<String>>) -> io::Result<()> {
    let line = |cells: &[String]| {
        let cells: Vec<_> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        format!("| {} |", cells.join(" | "))
    };
    writeln!(out, "{}\n|{}", line(head), " --- |".repeat(head.len()))?;
    for row in rows {
        writeln!(out, "{}", line(&row))?;
    }
    Ok(())
}

/// Text of the scenario's author, in which what stands in backquotes is code.
fn authored(authored: &str) -> String {
    let parts: Vec<_> = authored.split('`').collect();
    if parts.len() % 2 == 0 {
        return text(authored);
    }
    let part = |(at, part): (usize, &&str)| if at % 2 == 0 { text(part) } else { code(part) };
    parts.iter().enumerate().map(part).collect()
}

/// Paths of the tree in code spans already; what could break out of those is in no such path.
fn list(paths: &[String]) -> String {
    safe::text(&paths.join(", "))
}

/// Text that is nothing but text, whoever wrote it.
fn text(text: &str) -> String {
    let mut escaped = String::new();
    for c in safe::text(text).chars() {
        if matches!(c, '<' | '>' | '*' | '_' | '[' | ']' | '|' | '#' | '\\' | '`' | '@' | '&') {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    escaped
}

/// Text in a code span, whatever backquotes it holds.
fn code(text: &str) -> String {
    let text = safe::text(text);
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or_default();
    let fence = "`".repeat(longest + 1);
    if longest > 0 || text.is_empty() { format!("{fence} {text} {fence}") } else { format!("{fence}{text}{fence}") }
}
