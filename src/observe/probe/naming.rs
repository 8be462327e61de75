//! Whether an answer, or the arguments of a call, name a directory.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::observe::client::Root;

/// How a directory can be written in an answer, the longest first.
pub(super) fn forms(directory: &Path) -> Vec<String> {
    let canonical = directory.canonicalize().unwrap_or_else(|_| directory.to_owned());
    let paths: BTreeSet<PathBuf> = [directory.to_owned(), canonical].into();
    let uris = paths.iter().filter_map(|path| Some(Root::of(path)?.uri));
    let mut forms: Vec<String> = paths.iter().map(|path| path.to_string_lossy().into_owned()).chain(uris).collect();
    forms.sort_by_key(|form| std::cmp::Reverse(form.len()));
    forms
}

/// All texts of a value. Keys are no values.
pub(super) fn texts(value: &Value, take: &mut dyn FnMut(&str)) {
    match value {
        Value::String(text) => take(text),
        Value::Array(items) => items.iter().for_each(|item| texts(item, take)),
        Value::Object(properties) => properties.values().for_each(|value| texts(value, take)),
        Value::Number(number) => take(&number.to_string()),
        Value::Null | Value::Bool(_) => {}
    }
}

/// Whether an answer names a directory itself, not only something in it or beside it.
pub(super) fn names_directory(value: &Value, directory: &Path) -> bool {
    let forms = forms(directory);
    let mut found = false;
    texts(value, &mut |text| found |= forms.iter().any(|form| names_path(text, form)));
    found
}

fn names_path(text: &str, path: &str) -> bool {
    let of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    text.match_indices(path).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let mut after = text[at + path.len()..].chars();
        let goes_on = match after.next() {
            Some('/' | '\\' | '.') => after.next().is_some_and(|c| of_name(c) || c == '.'),
            Some(c) => of_name(c),
            None => false,
        };
        !before.is_some_and(|c| of_name(c) || c == '.') && !goes_on
    })
}

/// Whether arguments name a directory, or a path in it.
pub(super) fn names_below(arguments: &Value, directory: &Path) -> bool {
    let forms = forms(directory);
    let mut found = false;
    texts(arguments, &mut |text| {
        found |= forms.iter().any(|form| Path::new(text).starts_with(form) || text == form);
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_named_as_a_whole() {
        for text in ["/a/b", "in /a/b.", "[/a/b]", "/a/b/", "file:///a/b", "/x /a/b\n"] {
            assert!(names_path(text, "/a/b"), "{text}");
        }
        for text in ["/a/bc", "/a/b/c", "x/a/b", "/a/b-c", "/a/b.txt", "/a/b/.git"] {
            assert!(!names_path(text, "/a/b"), "{text}");
        }
    }
}
