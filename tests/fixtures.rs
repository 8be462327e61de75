//! The fixtures of the rules: marks in `hit` files are exactly the findings of their rule, `miss` files have none,
//! and all rules run on all fixtures in one snapshot, so that a new rule's noise shows in review.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use mcp_roots_lint::check::{CheckOptions, check};
use mcp_roots_lint::finding::Finding;
use mcp_roots_lint::knowledge::Knowledge;
use snapbox::{assert_data_eq, file};
use walkdir::WalkDir;

/// Begin a mark: `//~ rule status, rule status`; `#~next …` marks the line after it.
const MARKS: [&str; 3] = ["#~next", "//~", "#~"];

fn knowledge() -> Knowledge {
    Knowledge::load(&[]).expect("the embedded knowledge is sound")
}

/// All fixtures: the rule, whether it must hit, and the file or folder.
fn fixtures() -> Vec<(String, bool, PathBuf)> {
    let lints = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules/lints");
    let mut found = Vec::new();
    for rule in knowledge().rules {
        for (kind, hits) in [("hit", true), ("miss", false)] {
            let folder = lints.join(&rule.name).join(kind);
            let entries = WalkDir::new(&folder).sort_by_file_name().into_iter();
            let readable =
                entries.map(|entry| entry.unwrap_or_else(|error| panic!("rules/lints/{}: {error}", rule.name)));
            let files: Vec<PathBuf> =
                readable.filter(|entry| entry.file_type().is_file()).map(|entry| entry.into_path()).collect();
            assert!(!files.is_empty(), "rules/lints/{}/{kind}/ needs a fixture", rule.name);
            found.extend(files.into_iter().map(|file| (rule.name.clone(), hits, file)));
        }
    }
    found
}

/// Checks a fixture in a folder of its own: its marks are taken out, and no manifest of this project is above it.
fn findings(knowledge: &Knowledge, fixture: &Path) -> (String, Vec<Finding>) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let text = fs::read_to_string(fixture).expect("a readable fixture");
    let bare: String = text.split_inclusive('\n').map(without_mark).collect();
    let path = folder.path().join(name_of(fixture));
    fs::create_dir_all(path.parent().expect("a folder")).expect("a writable folder");
    fs::write(&path, bare).expect("a writable folder");
    let options = CheckOptions { include_sdk: true, ..CheckOptions::all_of(knowledge, vec![path]) };
    let outcome = check(knowledge, &options).expect("a check");
    assert!(outcome.skipped.is_empty(), "{}: {:?}", fixture.display(), outcome.skipped);
    assert!(outcome.degraded.is_empty(), "{}: {:?}", fixture.display(), outcome.degraded);
    (text, outcome.findings)
}

/// The path of a fixture below its `hit` or `miss` folder: configs are known by where they stand.
fn name_of(fixture: &Path) -> PathBuf {
    let parts: Vec<_> = fixture.components().collect();
    let kind = parts.iter().rposition(|part| ["hit", "miss"].iter().any(|kind| part.as_os_str() == *kind));
    parts[kind.expect("a fixture") + 1..].iter().collect()
}

fn split_mark(line: &str) -> Option<(&str, &str, u32)> {
    let mark = MARKS.iter().find(|mark| line.contains(**mark))?;
    let (code, rules) = line.split_once(mark)?;
    Some((code, rules, u32::from(mark.ends_with("next"))))
}

fn without_mark(line: &str) -> String {
    match split_mark(line) {
        Some((code, ..)) => format!("{}\n", code.trim_end()),
        None => line.to_owned(),
    }
}

/// `(line, rule, status)` of every mark.
fn marks(text: &str) -> BTreeSet<(u32, String, String)> {
    let mut marks = BTreeSet::new();
    for (number, line) in (1..).zip(text.lines()) {
        let Some((_, mark, below)) = split_mark(line) else { continue };
        for one in mark.split(',') {
            let (rule, status) = one.trim().split_once(' ').unwrap_or((one.trim(), ""));
            marks.insert((number + below, rule.to_owned(), status.trim().to_owned()));
        }
    }
    marks
}

fn found(findings: &[Finding]) -> BTreeSet<(u32, String, String)> {
    let status = |finding: &Finding| finding.status.map(|status| status.name().to_owned()).unwrap_or_default();
    findings.iter().map(|finding| (finding.span.start.line, finding.rule.clone(), status(finding))).collect()
}

#[test]
fn marks_are_the_findings_of_their_rule() {
    let knowledge = knowledge();
    let mut wrong = String::new();
    for (rule, hits, fixture) in fixtures() {
        let (text, findings) = findings(&knowledge, &fixture);
        let of_rule = |set: BTreeSet<(u32, String, String)>| -> BTreeSet<_> {
            set.into_iter().filter(|(_, name, _)| *name == rule).collect()
        };
        let (marked, found) = (of_rule(marks(&text)), of_rule(found(&findings)));
        assert_eq!(hits, !marked.is_empty(), "{}: hit files have marks, miss files have none", fixture.display());
        for (line, rule, status) in marked.difference(&found) {
            let _ = writeln!(wrong, "{}:{line}: marked and not found: {rule} {status}", fixture.display());
        }
        for (line, rule, status) in found.difference(&marked) {
            let _ = writeln!(wrong, "{}:{line}: found and not marked: {rule} {status}", fixture.display());
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}

#[test]
fn all_rules_on_all_fixtures() {
    let knowledge = knowledge();
    let mut all = String::new();
    for (rule, hits, fixture) in fixtures() {
        let (_, findings) = findings(&knowledge, &fixture);
        let name = name_of(&fixture).to_string_lossy().replace('\\', "/");
        let _ = writeln!(all, "{rule}/{}/{name}", if hits { "hit" } else { "miss" });
        for finding in findings {
            let suppressed = if finding.suppressed.is_some() { " (suppressed)" } else { "" };
            let _ = writeln!(
                all,
                "  {}:{} {}[{}] {}{suppressed}",
                finding.span.start.line,
                finding.span.start.column,
                finding.severity.name(),
                finding.rule,
                finding.message,
            );
        }
    }
    assert_data_eq!(all, file!["snapshots/fixtures.txt"]);
}

#[test]
fn pages_and_summaries_follow_the_form() {
    let headings = ["What it finds", "Why it matters", "Example", "Instead", "When to keep it", "References"];
    for rule in knowledge().rules {
        let found: Vec<&str> = rule.page.lines().filter_map(|line| line.strip_prefix("## ")).collect();
        assert_eq!(found, headings, "rules/lints/{}/page.md", rule.name);
        assert!(rule.page.starts_with(&format!("# {}\n", rule.name)), "rules/lints/{}/page.md", rule.name);
        let texts = rule.headline.iter().chain([&rule.summary]).chain(rule.helps.iter().map(|help| &help.text));
        for text in texts {
            let first = text.chars().next().unwrap_or('A');
            let acronym = text.split(' ').next().is_some_and(|word| word.chars().all(char::is_uppercase));
            assert!(!first.is_uppercase() || acronym, "{}: begins in upper case: {text}", rule.name);
            assert!(!text.ends_with('.'), "{}: ends in a full stop: {text}", rule.name);
        }
    }
}
