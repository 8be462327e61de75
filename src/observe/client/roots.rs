//! What a client says about Roots, and what it was asked.

use std::fmt;
use std::path::Path;
use std::time::Duration;

use serde_json::{Value, json};

use super::session::Era;

/// One root.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Root {
    /// Any text: bad URIs are sent as they are.
    pub uri: String,
    /// A name for people.
    pub name: Option<String>,
}

impl Root {
    /// The root of a directory, named by its last component; nothing, when the path is not absolute.
    #[must_use]
    pub fn of(directory: &Path) -> Option<Self> {
        let uri = url::Url::from_file_path(directory).ok()?.to_string();
        Some(Self { uri, name: directory.file_name().map(|name| name.to_string_lossy().into_owned()) })
    }
}

/// What the client does when it is asked for roots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RootsPolicy {
    /// The capability is not declared, and a request is answered with -32601.
    Undeclared,
    /// Declared; there are none.
    Empty,
    /// Declared; these.
    Roots(Vec<Root>),
    /// Declared; an error with this code.
    Error(i64),
    /// Declared; no answer ever comes.
    Never,
    /// Declared; the answer comes after this time.
    Late(Duration, Vec<Root>),
}

impl RootsPolicy {
    /// Whether the capability is declared.
    #[must_use]
    pub fn is_declared(&self) -> bool {
        *self != Self::Undeclared
    }

    /// The client's capabilities in an era. `listChanged` exists in the legacy one only.
    pub(super) fn capabilities(&self, era: Era) -> Value {
        match (self.is_declared(), era) {
            (false, _) => json!({}),
            (true, Era::Legacy) => json!({ "roots": { "listChanged": true } }),
            (true, Era::Modern) => json!({ "roots": {} }),
        }
    }

    /// The result of `roots/list`, if this policy ever gives one.
    pub(super) fn result(&self) -> Option<Value> {
        let roots = match self {
            Self::Empty => &[][..],
            Self::Roots(roots) | Self::Late(_, roots) => roots,
            Self::Undeclared | Self::Error(_) | Self::Never => return None,
        };
        let root = |root: &Root| match &root.name {
            Some(name) => json!({ "uri": root.uri, "name": name }),
            None => json!({ "uri": root.uri }),
        };
        Some(json!({ "roots": roots.iter().map(root).collect::<Vec<_>>() }))
    }

    pub(super) fn answer(&self) -> RootsAnswer {
        match self {
            Self::Undeclared => RootsAnswer::Error(super::session::METHOD_NOT_FOUND),
            Self::Empty => RootsAnswer::Roots(0),
            Self::Roots(roots) => RootsAnswer::Roots(roots.len()),
            Self::Error(code) => RootsAnswer::Error(*code),
            Self::Never => RootsAnswer::Nothing,
            Self::Late(time, roots) => RootsAnswer::Late(*time, roots.len()),
        }
    }
}

/// When a server asked. A server that asks about something that happened a while ago is taken to ask for what happens
/// now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Moment {
    /// Before the client was initialized, which it must not.
    BeforeInitialized,
    /// After `notifications/initialized`, before any request.
    AfterInitialized,
    /// While a call of this tool was open.
    InsideCall(String),
    /// While another request of this method was open.
    InsideRequest(String),
    /// After `notifications/roots/list_changed`, before another request.
    AfterListChanged,
    /// While no request was open, and nothing was notified.
    Idle,
    /// As an input request of this tool, or of this method.
    InputRequest(String),
}

impl Moment {
    /// The name in JSON.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::BeforeInitialized => "before-initialized",
            Self::AfterInitialized => "after-initialized",
            Self::InsideCall(_) => "inside-call",
            Self::InsideRequest(_) => "inside-request",
            Self::AfterListChanged => "after-list-changed",
            Self::Idle => "idle",
            Self::InputRequest(_) => "input-request",
        }
    }

    /// The tool or method that it is about.
    #[must_use]
    pub fn of(&self) -> Option<&str> {
        match self {
            Self::InsideCall(of) | Self::InsideRequest(of) | Self::InputRequest(of) => Some(of),
            _ => None,
        }
    }
}

impl fmt::Display for Moment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BeforeInitialized => write!(f, "before initialized"),
            Self::AfterInitialized => write!(f, "after initialized"),
            Self::InsideCall(tool) => write!(f, "inside a call of `{tool}`"),
            Self::InsideRequest(method) => write!(f, "while `{method}` was open"),
            Self::AfterListChanged => write!(f, "after list_changed"),
            Self::Idle => write!(f, "between requests"),
            Self::InputRequest(of) => write!(f, "as an input request of `{of}`"),
        }
    }
}

/// What the client answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RootsAnswer {
    /// So many roots.
    Roots(usize),
    /// An error of this code. In the modern era an input request cannot be answered with an error: the call was not
    /// taken up again.
    Error(i64),
    /// Nothing.
    Nothing,
    /// So many roots after this time.
    Late(Duration, usize),
}

impl fmt::Display for RootsAnswer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let roots = |count: usize| format!("{count} {}", if count == 1 { "root" } else { "roots" });
        match self {
            Self::Roots(count) => write!(f, "{}", roots(*count)),
            Self::Error(code) => write!(f, "error {code}"),
            Self::Nothing => write!(f, "no answer"),
            Self::Late(time, count) => write!(f, "{} after {time:?}", roots(*count)),
        }
    }
}

/// One question for roots.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ask {
    /// Since the session began.
    pub at: Duration,
    /// When, in terms of the protocol.
    pub moment: Moment,
    /// What it was told.
    pub answer: RootsAnswer,
}
