//! The text of one file with everything that positions need. Reading files from disk is in `walk`.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use serde::Serialize;

/// A place in a file as people and machines name it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Position {
    /// From 1.
    pub line: u32,
    /// From 1, in Unicode code points.
    pub column: u32,
    /// Bytes of the file, from 0, a byte order mark included.
    pub offset: usize,
}

/// Start and end (exclusive) of a piece of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
pub struct Span {
    /// First position.
    pub start: Position,
    /// The position after the last.
    pub end: Position,
}

/// A file's path and text. The text has no byte order mark; [`Source::span`] adds it back to offsets.
#[derive(Debug)]
pub struct Source {
    path: PathBuf,
    text: String,
    display: Option<String>,
    bom_bytes: usize,
    /// Where each line begins.
    lines: OnceLock<Vec<usize>>,
    /// Ends of the characters that are longer than a byte, and the bytes that they and all before them have too many.
    wide: OnceLock<Vec<(usize, usize)>>,
}

/// UTF-8's byte order mark.
const BOM: &str = "\u{feff}";

impl PartialEq for Source {
    fn eq(&self, other: &Self) -> bool {
        self.path == other.path && self.text == other.text
    }
}

impl Eq for Source {}

impl Source {
    /// Takes the text of a file, byte order mark and all.
    #[must_use]
    pub fn new(path: PathBuf, mut text: String) -> Self {
        let bom_bytes = if text.starts_with(BOM) { BOM.len() } else { 0 };
        text.drain(..bom_bytes);
        Self { path, text, display: None, bom_bytes, lines: OnceLock::new(), wide: OnceLock::new() }
    }

    /// The same file, of which reports show `display`: a text of the same length with secrets blotted out.
    #[must_use]
    pub fn shown_as(mut self, display: String) -> Self {
        debug_assert_eq!(display.len(), self.text.len());
        self.display = Some(display);
        self
    }

    /// The path as it was found: relative when the search began at a relative path.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The text without a byte order mark.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// The text that reports may show: every byte at its place, secrets blotted out.
    #[must_use]
    pub fn display(&self) -> &str {
        self.display.as_deref().unwrap_or(&self.text)
    }

    /// Positions of a byte range of [`Source::text`]. A range that reaches past the end or into the middle of a
    /// character is cut to what is there.
    #[must_use]
    pub fn span(&self, range: Range<usize>) -> Span {
        Span { start: self.position(range.start), end: self.position(range.end.max(range.start)) }
    }

    /// The line of this number (from 0), as reports may show it, without its end.
    #[must_use]
    pub fn display_line(&self, number: usize) -> &str {
        let Some(start) = self.lines().get(number) else { return "" };
        let end = self.lines().get(number + 1).copied().unwrap_or(self.text.len());
        self.display().get(*start..end).unwrap_or_default().trim_end_matches(['\n', '\r'])
    }

    /// `line-index` would do, but it walks all wide characters of a line for each position, and a line can be as
    /// long as its file.
    fn lines(&self) -> &[usize] {
        let starts = || std::iter::once(0).chain(memchr::memchr_iter(b'\n', self.text.as_bytes()).map(|at| at + 1));
        self.lines.get_or_init(|| starts().collect())
    }

    /// Number of the line (from 0) that holds a byte of [`Source::text`].
    #[must_use]
    pub fn line_of(&self, offset: usize) -> usize {
        self.position(offset).line as usize - 1
    }

    /// Bytes before an offset beyond one for each character. Counted once: a line can be as long as its file.
    fn extra_bytes(&self, offset: usize) -> usize {
        let wide = self.wide.get_or_init(|| {
            let mut extra = 0;
            let long = self.text.char_indices().filter(|(_, c)| c.len_utf8() > 1);
            long.map(|(at, c)| {
                extra += c.len_utf8() - 1;
                (at + c.len_utf8(), extra)
            })
            .collect()
        });
        let before = wide.partition_point(|(end, _)| *end <= offset);
        before.checked_sub(1).map_or(0, |last| wide[last].1)
    }

    fn position(&self, offset: usize) -> Position {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.lines().partition_point(|start| *start <= offset) - 1;
        let start = self.lines()[line];
        let extra = self.extra_bytes(offset) - self.extra_bytes(start);
        let number = |count: usize| u32::try_from(count).unwrap_or(u32::MAX);
        Position { line: number(line + 1), column: number(offset - start - extra + 1), offset: offset + self.bom_bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_code_points_and_offsets_count_bytes_with_the_mark() {
        let source = Source::new("a.rs".into(), "\u{feff}// 😀 é\nlet x;\n".to_owned());
        let start = source.text().find('x').unwrap_or_default();
        let span = source.span(start..start + 1);
        assert_eq!((span.start.line, span.start.column), (2, 5));
        assert_eq!(span.start.offset, start + 3);
        let e = source.text().find('é').unwrap_or_default();
        assert_eq!(source.span(e..e).start.column, 6);
    }

    #[test]
    fn a_range_outside_the_text_is_cut() {
        let source = Source::new("a.rs".into(), "é".to_owned());
        assert_eq!(source.span(1..99).start.offset, 0);
        assert_eq!(source.span(1..99).end.offset, 2);
    }
}
