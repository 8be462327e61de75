//! Suppression comments: `// mcp-roots-lint: allow(rule, …) reason` and `allow-file(…)`.

use std::ops::Range;
use std::sync::Arc;

use crate::knowledge::Knowledge;
use crate::project::source::Source;
use crate::usage::MARKER;

/// A file that may hold suppression comments.
#[derive(Clone, Debug)]
pub struct Commented {
    /// The file.
    pub source: Arc<Source>,
    /// Literals, keys and values: what looks like a comment in them is text.
    pub texts: Vec<Range<usize>>,
}

/// One well-formed suppression comment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Suppression {
    /// The rules it names.
    pub rules: Vec<String>,
    /// Why.
    pub reason: String,
    /// The line (from 0) that it covers; `None` covers the file.
    pub line: Option<usize>,
    /// The comment, in the file.
    pub span: Range<usize>,
}

/// A comment that means to suppress and does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Invalid {
    /// What is wrong with it.
    pub problem: String,
    /// The comment, in the file.
    pub span: Range<usize>,
}

/// Reads the suppression comments of a file.
pub(super) fn read(knowledge: &Knowledge, file: &Commented) -> (Vec<Suppression>, Vec<Invalid>) {
    let (mut found, mut invalid) = (Vec::new(), Vec::new());
    let lines: Vec<&str> = file.source.text().split_inclusive('\n').collect();
    let next_code = next_code_lines(&lines);
    let mut texts: Vec<&Range<usize>> = file.texts.iter().collect();
    texts.sort_by_key(|text| text.start);
    let mut offset = 0;
    for (number, line) in lines.iter().enumerate() {
        let start = offset;
        offset += line.len();
        let Some((at, comment)) = comment_of(line) else { continue };
        let span = start + at..start + line.trim_end().len();
        let before = texts.partition_point(|text| text.start <= span.start);
        if before.checked_sub(1).is_some_and(|last| texts[last].contains(&span.start)) {
            continue;
        }
        match parse(knowledge, comment) {
            Ok((rules, reason, whole_file)) => {
                let alone = line[..at].trim().is_empty();
                let covered = if alone { next_code[number] } else { number };
                let line = (!whole_file).then_some(covered);
                found.push(Suppression { rules, reason, line, span });
            }
            Err(problem) => invalid.push(Invalid { problem, span }),
        }
    }
    (found, invalid)
}

/// Where the comment begins and what follows the marker.
fn comment_of(line: &str) -> Option<(usize, &str)> {
    let marker = line.find(MARKER)?;
    let before = line[..marker].trim_end();
    let (start, opener) = ["//", "#"]
        .iter()
        .find_map(|opener| before.ends_with(opener).then(|| (before.len() - opener.len(), opener)))?;
    // `///` documents.
    let outside = &before[..before.len() - opener.len()];
    let is_comment = !outside.ends_with(['/', '#', '`', '\'']);
    is_comment.then_some((start, line[marker + MARKER.len()..].trim()))
}

/// For each line the next one below it that holds code, or itself.
fn next_code_lines(lines: &[&str]) -> Vec<usize> {
    let is_code = |line: &str| {
        let line = line.trim();
        !(line.is_empty() || line.starts_with("//") || line.starts_with('#'))
    };
    let mut next = vec![0; lines.len()];
    let mut below = None;
    for number in (0..lines.len()).rev() {
        next[number] = below.unwrap_or(number);
        if is_code(lines[number]) {
            below = Some(number);
        }
    }
    next
}

fn parse(knowledge: &Knowledge, comment: &str) -> Result<(Vec<String>, String, bool), String> {
    let usage = "write `allow(rule) reason` or `allow-file(rule) reason`";
    let (verb, rest) = comment.split_once('(').ok_or_else(|| format!("no rule is named: {usage}"))?;
    let whole_file = match verb.trim() {
        "allow" => false,
        "allow-file" => true,
        other => return Err(format!("`{other}` is not known: {usage}")),
    };
    let (rules, reason) = rest.split_once(')').ok_or_else(|| format!("`)` is missing: {usage}"))?;
    let rules: Vec<String> =
        rules.split(',').map(|rule| rule.trim().to_owned()).filter(|rule| !rule.is_empty()).collect();
    if rules.is_empty() {
        return Err(format!("no rule is named: {usage}"));
    }
    if let Some(unknown) = rules.iter().find(|rule| knowledge.rule(rule).is_none()) {
        return Err(format!("there is no rule `{unknown}`; `mcp-roots-lint rules` lists them"));
    }
    let reason = reason.trim().trim_start_matches([':', '-']).trim();
    if reason.is_empty() {
        return Err("a reason is missing: say after the `)` why this stays".to_owned());
    }
    Ok((rules, reason.to_owned(), whole_file))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> (Vec<Suppression>, Vec<Invalid>) {
        let knowledge = Knowledge::load(&[]).unwrap_or_else(|error| panic!("{error}"));
        let texts = text.match_indices('"').map(|(at, _)| at).collect::<Vec<_>>();
        let texts = texts.chunks(2).map(|pair| pair[0]..pair[pair.len() - 1] + 1).collect();
        let source = Arc::new(Source::new("a.rs".into(), text.to_owned()));
        read(&knowledge, &Commented { source, texts })
    }

    #[test]
    fn a_comment_covers_its_line_or_the_next_code() {
        let (found, _) = read_text("f(); // mcp-roots-lint: allow(roots-type) old clients\n");
        assert_eq!((found[0].line, found[0].reason.as_str()), (Some(0), "old clients"));
        let (found, _) = read_text("// mcp-roots-lint: allow(roots-type) old clients\n#[allow(deprecated)]\nf();\n");
        assert_eq!(found[0].line, Some(2));
        let (found, _) = read_text("// mcp-roots-lint: allow-file(roots-type, roots-capability) bridge\n");
        assert_eq!((found[0].line, found[0].rules.len()), (None, 2));
    }

    #[test]
    fn a_comment_that_cannot_work_says_why() {
        for (text, problem) in [
            ("// mcp-roots-lint: allow(roots-type)\n", "a reason is missing"),
            ("// mcp-roots-lint: allow(root-type) old\n", "there is no rule `root-type`"),
            ("// mcp-roots-lint: ignore(roots-type) old\n", "`ignore` is not known"),
            ("// mcp-roots-lint: allow roots-type\n", "no rule is named"),
        ] {
            let (found, invalid) = read_text(text);
            assert!(found.is_empty(), "{text}");
            assert!(invalid[0].problem.starts_with(problem), "{text}: {}", invalid[0].problem);
        }
    }

    #[test]
    fn text_and_documentation_do_not_suppress() {
        let (found, invalid) =
            read_text("let x = \"f(); // mcp-roots-lint: allow(roots-type) x\";\n/// mcp-roots-lint: allow(x)\n");
        assert!(found.is_empty() && invalid.is_empty());
    }
}
