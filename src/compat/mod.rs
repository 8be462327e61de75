//! The reference compatibility server: full Roots in both protocol eras, and the same tools in each migrated form.
//!
//! | module | what lives there |
//! |---|---|
//! | [`uri`] | root URIs to paths, and the resource URIs of the migrated form |
//! | [`boundary`] | directories as handles: the access boundary |
//! | [`count`] | counting lines in a directory, within budgets |
//! | [`roots`] | the client's roots: asking in each era, caching, degrading |
//! | [`select`] | from the arguments of a call to a directory |
//! | [`tools`] | the tools of each mode, and their arguments |
//! | `calls` | what a call does with these |
//! | [`server`] | the MCP server: its methods, and what a client negotiated |
//! | [`shared`] | what all connections of a process have in common |
//! | [`stdio`], [`http`] | the transports |
//! | [`events`] | what was done about Roots, for a person who watches |
//!
//! Roots is deprecated by SEP-2577, so is what rmcp has of it; here it is the subject.
#![allow(deprecated)]

pub mod boundary;
mod calls;
pub mod count;
pub mod events;
pub mod http;
pub mod roots;
pub mod select;
pub mod server;
pub mod shared;
pub mod stdio;
pub mod tools;
pub mod uri;

use std::path::PathBuf;

pub use crate::knowledge::protocol::Era;
use roots::session::Limits;
use serde::Serialize;

/// Where directories come from: before a migration, and after each one that the specification names.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The client's roots.
    #[default]
    Roots,
    /// A tool parameter.
    Arguments,
    /// A resource URI.
    Resources,
    /// The server's configuration.
    Config,
}

/// Which revisions are offered.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Offer {
    /// All of them; the era is decided for each request.
    #[default]
    Both,
    /// Those with `initialize`, up to 2025-11-25.
    Legacy,
    /// 2026-07-28 and later.
    Modern,
}

/// Where the directory of a result came from: the field `source`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub enum Source {
    /// A root that the session knew.
    #[serde(rename = "roots:cached")]
    Cached,
    /// A root that was asked for by this call.
    #[serde(rename = "roots:asked")]
    Asked,
    /// A root that came with the call (2026-07-28).
    #[serde(rename = "roots:input-request")]
    InputRequest,
    /// The working directory, as the client does not declare roots.
    #[serde(rename = "cwd:no-capability")]
    NoCapability,
    /// The working directory, as the client has no root.
    #[serde(rename = "cwd:empty-list")]
    EmptyList,
    /// The working directory, as the client failed to answer.
    #[serde(rename = "cwd:no-answer")]
    NoAnswer,
    /// The working directory, as none of the roots can be used.
    #[serde(rename = "cwd:no-usable-root")]
    NoUsableRoot,
    /// A tool parameter.
    #[serde(rename = "argument")]
    Argument,
    /// A resource URI.
    #[serde(rename = "resource")]
    Resource,
    /// The server's configuration.
    #[serde(rename = "config")]
    Config,
}

/// What the server is told on its command line.
pub struct Options {
    /// Where directories come from.
    pub mode: Mode,
    /// Which revisions are offered.
    pub offer: Offer,
    /// Nothing stands in for roots.
    pub strict: bool,
    /// Deadline and size of answers to `roots/list`.
    pub limits: Limits,
    /// The allowed directories of the migrated modes.
    pub allow_dirs: Vec<PathBuf>,
    /// Also the fixtures that the conformance suite calls.
    pub conformance: bool,
    /// What to print once when Roots is negotiated.
    pub deprecation: String,
}

/// Why the server could not be started.
#[derive(Debug, thiserror::Error)]
pub enum StartError {
    /// The options do not fit each other or this machine.
    #[error("{0}")]
    Options(String),
    /// The transport could not be opened.
    #[error("{0}: {1}")]
    Transport(String, #[source] std::io::Error),
}
