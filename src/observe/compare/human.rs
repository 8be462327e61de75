//! The report for a terminal.

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
    writeln!(out, "before: {}", safe::text(&report.before.join(" ")))?;
    for (name, command) in &report.after {
        writeln!(out, "{name}: {}", safe::text(&command.join(" ")))?;
    }
    let reasons = Reasons::of(report);
    let mut head = vec!["scenario".to_owned(), "era".to_owned()];
    head.extend(report.after.iter().map(|(name, _)| name.clone()));
    let rows = report.rows.iter().map(|row| {
        let mut line = vec![row.scenario.clone(), row.era.name().to_owned()];
        line.extend(row.cells.iter().map(|cell| reasons.words(cell)));
        line
    });
    writeln!(out)?;
    table(out, head.clone(), rows.collect())?;

    if !reasons.texts().is_empty() {
        writeln!(out, "\nexpected differences:")?;
        for (at, text) in reasons.texts().iter().enumerate() {
            writeln!(out, "  [{}] {}", at + 1, safe::text(text))?;
        }
    }

    writeln!(out, "\naccess boundary:")?;
    for of in boundaries(report) {
        writeln!(out, "  {}: {}", of.side, of.words())?;
        let lines = [
            ("no longer readable", &of.narrower),
            ("READABLE, AND MUST NOT BE", &of.wider),
            ("readable, as the operator named it", &of.named),
        ];
        for (what, paths) in lines.into_iter().filter(|(_, paths)| !paths.is_empty()) {
            writeln!(out, "    {what}: {}", safe::text(&paths.join(", ")))?;
        }
    }

    writeln!(out, "\nmessages of the session / most round trips of a call:")?;
    head.insert(2, "before".into());
    let rows = report.rows.iter().map(|row| {
        let mut line = vec![row.scenario.clone(), row.era.name().to_owned()];
        line.extend(costs(row));
        line
    });
    table(out, head, rows.collect())?;

    for (why, places) in not_played(report) {
        writeln!(out, "\nnot played: {}\n  {}", places.join("; "), safe::text(&why))?;
    }
    let troubles = troubles(report);
    for trouble in &troubles {
        writeln!(out, "\nunexpected: {}\n  {}", trouble.place, safe::text(&trouble.what))?;
        if let Some((before, after)) = &trouble.calls {
            writeln!(out, "  before: {}\n  after:  {}", safe::text(before), safe::text(after))?;
        }
        for (place, before, after) in &trouble.parts {
            let place = if place.is_empty() { "outcome" } else { place };
            writeln!(out, "  {}: {} -> {}", safe::text(place), safe::text(before), safe::text(after))?;
        }
    }
    writeln!(out, "\n{}", summary(report))
}

fn table(out: &mut dyn Write, head: Vec<String>, rows: Vec<Vec<String>>) -> io::Result<()> {
    let all: Vec<_> = std::iter::once(head).chain(rows).collect();
    let columns = all.iter().map(Vec::len).max().unwrap_or_default();
    let width = |column: usize| all.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<_> = (0..columns).map(|column| width(column).unwrap_or_default()).collect();
    for row in &all {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{:width$}", safe::text(cell)));
        writeln!(out, "{}", cells.collect::<Vec<_>>().join("  ").trim_end())?;
    }
    Ok(())
}
