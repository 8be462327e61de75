//! `use` trees, and the passes over a file that must come before the walk.

use std::collections::BTreeMap;

use proc_macro2::Span;
use syn::visit::{self, Visit};
use syn::{Item, UseTree};

use super::Collector;
use crate::analyze::rust::facts::Import;
use crate::analyze::rust::parse;
use crate::analyze::rust::types::{segments, type_name};

impl Collector<'_, '_> {
    /// Adds the imports of a tree to the scope at hand.
    pub(super) fn use_tree(&mut self, tree: &UseTree, prefix: &mut Vec<String>) {
        match tree {
            UseTree::Path(path) => {
                prefix.push(path.ident.to_string());
                self.use_tree(&path.tree, prefix);
                prefix.pop();
            }
            UseTree::Name(name) if name.ident == "self" => {
                let last = prefix.last().cloned();
                self.import(last, prefix.clone(), name.ident.span());
            }
            UseTree::Name(name) => {
                let mut path = prefix.clone();
                path.push(name.ident.to_string());
                self.import(Some(name.ident.to_string()), path, name.ident.span());
            }
            UseTree::Rename(rename) => {
                let mut path = prefix.clone();
                if rename.ident != "self" {
                    path.push(rename.ident.to_string());
                }
                // `as _` brings a trait in without a name.
                let name = (rename.rename != "_").then(|| rename.rename.to_string());
                if let Some(name) = name {
                    self.import(Some(name), path, rename.ident.span());
                }
            }
            UseTree::Glob(glob) => {
                let span = syn::spanned::Spanned::span(glob);
                self.import(None, prefix.clone(), span);
            }
            UseTree::Group(group) => {
                for tree in &group.items {
                    self.use_tree(tree, prefix);
                }
            }
        }
    }

    /// Adds one import to the scope at hand.
    pub(super) fn import(&mut self, name: Option<String>, path: Vec<String>, span: Span) {
        let import = Import { name, path, span: parse::range(span), item: self.item, around: self.around };
        let scope = &mut self.out.scopes[self.scope];
        if let Some(name) = &import.name {
            scope.by_name.entry(name.clone()).or_insert(scope.imports.len());
        }
        scope.imports.push(import);
    }

    /// Finds the names that this file gives to promising ones: `use rmcp::model::Root as Workspace`.
    pub(super) fn rename_pass(&mut self, file: &syn::File) {
        let mut renames = Renames::default();
        renames.visit_file(file);
        for (name, path) in renames.found {
            if path.iter().any(|segment| self.vocabulary.is_promising(segment)) {
                self.renamed.insert(name);
            }
        }
    }

    /// Notes the field types of all structs, inline modules included.
    pub(super) fn struct_pass(&mut self, items: &[Item]) {
        for item in items {
            match item {
                Item::Struct(definition) => {
                    let mut fields = BTreeMap::new();
                    for field in &definition.fields {
                        if let (Some(name), Some(ty)) = (&field.ident, type_name(&field.ty)) {
                            fields.insert(name.to_string(), ty);
                        }
                    }
                    self.out.struct_fields.insert(definition.ident.to_string(), fields);
                }
                Item::Mod(module) => {
                    if let Some((_, items)) = &module.content {
                        self.struct_pass(items);
                    }
                }
                _ => {}
            }
        }
    }
}

/// Other names and what they stand for.
#[derive(Default)]
struct Renames {
    found: Vec<(String, Vec<String>)>,
    prefix: Vec<String>,
}

impl<'ast> Visit<'ast> for Renames {
    fn visit_use_path(&mut self, path: &'ast syn::UsePath) {
        self.prefix.push(path.ident.to_string());
        visit::visit_use_path(self, path);
        self.prefix.pop();
    }

    fn visit_use_rename(&mut self, rename: &'ast syn::UseRename) {
        let mut path = self.prefix.clone();
        path.push(rename.ident.to_string());
        self.found.push((rename.rename.to_string(), path));
    }

    fn visit_item_type(&mut self, alias: &'ast syn::ItemType) {
        if let syn::Type::Path(path) = alias.ty.as_ref() {
            self.found.push((alias.ident.to_string(), segments(&path.path)));
        }
    }
}
