//! `rules/sdks/<lang>/*.toml`: the Roots surface of an SDK, item by item, and what its versions do.

use semver::{Version, VersionReq};
use serde::Deserialize;

use super::protocol::Construct;

/// Names of one kind that stand for one construct.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TypeItem {
    /// Type names, whatever module of the SDK they come from.
    pub names: Vec<String>,
    /// What naming them means.
    pub construct: Construct,
    /// Versions that have them.
    pub versions: Option<VersionReq>,
    /// First version in which rustc warns at the use.
    pub rustc: Option<Version>,
}

/// A method that is called.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MethodItem {
    /// Method names.
    pub names: Vec<String>,
    /// What the call does.
    pub construct: Construct,
    /// Numbers of arguments that it takes; another number is another method.
    pub args: Vec<usize>,
    /// Types whose method it is, such as `Peer<RoleServer>`; type arguments must match where both name them.
    #[serde(default)]
    pub receiver_types: Vec<String>,
    /// Types that have a method of this name which is no use of Roots (of this construct).
    #[serde(default)]
    pub other_receiver_types: Vec<String>,
    /// Words that a receiver's name has when nothing tells its type: `peer` matches `server_peer`.
    #[serde(default)]
    pub receiver_words: Vec<String>,
    /// The name alone tells, no receiver needed.
    #[serde(default)]
    pub distinctive: bool,
    /// Directly followed by one of these calls it is another API.
    #[serde(default)]
    pub not_followed_by: Vec<String>,
    /// Versions that have it.
    pub versions: Option<VersionReq>,
    /// First version in which rustc warns at the use.
    pub rustc: Option<Version>,
}

/// A trait method that user code implements.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OverrideItem {
    /// Last segments of the trait.
    pub traits: Vec<String>,
    /// Method names.
    pub names: Vec<String>,
    /// What implementing it does.
    pub construct: Construct,
    /// The name alone tells, even in a facade trait.
    #[serde(default)]
    pub distinctive: bool,
    /// Versions that have it.
    pub versions: Option<VersionReq>,
    /// First version in which rustc warns at the use.
    pub rustc: Option<Version>,
}

/// An enum variant, recognised by its last two segments.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct VariantItem {
    /// Enum names.
    pub of: Vec<String>,
    /// Variant names.
    pub names: Vec<String>,
    /// What building it does.
    pub construct: Construct,
    /// What matching on it does, where that differs.
    pub matched: Option<Construct>,
    /// Versions that have it.
    pub versions: Option<VersionReq>,
    /// First version in which rustc warns at the use.
    pub rustc: Option<Version>,
}

/// A public field.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FieldItem {
    /// Struct names.
    pub of: Vec<String>,
    /// Field names.
    pub names: Vec<String>,
    /// What writing something other than `None` does.
    pub written: Construct,
    /// What reading or matching does.
    pub read: Construct,
    /// Versions that have it.
    pub versions: Option<VersionReq>,
    /// First version in which rustc warns at the use.
    pub rustc: Option<Version>,
}

/// A string constant of the SDK; a use is judged like the string itself.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConstItem {
    /// Constant names.
    pub names: Vec<String>,
    /// The method string.
    pub value: String,
    /// Versions that have it.
    pub versions: Option<VersionReq>,
}

/// What some versions do at run time.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Behaviour {
    /// For these constructs.
    pub constructs: Vec<Construct>,
    /// In these versions.
    pub versions: VersionReq,
    /// One sentence, quoted in the finding.
    pub note: String,
}

/// One SDK.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Sdk {
    /// The name in findings.
    pub name: String,
    /// Packages whose API this is; their own source is the SDK, not a use of it.
    pub packages: Vec<String>,
    /// The packages' names are common among unrelated crates: only a registry dependency counts, and source of
    /// a package of that name is not taken for the SDK.
    #[serde(default)]
    pub ambiguous: bool,
    /// Versions that were read, in words.
    pub checked: String,
    /// Where the SDK lives.
    pub url: String,
    /// Types that carry the connection; a parameter of such a type marks a facade of a hook.
    #[serde(default)]
    pub context_types: Vec<String>,
    /// Handler methods that the SDK runs outside of a request.
    #[serde(default)]
    pub outside_call: Vec<String>,
    /// Types.
    #[serde(default, rename = "type")]
    pub types: Vec<TypeItem>,
    /// Called methods.
    #[serde(default, rename = "method")]
    pub methods: Vec<MethodItem>,
    /// Implemented trait methods.
    #[serde(default, rename = "override")]
    pub overrides: Vec<OverrideItem>,
    /// Enum variants.
    #[serde(default, rename = "variant")]
    pub variants: Vec<VariantItem>,
    /// Fields.
    #[serde(default, rename = "field")]
    pub fields: Vec<FieldItem>,
    /// String constants.
    #[serde(default, rename = "const")]
    pub consts: Vec<ConstItem>,
    /// Macros and derives, by their last segment.
    #[serde(default, rename = "macro")]
    pub macros: Vec<TypeItem>,
    /// Run-time behaviour by version.
    #[serde(default, rename = "behaviour")]
    pub behaviours: Vec<Behaviour>,
}

impl Sdk {
    /// Crate names under which code writes the SDK unless a manifest renames it.
    pub fn crate_names(&self) -> impl Iterator<Item = String> {
        self.packages.iter().map(|package| package.replace('-', "_"))
    }

    /// Every name that code can write, for the prefilter.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let types = self.types.iter().chain(&self.macros).flat_map(|item| &item.names);
        types
            .chain(self.methods.iter().flat_map(|item| &item.names))
            .chain(self.overrides.iter().flat_map(|item| &item.names))
            .chain(self.variants.iter().flat_map(|item| &item.names))
            .chain(self.consts.iter().flat_map(|item| &item.names))
            .map(String::as_str)
    }
}

/// Whether an item exists in `version`; an unknown version has everything.
#[must_use]
pub fn exists_in(versions: Option<&VersionReq>, version: Option<&Version>) -> bool {
    match (versions, version) {
        (Some(versions), Some(version)) => matches(versions, version),
        _ => true,
    }
}

/// Like [`VersionReq::matches`], but a pre-release counts as the release it leads to.
#[must_use]
pub fn matches(versions: &VersionReq, version: &Version) -> bool {
    versions.matches(version)
        || (!version.pre.is_empty() && versions.matches(&Version::new(version.major, version.minor, version.patch)))
}
