//! Advice: what is risky whatever the revision says. Works on the hits of a whole package.

use std::collections::{BTreeMap, BTreeSet};

use super::facts::{CallFact, Fact, FileFacts, ItemId, ItemKind, Mention};
use super::fold::Folded;
use super::names::{Resolved, World};
use super::resolve::{FileView, HitKind};
use crate::knowledge::Knowledge;
use crate::knowledge::protocol::Construct;
use crate::knowledge::rule::Advice;
use crate::usage::Confidence;

/// Callers of callers that are followed.
const MAX_STEPS: usize = 3;

/// A piece of advice and where it belongs.
pub(super) struct Advised {
    pub advice: Advice,
    pub file: usize,
    pub span: std::ops::Range<usize>,
    pub quote: String,
    pub confidence: Confidence,
    pub in_test: bool,
    /// More places of the same: index of the file and the span.
    pub related: Vec<(usize, std::ops::Range<usize>)>,
}

/// The functions of a package and who calls whom, by name: enough to see a check or a deadline on the way.
struct Calls<'f> {
    callers: BTreeMap<&'f str, Vec<(usize, ItemId, &'f CallFact)>>,
    files: &'f [FileFacts],
}

impl<'f> Calls<'f> {
    fn new(files: &'f [FileFacts]) -> Self {
        let mut callers: BTreeMap<&str, Vec<_>> = BTreeMap::new();
        for (index, file) in files.iter().enumerate() {
            for (id, item) in file.items.iter().enumerate().filter(|(_, item)| item.kind == ItemKind::Function) {
                for call in &item.calls {
                    callers.entry(&call.name).or_default().push((index, id, call));
                }
            }
        }
        Self { callers, files }
    }

    fn name(&self, file: usize, item: ItemId) -> &'f str {
        &self.files[file].items[item].name
    }

    fn callers(&self, file: usize, item: ItemId) -> &[(usize, ItemId, &'f CallFact)] {
        let found = self.callers.get(self.name(file, item));
        found.map(Vec::as_slice).unwrap_or_default()
    }

    /// Whether `holds` for the item or for a caller of it, some steps up. Callers are found by name, and a name such as
    /// `run` has thousands: each name is asked once, and its answer kept in `known`.
    fn on_the_way(
        &self,
        file: usize,
        item: ItemId,
        known: &mut BTreeMap<&'f str, bool>,
        holds: &dyn Fn(usize, ItemId) -> bool,
    ) -> bool {
        if holds(file, item) {
            return true;
        }
        let name = self.name(file, item);
        if let Some(answer) = known.get(name) {
            return *answer;
        }
        let mut seen = BTreeSet::from([name]);
        let mut step = vec![name];
        let mut found = false;
        for _ in 0..MAX_STEPS {
            let callers = step.iter().filter_map(|name| self.callers.get(name)).flatten();
            let callers: Vec<(usize, ItemId)> = callers.map(|(file, item, _)| (*file, *item)).collect();
            found = callers.iter().any(|(file, item)| holds(*file, *item));
            if found {
                break;
            }
            let names = callers.iter().map(|(file, item)| self.name(*file, *item));
            step = names.filter(|name| seen.insert(name)).collect();
        }
        known.insert(name, found);
        found
    }
}

/// Advice on the uses of one package; `folded` holds them by file.
pub(super) fn advise(
    world: &World<'_>,
    knowledge: &Knowledge,
    unit: usize,
    views: &[FileView<'_, '_>],
    folded: &[Vec<Folded>],
    whole: bool,
) -> Vec<Advised> {
    let files = &world.units[unit].files;
    let mut advised = requests(knowledge, files, views, folded);
    if whole {
        advised.extend(capability_without_handler(folded));
    }
    for (index, file) in files.iter().enumerate() {
        let uses_roots = !folded[index].is_empty();
        for fact in &file.facts {
            match &fact.mention {
                Mention::Uri { value, built_by } => {
                    advised.extend(root_uri(world, knowledge, (unit, index), fact, value, built_by.as_deref()));
                }
                Mention::Surgery { names } => {
                    let function = &file.items[fact.item].name;
                    let in_item = folded[index].iter().any(|one| one.hit.item == fact.item);
                    let named = names.iter().chain([function]).any(|name| name.to_lowercase().contains("root"));
                    let confidence = match (uses_roots, in_item || named) {
                        (true, true) => Confidence::Likely,
                        _ => Confidence::Possible,
                    };
                    advised.push(Advised::at(Advice::RootUriStringSurgery, index, fact, confidence));
                }
                _ => {}
            }
        }
    }
    advised
}

impl Advised {
    fn at(advice: Advice, file: usize, fact: &Fact, confidence: Confidence) -> Self {
        let quote = fact.quote.clone();
        let (span, in_test) = (fact.span.clone(), fact.around.in_test);
        Self { advice, file, span, quote, confidence, in_test, related: Vec::new() }
    }
}

