//! Server entries in a document, recognised by their shape wherever a host puts them.

use std::ops::Range;

use super::document::{Node, Property, Value};

/// Keys whose value starts a program.
const COMMAND_KEYS: [&str; 3] = ["command", "cmd", "executable"];
/// Keys whose value is a whole line, as in a shell (fast-agent).
const LINE_KEYS: [&str; 1] = ["target"];
/// Keys whose value is an address.
const URL_KEYS: [&str; 5] = ["url", "uri", "httpUrl", "serverUrl", "http_url"];
const ARGS_KEYS: [&str; 2] = ["args", "arguments"];
const ENV_KEYS: [&str; 3] = ["env", "environment", "envs"];
const HEADER_KEYS: [&str; 2] = ["headers", "http_headers"];
const CWD_KEYS: [&str; 3] = ["cwd", "workingDirectory", "working_directory"];
/// The key under which a client lists roots for a server.
const ROOTS_KEY: &str = "roots";
/// Below these keys a schema describes configs; it is none.
const SCHEMA_KEYS: [&str; 4] = ["properties", "$defs", "definitions", "patternProperties"];

/// A word of a launch and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Word {
    pub text: String,
    pub span: Range<usize>,
}

/// How the arguments are written, to write them anew.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum ArgsForm {
    /// A list of its own under this key.
    List(String),
    /// A list that begins with the program (opencode), under this key.
    CommandList(String),
    /// One line of text under this key.
    Line(String),
    /// There are none.
    Absent,
}

/// One server in a config.
#[derive(Clone, Debug)]
pub(super) struct Entry<'d> {
    /// The key that it stands under, or what a `name` in it says.
    pub name: Option<&'d str>,
    /// Program and arguments; empty for a remote server.
    pub words: Vec<Word>,
    pub args_form: ArgsForm,
    pub url: Option<Word>,
    /// Names and values, and where the name stands.
    pub env: Vec<(String, String, Range<usize>)>,
    /// Names and values.
    pub headers: Vec<(&'d str, &'d str)>,
    pub cwd: Option<&'d str>,
    pub disabled: bool,
    /// The `roots` of the entry.
    pub roots: Option<&'d Property>,
}

/// Finds all entries of a document.
pub(super) fn find(document: &Value) -> Vec<Entry<'_>> {
    let mut entries = Vec::new();
    if !is_schema(document) && !is_package_manifest(document) {
        walk(document, None, false, &mut entries);
    }
    entries
}

/// A JSON Schema describes configs and is none.
fn is_schema(document: &Value) -> bool {
    document.get("$schema").and_then(Value::text).is_some_and(|schema| schema.contains("json-schema.org"))
}

/// An npm-like manifest can have an `mcp` key of its own.
fn is_package_manifest(document: &Value) -> bool {
    ["dependencies", "devDependencies", "scripts"]
        .iter()
        .any(|key| document.get(key).is_some_and(|value| matches!(value.node, Node::Map(_))))
        && document.get("version").is_some()
}

fn walk<'d>(value: &'d Value, key: Option<&'d str>, disabled: bool, entries: &mut Vec<Entry<'d>>) {
    for item in value.items() {
        walk(item, None, disabled, entries);
    }
    if value.properties().is_empty() {
        return;
    }
    let disabled = disabled || is_disabled(value);
    let entry = entry(value, key, disabled);
    let is_entry = entry.is_some();
    entries.extend(entry);
    for property in value.properties() {
        let of_entry = is_entry && (property.key == ROOTS_KEY || ENV_KEYS.contains(&property.key.as_str()));
        if !of_entry && !SCHEMA_KEYS.contains(&property.key.as_str()) {
            walk(&property.value, Some(&property.key), disabled, entries);
        }
    }
}

fn is_disabled(value: &Value) -> bool {
    let is = |key: &str, word: &str| value.get(key).and_then(Value::scalar).is_some_and(|text| text == word);
    is("disabled", "true") || is("enabled", "false") || is("enabledByDefault", "false")
}

fn entry<'d>(value: &'d Value, key: Option<&'d str>, disabled: bool) -> Option<Entry<'d>> {
    let (words, args_form) = words(value);
    let url = value
        .property(&URL_KEYS)
        .and_then(|property| property.value.text().map(|text| (text, property.value.span.clone())))
        .map(|(text, span)| Word { text: text.to_owned(), span });
    if words.is_empty() && url.is_none() {
        return None;
    }
    let roots = value.property(&[ROOTS_KEY]).filter(|property| property.value.node != Node::Null);
    Some(Entry {
        name: key.or_else(|| value.get("name").and_then(Value::text)),
        words,
        args_form,
        url,
        env: environment(value),
        headers: headers(value),
        cwd: value.property(&CWD_KEYS).and_then(|property| property.value.scalar()),
        disabled,
        roots,
    })
}

