//! Scenario files: what is set up, what both servers are asked, and what should hold. TOML to checked types; nothing
//! runs here. The format is described in `rules/scenarios/README.md`.

use std::collections::BTreeMap;
use std::fmt;
use std::time::Duration;

use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::observe::client::Era;

/// The scenarios that run when no file is named.
pub const BUILT_IN: &str = include_str!("../../../rules/scenarios/built-in.toml");

/// A scenario file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct File {
    /// JSON Pointers of members that are left out when results are compared; `*` stands for any member or index.
    #[serde(default)]
    pub ignore: Vec<String>,
    /// The directory that is made for each play: path to content.
    #[serde(default)]
    pub tree: BTreeMap<String, Node>,
    /// The server before the migration.
    #[serde(default)]
    pub before: Option<Side>,
    /// The servers after it.
    #[serde(default)]
    pub after: Vec<Side>,
    /// Outcomes that expectations call by name.
    #[serde(default)]
    pub outcomes: BTreeMap<String, Stated>,
    /// What is played.
    #[serde(default, rename = "scenario")]
    pub scenarios: Vec<Scenario>,
}

/// A file, directory or link of the tree.
#[derive(Clone, Debug, Deserialize)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "a text, { bytes = [..] }, { link = \"target\" } or { directory = true }"
)]
pub enum Node {
    /// A file with this text.
    Text(String),
    /// A file with these bytes.
    Bytes {
        /// The bytes.
        bytes: Vec<u8>,
    },
    /// A symbolic link.
    Link {
        /// What it points at, relative to where it is.
        link: String,
    },
    /// An empty directory.
    Directory {
        /// Always true.
        directory: bool,
    },
}

/// A server.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Side {
    /// What it is called in the report; the server before needs none.
    #[serde(default)]
    pub name: String,
    /// Program and arguments.
    pub command: Vec<String>,
    /// Its working directory, in the tree.
    #[serde(default)]
    pub cwd: String,
    /// The directories of the tree that its operator named.
    #[serde(default)]
    pub allowed: Vec<String>,
}

/// One scenario: a client, and what it does.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Scenario {
    /// Its name, in words joined by `-`.
    pub name: String,
    /// The eras in which it is played.
    #[serde(default = "both_eras")]
    pub eras: Vec<Era>,
    /// What the client says about Roots.
    #[serde(default)]
    pub client: Client,
    /// What it does.
    #[serde(rename = "step")]
    pub steps: Vec<Step>,
}

fn both_eras() -> Vec<Era> {
    vec![Era::Legacy, Era::Modern]
}

/// What the client says about Roots.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Client {
    /// Whether it declares the capability.
    #[serde(default = "yes")]
    pub declares: bool,
    /// Its roots.
    #[serde(default)]
    pub roots: Vec<Root>,
    /// It answers with this error.
    #[serde(default)]
    pub error: Option<i64>,
    /// It never answers.
    #[serde(default)]
    pub never: bool,
    /// It answers after so many milliseconds.
    #[serde(default)]
    pub late_ms: Option<u64>,
}

impl Default for Client {
    fn default() -> Self {
        Self { declares: true, roots: Vec::new(), error: None, never: false, late_ms: None }
    }
}

fn yes() -> bool {
    true
}

/// A root: a path of the tree, or anything.
#[derive(Clone, Debug, Deserialize)]
#[serde(untagged, deny_unknown_fields, expecting = "a path of the tree, or { uri = \"..\", name = \"..\" }")]
pub enum Root {
    /// A path of the tree; the root is named by its last component.
    Path(String),
    /// A URI as it is sent.
    Uri {
        /// The URI.
        uri: String,
        /// Its name.
        #[serde(default)]
        name: Option<String>,
    },
}

/// One step: a call, a change of the roots, or a pause.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// The client's roots from here on; in the legacy era it says that they changed.
    #[serde(default)]
    pub roots: Option<Vec<Root>>,
    /// Wait until late answers are given and the server is quiet.
    #[serde(default)]
    pub settle: bool,
    /// The call before.
    #[serde(default)]
    pub before: Option<Call>,
    /// The call after.
    #[serde(default)]
    pub after: Option<Call>,
    /// The call after, where it differs by server.
    #[serde(default)]
    pub after_in: BTreeMap<String, Call>,
    /// What should hold.
    #[serde(default)]
    pub expect: Expect,
    /// What should hold, where it differs by server.
    #[serde(default)]
    pub expect_in: BTreeMap<String, Expect>,
    /// The path of the tree that the call tries to read, for the access boundary.
    #[serde(default)]
    pub reads: Option<String>,
    /// The path that it tries to read, where it differs by server.
    #[serde(default)]
    pub reads_in: BTreeMap<String, String>,
}

impl Step {
    /// The call of a server after the migration.
    #[must_use]
    pub fn after(&self, side: &str) -> Option<&Call> {
        self.after_in.get(side).or(self.after.as_ref())
    }

    /// What should hold for it.
    #[must_use]
    pub fn expect(&self, side: &str) -> &Expect {
        self.expect_in.get(side).unwrap_or(&self.expect)
    }

