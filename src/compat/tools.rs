//! The tools of each mode: what they look like, and what a call asks for. Nothing is read or counted here.

use std::fmt;
use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, JsonObject, Tool, ToolAnnotations};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

use super::Mode;

/// What a call asks for, with its arguments checked for names and types.
#[derive(Debug)]
pub enum Call {
    /// Count in one of the client's roots.
    CountInRoot(InRoot),
    /// Count in an allowed directory that the model names.
    CountInDirectory(InDirectory),
    /// Count in what a resource URI names.
    CountResource(ByUri),
    /// Count in the one configured directory.
    CountConfigured(Configured),
    /// Show the client's roots, and what became of each.
    ListRoots,
    /// Show the allowed directories.
    ListDirectories,
    /// A fixture of the conformance suite: show the client's roots as they came.
    EchoRoots,
}

/// Arguments of `count_lines` in mode `roots`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InRoot {
    /// Name, URI or index of a root.
    #[serde(default)]
    pub root: Option<Selector>,
    /// A directory in it.
    #[serde(default)]
    pub subdir: Option<String>,
}

/// A root, as a model writes it.
#[derive(Debug, Deserialize)]
#[serde(untagged, expecting = "`root` is a name, a URI or an index from 0")]
pub enum Selector {
    /// Name, URI, or index in quotes.
    Text(String),
    /// Index.
    Index(usize),
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => write!(f, "{text}"),
            Self::Index(index) => write!(f, "{index}"),
        }
    }
}

/// Arguments of `count_lines` in mode `arguments`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct InDirectory {
    /// Name, path or `file:` URI of a directory.
    pub directory: String,
    /// A directory in it.
    #[serde(default)]
    pub subdir: Option<String>,
}

/// Arguments of `count_lines` in mode `resources`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ByUri {
    /// The resource.
    pub uri: String,
}

/// Arguments of `count_lines` in mode `config`.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Configured {
    /// A directory in the configured one.
    #[serde(default)]
    pub subdir: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Nothing {}

const COUNT: &str = "count_lines";
const LIST_ROOTS: &str = "list_roots";
const LIST_DIRECTORIES: &str = "list_directories";
/// The fixtures that scenarios of the conformance suite call. Both ask for the roots and show them.
const FIXTURES: [&str; 2] = ["test_input_required_result_list_roots", "test_input_required_result_tampered_state"];

/// Reads a call.
///
/// # Errors
///
/// `-32602` for an unknown tool, an unknown or missing argument, or one of the wrong type.
pub fn parse(mode: Mode, conformance: bool, call: &CallToolRequestParams) -> Result<Call, ErrorData> {
    match (mode, call.name.as_ref()) {
        (Mode::Roots, COUNT) => Ok(Call::CountInRoot(arguments(call)?)),
        (Mode::Arguments, COUNT) => Ok(Call::CountInDirectory(arguments(call)?)),
        (Mode::Resources, COUNT) => Ok(Call::CountResource(arguments(call)?)),
        (Mode::Config, COUNT) => Ok(Call::CountConfigured(arguments(call)?)),
        (Mode::Roots, LIST_ROOTS) => arguments::<Nothing>(call).map(|_| Call::ListRoots),
        (Mode::Arguments | Mode::Config, LIST_DIRECTORIES) => arguments::<Nothing>(call).map(|_| Call::ListDirectories),
        (Mode::Roots, name) if conformance && FIXTURES.contains(&name) => Ok(Call::EchoRoots),
        (_, name) => {
            let known: Vec<_> = tools(mode, conformance).into_iter().map(|tool| tool.name.into_owned()).collect();
            let name = super::events::clip(name);
            Err(ErrorData::invalid_params(format!("unknown tool `{name}`; known: {}", known.join(", ")), None))
        }
    }
}

fn arguments<T: DeserializeOwned>(call: &CallToolRequestParams) -> Result<T, ErrorData> {
    let arguments = Value::Object(call.arguments.clone().unwrap_or_default());
    serde_json::from_value(arguments).map_err(|error| {
        // It quotes what it does not know, which may be long.
        let error = super::events::clip(&error.to_string());
        ErrorData::invalid_params(format!("arguments of `{}`: {error}", call.name), None)
    })
}

