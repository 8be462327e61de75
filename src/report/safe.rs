//! Text that is safe to show in a terminal: source code, file names and servers can hold or send anything.

use std::io::{self, Write};
use std::ops::Range;

use serde::Serialize;

/// Lines longer than this are cut around what is pointed at, in characters.
const MAX_LINE: usize = 200;
/// Characters kept on each side of what is pointed at.
const CONTEXT: usize = 70;

/// Whether a character can change what the rest of a line looks like.
pub(super) fn is_unsafe(c: char) -> bool {
    (c.is_control() && c != '\t')
        || matches!(c, '\u{61c}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{2069}' | '\u{feff}' | '\u{2028}' | '\u{2029}')
}

/// A line of text with a visible sign for each unsafe character.
#[must_use]
pub fn text(text: &str) -> String {
    text.chars().map(|c| if is_unsafe(c) { '\u{fffd}' } else { c }).collect()
}

/// Writes a value as JSON over several lines, with escapes for unsafe characters.
///
/// # Errors
/// When the value does not serialize, or `out` does not take it.
pub fn json(value: &impl Serialize, out: &mut dyn Write) -> io::Result<()> {
    // What is not ASCII stands inside of strings, where an escape says the same.
    let text = serde_json::to_string_pretty(value)?;
    for part in text.split_inclusive(|c: char| !c.is_ascii() && is_unsafe(c)) {
        match part.chars().next_back().filter(|c| !c.is_ascii() && is_unsafe(*c)) {
            Some(last) => write!(out, "{}\\u{:04x}", &part[..part.len() - last.len_utf8()], u32::from(last))?,
            None => write!(out, "{part}")?,
        }
    }
    writeln!(out)
}

/// One line of source as it can be shown, and where a place in it went.
#[derive(Debug, PartialEq, Eq)]
pub struct Line {
    /// The text to show.
    pub text: String,
    /// The place, in bytes of [`Line::text`].
    pub marked: Range<usize>,
}

/// Cuts a long line around `marked` (bytes of `line`) and replaces unsafe characters.
#[must_use]
pub fn line(line: &str, marked: Range<usize>) -> Line {
    let long = line.chars().count() > MAX_LINE;
    let start = if long { back(line, marked.start, CONTEXT) } else { 0 };
    let shown_end = marked.end.min(forward(line, marked.start, MAX_LINE - 2 * CONTEXT));
    let end = if long { forward(line, shown_end, CONTEXT) } else { line.len() };
    let before = format!("{}{}", if start > 0 { "…" } else { "" }, text(&line[start..marked.start]));
    let inside = text(&line[marked.start..shown_end.min(end)]);
    let after = format!("{}{}", text(&line[shown_end.min(end)..end]), if end < line.len() { "…" } else { "" });
    let marked = before.len()..before.len() + inside.len();
    Line { text: before + &inside + &after, marked }
}

/// The byte that is `count` characters before `from`.
fn back(text: &str, from: usize, count: usize) -> usize {
    text[..from].char_indices().rev().take(count).last().map_or(from, |(at, _)| at)
}

/// The byte that is `count` characters after `from`.
fn forward(text: &str, from: usize, count: usize) -> usize {
    text[from..].char_indices().nth(count).map_or(text.len(), |(at, _)| from + at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_and_direction_characters_are_replaced() {
        assert_eq!(text("a\u{1b}[31mb\u{202e}c\td"), "a\u{fffd}[31mb\u{fffd}c\td");
    }

    #[test]
    fn a_long_line_is_cut_around_the_place() {
        let source = format!("{}list_roots{}", "é".repeat(5_000), "x".repeat(5_000));
        let start = source.find("list_roots").unwrap_or_default();
        let shown = line(&source, start..start + 10);
        assert_eq!(&shown.text[shown.marked.clone()], "list_roots");
        assert!(shown.text.chars().count() < MAX_LINE + 20);
        assert!(shown.text.starts_with('…') && shown.text.ends_with('…'));
    }

    #[test]
    fn a_place_longer_than_a_line_is_cut_too() {
        let source = "x".repeat(10_000);
        let shown = line(&source, 0..10_000);
        assert!(shown.text.chars().count() <= MAX_LINE + 2, "{}", shown.text.len());
    }
}