fn requests(
    knowledge: &Knowledge,
    files: &[FileFacts],
    views: &[FileView<'_, '_>],
    folded: &[Vec<Folded>],
) -> Vec<Advised> {
    let calls = Calls::new(files);
    let mut checking: BTreeSet<(usize, ItemId)> = BTreeSet::new();
    let mut checks_anywhere = false;
    for (index, uses) in folded.iter().enumerate() {
        for hit in uses.iter().flat_map(|one| one.related.iter().chain([&one.hit])) {
            if hit.construct == Construct::CapabilityCheck && hit.kind != HitKind::Definition {
                checking.insert((index, hit.item));
                checks_anywhere |= !hit.in_test;
            }
        }
    }
    let checking_names: BTreeSet<&str> = checking.iter().map(|(file, item)| calls.name(*file, *item)).collect();
    let is_checked = |file: usize, item: ItemId| {
        let called = &files[file].items[item].calls;
        checking.contains(&(file, item)) || called.iter().any(|call| checking_names.contains(call.name.as_str()))
    };
    let words = &knowledge.wire.deadline.words;
    let has_deadline = |file: usize, item: ItemId| {
        let called = &files[file].items[item].calls;
        called.iter().any(|call| super::words::any_word(&[&call.name], words))
            || calls.callers(file, item).iter().any(|(_, _, call)| call.under_deadline)
    };

    let (mut checked, mut in_time) = (BTreeMap::new(), BTreeMap::new());
    let mut advised = Vec::new();
    for (index, uses) in folded.iter().enumerate() {
        for Folded { hit, .. } in uses {
            let in_function = files[index].items[hit.item].kind == ItemKind::Function;
            let asks = matches!(hit.construct, Construct::ListRequest | Construct::InputRequest);
            if !asks || hit.kind == HitKind::Definition || !in_function {
                continue;
            }
            let mut push = |advice, confidence: Confidence| {
                advised.push(Advised {
                    advice,
                    file: index,
                    span: hit.span.clone(),
                    quote: hit.quote.clone(),
                    confidence: confidence.min(hit.confidence),
                    in_test: hit.in_test,
                    related: Vec::new(),
                });
            };
            // A test asks because it knows the answer.
            if !hit.in_test && !calls.on_the_way(index, hit.item, &mut checked, &is_checked) {
                // A check elsewhere may reach this call through a stored flag.
                push(Advice::RequestUnchecked, if checks_anywhere { Confidence::Possible } else { Confidence::Likely });
            }
            // An input request is part of an answer: nothing waits, and it cannot leave its call.
            if hit.construct == Construct::InputRequest {
                continue;
            }
            if !hit.in_test && !hit.under_deadline && !calls.on_the_way(index, hit.item, &mut in_time, &has_deadline) {
                push(Advice::RequestWithoutDeadline, Confidence::Likely);
            }
            let view = &views[index];
            let callers = calls.callers(index, hit.item);
            let detached_caller = |(file, item, call): &(usize, ItemId, &CallFact)| {
                call.detached || view.is_outside_call(calls.name(*file, *item))
            };
            if hit.detached || view.is_outside_call(&files[index].items[hit.item].name) {
                push(Advice::RequestOutsideCall, Confidence::Certain);
            } else if callers.iter().any(detached_caller) {
                push(Advice::RequestOutsideCall, Confidence::Likely);
            }
        }
    }
    advised
}

/// One piece of advice for a package that declares the capability and answers nothing.
fn capability_without_handler(folded: &[Vec<Folded>]) -> Option<Advised> {
    let all = || folded.iter().enumerate().flat_map(|(index, uses)| uses.iter().map(move |one| (index, &one.hit)));
    let answers = |construct| matches!(construct, Construct::ListHandler | Construct::WireMethod);
    if all().any(|(_, hit)| answers(hit.construct) && hit.kind != HitKind::Definition) {
        return None;
    }
    let declares =
        |hit: &super::resolve::Hit| hit.construct == Construct::Capability && hit.kind == HitKind::Act && !hit.in_test;
    let mut places = all().filter(|(_, hit)| declares(hit));
    let (file, first) = places.next()?;
    Some(Advised {
        advice: Advice::CapabilityWithoutHandler,
        file,
        span: first.span.clone(),
        quote: first.quote.clone(),
        confidence: first.confidence.min(Confidence::Likely),
        in_test: false,
        related: places.map(|(file, hit)| (file, hit.span.clone())).collect(),
    })
}

fn root_uri(
    world: &World<'_>,
    knowledge: &Knowledge,
    (unit, file): (usize, usize),
    fact: &Fact,
    value: &str,
    built_by: Option<&[String]>,
) -> Vec<Advised> {
    let uri = &knowledge.wire.uri;
    let confidence = match built_by {
        Some(path) => match world.resolve(unit, file, fact.scope, path) {
            Resolved::Sdk { sdk, path, .. } => {
                let types = &knowledge.rust_sdks[sdk].types;
                let is_root = types.iter().any(|item| path.iter().any(|segment| item.names.contains(segment)));
                is_root.then_some(Confidence::Certain)
            }
            Resolved::Own | Resolved::Unknown => {
                let own = knowledge.wire.hand_rolled.types.iter().filter(|own| own.fields.contains(&uri.key));
                let is_root = own.flat_map(|own| &own.names).any(|name| path.contains(name));
                (is_root && world.units[unit].files[file].speaks_mcp).then_some(Confidence::Likely)
            }
            Resolved::Other => None,
        },
        None if world.units[unit].files[file].speaks_mcp => Some(Confidence::Likely),
        None => Some(Confidence::Possible),
    };
    let Some(mut confidence) = confidence else { return Vec::new() };
    if fact.around.in_test {
        // Tests feed bad URIs on purpose.
        confidence = Confidence::Possible;
    }
    let faults = crate::analyze::uri::faults(uri, value).into_iter();
    faults.map(|fault| Advised::at(fault, file, fact, confidence)).collect()
}
