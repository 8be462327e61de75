//! Walks the syntax tree of one file and records facts. Names are not resolved and nothing is judged here.

mod exprs;
mod items;
mod json;
mod macros;
mod strings;
mod tokens;
mod uses;
mod visit;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::Visit;
use syn::{Attribute, Expr, Pat};

use super::facts::{
    Access, Around, CallFact, Fact, FileFacts, Item as FactItem, ItemId, ItemKind, Mention, PathPlace, Receiver, Scope,
    ScopeId, TextPlace,
};
use super::parse::{self, Parsed};
use super::types::{constructed_type, receiver, segments, type_name};
use super::vocabulary::Vocabulary;
use crate::finding::{Degraded, SkipReason, Skipped};
use crate::project::source::Source;
use crate::usage::MARKER;

/// Parses a file and records its facts.
///
/// # Errors
/// The skip, when not even the tokens of the file can be told apart.
pub(super) fn collect(vocabulary: &Vocabulary<'_>, source: &Arc<Source>, in_test: bool) -> Result<FileFacts, Skipped> {
    let mut collector = Collector::new(vocabulary, Arc::clone(source), in_test);
    if source.text().contains(MARKER) {
        collector.out.texts = parse::literals_with(source.text(), MARKER);
    }
    let (reason, detail, stream) = match parse::parse(source.text()) {
        Parsed::Tree(file) => {
            collector.rename_pass(&file);
            collector.visit_file(&file);
            return Ok(collector.finish(None));
        }
        Parsed::Broken(stream, detail) => (SkipReason::ParseError, detail, stream),
        Parsed::TooDeep(stream, detail) => (SkipReason::TooDeep, detail, stream),
        Parsed::Nothing(detail) => return Err(Skipped::new(source.path(), SkipReason::ParseError, detail)),
    };
    collector.around.tokens_only = true;
    collector.flat_tokens(stream, false);
    let path = source.path().to_owned();
    Ok(collector.finish(Some(Degraded { path, reason, detail })))
}

pub(super) struct Collector<'a, 'k> {
    vocabulary: &'a Vocabulary<'k>,
    out: FileFacts,
    scope: ScopeId,
    item: ItemId,
    around: Around,
    /// What variables stand for, by block.
    locals: Vec<BTreeMap<String, Receiver>>,
    self_type: Option<String>,
    of_trait: Option<Vec<String>>,
    /// What stands around a string, innermost last.
    places: Vec<TextPlace>,
    /// Inside a macro whose strings are text for people.
    in_text: bool,
    /// How the field at hand is touched.
    access: Access,
    /// The method called on the value at hand.
    then: Option<String>,
    /// Names that an import or alias in this file gives to promising ones.
    renamed: BTreeSet<String>,
}

impl<'a, 'k> Collector<'a, 'k> {
    fn new(vocabulary: &'a Vocabulary<'k>, source: Arc<Source>, in_test: bool) -> Self {
        let evidence = &vocabulary.knowledge.wire.hand_rolled.evidence;
        let speaks_mcp = evidence.iter().any(|word| source.text().contains(word.as_str()));
        let file = FactItem { kind: ItemKind::File, name: String::new(), calls: BTreeSet::new() };
        Self {
            vocabulary,
            out: FileFacts {
                source,
                scopes: vec![Scope { is_module: true, ..Scope::default() }],
                items: vec![file],
                facts: Vec::new(),
                struct_fields: BTreeMap::new(),
                functions: BTreeSet::new(),
                traits: BTreeSet::new(),
                speaks_mcp,
                matters: true,
                degraded: None,
                texts: Vec::new(),
            },
            scope: 0,
            item: 0,
            around: Around { in_test, ..Around::default() },
            locals: vec![BTreeMap::new()],
            self_type: None,
            of_trait: None,
            places: Vec::new(),
            in_text: false,
            access: Access::Read,
            then: None,
            renamed: BTreeSet::new(),
        }
    }

    /// Whether another file can need what this one says although it uses nothing itself.
    fn exports(&self) -> bool {
        let matters = |import: &super::facts::Import| {
            let from_sdk = import.path.first().is_some_and(|first| self.vocabulary.sdk_names.contains(first));
            from_sdk || import.path.iter().any(|segment| self.vocabulary.is_promising(segment))
        };
        !self.out.functions.is_empty() || self.out.scopes.iter().flat_map(|scope| &scope.imports).any(matters)
    }

    fn finish(mut self, degraded: Option<Degraded>) -> FileFacts {
        self.out.matters = !self.out.facts.is_empty() || self.exports();
        self.out.facts.sort_by_key(|fact| (fact.span.start, fact.span.end));
        self.out.degraded = degraded;
        self.out
    }

    // ----- recording -----

    fn record(&mut self, mention: Mention, span: Range<usize>, quote: impl Into<String>) {
        let fact = Fact { mention, span, quote: quote.into(), item: self.item, scope: self.scope, around: self.around };
        self.out.facts.push(fact);
    }

