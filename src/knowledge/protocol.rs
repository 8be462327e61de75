//! `rules/protocol.toml`: the revisions, and what each says of each construct.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

/// Which side of the protocol a piece of code is on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Role {
    /// Sends tool calls, owns the directories.
    Client,
    /// Serves tools, wants to know the directories.
    Server,
    /// Both at once: a proxy or relay.
    Gateway,
    /// The code does not tell.
    Unknown,
}

/// One protocol-level thing that a piece of code does with Roots.
///
/// `WireTypeListChanged` and `WireMethodListChanged` are the parts of `wire-type` and `wire-method` that belong
/// to the notification; they have a fate of their own and the same name in output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "`does` in rules/protocol.toml describes each one")]
pub enum Construct {
    Capability,
    ListChangedFlag,
    ListHandler,
    ListRequest,
    InputRequest,
    ListChangedSent,
    ListChangedHandler,
    CapabilityCheck,
    WireType,
    #[serde(rename = "wire-type/list-changed")]
    WireTypeListChanged,
    WireMethod,
    #[serde(rename = "wire-method/list-changed")]
    WireMethodListChanged,
    HostRoots,
    ServerLaunch,
}

impl Construct {
    /// The name of design and output, such as `list-request`.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Capability => "capability",
            Self::ListChangedFlag => "list-changed-flag",
            Self::ListHandler => "list-handler",
            Self::ListRequest => "list-request",
            Self::InputRequest => "input-request",
            Self::ListChangedSent => "list-changed-sent",
            Self::ListChangedHandler => "list-changed-handler",
            Self::CapabilityCheck => "capability-check",
            Self::WireType | Self::WireTypeListChanged => "wire-type",
            Self::WireMethod | Self::WireMethodListChanged => "wire-method",
            Self::HostRoots => "host-roots",
            Self::ServerLaunch => "server-launch",
        }
    }

    /// Whether this names a type or a string rather than doing something.
    #[must_use]
    pub fn is_name_only(self) -> bool {
        matches!(self, Self::WireType | Self::WireTypeListChanged | Self::WireMethod | Self::WireMethodListChanged)
    }
}

/// What a revision says of a construct.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Status {
    /// In force.
    Active,
    /// Not there yet.
    Unavailable,
    /// In force, and on its way out.
    Deprecated,
    /// The type lives on, but peers do not accept it in this form.
    Refused,
    /// Gone.
    Removed,
}

impl Status {
    /// The name of design and output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Active => "active",
            Self::Unavailable => "unavailable",
            Self::Deprecated => "deprecated",
            Self::Refused => "refused",
            Self::Removed => "removed",
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// How connections of a revision begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Era {
    /// `initialize` handshake.
    Legacy,
    /// Stateless requests.
    Modern,
}

impl Era {
    /// The name, as everywhere: in files, events and reports.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::Modern => "modern",
        }
    }
}

/// One published revision.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Revision {
    /// Its date, which orders revisions.
    pub id: String,
    /// How its connections begin.
    pub era: Era,
}

/// One construct and its fate over time.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConstructInfo {
    /// Which construct.
    pub id: Construct,
    /// Completes "`item` …" in a headline.
    pub does: String,
    /// The side that the construct stands on.
    pub role: Role,
    /// Revision → the status that starts there.
    pub status: BTreeMap<String, Status>,
}

/// The whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Protocol {
    /// The revision that code is judged against unless the user names another.
    pub default_target: String,
    /// Where the deprecation is described.
    pub url: String,
    /// The exact words on when deprecated things may go.
    pub earliest_removal: String,
    /// All revisions, oldest first.
    #[serde(rename = "revision")]
    pub revisions: Vec<Revision>,
    /// All constructs.
    #[serde(rename = "construct")]
    pub constructs: Vec<ConstructInfo>,
}

impl Protocol {
    /// Whether `id` is a published revision.
    #[must_use]
    pub fn knows(&self, id: &str) -> bool {
        self.revisions.iter().any(|revision| revision.id == id)
    }

    /// The entry of a construct.
    ///
    /// # Panics
    /// Never for loaded knowledge: [`super::Knowledge::load`] checks that every construct is there.
    #[must_use]
    pub fn construct(&self, construct: Construct) -> &ConstructInfo {
        self.constructs
            .iter()
            .find(|info| info.id == construct)
            .unwrap_or_else(|| unreachable!("validated on load: {construct:?}"))
    }

    /// The status of a construct at a revision, and the revision that brought it.
    #[must_use]
    pub fn status<'a>(&'a self, construct: Construct, target: &'a str) -> (Status, &'a str) {
        self.construct(construct)
            .status
            .iter()
            .rfind(|(since, _)| since.as_str() <= target)
            .map_or((Status::Unavailable, target), |(since, status)| (*status, since.as_str()))
    }
}
