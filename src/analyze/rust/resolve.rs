//! From facts to usages: what each mention is, given the names, the manifests and the knowledge.

use std::collections::BTreeSet;

use semver::Version;

use super::facts::{Access, Fact, FileFacts, ItemId, Mention, PathPlace, Receiver, TextPlace, TypeName};
use super::names::{Resolved, World};
use super::words::any_word;
use crate::knowledge::Knowledge;
use crate::knowledge::protocol::Construct;
use crate::knowledge::rule::Form;
use crate::knowledge::sdk::{Sdk, exists_in};
use crate::knowledge::wire::{Anchor, WireMethod};
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

    // ----- paths -----

    fn path(&self, fact: &Fact, segments: &[String], place: PathPlace, text: &TextPlace) -> Option<Hit> {
        match self.world.resolve(self.unit, self.file, fact.scope, segments) {
            Resolved::Sdk { sdk, version, path } => self.sdk_path(fact, sdk, version, &path, place, text),
            Resolved::Unknown => {
                // `ServerRequest::ListRootsRequest` that came in by a glob or a macro.
                let [.., of, name] = segments else { return None };
                let candidate = self.candidates.iter().find(|candidate| {
                    let fits =
                        |item: &crate::knowledge::sdk::VariantItem| item.of.contains(of) && item.names.contains(name);
                    candidate.sdk.variants.iter().any(fits)
                })?;
                let index = self.index_of(candidate.sdk);
                let path = [of.clone(), name.clone()];
                self.sdk_path(fact, index, candidate.version.clone(), &path, place, text)
            }
            Resolved::Own | Resolved::Other => None,
        }
    }

    fn index_of(&self, sdk: &Sdk) -> usize {
        self.knowledge.rust_sdks.iter().position(|known| known.name == sdk.name).unwrap_or_default()
    }

    fn sdk_path(
        &self,
        fact: &Fact,
        index: usize,
        version: Option<Version>,
        path: &[String],
        place: PathPlace,
        text: &TextPlace,
    ) -> Option<Hit> {
        let sdk = &self.knowledge.rust_sdks[index];
        let version = version.or_else(|| self.version_of(sdk));
        for pair in path.windows(2) {
            let (of, name) = (&pair[0], &pair[1]);
            let fits = |item: &&crate::knowledge::sdk::VariantItem| {
                item.of.contains(of) && item.names.contains(name) && exists_in(item.versions.as_ref(), version.as_ref())
            };
            if let Some(item) = sdk.variants.iter().find(fits) {
                let matched = place == PathPlace::Pattern;
                let construct = item.matched.filter(|_| matched).unwrap_or(item.construct);
                let found =
                    ItemMatch { construct, confidence: Confidence::Certain, sdk, version, rustc: item.rustc.as_ref() };
                return Some(self.sdk_hit(fact, found));
            }
            let is_method = |item: &&crate::knowledge::sdk::MethodItem| {
                item.names.contains(name) && item.receiver_types.iter().any(|ty| head(ty) == of)
            };
            if let Some(item) = sdk.methods.iter().find(is_method) {
                let found = ItemMatch {
                    construct: item.construct,
                    confidence: Confidence::Certain,
                    sdk,
                    version,
                    rustc: item.rustc.as_ref(),
                };
                return Some(self.sdk_hit(fact, found));
            }
        }
        if let Some(item) = sdk.consts.iter().find(|item| path.last().is_some_and(|last| item.names.contains(last))) {
            let method = self.knowledge.wire.method(&item.value)?;
            let mut hit = self.text(fact, method, text)?;
            hit.sdk = Some(SdkUse { name: sdk.name.clone(), version });
            return Some(hit);
        }
        self.type_match(index, version, path).map(|found| self.sdk_hit(fact, found))
    }

    fn type_match(&self, index: usize, version: Option<Version>, path: &[String]) -> Option<ItemMatch<'k>> {
        let sdk = &self.knowledge.rust_sdks[index];
        let version = version.or_else(|| self.version_of(sdk));
        let fits = |item: &&crate::knowledge::sdk::TypeItem| {
            path.iter().any(|segment| item.names.contains(segment))
                && exists_in(item.versions.as_ref(), version.as_ref())
        };
        let item = sdk.types.iter().find(fits)?;
        let (construct, rustc) = (item.construct, item.rustc.as_ref());
        Some(ItemMatch { construct, confidence: Confidence::Certain, sdk, version, rustc })
    }

    fn version_of(&self, sdk: &Sdk) -> Option<Version> {
        let candidate = self.candidates.iter().find(|candidate| candidate.sdk.name == sdk.name)?;
        candidate.version.clone()
    }

    // ----- calls and definitions -----

    fn call(
        &self,
        method: &String,
        args: usize,
        receiver: &Receiver,
        then: Option<&str>,
        fact: &Fact,
    ) -> Option<ItemMatch<'k>> {
        let mut best: Option<ItemMatch<'k>> = None;
        for candidate in &self.candidates {
            let evidence = if candidate.in_file { Evidence::File } else { Evidence::Dependency };
            for item in candidate.sdk.methods.iter().filter(|item| item.names.contains(method)) {
                if !item.args.contains(&args)
                    || then.is_some_and(|then| item.not_followed_by.iter().any(|name| name == then))
                    || !exists_in(item.versions.as_ref(), candidate.version.as_ref())
                {
                    continue;
                }
                let Some(confidence) = self.receiver_confidence(item, receiver, evidence, method, fact) else {
                    continue;
                };
                if best.as_ref().is_none_or(|best| best.confidence < confidence) {
                    best = Some(ItemMatch {
                        construct: item.construct,
                        confidence,
                        sdk: candidate.sdk,
                        version: candidate.version.clone(),
                        rustc: item.rustc.as_ref(),
                    });
                }
            }
            // A hook that is called is forwarded: a facade, or a relay.
            let forwarded = candidate.sdk.overrides.iter().find(|item| item.distinctive && item.names.contains(method));
            if let (Some(item), None, true) = (forwarded, &best, candidate.in_file) {
                best = Some(ItemMatch {
                    construct: item.construct,
                    confidence: Confidence::Likely,
                    sdk: candidate.sdk,
                    version: candidate.version.clone(),
                    rustc: None,
                });
            }
        }
        best
    }

    /// How sure a call on this receiver is the SDK's; `None` when it is surely not.
    fn receiver_confidence(
        &self,
        item: &crate::knowledge::sdk::MethodItem,
        receiver: &Receiver,
        evidence: Evidence,
        method: &String,
        fact: &Fact,
    ) -> Option<Confidence> {
        let named = receiver.names.last().is_some_and(|last| any_word(&[last], &item.receiver_words));
        let own = self.own_functions.contains(method);
        if let Some(ty) = &receiver.ty {
            let name = self.full_type(ty, fact);
            if item.receiver_types.iter().any(|known| fits_type(&name, known)) {
                return Some(Confidence::Certain);
            }
            if item.other_receiver_types.iter().any(|known| fits_type(&name, known)) {
                return None;
            }
            // A type parameter says nothing; any other type is not the SDK's, unless it wraps it.
            let is_parameter = name.path.len() == 1 && name.path[0].len() <= 2;
            if !is_parameter && (own || !item.distinctive) {
                return (named && !own).then_some(Confidence::Likely);
            }
        }
        match (named || (item.distinctive && !own), evidence) {
            (true, _) => Some(Confidence::Certain),
            (false, _) if own => None,
            (false, Evidence::File) => Some(Confidence::Likely),
            (false, Evidence::Dependency) => Some(Confidence::Possible),
        }
    }

    /// The type with its import followed, as far as the last segment goes.
    fn full_type(&self, ty: &TypeName, fact: &Fact) -> TypeName {
        match self.world.resolve(self.unit, self.file, fact.scope, &ty.path) {
            Resolved::Sdk { path, .. } if !path.is_empty() => TypeName { path, args: ty.args.clone() },
            _ => ty.clone(),
        }
    }

    fn method(
        &self,
        method: &String,
        of_trait: Option<&[String]>,
        is_facade: bool,
        params: &[TypeName],
        fact: &Fact,
    ) -> Option<ItemMatch<'k>> {
        for candidate in &self.candidates {
            let items = candidate.sdk.overrides.iter().filter(|item| item.names.contains(method));
            for item in items.filter(|item| exists_in(item.versions.as_ref(), candidate.version.as_ref())) {
                let confidence = match of_trait {
                    Some(path) => self.trait_confidence(path, &item.traits, fact),
                    None if is_facade && item.distinctive => {
                        let context = |ty: &TypeName| {
                            ty.path.last().is_some_and(|last| candidate.sdk.context_types.contains(last))
                        };
                        let tokens = fact.around.tokens_only && candidate.in_file;
                        (tokens || params.iter().any(context)).then_some(Confidence::Likely)
                    }
                    None => None,
                };
                if let Some(confidence) = confidence {
                    return Some(ItemMatch {
                        construct: item.construct,
                        confidence,
                        sdk: candidate.sdk,
                        version: candidate.version.clone(),
                        rustc: item.rustc.as_ref(),
                    });
                }
            }
        }
        None
    }

    fn trait_confidence(&self, path: &[String], traits: &[String], fact: &Fact) -> Option<Confidence> {
        match self.world.resolve(self.unit, self.file, fact.scope, path) {
            Resolved::Sdk { path, .. } => {
                path.last().is_some_and(|last| traits.contains(last)).then_some(Confidence::Certain)
            }
            Resolved::Unknown => {
                let last = path.last()?;
                (traits.contains(last) && !self.own_traits.contains(last)).then_some(Confidence::Certain)
            }
            Resolved::Own | Resolved::Other => None,
        }
    }

    // ----- fields -----

    fn is_capabilities(&self, name: &str) -> bool {
        let parents = &self.knowledge.wire.json.capability_parents;
        parents.iter().any(|parent| parent == name) || name.ends_with("capabilities")
    }

    fn field(&self, fact: &Fact, field: &String, base: &Receiver, access: Access) -> Option<Hit> {
        if access == Access::Cleared {
            return None;
        }
        let json = &self.knowledge.wire.json;
        let is_capability = *field == json.capability;
        let named = match base.names.as_slice() {
            [.., last] if is_capability => self.is_capabilities(last),
            [.., parent, last] => *last == json.capability && self.is_capabilities(parent),
            _ => false,
        };
        for candidate in &self.candidates {
            for item in candidate.sdk.fields.iter().filter(|item| item.names.contains(field)) {
                let typed = base.ty.as_ref().map(|ty| self.full_type(ty, fact));
                let fits = typed.as_ref().is_some_and(|ty| ty.path.last().is_some_and(|last| item.of.contains(last)));
                let is_flag = item.written == Construct::ListChangedFlag;
                if fits || (named && is_flag != is_capability) {
                    let construct = if access == Access::Written { item.written } else { item.read };
                    let found = ItemMatch {
                        construct,
                        confidence: Confidence::Certain,
                        sdk: candidate.sdk,
                        version: candidate.version.clone(),
                        rustc: item.rustc.as_ref(),
                    };
                    return Some(self.sdk_hit(fact, found));
                }
            }
        }
        (named && self.speaks_mcp()).then(|| {
            let construct = match (is_capability, access) {
                (true, Access::Written) => Construct::Capability,
                (false, Access::Written) => Construct::ListChangedFlag,
                _ => Construct::CapabilityCheck,
            };
            self.wire_hit(fact, construct, Confidence::Likely)
        })
    }

    fn struct_field(&self, fact: &Fact, path: &[String], field: &String, access: Access) -> Option<Hit> {
        if access == Access::Cleared {
            return None;
        }
        let resolved = self.world.resolve(self.unit, self.file, fact.scope, path);
        let sdks: Vec<(&Sdk, Option<Version>)> = match &resolved {
            Resolved::Sdk { sdk, version, .. } => vec![(&self.knowledge.rust_sdks[*sdk], version.clone())],
            Resolved::Unknown => {
                let in_file = self.candidates.iter().filter(|candidate| candidate.in_file);
                in_file.map(|candidate| (candidate.sdk, candidate.version.clone())).collect()
            }
            Resolved::Own | Resolved::Other => Vec::new(),
        };
        let name = match &resolved {
            Resolved::Sdk { path, .. } => path.last()?,
            _ => path.last()?,
        };
        for (sdk, version) in sdks {
            let fits = |item: &&crate::knowledge::sdk::FieldItem| item.of.contains(name) && item.names.contains(field);
            if let Some(item) = sdk.fields.iter().find(fits) {
                let construct = if access == Access::Written { item.written } else { item.read };
                let version = version.or_else(|| self.version_of(sdk));
                let (confidence, rustc) = (Confidence::Certain, item.rustc.as_ref());
                let sdk = &self.knowledge.rust_sdks[self.index_of(sdk)];
                return Some(self.sdk_hit(fact, ItemMatch { construct, confidence, sdk, version, rustc }));
            }
        }
        if resolved == Resolved::Other {
            return None;
        }
        // A type of the same name that the crate wrote itself.
        let construct = self.knowledge.wire.hand_rolled.named(name).find(|own| own.fields.contains(field))?.construct;
        let json = &self.knowledge.wire.json;
        let construct = match (json.flags.contains(field), access) {
            (true, Access::Written) => Construct::ListChangedFlag,
            (_, Access::Read) => Construct::CapabilityCheck,
            _ => construct,
        };
        let is_value = matches!(construct, Construct::WireType | Construct::WireTypeListChanged);
        (!is_value && self.speaks_mcp()).then(|| self.wire_hit(fact, construct, Confidence::Likely))
    }

    // ----- the wire -----

    fn definition(&self, fact: &Fact, name: &str, fields: &[(String, String, std::ops::Range<usize>)]) -> Option<Hit> {
        if !self.facts().speaks_mcp {
            return None;
        }
        let own = self.knowledge.wire.hand_rolled.named(name).find_map(|own| {
            let field = fields.iter().find(|(wire, rust, _)| own.fields.contains(wire) || own.fields.contains(rust));
            (own.fields.is_empty() || field.is_some()).then_some((own, field))
        });
        let (own, field) = own?;
        let mut hit = self.wire_hit(fact, own.construct, Confidence::Likely);
        if let (Anchor::Field, Some((_, rust, span))) = (own.anchor, field) {
            hit.span = span.clone();
            hit.quote = format!("{name}.{rust}");
        }
        Some(hit)
    }

    fn text(&self, fact: &Fact, method: &WireMethod, place: &TextPlace) -> Option<Hit> {
        let wire = &self.knowledge.wire;
        let direction = |names: &[String]| {
            if any_word(names, &wire.direction.veto) {
                None
            } else if any_word(names, &wire.direction.received) {
                Some(method.received)
            } else if any_word(names, &wire.direction.sent) {
                Some(method.sent)
            } else {
                Some(method.unknown)
            }
        };
        let mut confidence = Confidence::Likely;
        let mut construct = match place {
            TextPlace::Argument(callee) => direction(callee)?,
            TextPlace::Json(path) if path.last() == Some(&wire.json.method) => {
                confidence = Confidence::Certain;
                method.sent
            }
            TextPlace::Json(path) => direction(path)?,
            TextPlace::Field(names, field) => {
                if any_word(std::slice::from_ref(field), &wire.direction.veto) {
                    return None;
                }
                direction(names).unwrap_or(method.unknown)
            }
            TextPlace::Dispatched => method.received,
            TextPlace::Bound(name) => {
                let found = direction(std::slice::from_ref(name))?;
                // `const ROOTS_LIST_REQUEST` names the method and sends nothing.
                if found == method.sent { method.unknown } else { found }
            }
            TextPlace::Renamed | TextPlace::Other => method.unknown,
        };
        if fact.around.in_input {
            construct = method.input;
        }
        let mut hit = self.wire_hit(fact, construct, confidence);
        if construct == method.received && *place == TextPlace::Dispatched && construct == Construct::ListHandler {
            hit.remarks.push(Remark::HandWrittenDispatch);
        }
        Some(hit)
    }

    fn json_key(&self, fact: &Fact, path: &[String], access: Access, binding: Option<&str>) -> Option<Hit> {
        if access == Access::Cleared {
            return None;
        }
        let json = &self.knowledge.wire.json;
        let (key, above) = path.split_last()?;
        let is_flag = json.flags.contains(key);
        let parents = if is_flag {
            let (roots, above) = above.split_last()?;
            if *roots != json.capability {
                return None;
            }
            above
        } else {
            above
        };
        let confidence = match parents.last() {
            Some(parent) if json.capability_parents.contains(parent) => Confidence::Certain,
            Some(parent)
                if self.is_capabilities(parent) || self.knowledge.wire.hand_rolled.named(parent).next().is_some() =>
            {
                Confidence::Likely
            }
            None if binding.is_some_and(|name| name.to_lowercase().contains(&json.binding_word)) => Confidence::Likely,
            _ => return None,
        };
        let confidence = if self.speaks_mcp() { confidence } else { Confidence::Possible };
        let construct = match (is_flag, access) {
            (true, Access::Written) => Construct::ListChangedFlag,
            (false, Access::Written) => Construct::Capability,
            _ => Construct::CapabilityCheck,
        };
        Some(self.wire_hit(fact, construct, confidence))
    }

    fn macro_use(&self, fact: &Fact, segments: &[String]) -> Option<Hit> {
        let name = segments.last()?;
        let candidate = self.candidates.iter().find(|c| c.sdk.macros.iter().any(|item| item.names.contains(name)))?;
        let item = candidate.sdk.macros.iter().find(|item| item.names.contains(name))?;
        let found = ItemMatch {
            construct: item.construct,
            confidence: Confidence::Likely,
            sdk: candidate.sdk,
            version: candidate.version.clone(),
            rustc: item.rustc.as_ref(),
        };
        Some(self.sdk_hit(fact, found))
    }

    // ----- hits -----

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
        if fact.around.silenced {
            hit.remarks.push(Remark::RustcSilenced);
        } else if warns == Some(false) {
            hit.remarks.push(Remark::RustcSilent);
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
