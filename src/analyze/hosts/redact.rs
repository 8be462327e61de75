//! Which parts of a config may be shown. Keys and the words that a finding is about may; every other value, and
//! every comment, may hold a secret.

use std::cmp::Ordering;
use std::ops::Range;

use super::document::{Node, Value};
use super::entries::Word;

/// Bytes that may be shown, in order.
#[derive(Default)]
pub(super) struct Shown(Vec<Range<usize>>);

impl Shown {
    /// Keys of the documents.
    pub(super) fn keys_of(documents: &[Value]) -> Self {
        let mut shown = Self::default();
        for document in documents {
            shown.keys(document);
        }
        shown
    }

    fn keys(&mut self, value: &Value) {
        match &value.node {
            Node::Map(properties) => {
                for property in properties {
                    if !looks_secret(&property.key) {
                        self.0.push(property.key_span.clone());
                    }
                    self.keys(&property.value);
                }
            }
            Node::List(items) => {
                for item in items {
                    self.keys(item);
                }
            }
            Node::Text(_) | Node::Plain(_) | Node::Null => {}
        }
    }

    /// A word of a launch, unless it looks like a secret.
    pub(super) fn word(&mut self, text: &str, span: &Range<usize>) {
        if !looks_secret(text) {
            self.0.push(span.clone());
        }
    }

    /// The text with everything else blotted out, byte for byte as long. Blanks and the marks of the syntax stay.
    pub(super) fn apply(mut self, text: &str) -> String {
        self.0.sort_by_key(|range| range.start);
        let mut ranges = self.0.iter().peekable();
        let mut shown_until = 0;
        let mut out = String::with_capacity(text.len());
        for (at, c) in text.char_indices() {
            while let Some(range) = ranges.next_if(|range| range.start <= at) {
                shown_until = shown_until.max(range.end);
            }
            let is_mark = c.is_whitespace() || matches!(c, '{' | '}' | '[' | ']' | ':' | ',' | '"' | '\'' | '=' | '-');
            if at < shown_until || is_mark {
                out.push(c);
            } else {
                out.extend(std::iter::repeat_n('*', c.len_utf8()));
            }
        }
        out
    }
}

/// Which words of a launch may be shown: up to the package (at `package`) what a launcher is told, after it
/// directories. Anything else may be the value of some `--token`.
pub(super) fn showable(words: &[Word], package: usize) -> Vec<bool> {
    let is_plain = |text: &str| {
        text.len() <= 24
            && text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.' | '/' | '\\' | ':'))
    };
    let each = words.iter().enumerate().map(|(at, word)| {
        let fits = match at.cmp(&package) {
            Ordering::Less => is_plain(&word.text),
            Ordering::Equal => true,
            Ordering::Greater => is_directory(&word.text) || is_option(&word.text),
        };
        fits && !looks_secret(&word.text)
    });
    each.collect()
}

/// `--name` without a value.
fn is_option(text: &str) -> bool {
    text.strip_prefix('-').is_some_and(|name| name.chars().all(|c| c.is_ascii_alphabetic() || c == '-'))
}

/// A path from a root, a home or here, or a variable.
fn is_directory(text: &str) -> bool {
    let drive = text.as_bytes().get(1..3).is_some_and(|rest| rest == b":\\" || rest == b":/");
    let variable = text.starts_with("${") || text.starts_with("{{") || (text.starts_with('%') && text.ends_with('%'));
    let named = text.strip_prefix('$').is_some_and(|name| name.starts_with(|c: char| c.is_ascii_uppercase()));
    drive || variable || named || text == "." || ["/", "./", "../", "~/"].iter().any(|start| text.starts_with(start))
}

/// Whether a word may be a secret: a known beginning, a `key=value` whose key says so, an address with credentials
/// or a query, or a long run of letters and digits that is no word.
pub(super) fn looks_secret(text: &str) -> bool {
    const BEGINNINGS: [&str; 14] = [
        "sk-",
        "pk-",
        "ghp_",
        "gho_",
        "ghs_",
        "github_pat_",
        "glpat-",
        "xox",
        "AKIA",
        "AIza",
        "eyJ",
        "Bearer ",
        "Basic ",
        "ya29.",
    ];
    const WORDS: [&str; 9] =
        ["token", "secret", "password", "passwd", "apikey", "api-key", "api_key", "authorization", "credential"];
    let lower = text.to_lowercase();
    let assigns = text.split_once('=').is_some_and(|(name, value)| {
        let name = name.to_lowercase();
        !value.is_empty() && WORDS.iter().any(|word| name.contains(word))
    });
    let address = lower.contains("://") && (text.contains('@') || text.contains('?'));
    let begins = |beginning: &str| {
        text.match_indices(beginning).any(|(at, _)| !text[..at].ends_with(|c: char| c.is_ascii_alphanumeric()))
    };
    BEGINNINGS.iter().any(|beginning| begins(beginning)) || assigns || address || has_random_run(text)
}

/// A run of 20 or more letters and digits with both in it, or of 32 or more hexadecimal digits.
fn has_random_run(text: &str) -> bool {
    text.split(|c: char| !c.is_ascii_alphanumeric()).any(|run| {
        let digits = run.bytes().filter(u8::is_ascii_digit).count();
        let hex = run.len() >= 32 && run.bytes().all(|byte| byte.is_ascii_hexdigit());
        hex || (run.len() >= 20 && digits >= 3 && digits < run.len())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_told_from_names() {
        for secret in ["sk-abc", "--token=abc", "https://u:p@host/x", "http://h/x?key=1", "a1b2c3d4e5f6a7b8c9d0e1"] {
            assert!(looks_secret(secret), "{secret}");
        }
        for name in [
            "@modelcontextprotocol/server-filesystem@2025.8.18",
            "${workspaceFolder}",
            "/home/me/my-project",
            "-y",
            "task-master-ai",
        ] {
            assert!(!looks_secret(name), "{name}");
        }
    }

    #[test]
    fn what_is_not_shown_keeps_its_length() {
        let text = "{\"a\": \"sécret\", \"b\": 1} // note";
        let mut shown = Shown::default();
        shown.word("a", &(1..4));
        let applied = shown.apply(text);
        assert_eq!(applied, "{\"a\": \"*******\", \"*\": *} ** ****");
        assert_eq!(applied.len(), text.len());
    }
}
