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

/// Words that launchers are told and that say nothing of the user.
const LAUNCHER_WORDS: [&str; 44] = [
    "npx", "npx.cmd", "bunx", "pnpx", "pnpm", "yarn", "npm", "bun", "node", "deno", "uv", "uvx", "pipx", "python",
    "python3", "py", "dnx", "dotnet", "docker", "podman", "cmd", "cmd.exe", "sh", "bash", "env", "wsl", "mise", "sudo",
    "fvm", "java", "dlx", "exec", "run", "tool", "x", "/c", "-c", "-m", "-y", "--yes", "-i", "--rm", "-it", "--",
];

/// Which words of a launch may be shown: what launchers are told, the package, and after it options and
/// directories. Anything else may be the value of some `--token`. `package` is the index of the word that names what
/// is started, `name` its name; without an index the words came out of one line, of which nothing is shown.
pub(super) fn showable(words: &[Word], package: Option<usize>, name: &str) -> Vec<bool> {
    let Some(package) = package else { return vec![false; words.len()] };
    let each = words.iter().enumerate().map(|(at, word)| {
        let after_option = at.checked_sub(1).is_some_and(|before| words[before].text.starts_with('-'));
        let fits = match at.cmp(&package) {
            Ordering::Less => LAUNCHER_WORDS.contains(&word.text.as_str()),
            Ordering::Equal => is_package(&word.text, name),
            Ordering::Greater => {
                is_option(&word.text) || (is_directory(&word.text) && (!after_option || at == package + 1))
            }
        };
        fits && !looks_secret(&word.text)
    });
    each.collect()
}

/// A package's name with nothing, a version or a tag behind it, or a plain path with the name in it.
fn is_package(text: &str, name: &str) -> bool {
    let is_version = |rest: &str| {
        let rest = rest.trim_start_matches(['@', '=', ':']);
        let is_number = rest.starts_with(|c: char| c.is_ascii_digit());
        let of_version = |c: char| c.is_ascii_digit() || matches!(c, '.' | '*');
        rest.is_empty()
            || ["latest", "next", "beta", "alpha", "canary", "rc"].contains(&rest)
            || (is_number
                && rest.split('-').next().is_some_and(|numbers| numbers.chars().all(of_version))
                && rest.len() <= 24)
    };
    match text.strip_prefix(name) {
        Some(rest) => is_version(rest),
        None => text.contains(name) && is_plain_path(text),
    }
}

fn is_plain_path(text: &str) -> bool {
    text.chars().all(|c| c.is_ascii_alphanumeric() || matches!(c, '/' | '\\' | '.' | '_' | '-' | '~' | ':' | '@'))
}

/// `--name` or `-n`, without a value.
fn is_option(text: &str) -> bool {
    let long = text.strip_prefix("--").is_some_and(|name| name.chars().all(|c| c.is_ascii_lowercase() || c == '-'));
    let short =
        text.strip_prefix('-').is_some_and(|name| name.len() == 1 && name.chars().all(|c| c.is_ascii_alphabetic()));
    long || short
}

/// A path from a root, a home or here, or a variable; nothing that an encoded secret could look like.
fn is_directory(text: &str) -> bool {
    let drive = text.as_bytes().get(1..3).is_some_and(|rest| rest == b":\\" || rest == b":/");
    let starts = drive || text == "." || ["/", "./", "../", "~/"].iter().any(|start| text.starts_with(start));
    let is_name =
        |name: &str| !name.is_empty() && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_');
    let braced = text.strip_prefix("${").and_then(|rest| rest.split_once('}'));
    let variable = braced.is_some_and(|(name, rest)| {
        let of_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | ':' | '-' | '/');
        name.chars().all(of_name) && is_plain_path(rest)
    });
    let named = text.strip_prefix('$').is_some_and(|rest| {
        let (name, rest) = rest.split_at(rest.find('/').unwrap_or(rest.len()));
        is_name(name) && is_plain_path(rest)
    });
    let percent = text.strip_prefix('%').and_then(|rest| rest.strip_suffix('%')).is_some_and(is_name);
    (starts && is_plain_path(text)) || variable || named || percent
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
    let scheme = text.split_once(':').is_some_and(|(scheme, _)| scheme.chars().all(|c| c.is_ascii_alphanumeric()));
    let address = (lower.contains("://") && text.contains('?')) || (scheme && text.contains('@'));
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
