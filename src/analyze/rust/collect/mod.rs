//! Walks the syntax tree of one file and records facts. Names are not resolved and nothing is judged here.

mod json;
mod macros;
mod strings;
mod tokens;
mod uses;

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::sync::Arc;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Fields, FnArg, ImplItem, Item, Member, Pat, Signature, Stmt, TraitItem};

use super::facts::{
    Access, Around, CallFact, Fact, FileFacts, Item as FactItem, ItemId, ItemKind, Mention, PathPlace, Receiver, Scope,
    ScopeId, TextPlace,
};
use super::parse::{self, Parsed};
use super::types::{
    constructed_type, is_false, is_nothing, names_of, plain_names, receiver, segments, string_literal, type_name,
};
use super::vocabulary::Vocabulary;
use super::words::any_word;
use crate::finding::{Degraded, SkipReason, Skipped};
use crate::project::source::Source;

/// Parses a file and records its facts.
///
/// # Errors
/// The skip, when not even the tokens of the file can be told apart.
pub(super) fn collect(vocabulary: &Vocabulary<'_>, source: &Arc<Source>, in_test: bool) -> Result<FileFacts, Skipped> {
    let mut collector = Collector::new(vocabulary, Arc::clone(source), in_test);
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
        let (test, silenced) = (is_test(attributes), is_silenced(attributes));
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

    /// Notes a function that has the name of an SDK's method.
    fn own_function(&mut self, name: &syn::Ident) {
        let name = name.to_string();
        if self.vocabulary.methods.contains(name.as_str()) {
            self.out.functions.insert(name);
        }
    }

    fn define(&mut self, name: &syn::Ident) {
        self.out.scopes[self.scope].defined.insert(name.to_string());
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

    fn function(&mut self, signature: &Signature, body: Option<&syn::Block>) {
        self.locals.push(BTreeMap::new());
        for input in &signature.inputs {
            if let FnArg::Typed(typed) = input {
                let value = Receiver { names: Vec::new(), ty: type_name(&typed.ty) };
                self.bind_pattern(&typed.pat, &value);
            }
        }
        let places = std::mem::take(&mut self.places);
        visit::visit_signature(self, signature);
        if let Some(body) = body {
            self.visit_block(body);
        }
        self.places = places;
        self.locals.pop();
    }

    /// Records a method that is defined under a name that SDKs use for hooks.
    fn method_definition(&mut self, signature: &Signature, is_facade: bool) {
        let method = signature.ident.to_string();
        if !self.vocabulary.overrides.contains(method.as_str()) {
            return;
        }
        let typed = |input: &FnArg| match input {
            FnArg::Typed(typed) => type_name(&typed.ty),
            FnArg::Receiver(_) => None,
        };
        let params = signature.inputs.iter().filter_map(typed).collect();
        let quote = format!("fn {method}");
        let of_trait = self.of_trait.clone();
        let span = parse::range(signature.ident.span());
        self.record(Mention::Method { method, of_trait, is_facade, params }, span, quote);
    }

    fn type_definition(&mut self, name: &syn::Ident, fields: &Fields) {
        let mut wire_fields = Vec::new();
        let mut types = BTreeMap::new();
        for field in fields {
            let Some(ident) = &field.ident else { continue };
            let rust_name = ident.to_string();
            let wire_name = renamed_to(&field.attrs).unwrap_or_else(|| rust_name.clone());
            wire_fields.push((wire_name, rust_name.clone(), parse::range(ident.span())));
            if let Some(ty) = type_name(&field.ty) {
                types.insert(rust_name, ty);
            }
        }
        let text = name.to_string();
        self.out.struct_fields.entry(text.clone()).or_default().extend(types);
        if self.vocabulary.knowledge.wire.hand_rolled.named(&text).next().is_some() {
            let quote = format!("struct {name}");
            let mention = Mention::Definition { name: text, fields: wire_fields };
            self.record(mention, parse::range(name.span()), quote);
        }
    }

    /// Visits a call's arguments with what the callee's name says of them.
    fn arguments<'ast>(&mut self, callee: Vec<String>, args: impl Iterator<Item = &'ast Expr>) {
        let wire = &self.vocabulary.knowledge.wire;
        let last = callee.last().cloned().unwrap_or_default();
        let deadline = any_word(&[&last], &wire.deadline.words);
        let detached = wire.detached.calls.contains(&last);
        let input = callee.iter().any(|name| wire.input.types.contains(name));
        let place = (!strings::is_transparent(&callee)).then_some(TextPlace::Argument(callee));
        let outer = place.is_some();
        self.places.extend(place);
        self.within(
            |around| {
                around.under_deadline |= deadline;
                around.detached |= detached;
                around.in_input |= input;
            },
            |this| {
                for arg in args {
                    this.visit_expr(arg);
                }
            },
        );
        if outer {
            self.places.pop();
        }
    }
}

