//! One logical use is one finding: the imports, types and variants that belong to a use become its related places.

use super::facts::{FileFacts, ItemKind};
use super::resolve::{Hit, HitKind};
use crate::knowledge::protocol::Construct;
use crate::knowledge::rule::Form;

/// A use and what belongs to it.
#[derive(Clone, Debug)]
pub(super) struct Folded {
    /// The use.
    pub hit: Hit,
    /// Hits that belong to it, in order of the text.
    pub related: Vec<Hit>,
}

/// Folds the hits of one file.
pub(super) fn fold(facts: &FileFacts, hits: Vec<Hit>) -> Vec<Folded> {
    let (names, acts): (Vec<Hit>, Vec<Hit>) = hits.into_iter().partition(is_type_name);
    let mut folded = fold_acts(facts, acts);
    let (imports, uses): (Vec<Hit>, Vec<Hit>) =
        names.into_iter().partition(|hit| facts.items[hit.item].kind == ItemKind::Use);
    for name in uses {
        match home_of(&folded, &name) {
            Some(home) => folded[home].related.push(name),
            None => folded.push(Folded { hit: name, related: Vec::new() }),
        }
    }
    for import in imports {
        let is_meant = |hit: &Hit| hit.quote.rsplit("::").any(|name| name == import.quote);
        let user = |folded: &Folded| is_meant(&folded.hit) || folded.related.iter().any(is_meant);
        let same_statement = |folded: &Folded| folded.hit.item == import.item;
        match folded.iter().position(user).or_else(|| folded.iter().position(same_statement)) {
            Some(home) => folded[home].related.push(import),
            None => folded.push(Folded { hit: import, related: Vec::new() }),
        }
    }
    for one in &mut folded {
        one.related.sort_by_key(|hit| hit.span.start);
        one.related.dedup_by(|b, a| a.span == b.span);
        one.related.retain(|hit| hit.span != one.hit.span);
    }
    folded.sort_by_key(|one| (one.hit.span.start, one.hit.span.end));
    folded
}

/// A name of an SDK's type does nothing by itself.
fn is_type_name(hit: &Hit) -> bool {
    hit.form == Form::Sdk && hit.kind == HitKind::Path && hit.construct.is_name_only()
}

/// Acts of the same item and construct: a variant belongs to the call or override that uses it, and a check on the
/// line of a declaration to the declaration.
fn fold_acts(facts: &FileFacts, acts: Vec<Hit>) -> Vec<Folded> {
    let line = |hit: &Hit| facts.source.line_of(hit.span.start);
    let belongs = |inner: &Hit, outer: &Hit| {
        if inner.item != outer.item {
            return false;
        }
        let same_line = line(inner) == line(outer);
        let same = inner.construct == outer.construct;
        let check = inner.construct == Construct::CapabilityCheck && outer.construct == Construct::Capability;
        (same && same_line && inner.kind == outer.kind)
            || (same && inner.kind == HitKind::Path && outer.kind == HitKind::Act)
            || (check && same_line)
    };
    let mut folded: Vec<Folded> = Vec::new();
    // Acts first, so that names find them whatever the order in the text.
    let (first, second): (Vec<Hit>, Vec<Hit>) =
        acts.into_iter().partition(|hit| hit.kind == HitKind::Act && hit.construct != Construct::CapabilityCheck);
    for hit in first.into_iter().chain(second) {
        match folded.iter_mut().find(|outer| belongs(&hit, &outer.hit)) {
            Some(outer) => outer.related.push(hit),
            None => folded.push(Folded { hit, related: Vec::new() }),
        }
    }
    folded
}

/// The finding that a type name belongs to: the best of its item.
fn home_of(folded: &[Folded], name: &Hit) -> Option<usize> {
    let rank = |construct: Construct| {
        let of_notification = name.construct == Construct::WireTypeListChanged;
        match construct {
            Construct::ListChangedHandler | Construct::ListChangedSent if of_notification => 0,
            Construct::ListHandler | Construct::InputRequest if !of_notification => 0,
            Construct::ListRequest | Construct::Capability if !of_notification => 1,
            other if other == name.construct => 2,
            Construct::CapabilityCheck => 3,
            // Two fates in one item stay apart: one finding would name only one of them.
            _ if of_notification || construct == Construct::WireTypeListChanged => usize::MAX,
            _ => 4,
        }
    };
    let of_item = folded.iter().enumerate().filter(|(_, one)| one.hit.item == name.item);
    let best = of_item.min_by_key(|(index, one)| (rank(one.hit.construct), *index));
    best.filter(|(_, one)| rank(one.hit.construct) < usize::MAX).map(|(index, _)| index)
}
