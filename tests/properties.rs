//! Whatever a file holds: the check ends without a fault, and each place it reports is a place in that file.
//!
//! `PROPTEST_CASES` asks for more cases than the few that a test run can afford.

use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::PathBuf;
use std::sync::LazyLock;
use std::time::Duration;

use mcp_roots_lint::check::{CheckOptions, check};
use mcp_roots_lint::finding::{Outcome, SkipReason};
use mcp_roots_lint::knowledge::Knowledge;
use mcp_roots_lint::project::source::{Position, Source, Span};
use mcp_roots_lint::report::{self, View};
use mcp_roots_lint::usage::Confidence;
use proptest::prelude::*;
use proptest::sample::{Index, select};

static KNOWLEDGE: LazyLock<Knowledge> =
    LazyLock::new(|| Knowledge::load(&[]).expect("the embedded knowledge is sound"));

/// The texts of all `hit` fixtures.
static FIXTURES: LazyLock<Vec<String>> = LazyLock::new(|| {
    let lints = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("rules/lints");
    let mut texts = Vec::new();
    for rule in &KNOWLEDGE.rules {
        let entries = fs::read_dir(lints.join(&rule.name).join("hit")).expect("fixtures");
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("readable").path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == "rs"));
        paths.sort();
        texts.extend(paths.iter().map(|path| fs::read_to_string(path).expect("readable")));
    }
    texts
});

/// What makes lexers, parsers and counters of columns stumble.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "\u{feff}", "\r", "\r\n", "\n", "\0", "\u{1b}[31m", "\u{202e}", "é", "😀", "a\u{301}", "\t", "\u{2028}",
    "\"", "'", "\\", "r#\"", "\"#", "b'", "c\"", "/*", "*/", "//", "///", "//!", "#!", "#![", "#[cfg(test)]",
    "(", ")", "{", "}", "[", "]", "<", ">", ";", ",", "::", ".", "=", "!", "&", "?", "'a", "$x", "..", "=>",
    "fn ", "mod a;", "mod a {", "use rmcp::", "use super::*;", "use rmcp::model as m;", "impl ClientHandler for X {",
    "peer.list_roots()", ".await", "Root::new(\"", "roots: None", "roots: Some(", "json!({\"roots\": ", "\"roots/list\"",
    "notifications/roots/list_changed", "file:///a/%2e%2e/b", "ClientCapabilities", "if let Some(roots) = ",
    "// mcp-roots-lint: allow(roots-type) é", "// mcp-roots-lint: allow-file(", "mcp-roots-lint:",
    "macro_rules! m { () => {", "tokio::select! {", "async move {", "|x| ", "match roots {", "1_000e", "0x", "r#type",
];

fn range(start: Index, end: Index, len: usize) -> Range<usize> {
    let (start, end) = (start.index(len + 1), end.index(len + 1));
    start.min(end)..start.max(end)
}

/// Bytes that are no text, with a word in them that makes the tool look.
fn bytes() -> impl Strategy<Value = Vec<u8>> {
    let marked = (any::<Vec<u8>>(), any::<Vec<u8>>());
    prop_oneof![
        prop::collection::vec(any::<u8>(), 0..300),
        marked.prop_map(|(before, after)| [&before, &b"peer.list_roots()"[..], &after].concat()),
    ]
}

/// Text of pieces alone.
fn pieces() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(select(PIECES), 0..60).prop_map(|pieces| pieces.concat().into_bytes())
}

/// A cut out of a fixture, at any byte.
fn fragment() -> impl Strategy<Value = Vec<u8>> {
    (select(&FIXTURES[..]), any::<(Index, Index)>())
        .prop_map(|(text, (start, end))| text.as_bytes()[range(start, end, text.len())].to_vec())
}

/// A fixture in which parts are replaced, mostly by pieces and by cuts out of others.
fn mutated() -> impl Strategy<Value = Vec<u8>> {
    let new = prop_oneof![
        4 => select(PIECES).prop_map(|piece| piece.as_bytes().to_vec()),
        2 => Just(Vec::new()),
        2 => fragment(),
        1 => prop::collection::vec(any::<u8>(), 1..4),
    ];
    let edit = (any::<Index>(), 0..40_usize, new);
    (select(&FIXTURES[..]), prop::collection::vec(edit, 0..6)).prop_map(|(text, edits)| {
        let mut bytes = text.into_bytes();
        for (at, length, new) in edits {
            let at = at.index(bytes.len() + 1);
            let end = (at + length).min(bytes.len());
            bytes.splice(at..end, new);
        }
        bytes
    })
}

/// Fixtures and cuts one after another.
fn joined() -> impl Strategy<Value = Vec<u8>> {
    let part = prop_oneof![select(&FIXTURES[..]).prop_map(String::into_bytes), fragment(), pieces()];
    prop::collection::vec(part, 1..4).prop_map(|parts| parts.concat())
}

