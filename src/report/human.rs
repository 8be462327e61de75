//! Code with labels for a person, rendered by codespan-reporting over a safe view of the source.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::Range;

use anstyle::{AnsiColor, Effects, Style};
use codespan_reporting::diagnostic::{Diagnostic, Label, LabelStyle, Severity as TermSeverity};
use codespan_reporting::files::{self, Files};
use codespan_reporting::term::{self, Config, WriteStyle};

use super::{View, paths, safe};
use crate::finding::{Finding, Outcome};
use crate::knowledge::rule::Severity;
use crate::project::source::Source;

/// Labels beyond this many are counted, not shown.
const MAX_RELATED: usize = 6;

/// Writes the listed findings, what was not checked, and a summary.
///
/// # Errors
/// When `out` does.
pub fn write(view: &View<'_>, color: bool, out: &mut dyn Write) -> io::Result<()> {
    let mut styled = Styled { out, color };
    let config = Config::default();
    for finding in view.listed() {
        let (files, diagnostic) = diagnostic(finding);
        match term::emit_to_write_style(&mut styled, &config, &files, &diagnostic) {
            Ok(()) => {}
            Err(files::Error::Io(error)) => return Err(error),
            Err(error) => return Err(io::Error::other(error)),
        }
    }
    for skip in view.outcome.skipped.iter().filter(|skip| skip.reason.is_incomplete()) {
        let path = safe::text(&paths::display(&skip.path));
        writeln!(styled, "not checked: {path}: {} ({})", safe::text(&skip.detail), skip.reason.name())?;
    }
    for degraded in &view.outcome.degraded {
        let path = safe::text(&paths::display(&degraded.path));
        let detail = safe::text(&degraded.detail);
        writeln!(styled, "checked by its tokens: {path}: {detail} ({})", degraded.reason.name())?;
    }
    summary(view, &mut styled)
}

fn summary(view: &View<'_>, out: &mut dyn Write) -> io::Result<()> {
    let outcome = view.outcome;
    let (errors, warnings, notes) =
        (outcome.count(Severity::Error), outcome.count(Severity::Warning), outcome.count(Severity::Note));
    let suppressed = outcome.findings.len() - outcome.active().count();
    let mut line = format!("{}, {}, {}", many(errors, "error"), many(warnings, "warning"), many(notes, "note"));
    if notes > 0 && !view.pedantic {
        line.push_str(" (--pedantic lists notes)");
    }
    if suppressed > 0 {
        line.push_str(&format!(", {suppressed} suppressed"));
    }
    line.push_str(&format!(" at target {}", outcome.target));
    writeln!(out, "{line}")?;
    if view.listed().next().is_some() {
        writeln!(out, "`mcp-roots-lint explain RULE` shows the page of a rule, with code before and after")?;
    }
    let skipped = skips(outcome);
    let millis = view.elapsed.as_millis();
    writeln!(
        out,
        "{} checked, {} skipped{skipped}, in {millis} ms",
        many(outcome.files_checked, "file"),
        outcome.skipped.len()
    )
}

fn skips(outcome: &Outcome) -> String {
    let mut reasons: BTreeMap<&str, usize> = BTreeMap::new();
    for skip in &outcome.skipped {
        *reasons.entry(skip.reason.name()).or_default() += 1;
    }
    if reasons.is_empty() {
        return String::new();
    }
    let reasons: Vec<String> = reasons.into_iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    format!(" ({})", reasons.join(", "))
}

fn many(count: usize, what: &str) -> String {
    format!("{count} {what}{}", if count == 1 { "" } else { "s" })
}

fn diagnostic(finding: &Finding) -> (SafeFiles, Diagnostic<usize>) {
    let severity = match finding.severity {
        Severity::Error => TermSeverity::Error,
        Severity::Warning => TermSeverity::Warning,
        Severity::Note => TermSeverity::Note,
    };
    let mut files = SafeFiles::default();
    let mut labels = Vec::new();
    let mut place = |source: &Source, range: &Range<usize>, style: LabelStyle, message: String| {
        let (file, range) = files.place(source, range);
        labels.push(Label::new(style, file, range).with_message(message));
    };
    place(&finding.source, &finding.range, LabelStyle::Primary, finding.label.to_owned());
    for related in finding.related.iter().take(MAX_RELATED) {
        place(&related.source, &related.range, LabelStyle::Secondary, safe::text(&related.message));
    }
    let mut notes: Vec<String> = finding.help.iter().map(|help| format!("help: {}", safe::text(help))).collect();
    notes.extend(finding.notes.iter().map(|note| format!("note: {}", safe::text(note))));
    if finding.related.len() > MAX_RELATED {
        notes.push(format!("note: {} not shown belong to it", many(finding.related.len() - MAX_RELATED, "place")));
    }
    if finding.in_test {
        notes.push("note: in test code; --exclude-tests leaves it out".to_owned());
    }
    let diagnostic = Diagnostic::new(severity)
        .with_code(&finding.rule)
        .with_message(safe::text(&finding.message))
        .with_labels(labels)
        .with_notes(notes);
    (files, diagnostic)
}

/// The lines that a diagnostic shows, made safe: one entry a file, one text a line.
#[derive(Default)]
struct SafeFiles {
    files: Vec<SafeFile>,
}

struct SafeFile {
    name: String,
    /// Line (from 0) → where its text begins in `text`, and how many of its characters are cut off before that.
    starts: BTreeMap<usize, (usize, isize)>,
    text: String,
}

