//! `rules/wire.toml`: the protocol as text, and the words around a string that tell what it does.

use serde::Deserialize;

use super::protocol::Construct;

/// A method string and what it stands for by direction.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct WireMethod {
    /// The string, and spellings of it that are mistakes.
    pub values: Vec<String>,
    /// Written into a request or notification.
    pub sent: Construct,
    /// Dispatched on.
    pub received: Construct,
    /// Inside an input request.
    pub input: Construct,
    /// No telling.
    pub unknown: Construct,
}

/// JSON keys.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Json {
    /// Parents of the capability.
    pub capability_parents: Vec<String>,
    /// The capability's key.
    pub capability: String,
    /// Its sub-flags.
    pub flags: Vec<String>,
    /// Parents of input requests and their answers.
    pub input_parents: Vec<String>,
    /// The key of a message's method.
    pub method: String,
    /// Part of a binding's name that makes a bare object a capabilities object.
    pub binding_word: String,
}

/// Words that tell the direction of a string.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Direction {
    /// Of callees that send.
    pub sent: Vec<String>,
    /// Of callees that register or dispatch.
    pub received: Vec<String>,
    /// Of callees and bindings that make the string something else.
    pub veto: Vec<String>,
}

/// Macro names.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Macros {
    /// Their strings are text for people.
    pub text: Vec<String>,
    /// Their body is JSON.
    pub json: Vec<String>,
}

/// What a finding on a hand-written type points at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Anchor {
    /// The type's name.
    Name,
    /// The field that makes it one.
    Field,
}

/// A type that people write by hand.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandRolledType {
    /// Whole names.
    #[serde(default)]
    pub names: Vec<String>,
    /// Ends of names.
    #[serde(default)]
    pub suffixes: Vec<String>,
    /// One of these fields must be there (none listed: any struct of the name).
    pub fields: Vec<String>,
    /// What it stands for.
    pub construct: Construct,
    /// What to point at.
    pub anchor: Anchor,
}

/// Types that people write by hand, and what must stand in the file beside them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct HandRolled {
    /// The file's text contains one of these.
    pub evidence: Vec<String>,
    /// The types.
    #[serde(rename = "type")]
    pub types: Vec<HandRolledType>,
}

/// Root URIs as literals and as text.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Uri {
    /// The list that holds roots in JSON.
    pub list: String,
    /// The key of the URI in a root.
    pub key: String,
    /// What a root URI must begin with.
    pub scheme: String,
    /// Methods that cut text.
    pub surgery: Vec<String>,
    /// The texts they cut.
    pub scheme_texts: Vec<String>,
}

/// A list of words.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Deadline {
    /// Of calls and macros that stop waiting.
    pub words: Vec<String>,
}

/// Code that leaves the request it was started in.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Detached {
    /// Calls that start it.
    pub calls: Vec<String>,
}

/// Types that make a `roots/list` an input request.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Input {
    /// Type and enum names.
    pub types: Vec<String>,
}

/// How a refusal reads.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Refusal {
    /// Words of the function or macro that a refusing arm ends in.
    pub words: Vec<String>,
}

/// Names that speak of MCP by themselves.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Telling {
    /// One of these words beside another one.
    pub words: Vec<String>,
}

/// The whole file.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Wire {
    /// Method strings.
    #[serde(rename = "method")]
    pub methods: Vec<WireMethod>,
    /// JSON keys.
    pub json: Json,
    /// Direction words.
    pub direction: Direction,
    /// Macro names.
    pub macros: Macros,
    /// Hand-written types.
    pub hand_rolled: HandRolled,
    /// Root URIs.
    pub uri: Uri,
    /// Deadline words.
    pub deadline: Deadline,
    /// Detaching calls.
    pub detached: Detached,
    /// Input requests.
    pub input: Input,
    /// Refusals.
    pub refusal: Refusal,
    /// Telling names.
    pub telling: Telling,
}

impl HandRolled {
    /// The entries that a type's name fits.
    pub fn named(&self, name: &str) -> impl Iterator<Item = &HandRolledType> {
        self.types.iter().filter(move |own| {
            own.names.iter().any(|known| known == name) || own.suffixes.iter().any(|suffix| name.ends_with(suffix))
        })
    }
}

impl Wire {
    /// The method that a string is, exactly.
    #[must_use]
    pub fn method(&self, text: &str) -> Option<&WireMethod> {
        self.methods.iter().find(|method| method.values.iter().any(|value| value == text))
    }
}
