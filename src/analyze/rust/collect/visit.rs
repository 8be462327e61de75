//! The walk itself: which node is recorded how, and what is in force below it.

use std::collections::BTreeMap;

use syn::spanned::Spanned;
use syn::visit::{self, Visit};
use syn::{Attribute, Expr, Item, Member, Pat, Stmt};

use super::Collector;
use crate::analyze::rust::facts::{Access, ItemKind, PathPlace, Receiver, TextPlace};
use crate::analyze::rust::types::{is_nothing, names_of, type_name};

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

fn is_comparison(op: &syn::BinOp) -> bool {
    matches!(op, syn::BinOp::Eq(_) | syn::BinOp::Ne(_))
}

fn is_none_pattern(pattern: &Pat) -> bool {
    match pattern {
        Pat::Ident(ident) => ident.ident == "None",
        Pat::Path(path) => path.path.segments.last().is_some_and(|last| last.ident == "None"),
        Pat::Wild(_) => true,
        _ => false,
    }
}