/// The files of one package.
fn files() -> impl Strategy<Value = BTreeMap<&'static str, Vec<u8>>> {
    let name = select(&["src/lib.rs", "src/a.rs", "src/a/b.rs", "src/main.rs", "tests/it.rs", "build.rs"][..]);
    let contents = prop_oneof![1 => bytes(), 1 => pieces(), 4 => mutated(), 2 => joined()];
    prop::collection::btree_map(name, contents, 1..5)
}

fn checked(files: &BTreeMap<&'static str, Vec<u8>>) -> Outcome {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join("Cargo.toml"), "[package]\nname = \"app\"\n[dependencies]\nrmcp = \"3.11\"\n")
        .expect("a file");
    for (name, bytes) in files {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, bytes).expect("a file");
    }
    let mut options = CheckOptions::all_of(&KNOWLEDGE, vec![folder.path().to_owned()]);
    options.include_sdk = true;
    options.judge.min_confidence = Confidence::Possible;
    check(&KNOWLEDGE, &options).expect("a check")
}

/// Line and column by counting, from the first byte of the file.
fn counted(bytes: &[u8], offset: usize) -> Position {
    let before = std::str::from_utf8(&bytes[..offset]).expect("a character begins here");
    let before = before.strip_prefix('\u{feff}').unwrap_or(before);
    let line = before.rsplit('\n').next().expect("a line");
    let number = |count: usize| u32::try_from(count).expect("a small file");
    Position { line: number(before.matches('\n').count() + 1), column: number(line.chars().count() + 1), offset }
}

fn assert_place(files: &BTreeMap<&'static str, Vec<u8>>, source: &Source, range: &Range<usize>, span: Span) {
    let of_source = |name: &&&str| source.path().ends_with(name);
    let bytes = &files[files.keys().find(of_source).expect("a file of ours")];
    let text = std::str::from_utf8(bytes).expect("only text is analysed");
    let mark = if text.starts_with('\u{feff}') { '\u{feff}'.len_utf8() } else { 0 };
    assert_eq!(&text[mark..], source.text());
    assert!(source.text().get(range.clone()).is_some(), "{range:?} is no part of {text:?}");
    assert_eq!(span.start, counted(bytes, range.start + mark), "{text:?}");
    assert_eq!(span.end, counted(bytes, range.end + mark), "{text:?}");
}

fn assert_sound(files: &BTreeMap<&'static str, Vec<u8>>, outcome: &Outcome) {
    let faults: Vec<_> = outcome.skipped.iter().filter(|skip| skip.reason == SkipReason::Panic).collect();
    assert!(faults.is_empty(), "{faults:?}");
    for finding in &outcome.findings {
        assert_place(files, &finding.source, &finding.range, finding.span);
        for related in &finding.related {
            assert_place(files, &related.source, &related.range, related.span);
        }
    }
    let view = View { outcome, pedantic: true, elapsed: Duration::ZERO };
    let (mut human, mut short, mut json) = (Vec::new(), Vec::new(), Vec::new());
    report::human::write(&view, true, &mut human).expect("a report");
    report::short::write(&view, &mut short).expect("a report");
    report::json::write(&view, &mut json).expect("a report");
    serde_json::from_slice::<serde_json::Value>(&json).expect("JSON");
    for report in [human, short] {
        let text = String::from_utf8(report).expect("UTF-8");
        let plain = text.replace("\u{1b}[", "");
        let stray = plain.chars().find(|c| c.is_control() && !matches!(c, '\n' | '\t'));
        assert_eq!(stray, None, "{text:?}");
    }
}

fn cases(few: u32) -> ProptestConfig {
    let asked = std::env::var_os("PROPTEST_CASES").is_some();
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    if asked { config } else { ProptestConfig { cases: few, ..config } }
}

proptest! {
    #![proptest_config(cases(150))]

    #[test]
    fn any_files_are_checked_without_a_fault(files in files()) {
        assert_sound(&files, &checked(&files));
    }
}

/// The fixtures as they are, with line ends and marks that move every offset.
#[test]
fn places_survive_line_ends_and_marks() {
    for (mark, line_end) in [("", "\n"), ("", "\r\n"), ("\u{feff}", "\n"), ("\u{feff}#!/bin/é\r\n", "\r\n")] {
        let names: Vec<&'static str> = (0..FIXTURES.len()).map(|n| &*format!("src/f{n}.rs").leak()).collect();
        let bytes = |text: &String| format!("{mark}{}", text.replace('\n', line_end)).into_bytes();
        let files: BTreeMap<&'static str, Vec<u8>> = names.into_iter().zip(FIXTURES.iter().map(bytes)).collect();
        let outcome = checked(&files);
        assert!(outcome.findings.len() > 100, "{}", outcome.findings.len());
        assert_sound(&files, &outcome);
    }
}