/// The tools that a mode offers.
#[must_use]
pub fn tools(mode: Mode, conformance: bool) -> Vec<Tool> {
    let subdir = json!({"type": "string", "description": "a directory in it, relative, without `..`"});
    let mut tools = match mode {
        Mode::Roots => vec![
            count(
                "Count the lines of the text files in one of the client's roots.",
                json!({
                    "root": {
                        "type": ["string", "integer"],
                        "description": "name, URI or index (from 0) of a root; needed only when there are several",
                    },
                    "subdir": subdir,
                }),
                json!([]),
            ),
            reading(
                LIST_ROOTS,
                "List the client's roots, and for each whether it can be used and why not.",
                object(json!({}), json!([])),
                object(
                    json!({
                        "source": {"type": "string"},
                        "roots": {"type": "array", "items": {"type": "object"}},
                        "ignored": {"type": "integer", "description": "roots beyond --max-roots"},
                        "fallback": {"type": ["string", "null"], "description": "what is read for want of a root"},
                    }),
                    json!(["source", "roots", "ignored", "fallback"]),
                ),
            ),
        ],
        Mode::Arguments => vec![
            count(
                "Count the lines of the text files in an allowed directory.",
                json!({
                    "directory": {
                        "type": "string",
                        "description": "name or path of an allowed directory (see list_directories), or a path in one",
                    },
                    "subdir": subdir,
                }),
                json!(["directory"]),
            ),
            list_directories(),
        ],
        Mode::Resources => vec![count(
            "Count the lines of the text files in the directory that a resource stands for.",
            json!({"uri": {
                "type": "string",
                "description": format!("a resource of this server: {}", super::uri::STATS_TEMPLATE),
            }}),
            json!(["uri"]),
        )],
        Mode::Config => vec![
            count(
                "Count the lines of the text files in the configured directory.",
                json!({"subdir": subdir}),
                json!([]),
            ),
            list_directories(),
        ],
    };
    if conformance && mode == Mode::Roots {
        let fixtures = FIXTURES.map(|name| {
            let schema = object(json!({}), json!([]));
            Tool::new(name, "Fixture of the conformance suite: show the client's roots as they came.", schema)
        });
        tools.extend(fixtures);
    }
    tools
}

fn count(description: &'static str, properties: Value, required: Value) -> Tool {
    let number = json!({"type": "integer", "minimum": 0});
    let output = object(
        json!({
            "directory": {"type": "string"},
            "source": {"type": "string", "description": "where the directory came from"},
            "files": number, "lines": number, "bytes": number, "binary": number,
            "symlinks": number, "special": number, "unreadable": number,
            "truncated": {"type": ["string", "null"], "description": "the budget that cut the count short"},
        }),
        json!([
            "directory",
            "source",
            "files",
            "lines",
            "bytes",
            "binary",
            "symlinks",
            "special",
            "unreadable",
            "truncated"
        ]),
    );
    reading(COUNT, description, object(properties, required), output)
}

fn list_directories() -> Tool {
    reading(
        LIST_DIRECTORIES,
        "List the directories that may be read.",
        object(json!({}), json!([])),
        object(
            json!({"source": {"type": "string"}, "directories": {"type": "array", "items": {"type": "object"}}}),
            json!(["source", "directories"]),
        ),
    )
}

fn reading(name: &'static str, description: &'static str, input: Arc<JsonObject>, output: Arc<JsonObject>) -> Tool {
    let annotations = ToolAnnotations::new().read_only(true).open_world(false);
    Tool::new(name, description, input).with_raw_output_schema(output).with_annotations(annotations)
}

fn object(properties: Value, required: Value) -> Arc<JsonObject> {
    let mut schema = JsonObject::new();
    schema.insert("type".into(), "object".into());
    schema.insert("properties".into(), properties);
    schema.insert("required".into(), required);
    schema.insert("additionalProperties".into(), false.into());
    Arc::new(schema)
}
