//! What goes into a session and what comes out: whom to speak to, as what client, and how requests ended.

use std::io;
use std::time::Duration;

use serde_json::Value;

use super::Era;
use super::process::{Ending, Launch};
use super::roots::RootsPolicy;
use super::session::NOT_KNOWN;
use super::stdio::{Captured, Noise};

/// A server behind a URL.
#[derive(Clone, PartialEq, Eq)]
pub struct UrlTarget {
    /// The MCP endpoint.
    pub url: String,
    /// Headers of every request. May hold secrets: never shown.
    pub headers: Vec<(String, String)>,
}

impl std::fmt::Debug for UrlTarget {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("UrlTarget").field("url", &self.url).field("headers", &names).finish()
    }
}

/// Which server to speak to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// One to start, spoken to over its standard input and output.
    Command(Launch),
    /// One that runs.
    Url(UrlTarget),
}

/// What client to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Client {
    /// The era that it speaks.
    pub era: Era,
    /// What it says about Roots.
    pub roots: RootsPolicy,
    /// How long it waits for each answer.
    pub timeout: Duration,
}

/// What the server said about itself. Text from outside: not safe to print as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct About {
    /// Its name and version.
    pub name: String,
    /// The revision in use.
    pub revision: String,
    /// All revisions that it named, in the modern era.
    pub revisions: Vec<String>,
    /// Its capabilities.
    pub capabilities: Value,
}

/// Messages and noise of a session so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Messages to the server.
    pub sent: u64,
    /// Messages from the server.
    pub received: u64,
    /// Questions for roots, also those that are not kept.
    pub asks: u64,
}

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fault {
    /// None came in time.
    Timeout(Duration),
    /// The server ended, or closed its output; how.
    Ended(String),
    /// It sent too much else; what.
    Flood(String),
    /// The request could not be sent over HTTP; why.
    Http(String),
    /// The server wants input that this client does not give; which.
    Input(String),
}

impl Fault {
    /// Whether there is nobody to speak to any more.
    #[must_use]
    pub fn is_final(&self) -> bool {
        matches!(self, Self::Ended(_) | Self::Flood(_))
    }
}

impl std::fmt::Display for Fault {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Timeout(time) => write!(f, "no answer within {time:?}"),
            Self::Ended(how) => write!(f, "{how}"),
            Self::Flood(what) => write!(f, "given up: {what}"),
            Self::Http(why) => write!(f, "not sent: {why}"),
            Self::Input(what) => write!(f, "the server wants {what}"),
        }
    }
}

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reply {
    /// A result.
    Result(Value),
    /// A JSON-RPC error.
    Error {
        /// Its code.
        code: i64,
        /// Its message.
        message: String,
    },
    /// There is none.
    Silent(Fault),
}

impl Reply {
    pub(super) fn of(message: &Value) -> Self {
        match message.get("error") {
            Some(error) => Self::Error {
                code: error.get("code").and_then(Value::as_i64).unwrap_or_default(),
                message: error.get("message").and_then(Value::as_str).unwrap_or_default().to_owned(),
            },
            None => Self::Result(message.get("result").cloned().unwrap_or_default()),
        }
    }
}

/// A request and all that happened until it was answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The last answer.
    pub reply: Reply,
    /// Times that the request was sent: 1, and one more for each round of input.
    pub rounds: usize,
    /// Messages and questions meanwhile.
    pub counts: Counts,
    /// How long it took.
    pub elapsed: Duration,
}

/// All pages of a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// The entries.
    pub items: Vec<Value>,
    /// Why there are no more, when that is not because the list ended.
    pub stopped: Option<Reply>,
}

/// Why there is no session.
#[derive(Debug)]
pub enum OpenError {
    /// The program could not be started.
    Start(io::Error),
    /// The target cannot be spoken to as it was given.
    Target(String),
    /// The server did not answer the first request as it must.
    Handshake {
        /// The first request.
        method: &'static str,
        /// Its answer.
        reply: Reply,
        /// What came beside it.
        remains: Box<Remains>,
    },
    /// It does not speak the revision.
    Revision {
        /// What it speaks.
        spoken: Vec<String>,
        /// What came beside it.
        remains: Box<Remains>,
    },
}

impl OpenError {
    /// What came beside the answer, if there was anybody to give it.
    #[must_use]
    pub fn remains(&self) -> Option<&Remains> {
        match self {
            Self::Start(_) | Self::Target(_) => None,
            Self::Handshake { remains, .. } | Self::Revision { remains, .. } => Some(remains),
        }
    }
}

impl std::fmt::Display for OpenError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Start(error) => write!(f, "the program cannot be started: {error}"),
            Self::Target(why) => write!(f, "{why}"),
            Self::Handshake { method, reply: Reply::Silent(fault), .. } => write!(f, "`{method}`: {fault}"),
            Self::Handshake { method, reply: Reply::Error { message, .. }, .. } if message == NOT_KNOWN => {
                write!(f, "`{method}`: what is sent comes back, so this is no MCP server")
            }
            Self::Handshake { method, reply: Reply::Error { code, message }, .. } => {
                write!(f, "`{method}` was answered with error {code}: {message}")
            }
            Self::Handshake { method, .. } => write!(f, "`{method}` was answered with a result that is none"),
            Self::Revision { spoken, .. } if spoken.is_empty() => write!(f, "the server names no revision it speaks"),
            Self::Revision { spoken, .. } => write!(f, "the server speaks {}", spoken.join(", ")),
        }
    }
}

/// What is left of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Remains {
    /// How the process ended; nothing for a URL.
    pub ending: Option<Ending>,
    /// What came on standard output and is no message.
    pub noise: Noise,
    /// What came on standard error.
    pub stderr: Captured,
}