impl<'ast> Visit<'ast> for Collector<'_, '_> {
    fn visit_file(&mut self, file: &'ast syn::File) {
        self.under_attributes(&file.attrs, |this| {
            // Struct fields first: a method may stand before the struct whose field it calls.
            this.struct_pass(&file.items);
            for item in &file.items {
                this.visit_item(item);
            }
        });
    }

    fn visit_attribute(&mut self, _: &'ast Attribute) {
        // `under_attributes` reads the attributes that matter; the rest, doc comments above all, is text.
    }

    fn visit_item(&mut self, item: &'ast Item) {
        match item {
            Item::Mod(module) => self.under_attributes(&module.attrs, |this| {
                this.define(&module.ident);
                if let Some((_, items)) = &module.content {
                    this.in_scope(Some(module.ident.to_string()), |this| {
                        for item in items {
                            this.visit_item(item);
                        }
                    });
                }
            }),
            Item::Use(import) => self.under_attributes(&import.attrs, |this| {
                this.in_item(ItemKind::Use, String::new(), |this| {
                    this.use_tree(&import.tree, &mut Vec::new());
                });
            }),
            Item::ExternCrate(import) => {
                let name = import.rename.as_ref().map_or(&import.ident, |(_, name)| name);
                self.import(Some(name.to_string()), vec![import.ident.to_string()], name.span());
            }
            Item::Fn(function) => self.under_attributes(&function.attrs, |this| {
                this.define(&function.sig.ident);
                this.own_function(&function.sig.ident);
                this.in_item(ItemKind::Function, function.sig.ident.to_string(), |this| {
                    this.function(&function.sig, Some(&function.block));
                });
            }),
            Item::Impl(block) => self.under_attributes(&block.attrs, |this| this.impl_block(block)),
            Item::Trait(definition) => self.under_attributes(&definition.attrs, |this| {
                this.define(&definition.ident);
                this.out.traits.insert(definition.ident.to_string());
                this.in_item(ItemKind::Other, definition.ident.to_string(), |this| {
                    for item in &definition.items {
                        this.trait_item(item);
                    }
                });
            }),
            Item::Struct(definition) => self.under_attributes(&definition.attrs, |this| {
                this.define(&definition.ident);
                this.in_item(ItemKind::Other, definition.ident.to_string(), |this| {
                    this.type_definition(&definition.ident, &definition.fields);
                    visit::visit_item_struct(this, definition);
                });
            }),
            Item::Enum(definition) => self.under_attributes(&definition.attrs, |this| {
                this.define(&definition.ident);
                this.in_item(ItemKind::Other, definition.ident.to_string(), |this| {
                    visit::visit_item_enum(this, definition);
                });
            }),
            Item::Union(definition) => self.define(&definition.ident),
            Item::Type(alias) => self.under_attributes(&alias.attrs, |this| {
                let name = &alias.ident;
                this.in_item(ItemKind::Other, name.to_string(), |this| {
                    if let Some(ty) = type_name(&alias.ty) {
                        this.import(Some(name.to_string()), ty.path, name.span());
                    }
                    visit::visit_item_type(this, alias);
                });
            }),
            Item::Const(constant) => self.under_attributes(&constant.attrs, |this| {
                this.in_item(ItemKind::Other, constant.ident.to_string(), |this| {
                    let place = TextPlace::Bound(constant.ident.to_string());
                    this.in_place(place, |this| visit::visit_item_const(this, constant));
                });
            }),
            Item::Static(constant) => self.under_attributes(&constant.attrs, |this| {
                this.in_item(ItemKind::Other, constant.ident.to_string(), |this| {
                    let place = TextPlace::Bound(constant.ident.to_string());
                    this.in_place(place, |this| visit::visit_item_static(this, constant));
                });
            }),
            Item::Macro(call) => self.under_attributes(&call.attrs, |this| {
                let name = call.ident.as_ref().map(ToString::to_string).unwrap_or_default();
                this.in_item(ItemKind::Other, name, |this| this.visit_macro(&call.mac));
            }),
            other => visit::visit_item(self, other),
        }
    }

