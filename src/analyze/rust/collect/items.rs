//! Functions, impl blocks, traits and type definitions, and the attributes that matter.

use std::collections::BTreeMap;

use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Fields, FnArg, ImplItem, Signature, TraitItem};

use super::Collector;
use crate::analyze::rust::facts::{ItemKind, Mention, Receiver, TextPlace};
use crate::analyze::rust::parse;
use crate::analyze::rust::types::{segments, type_name};

impl Collector<'_, '_> {
    /// Notes a function that has the name of an SDK's method.
    pub(super) fn own_function(&mut self, name: &syn::Ident) {
        let name = name.to_string();
        if self.vocabulary.methods.contains(name.as_str()) {
            self.out.functions.insert(name);
        }
    }

    pub(super) fn define(&mut self, name: &syn::Ident) {
        self.out.scopes[self.scope].defined.insert(name.to_string());
    }

    pub(super) fn function(&mut self, signature: &Signature, body: Option<&syn::Block>) {
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
    pub(super) fn method_definition(&mut self, signature: &Signature, is_facade: bool) {
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

    pub(super) fn type_definition(&mut self, name: &syn::Ident, fields: &Fields) {
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

    pub(super) fn impl_block(&mut self, block: &syn::ItemImpl) {
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

    pub(super) fn impl_item(&mut self, item: &ImplItem) {
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

    pub(super) fn trait_item(&mut self, item: &TraitItem) {
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
}

pub(super) fn is_test(attributes: &[Attribute]) -> bool {
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

pub(super) fn is_silenced(attributes: &[Attribute]) -> bool {
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
pub(super) fn renamed_to(attributes: &[Attribute]) -> Option<String> {
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