impl SafeFiles {
    /// Adds the line of a place; gives the file and the place in its safe text. A place over several lines is
    /// shown by its first.
    fn place(&mut self, source: &Source, range: &Range<usize>) -> (usize, Range<usize>) {
        let name = safe::text(&paths::display(source.path()));
        let known = self.files.iter().position(|file| file.name == name);
        let file = known.unwrap_or_else(|| {
            self.files.push(SafeFile { name, starts: BTreeMap::new(), text: String::new() });
            self.files.len() - 1
        });
        let whole = source.display();
        let begin = whole[..range.start].rfind('\n').map_or(0, |at| at + 1);
        let end = whole[range.start..].find('\n').map_or(whole.len(), |at| range.start + at);
        let line = whole[begin..end].trim_end_matches('\r');
        let end = (range.end.min(end).max(range.start) - begin).min(line.len());
        let shown = safe::line(line, (range.start - begin).min(line.len())..end);

        let shift = line[..(range.start - begin).min(line.len())].chars().count().cast_signed()
            - shown.text[..shown.marked.start].chars().count().cast_signed();
        let target = &mut self.files[file];
        let number = source.line_of(range.start);
        let start = match target.starts.get(&number) {
            // A second place on a line that was cut for the first points at the line as a whole.
            Some((start, _)) => {
                let line_end = target.text[*start..].find('\n').map_or(target.text.len(), |at| start + at);
                let known = &target.text[*start..line_end];
                if known != shown.text {
                    return (file, *start..*start);
                }
                *start
            }
            None => target.add(number, &shown.text, shift),
        };
        // Where one line lies between two places, it is shown too.
        for (between, other) in [(number.wrapping_sub(1), number.wrapping_sub(2)), (number + 1, number + 2)] {
            if target.starts.contains_key(&other) && !target.starts.contains_key(&between) {
                target.add(between, &safe::line(source.display_line(between), 0..0).text, 0);
            }
        }
        (file, start + shown.marked.start..start + shown.marked.end)
    }
}

impl SafeFile {
    fn add(&mut self, number: usize, line: &str, shift: isize) -> usize {
        let start = self.text.len();
        self.text.push_str(line);
        self.text.push('\n');
        self.starts.insert(number, (start, shift));
        start
    }
}

impl<'a> Files<'a> for SafeFiles {
    type FileId = usize;
    type Name = &'a str;
    type Source = &'a str;

    fn name(&'a self, file: usize) -> Result<&'a str, files::Error> {
        self.files.get(file).map(|file| file.name.as_str()).ok_or(files::Error::FileMissing)
    }

    fn source(&'a self, file: usize) -> Result<&'a str, files::Error> {
        self.files.get(file).map(|file| file.text.as_str()).ok_or(files::Error::FileMissing)
    }

    fn line_index(&'a self, file: usize, byte: usize) -> Result<usize, files::Error> {
        let file = self.files.get(file).ok_or(files::Error::FileMissing)?;
        let found = file.starts.iter().filter(|(_, (start, _))| *start <= byte).max_by_key(|(_, (start, _))| *start);
        found.map(|(line, _)| *line).ok_or(files::Error::FileMissing)
    }

    fn column_number(&'a self, file: usize, line: usize, byte: usize) -> Result<usize, files::Error> {
        let file = self.files.get(file).ok_or(files::Error::FileMissing)?;
        let (start, shift) = file.starts.get(&line).ok_or(files::Error::FileMissing)?;
        let shown = file.text.get(*start..byte).unwrap_or_default().chars().count();
        Ok(shown.saturating_add_signed(*shift) + 1)
    }

    fn line_range(&'a self, file: usize, line: usize) -> Result<Range<usize>, files::Error> {
        let file = self.files.get(file).ok_or(files::Error::FileMissing)?;
        match file.starts.get(&line) {
            Some((start, _)) => {
                let end = file.text[*start..].find('\n').map_or(file.text.len(), |at| start + at + 1);
                Ok(*start..end)
            }
            // Lines between labels are not part of the safe view.
            None => Ok(file.text.len()..file.text.len()),
        }
    }
}

/// Writes styles as ANSI sequences, or not at all.
struct Styled<'a> {
    out: &'a mut dyn Write,
    color: bool,
}

impl Styled<'_> {
    fn set(&mut self, style: Style) -> io::Result<()> {
        if self.color { write!(self.out, "{style}") } else { Ok(()) }
    }
}

fn severity_color(severity: TermSeverity) -> AnsiColor {
    match severity {
        TermSeverity::Bug | TermSeverity::Error => AnsiColor::BrightRed,
        TermSeverity::Warning => AnsiColor::BrightYellow,
        TermSeverity::Note => AnsiColor::BrightGreen,
        TermSeverity::Help => AnsiColor::BrightCyan,
    }
}

impl Write for Styled<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.out.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.out.flush()
    }
}

impl WriteStyle for Styled<'_> {
    fn set_header(&mut self, severity: TermSeverity) -> io::Result<()> {
        self.set(severity_color(severity).on_default().effects(Effects::BOLD))
    }

    fn set_header_message(&mut self) -> io::Result<()> {
        self.set(Style::new().bold())
    }

    fn set_line_number(&mut self) -> io::Result<()> {
        self.set(AnsiColor::Blue.on_default())
    }

    fn set_note_bullet(&mut self) -> io::Result<()> {
        self.set(AnsiColor::Blue.on_default())
    }

    fn set_source_border(&mut self) -> io::Result<()> {
        self.set(AnsiColor::Blue.on_default())
    }

    fn set_label(&mut self, severity: TermSeverity, style: LabelStyle) -> io::Result<()> {
        self.set(match style {
            LabelStyle::Primary => severity_color(severity).on_default(),
            LabelStyle::Secondary => AnsiColor::Blue.on_default(),
        })
    }

    fn reset(&mut self) -> io::Result<()> {
        if self.color { write!(self.out, "{}", anstyle::Reset) } else { Ok(()) }
    }
}