    fn visit_variant(&mut self, variant: &'ast syn::Variant) {
        self.under_attributes(&variant.attrs, |this| visit::visit_variant(this, variant));
    }

    fn visit_field(&mut self, field: &'ast syn::Field) {
        self.under_attributes(&field.attrs, |this| visit::visit_field(this, field));
    }

    fn visit_block(&mut self, block: &'ast syn::Block) {
        self.locals.push(BTreeMap::new());
        let has_items = block.stmts.iter().any(|statement| matches!(statement, Stmt::Item(_)));
        if has_items {
            self.in_scope(None, |this| visit::visit_block(this, block));
        } else {
            visit::visit_block(self, block);
        }
        self.locals.pop();
    }

    fn visit_local(&mut self, local: &'ast syn::Local) {
        self.under_attributes(&local.attrs, |this| {
            if let Some(init) = &local.init {
                let place = match &local.pat {
                    Pat::Ident(ident) => TextPlace::Bound(ident.ident.to_string()),
                    Pat::Type(typed) => match typed.pat.as_ref() {
                        Pat::Ident(ident) => TextPlace::Bound(ident.ident.to_string()),
                        _ => TextPlace::Other,
                    },
                    _ => TextPlace::Other,
                };
                this.in_place(place, |this| {
                    this.visit_expr(&init.expr);
                    if let Some((_, diverge)) = &init.diverge {
                        this.visit_expr(diverge);
                    }
                });
                let value = this.resolve_receiver(&init.expr);
                this.bind_pattern(&local.pat, &value);
            } else {
                this.bind_pattern(&local.pat, &Receiver::default());
            }
            this.visit_pat(&local.pat);
        });
    }

    fn visit_expr(&mut self, expr: &'ast Expr) {
        // `then` and `access` speak of the expression that they were set for, not of what is inside it.
        let (then, access) = (self.then.take(), std::mem::replace(&mut self.access, Access::Read));
        match expr {
            Expr::Await(inner) => {
                (self.then, self.access) = (then, access);
                self.visit_expr(&inner.base);
            }
            Expr::Try(inner) => {
                (self.then, self.access) = (then, access);
                self.visit_expr(&inner.expr);
            }
            Expr::MethodCall(call) => self.under_attributes(&call.attrs, |this| this.method_call(call, then)),
            Expr::Call(call) => self.under_attributes(&call.attrs, |this| this.call(call)),
            Expr::Field(field) => self.field(field, access),
            Expr::Index(index) => self.index(index, access),
            Expr::Assign(assign) => {
                let written = if is_nothing(&assign.right) { Access::Cleared } else { Access::Written };
                self.access = written;
                self.visit_expr(&assign.left);
                let target = names_of(&assign.left).pop().unwrap_or_default();
                self.in_place(TextPlace::Bound(target), |this| this.visit_expr(&assign.right));
            }
            Expr::Struct(literal) => self.struct_literal(literal),
            Expr::Binary(binary) if is_comparison(&binary.op) => {
                let input = self.mentions_input(expr.span());
                self.within(
                    |around| around.in_input |= input,
                    |this| {
                        this.in_place(TextPlace::Dispatched, |this| visit::visit_expr_binary(this, binary));
                    },
                );
            }
            Expr::Let(condition) => {
                let value = self.resolve_receiver(&condition.expr);
                self.bind_pattern(&condition.pat, &value);
                visit::visit_expr_let(self, condition);
            }
            Expr::Match(matched) => {
                let value = self.resolve_receiver(&matched.expr);
                self.visit_expr(&matched.expr);
                for arm in &matched.arms {
                    self.locals.push(BTreeMap::new());
                    self.bind_pattern(&arm.pat, &value);
                    self.visit_arm(arm);
                    self.locals.pop();
                }
            }
            Expr::Lit(literal) => self.literal(&literal.lit),
            Expr::Closure(closure) => {
                self.locals.push(BTreeMap::new());
                visit::visit_expr_closure(self, closure);
                self.locals.pop();
            }
            Expr::ForLoop(each) => {
                let value = self.resolve_receiver(&each.expr);
                self.locals.push(BTreeMap::new());
                self.bind_pattern(&each.pat, &value);
                visit::visit_expr_for_loop(self, each);
                self.locals.pop();
            }
            // Wrappers keep what stands around a string.
            other => visit::visit_expr(self, other),
        }
    }

