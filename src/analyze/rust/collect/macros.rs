//! Macro calls: parsed as what they usually hold, else read by their tokens.

use proc_macro2::TokenStream;
use syn::parse::{Parse, ParseStream, Parser};
use syn::visit::Visit;
use syn::{Block, Expr, Pat, Token};

use super::Collector;
use super::json::expressions;
use crate::analyze::rust::facts::{Mention, TextPlace};
use crate::analyze::rust::parse;
use crate::analyze::rust::types::segments;
use crate::analyze::rust::words::any_word;

/// `matches!(value, pattern if guard)`.
struct Matched {
    value: Expr,
    pattern: Pat,
    guard: Option<Expr>,
}

impl Parse for Matched {
    fn parse(input: ParseStream<'_>) -> syn::Result<Self> {
        let value = input.parse()?;
        input.parse::<Token![,]>()?;
        let pattern = Pat::parse_multi_with_leading_vert(input)?;
        let guard = if input.peek(Token![if]) {
            input.parse::<Token![if]>()?;
            Some(input.parse()?)
        } else {
            None
        };
        // `assert_matches!` takes a message after it.
        if !input.is_empty() {
            input.parse::<Token![,]>()?;
            input.parse::<TokenStream>()?;
        }
        Ok(Self { value, pattern, guard })
    }
}

impl Collector<'_, '_> {
    pub(super) fn macro_call(&mut self, call: &syn::Macro) {
        let wire = &self.vocabulary.knowledge.wire;
        let path = segments(&call.path);
        let name = path.last().cloned().unwrap_or_default();
        if self.vocabulary.macros.contains(name.as_str()) {
            let span = parse::range(syn::spanned::Spanned::span(&call.path));
            self.record(Mention::Macro { segments: path.clone() }, span, format!("{name}!"));
        }
        let is_text = wire.macros.text.contains(&name);
        let is_json = wire.macros.json.contains(&name);
        let deadline = any_word(&[&name], &wire.deadline.words);
        let input = self.mentions_input(syn::spanned::Spanned::span(&call.tokens));
        let was_text = self.in_text;
        self.in_text |= is_text;
        self.within(
            |around| {
                around.under_deadline |= deadline;
                around.in_input |= input && !is_json;
            },
            |this| {
                if is_json {
                    this.json_macro(call.tokens.clone());
                } else if name == "macro_rules" {
                    this.flat_tokens(call.tokens.clone(), false);
                } else {
                    this.macro_body(path, call.tokens.clone());
                }
            },
        );
        self.in_text = was_text;
    }

    fn macro_body(&mut self, path: Vec<String>, tokens: TokenStream) {
        if path.last().is_some_and(|name| name.ends_with("matches"))
            && let Ok(matched) = syn::parse2::<Matched>(tokens.clone())
        {
            self.visit_expr(&matched.value);
            // Tables of known methods are written this way as well as dispatches: no telling.
            self.in_place(TextPlace::Other, |this| this.visit_pat(&matched.pattern));
            if let Some(guard) = &matched.guard {
                self.visit_expr(guard);
            }
        } else if let Some(all) = expressions(tokens.clone()) {
            self.arguments(path, all.iter());
        } else if let Ok(statements) = Block::parse_within.parse2(tokens.clone()) {
            for statement in &statements {
                self.visit_stmt(statement);
            }
        } else {
            self.in_place(TextPlace::Argument(path), |this| this.flat_tokens(tokens, true));
        }
    }
}
