//! Calls of methods and definitions of hooks: whose they are, without types.

use super::{Evidence, FileView, ItemMatch, fits_type};
use crate::analyze::rust::facts::{Fact, Receiver, TypeName};
use crate::analyze::rust::names::Resolved;
use crate::analyze::rust::words::any_word;
use crate::knowledge::sdk::{MethodItem, exists_in};
use crate::usage::Confidence;

impl<'k> FileView<'_, 'k> {
    pub(super) fn call(
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
    pub(super) fn receiver_confidence(
        &self,
        item: &MethodItem,
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
    pub(super) fn full_type(&self, ty: &TypeName, fact: &Fact) -> TypeName {
        match self.world.resolve(self.unit, self.file, fact.scope, &ty.path) {
            Resolved::Sdk { path, .. } if !path.is_empty() => TypeName { path, args: ty.args.clone() },
            _ => ty.clone(),
        }
    }

    pub(super) fn method(
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

    pub(super) fn trait_confidence(&self, path: &[String], traits: &[String], fact: &Fact) -> Option<Confidence> {
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
}
