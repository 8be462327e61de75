//! Paths: types, variants, constants, and methods called by their path.

use semver::Version;

use super::{FileView, Hit, ItemMatch, head};
use crate::analyze::rust::facts::{Fact, PathPlace, TextPlace};
use crate::analyze::rust::names::Resolved;
use crate::knowledge::sdk::{MethodItem, Sdk, TypeItem, VariantItem, exists_in};
use crate::usage::{Confidence, SdkUse};

impl<'k> FileView<'_, 'k> {
    pub(super) fn path(&self, fact: &Fact, segments: &[String], place: PathPlace, text: &TextPlace) -> Option<Hit> {
        match self.world.resolve(self.unit, self.file, fact.scope, segments) {
            Resolved::Sdk { sdk, version, path } => self.sdk_path(fact, sdk, version, &path, place, text),
            Resolved::Unknown => {
                // `ServerRequest::ListRootsRequest` that came in by a glob or a macro.
                let [.., of, name] = segments else { return None };
                let candidate = self.candidates.iter().find(|candidate| {
                    let fits = |item: &VariantItem| item.of.contains(of) && item.names.contains(name);
                    candidate.sdk.variants.iter().any(fits)
                })?;
                let index = self.index_of(candidate.sdk);
                let path = [of.clone(), name.clone()];
                self.sdk_path(fact, index, candidate.version.clone(), &path, place, text)
            }
            Resolved::Own | Resolved::Other => None,
        }
    }

    pub(super) fn index_of(&self, sdk: &Sdk) -> usize {
        self.knowledge.rust_sdks.iter().position(|known| known.name == sdk.name).unwrap_or_default()
    }

    pub(super) fn sdk_path(
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
            let fits = |item: &&VariantItem| {
                item.of.contains(of) && item.names.contains(name) && exists_in(item.versions.as_ref(), version.as_ref())
            };
            if let Some(item) = sdk.variants.iter().find(fits) {
                let matched = place == PathPlace::Pattern;
                let construct = item.matched.filter(|_| matched).unwrap_or(item.construct);
                let found =
                    ItemMatch { construct, confidence: Confidence::Certain, sdk, version, rustc: item.rustc.as_ref() };
                return Some(self.sdk_hit(fact, found));
            }
            let is_method =
                |item: &&MethodItem| item.names.contains(name) && item.receiver_types.iter().any(|ty| head(ty) == of);
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

    pub(super) fn type_match(&self, index: usize, version: Option<Version>, path: &[String]) -> Option<ItemMatch<'k>> {
        let sdk = &self.knowledge.rust_sdks[index];
        let version = version.or_else(|| self.version_of(sdk));
        let fits = |item: &&TypeItem| {
            path.iter().any(|segment| item.names.contains(segment))
                && exists_in(item.versions.as_ref(), version.as_ref())
        };
        let item = sdk.types.iter().find(fits)?;
        let (construct, rustc) = (item.construct, item.rustc.as_ref());
        Some(ItemMatch { construct, confidence: Confidence::Certain, sdk, version, rustc })
    }

    pub(super) fn version_of(&self, sdk: &Sdk) -> Option<Version> {
        let candidate = self.candidates.iter().find(|candidate| candidate.sdk.name == sdk.name)?;
        candidate.version.clone()
    }

    pub(super) fn macro_use(&self, fact: &Fact, segments: &[String]) -> Option<Hit> {
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
}