    fn visit_arm(&mut self, arm: &'ast syn::Arm) {
        self.under_attributes(&arm.attrs, |this| {
            let refused = this.only_refuses(&arm.body);
            this.within(
                |around| around.refused = refused,
                |this| this.in_place(TextPlace::Dispatched, |this| this.visit_pat(&arm.pat)),
            );
            // A guard is part of the pattern in syn 3; the body is a place of its own.
            let places = std::mem::take(&mut this.places);
            this.visit_expr(&arm.body);
            this.places = places;
        });
    }

    fn visit_pat(&mut self, pattern: &'ast Pat) {
        match pattern {
            Pat::Path(path) => self.record_path(&path.path, PathPlace::Pattern),
            Pat::TupleStruct(tuple) => {
                self.record_path(&tuple.path, PathPlace::Pattern);
                let input = self.is_input_path(&tuple.path);
                self.within(
                    |around| around.in_input |= input,
                    |this| {
                        for element in &tuple.elems {
                            this.visit_pat(element);
                        }
                    },
                );
            }
            Pat::Struct(pattern) => {
                self.record_path(&pattern.path, PathPlace::Pattern);
                for field in &pattern.fields {
                    if let Member::Named(name) = &field.member {
                        let access = if is_none_pattern(&field.pat) { Access::Cleared } else { Access::Read };
                        self.struct_field(&pattern.path, name, access);
                    }
                    self.visit_pat(&field.pat);
                }
            }
            Pat::Lit(literal) => self.literal(&literal.lit),
            other => visit::visit_pat(self, other),
        }
    }

    fn visit_path(&mut self, path: &'ast syn::Path) {
        self.record_path(path, PathPlace::Named);
        visit::visit_path(self, path);
    }

    fn visit_macro(&mut self, call: &'ast syn::Macro) {
        self.macro_call(call);
    }

    fn visit_stmt_macro(&mut self, statement: &'ast syn::StmtMacro) {
        self.under_attributes(&statement.attrs, |this| this.macro_call(&statement.mac));
    }
}

impl Collector<'_, '_> {
    fn impl_block(&mut self, block: &syn::ItemImpl) {
        let before = (self.self_type.take(), self.of_trait.take());
        self.self_type = type_name(&block.self_ty).and_then(|name| name.path.last().cloned());
        self.of_trait = block.trait_.as_ref().map(|(path, _)| segments(path));
        let name = self.self_type.clone().unwrap_or_default();
        self.in_item(ItemKind::Other, name, |this| {
            if let Some((path, _)) = &block.trait_ {
                this.visit_path(path);
            }
            this.visit_type(&block.self_ty);
            this.visit_generics(&block.generics);
        });
        for item in &block.items {
            self.impl_item(item);
        }
        (self.self_type, self.of_trait) = before;
    }

    fn impl_item(&mut self, item: &ImplItem) {
        match item {
            ImplItem::Fn(function) => self.under_attributes(&function.attrs, |this| {
                let name = function.sig.ident.to_string();
                if this.of_trait.is_none() {
                    this.own_function(&function.sig.ident);
                }
                let is_facade = this.of_trait.is_none();
                this.in_item(ItemKind::Function, name, |this| {
                    this.method_definition(&function.sig, is_facade);
                    this.function(&function.sig, Some(&function.block));
                });
            }),
            ImplItem::Const(constant) => self.under_attributes(&constant.attrs, |this| {
                this.in_item(ItemKind::Other, constant.ident.to_string(), |this| {
                    let place = TextPlace::Bound(constant.ident.to_string());
                    this.in_place(place, |this| visit::visit_impl_item_const(this, constant));
                });
            }),
            ImplItem::Macro(call) => self.macro_call(&call.mac),
            other => {
                let name = self.self_type.clone().unwrap_or_default();
                self.in_item(ItemKind::Other, name, |this| visit::visit_impl_item(this, other));
            }
        }
    }

    fn trait_item(&mut self, item: &TraitItem) {
        match item {
            TraitItem::Fn(function) => self.under_attributes(&function.attrs, |this| {
                this.in_item(ItemKind::Function, function.sig.ident.to_string(), |this| {
                    this.method_definition(&function.sig, true);
                    this.function(&function.sig, function.default.as_ref());
                });
            }),
            other => visit::visit_trait_item(self, other),
        }
    }