    fn record_path(&mut self, path: &syn::Path, place: PathPlace) {
        let names = segments(path);
        let promising = |name: &String| self.vocabulary.is_promising(name) || self.renamed.contains(name);
        if names.iter().any(promising) {
            let quote = names[names.len().saturating_sub(2)..].join("::");
            let text = self.places.last().cloned().unwrap_or(TextPlace::Other);
            self.record(Mention::Path { segments: names, place, text }, parse::range(path_span(path)), quote);
        }
    }

    fn record_call(&mut self, name: &str) {
        let call = CallFact {
            name: name.to_owned(),
            under_deadline: self.around.under_deadline,
            detached: self.around.detached,
        };
        self.out.items[self.item].calls.insert(call);
    }

    // ----- context -----

    fn within<T>(&mut self, change: impl FnOnce(&mut Around), work: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.around;
        change(&mut self.around);
        let result = work(self);
        self.around = before;
        result
    }

    fn in_item<T>(&mut self, kind: ItemKind, name: String, work: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.item;
        self.item = self.out.items.len();
        self.out.items.push(FactItem { kind, name, calls: BTreeSet::new() });
        let result = work(self);
        self.item = before;
        result
    }

    fn in_scope<T>(&mut self, module: Option<String>, work: impl FnOnce(&mut Self) -> T) -> T {
        let parent = self.scope;
        let mut path = self.out.scopes[parent].module.clone();
        let is_module = module.is_some();
        path.extend(module);
        self.scope = self.out.scopes.len();
        self.out.scopes.push(Scope { parent: Some(parent), module: path, is_module, ..Scope::default() });
        let result = work(self);
        self.scope = parent;
        result
    }

    fn in_place<T>(&mut self, place: TextPlace, work: impl FnOnce(&mut Self) -> T) -> T {
        self.places.push(place);
        let result = work(self);
        self.places.pop();
        result
    }

    /// Visits what an attribute list covers, with its `cfg(test)` and `allow(deprecated)` in force.
    fn under_attributes<T>(&mut self, attributes: &[Attribute], work: impl FnOnce(&mut Self) -> T) -> T {
        let (test, silenced) = (items::is_test(attributes), items::is_silenced(attributes));
        for attribute in attributes {
            self.attribute(attribute);
        }
        self.within(
            |around| {
                around.in_test |= test;
                around.silenced |= silenced;
            },
            work,
        )
    }

    // ----- values -----

    /// The receiver that an expression is: aliases followed, type from a signature, `let` or struct.
    fn resolve_receiver(&self, expr: &Expr) -> Receiver {
        if let Some(ty) = constructed_type(expr) {
            return Receiver { names: Vec::new(), ty: Some(ty) };
        }
        let mut found = receiver(expr);
        for _ in 0..8 {
            let Some(first) = found.names.first() else { break };
            let Some(known) = self.locals.iter().rev().find_map(|block| block.get(first)) else { break };
            if found.names.len() == 1 && known.ty.is_some() {
                found.ty.clone_from(&known.ty);
            }
            if known.names.is_empty() || known.names.first() == Some(first) {
                break;
            }
            let rest = found.names.split_off(1);
            found.names.clone_from(&known.names);
            found.names.extend(rest);
        }
        if let ([own, .., field], None) = (found.names.as_slice(), &found.ty) {
            // The struct's field of that name, or the only one of that name in the file.
            let of_self = self.self_type.as_ref().filter(|_| own == "self" && found.names.len() == 2);
            let known = of_self.and_then(|ty| self.out.struct_fields.get(ty)).and_then(|fields| fields.get(field));
            let by_name = || self.out.struct_fields.values().find_map(|fields| fields.get(field));
            found.ty = known.or_else(by_name).cloned();
        }
        found
    }

    fn bind(&mut self, name: &syn::Ident, value: Receiver) {
        if let Some(block) = self.locals.last_mut() {
            block.insert(name.to_string(), value);
        }
    }

    fn bind_pattern(&mut self, pattern: &Pat, value: &Receiver) {
        match pattern {
            Pat::Ident(ident) => self.bind(&ident.ident, value.clone()),
            Pat::Reference(inner) => self.bind_pattern(&inner.pat, value),
            Pat::Paren(inner) => self.bind_pattern(&inner.pat, value),
            Pat::Type(typed) => {
                let ty = type_name(&typed.ty).or_else(|| value.ty.clone());
                self.bind_pattern(&typed.pat, &Receiver { names: value.names.clone(), ty });
            }
            // `Some(peer)`, `Ok(peer)`: the same thing unwrapped.
            Pat::TupleStruct(inner) if inner.elems.len() == 1 => self.bind_pattern(&inner.elems[0], value),
            _ => {}
        }
    }
}

/// From the first segment to the last, without type arguments.
fn path_span(path: &syn::Path) -> Span {
    let (Some(first), Some(last)) = (path.segments.first(), path.segments.last()) else {
        return path.span();
    };
    first.ident.span().join(last.ident.span()).unwrap_or_else(|| last.ident.span())
}
