//! One small document type with spans, whatever a config is written in. Everything after it is format-blind.

mod json;
mod properties;
mod toml;
mod yaml;

use std::ops::Range;

use crate::knowledge::host::Syntax;

/// Deeper documents are refused; no config comes near.
const MAX_DEPTH: usize = 200;

/// A value and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Value {
    pub node: Node,
    /// Bytes of the file's text, quotes included.
    pub span: Range<usize>,
}

/// A key with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Property {
    pub key: String,
    /// Bytes of the key, quotes included.
    pub key_span: Range<usize>,
    pub value: Value,
}

/// What a value is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Node {
    /// Duplicate keys are all there, in order.
    Map(Vec<Property>),
    List(Vec<Value>),
    Text(String),
    /// A number, a boolean or a date, as written.
    Plain(String),
    Null,
}

impl Value {
    pub(super) fn properties(&self) -> &[Property] {
        match &self.node {
            Node::Map(properties) => properties,
            _ => &[],
        }
    }

    pub(super) fn items(&self) -> &[Value] {
        match &self.node {
            Node::List(items) => items,
            _ => &[],
        }
    }

    /// The value of a key; of duplicates the last, as every reader has it.
    pub(super) fn get(&self, key: &str) -> Option<&Value> {
        self.property(&[key]).map(|property| &property.value)
    }

    /// The property of the first of these keys that is there.
    pub(super) fn property(&self, keys: &[&str]) -> Option<&Property> {
        keys.iter().find_map(|key| self.properties().iter().rev().find(|property| property.key == *key))
    }

    pub(super) fn text(&self) -> Option<&str> {
        match &self.node {
            Node::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Where keys and scalars stand.
    pub(super) fn texts(&self, texts: &mut Vec<Range<usize>>) {
        for item in self.items() {
            item.texts(texts);
        }
        for property in self.properties() {
            texts.push(property.key_span.clone());
            property.value.texts(texts);
        }
        if self.items().is_empty() && self.properties().is_empty() {
            texts.push(self.span.clone());
        }
    }

    /// The value as a person would write it on a command line: text, number or boolean.
    pub(super) fn scalar(&self) -> Option<&str> {
        match &self.node {
            Node::Text(text) | Node::Plain(text) => Some(text),
            _ => None,
        }
    }
}

/// Why a text is not a document. The message never quotes the text: it may hold secrets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Malformed {
    /// Bytes of the text.
    pub at: usize,
    pub message: String,
    /// Well-formed as far as it goes, but nested deeper than [`MAX_DEPTH`].
    pub too_deep: bool,
}

impl Malformed {
    fn new(at: usize, message: impl Into<String>) -> Self {
        let message: String = message.into();
        // What a parser quotes is part of the text.
        let unquoted = message.split(['`', '\'', '"']).next().unwrap_or_default().trim_end().to_owned();
        Self { at, message: unquoted, too_deep: false }
    }

    fn too_deep(at: usize) -> Self {
        Self { at, message: format!("nested deeper than {MAX_DEPTH} levels"), too_deep: true }
    }
}

/// Reads a text; YAML can give several documents.
pub(super) fn parse(syntax: Syntax, text: &str) -> Result<Vec<Value>, Malformed> {
    match syntax {
        Syntax::Json => json::parse(text).map(|value| value.into_iter().collect()),
        Syntax::Yaml => yaml::parse(text),
        Syntax::Toml => toml::parse(text).map(|value| vec![value]),
        Syntax::Properties => properties::parse(text).map(|value| vec![value]),
        Syntax::FrontMatter => front_matter(text),
    }
}

/// The YAML between two lines of three dashes at the beginning of a Markdown file.
fn front_matter(text: &str) -> Result<Vec<Value>, Malformed> {
    let Some(first) = text.split_inclusive('\n').next().filter(|line| line.trim_end() == "---") else {
        return Ok(Vec::new());
    };
    let mut end = first.len();
    for line in text[first.len()..].split_inclusive('\n') {
        if line.trim_end() == "---" {
            // Blanks keep the offsets.
            let blank = " ".repeat(first.trim_end().len());
            let matter = format!("{blank}{}", &text[blank.len()..end]);
            return yaml::parse(&matter);
        }
        end += line.len();
    }
    Ok(Vec::new())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at<'a>(value: &'a Value, path: &[&str]) -> &'a Value {
        path.iter().fold(value, |value, key| value.get(key).unwrap_or_else(|| panic!("no {key}")))
    }

    fn check(syntax: Syntax, text: &str) {
        let documents = parse(syntax, text).unwrap_or_else(|error| panic!("{error:?}"));
        let command = at(&documents[0], &["servers", "é", "command"]);
        assert_eq!(command.text(), Some("npx"));
        assert!(text[command.span.clone()].contains("npx"), "{:?}", &text[command.span.clone()]);
        let args = at(&documents[0], &["servers", "é", "args"]).items();
        assert_eq!(args[1].text(), Some("b c"));
        assert!(text[args[1].span.clone()].contains("b c"));
        let server = documents[0].get("servers").map(|servers| &servers.properties()[0]);
        let key = server.map(|property| text[property.key_span.clone()].to_owned());
        assert!(key.is_some_and(|key| key.contains('é')));
    }

    #[test]
    fn all_syntaxes_give_the_same_document() {
        check(
            Syntax::Json,
            "{ // c\r\n \"servers\": {\"é\": {\"command\": \"npx\", \"args\": [\"a\", \"b c\",],},}, }",
        );
        check(Syntax::Yaml, "# ü\nservers:\n  \"é\":\n    command: npx\n    args: [a, 'b c']\n");
        check(Syntax::Toml, "# ü\n[servers.\"é\"]\ncommand = \"npx\"\nargs = [\"a\", 'b c']\n");
        check(
            Syntax::FrontMatter,
            "---\nservers:\n  é:\n    command: npx\n    args:\n    - a\n    - b c\n---\n# text\n",
        );
    }

    #[test]
    fn depth_is_refused() {
        let json = format!("{}{}", "[".repeat(50_000), "]".repeat(50_000));
        let yaml = "- ".repeat(50_000);
        let toml = format!("x = {}{}", "[".repeat(50_000), "]".repeat(50_000));
        for (syntax, text) in [(Syntax::Json, json), (Syntax::Yaml, yaml), (Syntax::Toml, toml)] {
            let Err(error) = parse(syntax, &text) else { panic!("not refused: {syntax:?}") };
            assert!(error.too_deep || !error.message.is_empty());
        }
    }
}
