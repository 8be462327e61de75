//! From facts to usages: what each mention is, given the names, the manifests and the knowledge.

mod calls;
mod fields;
mod paths;
mod wire;

use std::collections::BTreeSet;

use semver::Version;

use super::facts::{Fact, FileFacts, ItemId, Mention, PathPlace, TextPlace, TypeName};
use super::names::{Resolved, World};
use crate::knowledge::Knowledge;
use crate::knowledge::protocol::Construct;
use crate::knowledge::rule::Form;
use crate::knowledge::sdk::Sdk;
use crate::usage::{Confidence, Mitigation, Remark, SdkUse};

/// What kind of code a hit is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum HitKind {
    /// A name: a type, a variant, a constant.
    Path,
    /// A type that is written by hand.
    Definition,
    /// Code that does something.
    Act,
}

/// A mention that turned out to be a use.
#[derive(Clone, Debug)]
pub(super) struct Hit {
    pub kind: HitKind,
    pub construct: Construct,
    pub form: Form,
    pub confidence: Confidence,
    pub sdk: Option<SdkUse>,
    pub span: std::ops::Range<usize>,
    pub item: ItemId,
    pub quote: String,
    pub in_test: bool,
    pub mitigations: Vec<Mitigation>,
    pub remarks: Vec<Remark>,
    /// Inside something that stops waiting.
    pub under_deadline: bool,
    /// Inside something that leaves the request.
    pub detached: bool,
}

/// An SDK that may be behind a name in a file.
struct Candidate<'k> {
    sdk: &'k Sdk,
    version: Option<Version>,
    in_file: bool,
}

/// How much speaks for an SDK, apart from the name at hand.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Evidence {
    Dependency,
    File,
}

/// One file in its world.
pub(super) struct FileView<'w, 'k> {
    pub world: &'w World<'k>,
    pub knowledge: &'k Knowledge,
    pub unit: usize,
    pub file: usize,
    candidates: Vec<Candidate<'k>>,
    /// Functions that any file of the unit defines.
    pub own_functions: &'w BTreeSet<String>,
    /// Traits that any file of the unit defines.
    pub own_traits: &'w BTreeSet<String>,
}

/// What an SDK item gives a hit.
struct ItemMatch<'k> {
    construct: Construct,
    confidence: Confidence,
    sdk: &'k Sdk,
    version: Option<Version>,
    rustc: Option<&'k Version>,
}

impl<'w, 'k> FileView<'w, 'k> {
    pub(super) fn new(
        world: &'w World<'k>,
        knowledge: &'k Knowledge,
        unit: usize,
        file: usize,
        own_functions: &'w BTreeSet<String>,
        own_traits: &'w BTreeSet<String>,
    ) -> Self {
        let facts = &world.units[unit].files[file];
        let text = facts.source.text();
        let package = world.units[unit].package.as_ref();
        let declared = package.map(|package| package.sdks.as_slice()).unwrap_or_default();
        let mut candidates = Vec::new();
        for (index, sdk) in knowledge.rust_sdks.iter().enumerate() {
            let dependencies: Vec<_> = declared.iter().filter(|dependency| dependency.sdk == index).collect();
            let written = |name: &str| text.contains(&format!("{name}::"));
            if let Some(dependency) = dependencies.iter().find(|d| written(&d.crate_name)).or(dependencies.first()) {
                let in_file = written(&dependency.crate_name);
                candidates.push(Candidate { sdk, version: dependency.version.clone(), in_file });
            } else if !sdk.ambiguous && sdk.crate_names().any(|name| written(&name)) {
                candidates.push(Candidate { sdk, version: None, in_file: true });
            }
        }
        candidates.sort_by_key(|candidate| !candidate.in_file);
        Self { world, knowledge, unit, file, candidates, own_functions, own_traits }
    }