    fn method_call(&mut self, call: &syn::ExprMethodCall, then: Option<String>) {
        let method = call.method.to_string();
        self.record_call(&method);
        let span = parse::range(call.method.span());
        let known =
            self.vocabulary.methods.contains(method.as_str()) || self.vocabulary.overrides.contains(method.as_str());
        if known {
            let receiver = self.resolve_receiver(&call.receiver);
            let quote = quote_call(&plain_names(&call.receiver).unwrap_or_default(), &method, call.args.len());
            let args = call.args.len();
            self.record(Mention::Call { method: method.clone(), args, receiver, then }, span.clone(), quote);
        }
        self.keyed_access(call, &method);
        self.surgery_call(call, &method, span);

        let wire = &self.vocabulary.knowledge.wire;
        let deadline = any_word(&[&method], &wire.deadline.words);
        // The receiver of `.insert(…)` and its like is written, not read.
        self.access = if is_write(&method) { Access::Written } else { Access::Read };
        self.then = Some(method.clone());
        self.within(|around| around.under_deadline |= deadline, |this| this.visit_expr(&call.receiver));
        if let Some(turbofish) = &call.turbofish {
            self.visit_angle_bracketed_generic_arguments(turbofish);
        }
        self.locals.push(BTreeMap::new());
        let value = self.resolve_receiver(&call.receiver);
        for arg in &call.args {
            // `capabilities.as_ref().and_then(|c| c.roots …)`: the parameter is the receiver.
            if let Expr::Closure(closure) = arg
                && closure.inputs.len() == 1
            {
                self.bind_pattern(&closure.inputs[0], &value);
            }
        }
        let mut callee = value.names;
        callee.truncate(1);
        callee.push(method);
        self.arguments(callee, call.args.iter());
        self.locals.pop();
    }

    fn call(&mut self, call: &syn::ExprCall) {
        let callee = match call.func.as_ref() {
            Expr::Path(path) => {
                self.record_path(&path.path, PathPlace::Built);
                visit::visit_path(self, &path.path);
                if let Some(qself) = &path.qself {
                    self.visit_type(&qself.ty);
                }
                segments(&path.path)
            }
            other => {
                self.visit_expr(other);
                Vec::new()
            }
        };
        if let Some(name) = callee.last() {
            self.record_call(&name.clone());
        }
        if let (Some(first), Some(last)) = (call.args.first(), callee.last())
            && last == "new"
            && callee.iter().any(|name| self.vocabulary.is_promising(name) || self.renamed.contains(name))
        {
            self.uri(first, Some(callee.clone()));
        }
        self.arguments(callee, call.args.iter());
    }

    fn field(&mut self, field: &syn::ExprField, access: Access) {
        if let Member::Named(name) = &field.member
            && self.vocabulary.fields.contains(name.to_string().as_str())
        {
            let base = self.resolve_receiver(&field.base);
            let quote = match names_of(&field.base).last() {
                Some(last) => format!("{last}.{name}"),
                None => format!(".{name}"),
            };
            let mention = Mention::Field { field: name.to_string(), base, access };
            self.record(mention, parse::range(name.span()), quote);
        }
        // In `caps.roots.list_changed = x` the whole chain is written.
        self.access = access;
        self.visit_expr(&field.base);
        self.access = Access::Read;
    }

    fn index(&mut self, index: &syn::ExprIndex, access: Access) {
        if let Some(key) = string_literal(&index.index) {
            let mut path = names_of(&index.expr);
            path.push(key);
            self.json_key(path, access, None, parse::range(index.index.span()));
        }
        self.surgery_slice(index);
        self.visit_expr(&index.expr);
        self.in_place(TextPlace::Other, |this| this.visit_expr(&index.index));
    }

    fn struct_literal(&mut self, literal: &syn::ExprStruct) {
        self.record_path(&literal.path, PathPlace::Built);
        let names = segments(&literal.path);
        let input = self.is_input_path(&literal.path);
        let builds_root = names.iter().any(|name| self.vocabulary.is_promising(name));
        self.within(
            |around| around.in_input |= input,
            |this| {
                for field in &literal.fields {
                    if let Member::Named(name) = &field.member {
                        // `roots: false` declares nothing; a flag's key is there whatever its value.
                        let is_flag = this.vocabulary.knowledge.wire.json.flags.iter().any(|flag| name == flag);
                        let nothing = is_nothing(&field.expr) || (is_false(&field.expr) && !is_flag);
                        let access = if nothing { Access::Cleared } else { Access::Written };
                        this.struct_field(&literal.path, name, access);
                        if builds_root && *name == this.vocabulary.knowledge.wire.uri.key {
                            this.uri(&field.expr, Some(names.clone()));
                        }
                        let place = TextPlace::Field(names.clone(), name.to_string());
                        this.in_place(place, |this| this.visit_expr(&field.expr));
                    }
                }
                if let Some(rest) = &literal.rest {
                    this.visit_expr(rest);
                }
            },
        );
    }