    /// What it tries to read.
    #[must_use]
    pub fn reads(&self, side: &str) -> Option<&str> {
        self.reads_in.get(side).or(self.reads.as_ref()).map(String::as_str)
    }
}

/// A call of a tool, or a read of a resource.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(untagged, deny_unknown_fields, expecting = "{ tool = \"..\", arguments = {..} } or { read = \"uri\" }")]
pub enum Call {
    /// `tools/call`.
    Tool {
        /// The tool.
        tool: String,
        /// Its arguments.
        #[serde(default)]
        arguments: Map<String, Value>,
    },
    /// `resources/read`.
    Read {
        /// The URI.
        read: String,
    },
}

/// What should hold for the two outcomes of a step.
#[derive(Clone, Debug, Default, Deserialize, PartialEq)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "\"same\", \"same-error\", or { before = .., after = .., reason = \"..\" }"
)]
pub enum Expect {
    /// The default.
    #[default]
    #[serde(skip)]
    Same,
    /// By name.
    Named(Named),
    /// They differ, and just so.
    Differs(Box<Difference>),
}

/// The expectations without parameters.
#[derive(Clone, Copy, Debug, Deserialize, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
pub enum Named {
    /// The same result.
    Same,
    /// An error of the same kind.
    SameError,
}

/// An expected difference.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(deny_unknown_fields)]
pub struct Difference {
    /// The exact outcome before.
    pub before: Stated,
    /// The exact outcome after.
    pub after: Stated,
    /// Why that is right.
    pub reason: String,
}

/// An outcome, as a scenario states it. Named ones are put in place when the file is read. In results a member that is `null` is the same as one that is absent, since
/// TOML has no null.
#[derive(Clone, Debug, Deserialize, PartialEq)]
#[serde(
    untagged,
    deny_unknown_fields,
    expecting = "the name of an outcome, { result = .. }, { refused = \"text\" }, { error = code } or { silent = true }"
)]
pub enum Stated {
    /// One of [`File::outcomes`].
    Named(String),
    /// This result, but for ignored members.
    Result {
        /// The value.
        result: Value,
    },
    /// A tool's error whose text contains this.
    Refused {
        /// The part of the text.
        refused: String,
    },
    /// A JSON-RPC error with this code.
    Error {
        /// The code.
        error: i64,
    },
    /// No answer.
    Silent {
        /// Always true.
        silent: bool,
    },
}

impl Stated {
    /// As a report shows it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Named(name) => json!(name),
            Self::Result { result } => json!({"result": result}),
            Self::Refused { refused } => json!({"refused": refused}),
            Self::Error { error } => json!({"error": {"code": error}}),
            Self::Silent { .. } => json!({"silent": true}),
        }
    }
}

/// What is wrong with a scenario file.
#[derive(Debug, thiserror::Error)]
pub enum FileError {
    /// Not TOML of this shape.
    #[error("{0}")]
    Parse(String),
    /// Something that does not fit.
    #[error("scenario `{scenario}`: {what}")]
    Scenario {
        /// The scenario.
        scenario: String,
        /// What is wrong.
        what: String,
    },
    /// Something that does not fit outside of a scenario.
    #[error("{0}")]
    File(String),
}

impl File {
    /// Reads a file.
    ///
    /// # Errors
    ///
    /// When it is not TOML, has unknown members, or its parts do not fit each other.
    pub fn parse(text: &str) -> Result<Self, FileError> {
        let mut file: Self = toml::from_str(text).map_err(|error| FileError::Parse(error.to_string()))?;
        file.name_outcomes()?;
        file.check()?;
        Ok(file)
    }

    /// Puts the outcomes where they are called by name.
    fn name_outcomes(&mut self) -> Result<(), FileError> {
        for (name, outcome) in &self.outcomes {
            if matches!(outcome, Stated::Named(_)) {
                return Err(FileError::File(format!("[outcomes]: `{name}` is another name instead of an outcome")));
            }
        }
        for scenario in &mut self.scenarios {
            let expectations =
                scenario.steps.iter_mut().flat_map(|step| step.expect_in.values_mut().chain([&mut step.expect]));
            for expect in expectations {
                let Expect::Differs(difference) = expect else { continue };
                let Difference { before, after, .. } = difference.as_mut();
                for stated in [before, after] {
                    let Stated::Named(name) = stated else { continue };
                    *stated = self.outcomes.get(name).cloned().ok_or_else(|| FileError::Scenario {
                        scenario: scenario.name.clone(),
                        what: format!("there is no outcome `{name}` under [outcomes]"),
                    })?;
                }
            }
        }
        Ok(())
    }
}

impl Scenario {
    /// The longest that the client is late.
    #[must_use]
    pub fn lateness(&self) -> Duration {
        Duration::from_millis(self.client.late_ms.unwrap_or_default())
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Tool { tool, arguments } => {
                let arguments = Value::Object(arguments.clone());
                write!(f, "{tool} {arguments}")
            }
            Self::Read { read } => write!(f, "read {read}"),
        }
    }
}
