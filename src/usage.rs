//! What analyzers produce: places in files where Roots is used. A usage carries no verdict.

use std::ops::Range;
use std::sync::Arc;

use semver::Version;
use serde::Serialize;

use crate::knowledge::protocol::{Construct, Role};
use crate::knowledge::rule::{Advice, ConfigKind, Form};
use crate::knowledge::server::Effect;
use crate::project::source::Source;

/// What a suppression comment begins with: a file that holds it is read even when nothing else in it matters.
pub const MARKER: &str = "mcp-roots-lint:";

/// How sure the analyzer is that this is MCP Roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, clap::ValueEnum)]
#[serde(rename_all = "kebab-case")]
pub enum Confidence {
    /// The names fit, little else does.
    Possible,
    /// The names fit and so do the surroundings.
    Likely,
    /// Types, imports or manifests say so.
    Certain,
}

/// What a config does with Roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ConfigUse {
    /// Lists roots, or switches them on in the host.
    Roots,
    /// Starts a server that asks for roots and has nothing else.
    Server {
        /// What happens without roots.
        effect: Effect,
        /// There is an argument or variable to use instead.
        replaceable: bool,
    },
    /// Names directories that roots replace.
    Override,
    /// Switches Roots on in a server.
    Flag,
}

impl ConfigUse {
    /// The kind that rules speak of.
    #[must_use]
    pub fn kind(self) -> ConfigKind {
        match self {
            Self::Roots => ConfigKind::Roots,
            Self::Server { .. } => ConfigKind::Server,
            Self::Override => ConfigKind::Override,
            Self::Flag => ConfigKind::Flag,
        }
    }

    /// The construct that stands behind it.
    #[must_use]
    pub fn construct(self) -> Construct {
        match self {
            Self::Roots => Construct::HostRoots,
            Self::Server { .. } | Self::Override | Self::Flag => Construct::ServerLaunch,
        }
    }
}

/// What a usage speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum What {
    /// A construct of the protocol.
    Construct(Construct, Form),
    /// Something in a host config.
    Config(ConfigUse),
    /// A piece of advice.
    Advice(Advice),
}

/// The SDK behind a usage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SdkUse {
    /// Its name in `rules/sdks`.
    pub name: String,
    /// The locked version, else the lowest that the requirement allows, else unknown.
    pub version: Option<Version>,
}

/// Something that makes a usage weigh less; recorded by analyzers, weighed by the judge.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mitigation {
    /// A match arm that only refuses the thing.
    OnlyRefused,
    /// The crate builds the modern form as well.
    LegacyPath,
    /// It is switched off.
    Disabled,
    /// Other programs have the same name.
    AmbiguousLaunch,
}

/// A remark that the judge turns into a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Remark {
    /// `#[allow(deprecated)]` or `#[expect(deprecated)]` is in force.
    RustcSilenced,
    /// The SDK does not mark the item, so rustc says nothing.
    RustcSilent,
    /// A dispatch by hand, which the modern form never reaches.
    HandWrittenDispatch,
    /// The file does not parse; this was seen in its tokens.
    TokensOnly,
    /// The host sends roots to its servers.
    HostSendsRoots,
    /// The host sends none.
    HostSendsNone,
}

/// A second place that belongs to a usage.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RelatedUse {
    /// The file it is in.
    pub source: Arc<Source>,
    /// Bytes of that file's text.
    pub span: Range<usize>,
    /// What stands there.
    pub message: String,
}

/// One use of Roots.
#[derive(Clone, Debug)]
pub struct Usage {
    /// Construct or advice.
    pub what: What,
    /// The file it is in.
    pub source: Arc<Source>,
    /// Bytes of the file's text (see [`Source::text`]).
    pub span: Range<usize>,
    /// The code as a person would quote it, such as `peer.list_roots()`.
    pub item: String,
    /// The side of the protocol.
    pub role: Role,
    /// How sure.
    pub confidence: Confidence,
    /// The SDK, where one is behind it.
    pub sdk: Option<SdkUse>,
    /// Test code.
    pub in_test: bool,
    /// Lowers the weight.
    pub mitigations: Vec<Mitigation>,
    /// More to say.
    pub remarks: Vec<Remark>,
    /// Places that belong to it.
    pub related: Vec<RelatedUse>,
    /// The host whose config it is in.
    pub host: Option<String>,
    /// What the knowledge says of this very thing; `{detail}` of a headline.
    pub detail: Option<String>,
    /// Help for this very place, better than the rule's.
    pub help: Vec<String>,
}
