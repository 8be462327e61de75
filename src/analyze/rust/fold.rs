//! One logical use is one finding: the imports, types and variants that belong to a use become its related places.

use std::collections::HashMap;

use super::facts::{FileFacts, ItemId, ItemKind};
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
    let mut by_item = by_item(&folded);
    for name in uses {
        let of_item = by_item.entry(name.item).or_default();
        match home_of(&folded, of_item, &name) {
            Some(home) => folded[home].related.push(name),
            None => {
                of_item.push(folded.len());
                folded.push(Folded { hit: name, related: Vec::new() });
            }
        }
    }
    let mut users: HashMap<String, usize> = HashMap::new();
    for (index, one) in folded.iter().enumerate() {
        for name in one.related.iter().chain([&one.hit]).flat_map(|hit| hit.quote.split("::")) {
            users.entry(name.to_owned()).or_insert(index);
        }
    }
    let mut statements: HashMap<ItemId, usize> = HashMap::new();
    for import in imports {
        match users.get(&import.quote).or_else(|| statements.get(&import.item)) {
            Some(home) => folded[*home].related.push(import),
            None => {
                statements.insert(import.item, folded.len());
                folded.push(Folded { hit: import, related: Vec::new() });
            }
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
    let mut by_item: HashMap<ItemId, Vec<usize>> = HashMap::new();
    for hit in first.into_iter().chain(second) {
        let of_item = by_item.entry(hit.item).or_default();
        match of_item.iter().find(|index| belongs(&hit, &folded[**index].hit)) {
            Some(index) => folded[*index].related.push(hit),
            None => {
                of_item.push(folded.len());
                folded.push(Folded { hit, related: Vec::new() });
            }
        }
    }
    folded
}

fn by_item(folded: &[Folded]) -> HashMap<ItemId, Vec<usize>> {
    let mut by_item: HashMap<ItemId, Vec<usize>> = HashMap::new();
    for (index, one) in folded.iter().enumerate() {
        by_item.entry(one.hit.item).or_default().push(index);
    }
    by_item
}

/// The finding that a type name belongs to: the best of its item.
fn home_of(folded: &[Folded], of_item: &[usize], name: &Hit) -> Option<usize> {
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
    let rank_of = |index: usize| rank(folded[index].hit.construct);
    let best = of_item.iter().copied().min_by_key(|index| (rank_of(*index), *index));
    best.filter(|index| rank_of(*index) < usize::MAX)
}