    pub(super) fn facts(&self) -> &'w FileFacts {
        &self.world.units[self.unit].files[self.file]
    }

    /// Whether the file has to do with MCP at all.
    fn speaks_mcp(&self) -> bool {
        self.facts().speaks_mcp || !self.candidates.is_empty()
    }

    /// Names of handlers that the SDKs at hand run outside of a request.
    pub(super) fn is_outside_call(&self, function: &str) -> bool {
        self.candidates.iter().any(|candidate| candidate.sdk.outside_call.iter().any(|name| name == function))
    }

    /// All hits of the file, imports of types included.
    pub(super) fn hits(&self) -> Vec<Hit> {
        let facts = self.facts();
        let mut hits: Vec<Hit> = facts.facts.iter().flat_map(|fact| self.judge_fact(fact)).collect();
        for (scope, imports) in facts.scopes.iter().enumerate().map(|(id, scope)| (id, &scope.imports)) {
            for import in imports {
                let Some(name) = &import.name else { continue };
                let Resolved::Sdk { sdk, version, path } =
                    self.world.resolve(self.unit, self.file, scope, std::slice::from_ref(name))
                else {
                    continue;
                };
                // An alias of the crate or of a module names nothing yet.
                let Some(found) = self.type_match(sdk, version, &path) else { continue };
                let mention = Mention::Path { segments: Vec::new(), place: PathPlace::Named, text: TextPlace::Other };
                let fact = Fact {
                    mention,
                    span: import.span.clone(),
                    quote: path.last().cloned().unwrap_or_default(),
                    item: import.item,
                    scope,
                    around: import.around,
                };
                hits.push(self.sdk_hit(&fact, found));
            }
        }
        hits.sort_by_key(|hit| (hit.span.start, hit.span.end, hit.construct));
        hits.dedup_by(|b, a| a.span == b.span && a.construct == b.construct);
        hits
    }

    fn judge_fact(&self, fact: &Fact) -> Option<Hit> {
        match &fact.mention {
            Mention::Path { segments, place, text } => self.path(fact, segments, *place, text),
            Mention::Call { method, args, receiver, then } => {
                let found = self.call(method, *args, receiver, then.as_deref(), fact);
                found.map(|found| self.sdk_hit(fact, found))
            }
            Mention::Method { method, of_trait, is_facade, params } => {
                let found = self.method(method, of_trait.as_deref(), *is_facade, params, fact);
                found.map(|found| self.sdk_hit(fact, found))
            }
            Mention::Field { field, base, access } => self.field(fact, field, base, *access),
            Mention::StructField { path, field, access } => self.struct_field(fact, path, field, *access),
            Mention::Text { value, place } => {
                let method = self.knowledge.wire.method(value)?;
                self.text(fact, method, place)
            }
            Mention::JsonKey { path, access, binding } => self.json_key(fact, path, *access, binding.as_deref()),
            Mention::Definition { name, fields } => self.definition(fact, name, fields),
            Mention::Macro { segments } => self.macro_use(fact, segments),
            Mention::Uri { .. } | Mention::Surgery { .. } => None,
        }
    }

    fn sdk_hit(&self, fact: &Fact, found: ItemMatch<'k>) -> Hit {
        let mut construct = found.construct;
        if fact.around.in_input && construct == Construct::ListRequest {
            construct = Construct::InputRequest;
        }
        let mut hit = self.wire_hit(fact, construct, found.confidence);
        hit.form = Form::Sdk;
        let warns = match (found.rustc, &found.version) {
            (Some(since), Some(version)) => Some(since <= version),
            (Some(_), None) => None,
            (None, _) => Some(false),
        };
        if warns == Some(false) {
            hit.remarks.push(Remark::RustcSilent);
        } else if fact.around.silenced {
            hit.remarks.push(Remark::RustcSilenced);
        }
        hit.sdk = Some(SdkUse { name: found.sdk.name.clone(), version: found.version });
        hit
    }

    fn wire_hit(&self, fact: &Fact, construct: Construct, confidence: Confidence) -> Hit {
        let around = &fact.around;
        let mut remarks = Vec::new();
        let mut confidence = confidence;
        if around.tokens_only {
            confidence = confidence.min(Confidence::Likely);
            remarks.push(Remark::TokensOnly);
        }
        let kind = match fact.mention {
            Mention::Path { .. } => HitKind::Path,
            Mention::Definition { .. } => HitKind::Definition,
            _ => HitKind::Act,
        };
        Hit {
            kind,
            construct,
            form: Form::Wire,
            confidence,
            sdk: None,
            span: fact.span.clone(),
            item: fact.item,
            quote: fact.quote.clone(),
            in_test: around.in_test,
            mitigations: around.refused.then_some(Mitigation::OnlyRefused).into_iter().collect(),
            remarks,
            under_deadline: around.under_deadline,
            detached: around.detached,
        }
    }
}

/// `Peer` of `Peer<RoleServer>`.
fn head(ty: &str) -> &str {
    ty.split('<').next().unwrap_or(ty)
}

/// Whether a type is one that the knowledge names: same last segment, and same first argument where both have one.
fn fits_type(ty: &TypeName, known: &str) -> bool {
    let args = known.split_once('<').map(|(_, args)| args.trim_end_matches('>'));
    let first = args.and_then(|args| args.split(',').next()).map(str::trim);
    ty.path.last().is_some_and(|last| last == head(known))
        && match (first, ty.args.first()) {
            (Some(known), Some(arg)) => known == arg,
            _ => true,
        }
}