fn words(value: &Value) -> (Vec<Word>, ArgsForm) {
    let word = |value: &Value| value.scalar().map(|text| Word { text: text.to_owned(), span: value.span.clone() });
    if let Some(line) = value.property(&LINE_KEYS)
        && let Some(text) = line.value.text()
    {
        return (split_line(text, &line.value.span), ArgsForm::Line(line.key.clone()));
    }
    let Some(command) = value.property(&COMMAND_KEYS) else { return (Vec::new(), ArgsForm::Absent) };
    if !command.value.items().is_empty() {
        let words: Vec<Word> = command.value.items().iter().filter_map(word).collect();
        return (words, ArgsForm::CommandList(command.key.clone()));
    }
    let Some(program) = word(&command.value) else { return (Vec::new(), ArgsForm::Absent) };
    match value.property(&ARGS_KEYS) {
        Some(args) => {
            let mut words = vec![program];
            let form = if let Some(text) = args.value.text() {
                words.extend(split_line(text, &args.value.span));
                ArgsForm::Line(args.key.clone())
            } else {
                words.extend(args.value.items().iter().filter_map(word));
                ArgsForm::List(args.key.clone())
            };
            (words, form)
        }
        // The whole line in `command`; a Windows path with blanks is one word.
        None if program.text.contains(' ') && !program.text.contains('\\') => {
            (split_line(&program.text, &program.span), ArgsForm::Line(command.key.clone()))
        }
        None => (vec![program], ArgsForm::Absent),
    }
}

/// The words of a shell line; all of them stand where the line stands.
pub(super) fn split_line(text: &str, span: &Range<usize>) -> Vec<Word> {
    let words = shlex::split(text).unwrap_or_else(|| text.split_whitespace().map(str::to_owned).collect());
    words.into_iter().map(|text| Word { text, span: span.clone() }).collect()
}

fn environment(value: &Value) -> Vec<(String, String, Range<usize>)> {
    let Some(env) = value.property(&ENV_KEYS) else { return Vec::new() };
    let of_map = env.value.properties().iter().map(|property| {
        let text = property.value.scalar().unwrap_or_default().to_owned();
        (property.key.clone(), text, property.key_span.clone())
    });
    let of_list = env.value.items().iter().filter_map(|item| {
        let (name, text) = item.text()?.split_once('=')?;
        Some((name.to_owned(), text.to_owned(), item.span.clone()))
    });
    of_map.chain(of_list).collect()
}

fn headers(value: &Value) -> Vec<(&str, &str)> {
    let headers = value.property(&HEADER_KEYS).map(|property| property.value.properties());
    let headers = headers.unwrap_or_default().iter();
    headers.map(|property| (property.key.as_str(), property.value.scalar().unwrap_or_default())).collect()
}

#[cfg(test)]
mod tests {
    use super::super::document::parse;
    use super::*;
    use crate::knowledge::host::Syntax;

    fn launches(text: &str) -> Vec<String> {
        let documents = parse(Syntax::Json, text).unwrap_or_else(|error| panic!("{error:?}"));
        let line = |entry: &Entry<'_>| {
            let words: Vec<&str> = entry.words.iter().map(|word| word.text.as_str()).collect();
            words.join(" ")
        };
        find(&documents[0]).iter().map(line).collect()
    }

    #[test]
    fn shapes_of_real_hosts() {
        for text in [
            r#"{"mcpServers": {"a": {"command": "npx", "args": ["x"]}}}"#,
            r#"{"servers": [{"name": "a", "source": {"type": "Process", "command": "npx", "args": ["x"]}}]}"#,
            r#"{"_comment": "bare", "a": {"command": "npx", "args": ["x"]}}"#,
            r#"{"mcp": {"a": {"type": "local", "command": ["npx", "x"]}}}"#,
            r#"{"projects": {"/p": {"mcpServers": {"a": {"command": "npx x"}}}}}"#,
            r#"{"amp.mcpServers": {"a": {"command": "npx", "args": "x"}}}"#,
            r#"{"mcp": {"targets": [{"name": "a", "stdio": {"cmd": "npx", "args": ["x"]}}]}}"#,
        ] {
            assert_eq!(launches(text), ["npx x"], "{text}");
        }
    }

    #[test]
    fn schemas_and_manifests_are_no_configs() {
        for text in [
            r#"{"$schema": "http://json-schema.org/draft-07/schema#", "a": {"command": "npx"}}"#,
            r#"{"properties": {"command": {"type": "string"}, "a": {"command": "x", "roots": {}}}}"#,
            r#"{"name": "p", "version": "1", "scripts": {}, "mcp": {"command": "npx"}}"#,
        ] {
            assert!(launches(text).is_empty(), "{text}");
        }
    }
}
