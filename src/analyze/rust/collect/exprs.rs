//! Calls, fields and literals of structs: what they mention and what they say of the code inside them.

use std::collections::BTreeMap;

use proc_macro2::Span;
use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Expr, Member, Stmt};

use super::{Collector, strings};
use crate::analyze::rust::facts::{Access, Mention, PathPlace, TextPlace};
use crate::analyze::rust::parse;
use crate::analyze::rust::types::{is_false, is_nothing, names_of, plain_names, segments, string_literal};
use crate::analyze::rust::words::any_word;

impl Collector<'_, '_> {
    pub(super) fn method_call(&mut self, call: &syn::ExprMethodCall, then: Option<String>) {
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

    pub(super) fn call(&mut self, call: &syn::ExprCall) {
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

    pub(super) fn field(&mut self, field: &syn::ExprField, access: Access) {
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

    pub(super) fn index(&mut self, index: &syn::ExprIndex, access: Access) {
        if let Some(key) = string_literal(&index.index) {
            let mut path = names_of(&index.expr);
            path.push(key);
            self.json_key(path, access, None, parse::range(index.index.span()));
        }
        self.surgery_slice(index);
        self.visit_expr(&index.expr);
        self.in_place(TextPlace::Other, |this| this.visit_expr(&index.index));
    }

    pub(super) fn struct_literal(&mut self, literal: &syn::ExprStruct) {
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

    pub(super) fn struct_field(&mut self, path: &syn::Path, name: &syn::Ident, access: Access) {
        if self.vocabulary.fields.contains(name.to_string().as_str()) {
            let path = segments(path);
            let quote = format!("{} {{ {name} }}", path.last().map_or("", String::as_str));
            let mention = Mention::StructField { path, field: name.to_string(), access };
            self.record(mention, parse::range(name.span()), quote);
        }
    }

    pub(super) fn is_input_path(&self, path: &syn::Path) -> bool {
        let types = &self.vocabulary.knowledge.wire.input.types;
        path.segments.iter().any(|segment| types.iter().any(|name| segment.ident == name))
    }

    /// Whether the text of a span speaks of input requests.
    pub(super) fn mentions_input(&self, span: Span) -> bool {
        let text = self.out.source.text().get(parse::range(span)).unwrap_or_default();
        self.vocabulary.knowledge.wire.json.input_parents.iter().any(|key| text.contains(key.as_str()))
    }

    /// Whether the body of a match arm does nothing but return an error.
    pub(super) fn only_refuses(&self, body: &Expr) -> bool {
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

    /// Visits a call's arguments with what the callee's name says of them.
    pub(super) fn arguments<'ast>(&mut self, callee: Vec<String>, args: impl Iterator<Item = &'ast Expr>) {
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

/// `peer.list_roots()`, at most two names long.
pub(super) fn quote_call(names: &[String], method: &str, args: usize) -> String {
    let tail = names[names.len().saturating_sub(2)..].join(".");
    let dot = if tail.is_empty() { "." } else { &format!("{tail}.") };
    format!("{dot}{method}({})", if args == 0 { "" } else { "…" })
}

fn is_write(method: &str) -> bool {
    matches!(method, "insert" | "get_or_insert" | "get_or_insert_with" | "get_or_insert_default" | "replace")
}
