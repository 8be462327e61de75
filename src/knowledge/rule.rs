//! `rules/lints/<rule>/rule.toml`: what users select, suppress and look up.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::protocol::{Construct, Role};
use super::server::Effect;

/// How much a finding weighs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Severity {
    /// Listed only with `--pedantic`.
    Note,
    /// Should be looked at.
    Warning,
    /// Breaks at the target revision.
    Error,
}

impl Severity {
    /// The name of design and output.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Note => "note",
            Self::Warning => "warning",
            Self::Error => "error",
        }
    }

    /// One step down; a note stays a note.
    #[must_use]
    pub fn lowered(self) -> Self {
        match self {
            Self::Error => Self::Warning,
            Self::Warning | Self::Note => Self::Note,
        }
    }
}

/// How a usage speaks of Roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Form {
    /// Through the API of an SDK.
    Sdk,
    /// By hand: strings, JSON and own types.
    Wire,
}

/// A thing that is wrong or risky whatever the revision says.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "`summary` of the rule that applies to each describes it")]
pub enum Advice {
    CapabilityWithoutHandler,
    RequestUnchecked,
    RequestWithoutDeadline,
    RequestOutsideCall,
    RootUriScheme,
    RootUriTraversal,
    RootUriStringSurgery,
    UnusedSuppression,
    InvalidSuppression,
}

/// What of a host config a rule speaks of.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "described at `usage::ConfigUse`")]
pub enum ConfigKind {
    Roots,
    Server,
    Override,
    Flag,
}

/// Which usages a rule speaks of.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Applies {
    /// Constructs, in the SDK form unless `form` says otherwise.
    #[serde(default)]
    pub constructs: Vec<Construct>,
    /// Narrows to one form.
    pub form: Option<Form>,
    /// Or one advice.
    pub advice: Option<Advice>,
    /// Or one thing in host configs.
    pub config: Option<ConfigKind>,
}

/// One line of help, and where it fits.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Help {
    /// What to do.
    pub text: String,
    /// Only for this side of the protocol.
    pub role: Option<Role>,
    /// Only for these constructs.
    #[serde(default)]
    pub constructs: Vec<Construct>,
}

/// `rule.toml`; `name` and `page` come from the folder.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The folder's name.
    #[serde(skip)]
    pub name: String,
    /// The explain page, Markdown.
    #[serde(skip)]
    pub page: String,
    /// One line, lower case, no full stop.
    pub summary: String,
    /// Which usages it speaks of.
    pub applies: Applies,
    /// Level of an advice; protocol rules take theirs from the status.
    pub level: Option<Severity>,
    /// Headline of an advice or config rule; `{item}` is the code it points at, `{detail}` what the knowledge says of it.
    pub headline: Option<String>,
    /// Headlines by what happens without roots, for the rule about servers in configs.
    #[serde(default)]
    pub headlines: BTreeMap<Effect, String>,
    /// What to do instead, best first.
    #[serde(default, rename = "help")]
    pub helps: Vec<Help>,
    /// More to know, shown with every finding of the rule.
    #[serde(default)]
    pub notes: Vec<String>,
}

impl Rule {
    /// The words that `rules` and the README print for the level.
    #[must_use]
    pub fn level_name(&self) -> &'static str {
        match self.level {
            Some(level) => level.name(),
            None if self.applies.config.is_some() => "by server",
            None => "by revision",
        }
    }
}