    fn struct_field(&mut self, path: &syn::Path, name: &syn::Ident, access: Access) {
        if self.vocabulary.fields.contains(name.to_string().as_str()) {
            let path = segments(path);
            let quote = format!("{} {{ {name} }}", path.last().map_or("", String::as_str));
            let mention = Mention::StructField { path, field: name.to_string(), access };
            self.record(mention, parse::range(name.span()), quote);
        }
    }

    fn is_input_path(&self, path: &syn::Path) -> bool {
        let types = &self.vocabulary.knowledge.wire.input.types;
        path.segments.iter().any(|segment| types.iter().any(|name| segment.ident == name))
    }

    /// Whether the text of a span speaks of input requests.
    fn mentions_input(&self, span: Span) -> bool {
        let text = self.out.source.text().get(parse::range(span)).unwrap_or_default();
        self.vocabulary.knowledge.wire.json.input_parents.iter().any(|key| text.contains(key.as_str()))
    }

    /// Whether the body of a match arm does nothing but return an error.
    fn only_refuses(&self, body: &Expr) -> bool {
        let words = &self.vocabulary.knowledge.wire.refusal.words;
        match body {
            Expr::Block(block) => match block.block.stmts.as_slice() {
                [Stmt::Expr(only, _)] => self.only_refuses(only),
                [Stmt::Macro(only)] => any_word(&segments(&only.mac.path), words),
                _ => false,
            },
            Expr::Return(back) => back.expr.as_ref().is_some_and(|value| self.only_refuses(value)),
            Expr::Call(call) => match call.func.as_ref() {
                Expr::Path(path) => any_word(&segments(&path.path), words),
                _ => false,
            },
            Expr::MethodCall(call) => any_word(&[call.method.to_string()], words),
            Expr::Macro(call) => any_word(&segments(&call.mac.path), words),
            _ => false,
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

/// `peer.list_roots()`, at most two names long.
fn quote_call(names: &[String], method: &str, args: usize) -> String {
    let tail = names[names.len().saturating_sub(2)..].join(".");
    let dot = if tail.is_empty() { "." } else { &format!("{tail}.") };
    format!("{dot}{method}({})", if args == 0 { "" } else { "…" })
}

fn is_comparison(op: &syn::BinOp) -> bool {
    matches!(op, syn::BinOp::Eq(_) | syn::BinOp::Ne(_))
}

fn is_write(method: &str) -> bool {
    matches!(method, "insert" | "get_or_insert" | "get_or_insert_with" | "get_or_insert_default" | "replace")
}

fn is_none_pattern(pattern: &Pat) -> bool {
    match pattern {
        Pat::Ident(ident) => ident.ident == "None",
        Pat::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == "None"),
        Pat::Wild(_) => true,
        _ => false,
    }
}

fn is_test(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let path = attribute.path();
        let last = path.segments.last().map(|segment| segment.ident.to_string());
        match last.as_deref() {
            Some("test" | "rstest" | "test_case" | "quickcheck" | "bench") => true,
            Some("cfg") => attribute.meta.require_list().is_ok_and(|list| {
                let text = list.tokens.to_string();
                text == "test" || (text.contains("test") && text.starts_with("all"))
            }),
            _ => false,
        }
    })
}

fn is_silenced(attributes: &[Attribute]) -> bool {
    attributes.iter().any(|attribute| {
        let silencing = attribute.path().is_ident("allow") || attribute.path().is_ident("expect");
        silencing
            && attribute.meta.require_list().is_ok_and(|list| {
                let named = |token: proc_macro2::TokenTree| {
                    matches!(token, proc_macro2::TokenTree::Ident(name) if name == "deprecated" || name == "warnings")
                };
                list.tokens.clone().into_iter().any(named)
            })
    })
}

/// The name that serde writes, when an attribute changes it.
fn renamed_to(attributes: &[Attribute]) -> Option<String> {
    let mut found = None;
    for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident("serde")) {
        // Other keys of the list are none of our business, whatever they are.
        let _ = attribute.parse_nested_meta(|meta| {
            if meta.path.is_ident("rename") {
                found = Some(meta.value()?.parse::<syn::LitStr>()?.value());
            } else if meta.input.peek(syn::Token![=]) {
                meta.value()?.parse::<Expr>()?;
            }
            Ok(())
        });
    }
    found
}
