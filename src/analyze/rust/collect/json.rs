//! JSON in code: bodies of `json!`-like macros, JSON text in literals, and keys by which JSON is read.

use std::ops::Range;

use jsonc_parser::ast::{ObjectPropName, Value};
use jsonc_parser::common::Ranged;
use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::Lit;
use syn::parse::Parser;
use syn::visit::Visit;

use super::Collector;
use crate::analyze::rust::facts::{Access, ItemKind, Mention, TextPlace};
use crate::analyze::rust::parse;

/// Stands for the position in a list, in paths of keys.
const ITEM: &str = "*";

impl Collector<'_, '_> {
    /// Records a key when it is one that the wire knows.
    pub(super) fn json_key(&mut self, path: Vec<String>, access: Access, binding: Option<String>, span: Range<usize>) {
        let json = &self.vocabulary.knowledge.wire.json;
        let known = path.last().is_some_and(|key| *key == json.capability || json.flags.contains(key));
        if known {
            let quote = format!("\"{}\"", path.last().map_or("", String::as_str));
            self.record(Mention::JsonKey { path, access, binding }, span, quote);
        }
    }

    /// What the JSON value at hand is assigned to or passed as, else the function that builds it.
    fn binding(&self) -> Option<String> {
        match self.places.last() {
            Some(TextPlace::Bound(name) | TextPlace::Field(_, name)) => Some(name.clone()),
            _ => {
                let item = &self.out.items[self.item];
                (item.kind == ItemKind::Function).then(|| item.name.clone())
            }
        }
    }

    /// The body of a `json!`-like macro.
    pub(super) fn json_macro(&mut self, tokens: TokenStream) {
        let binding = self.binding();
        let mut path = match self.places.last() {
            Some(TextPlace::Bound(name) | TextPlace::Field(_, name)) => vec![name.clone()],
            _ => Vec::new(),
        };
        self.json_value(tokens, &mut path, binding.as_ref());
    }

    fn json_value(&mut self, tokens: TokenStream, path: &mut Vec<String>, binding: Option<&String>) {
        let mut all = tokens.clone().into_iter();
        match (all.next(), all.next()) {
            (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::Brace => {
                self.json_object(group.stream(), path, binding);
            }
            (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::Bracket => {
                path.push(ITEM.to_owned());
                for element in split_at_commas(group.stream()) {
                    self.json_value(element, path, binding);
                }
                path.pop();
            }
            (Some(TokenTree::Literal(literal)), None) => {
                if let Lit::Str(text) = Lit::new(literal) {
                    let span = parse::range(text.span());
                    self.json_string(&text.value(), path, span);
                }
            }
            _ => {
                let input = self.is_below_input(path);
                let place = TextPlace::Json(path.clone());
                self.within(
                    |around| around.in_input |= input,
                    |this| this.in_place(place, |this| this.expression_tokens(tokens)),
                );
            }
        }
    }

    fn json_object(&mut self, tokens: TokenStream, path: &mut Vec<String>, binding: Option<&String>) {
        for property in split_at_commas(tokens) {
            let mut rest = property.into_iter();
            let (Some(key), Some(TokenTree::Punct(colon))) = (rest.next(), rest.next()) else { continue };
            if colon.as_char() != ':' {
                continue;
            }
            let value: TokenStream = rest.collect();
            let key = match key {
                TokenTree::Literal(literal) => match Lit::new(literal) {
                    Lit::Str(text) => Some((text.value(), parse::range(text.span()))),
                    _ => None,
                },
                TokenTree::Ident(name) => Some((name.to_string(), parse::range(name.span()))),
                _ => None,
            };
            let Some((key, span)) = key else {
                self.expression_tokens(value);
                continue;
            };
            path.push(key);
            let access = if is_null(&value) { Access::Cleared } else { Access::Written };
            self.json_key(path.clone(), access, binding.cloned(), span);
            self.json_value(value, path, binding);
            path.pop();
        }
    }

    /// A string value: a method below its key, a URI of a root, or JSON in JSON.
    fn json_string(&mut self, value: &str, path: &[String], span: Range<usize>) {
        let input = self.is_below_input(path);
        let uri = &self.vocabulary.knowledge.wire.uri;
        let is_root = matches!(path, [.., list, item, key] if *list == uri.list && item == ITEM && *key == uri.key);
        if is_root {
            let quote = format!("\"{value}\"");
            self.record(Mention::Uri { value: value.to_owned(), built_by: None }, span, quote);
            return;
        }
        let place = TextPlace::Json(path.to_vec());
        self.within(|around| around.in_input |= input, |this| this.in_place(place, |this| this.text(value, span)));
    }

    fn is_below_input(&self, path: &[String]) -> bool {
        let keys = &self.vocabulary.knowledge.wire.json.input_parents;
        path.iter().any(|key| keys.contains(key))
    }

    /// Tokens that are an expression, or whatever they are.
    fn expression_tokens(&mut self, tokens: TokenStream) {
        match syn::parse2::<syn::Expr>(tokens.clone()) {
            Ok(expr) => self.visit_expr(&expr),
            Err(_) => self.flat_tokens(tokens, true),
        }
    }

    /// JSON text in a string literal. Only a raw string shows its text as it is; of another the whole literal is
    /// the place.
    pub(super) fn json_text(&mut self, text: &str, literal: Range<usize>) {
        let json = &self.vocabulary.knowledge.wire.json;
        if !text.contains(&format!("\"{}", json.capability)) && !text.contains("roots/") {
            return;
        }
        let Ok(parsed) = jsonc_parser::parse_to_ast(text, &Default::default(), &Default::default()) else { return };
        let Some(value) = parsed.value else { return };
        let whole = self.out.source.text().get(literal.clone()).unwrap_or_default();
        let start = whole.find(text).map(|at| literal.start + at);
        let place = |inner: Range<usize>| match start {
            Some(start) => start + inner.start..start + inner.end,
            None => literal.clone(),
        };
        self.json_text_value(&value, &mut Vec::new(), &place);
    }

    fn json_text_value(
        &mut self,
        value: &Value<'_>,
        path: &mut Vec<String>,
        place: &dyn Fn(Range<usize>) -> Range<usize>,
    ) {
        match value {
            Value::Object(object) => {
                for property in &object.properties {
                    let key = match &property.name {
                        ObjectPropName::String(name) => name.value.to_string(),
                        ObjectPropName::Word(name) => name.value.to_string(),
                    };
                    path.push(key);
                    let null = matches!(property.value, Value::NullKeyword(_));
                    let access = if null { Access::Cleared } else { Access::Written };
                    let span = property.name.range();
                    let binding = self.binding();
                    self.json_key(path.clone(), access, binding, place(span.start..span.end));
                    self.json_text_value(&property.value, path, place);
                    path.pop();
                }
            }
            Value::Array(array) => {
                path.push(ITEM.to_owned());
                for element in &array.elements {
                    self.json_text_value(element, path, place);
                }
                path.pop();
            }
            Value::StringLit(text) => {
                let span = text.range();
                if !text.value.trim_start().starts_with('{') {
                    self.json_string(&text.value, path, place(span.start..span.end));
                }
            }
            _ => {}
        }
    }
}

fn is_null(tokens: &TokenStream) -> bool {
    let mut all = tokens.clone().into_iter();
    matches!((all.next(), all.next()), (Some(TokenTree::Ident(word)), None) if word == "null" || word == "None")
}

/// The parts of a token stream between commas on its own level.
pub(super) fn split_at_commas(tokens: TokenStream) -> Vec<TokenStream> {
    // A comma inside `<…>` of an expression splits too early; the parts then fail to parse and are read as tokens.
    let mut parts = vec![Vec::new()];
    for token in tokens {
        match &token {
            TokenTree::Punct(punct) if punct.as_char() == ',' => parts.push(Vec::new()),
            _ => {
                if let Some(part) = parts.last_mut() {
                    part.push(token);
                }
            }
        }
    }
    parts.into_iter().filter(|part| !part.is_empty()).map(TokenStream::from_iter).collect()
}

/// Expressions between commas, when the tokens are just that.
pub(super) fn expressions(tokens: TokenStream) -> Option<Vec<syn::Expr>> {
    let parser = syn::punctuated::Punctuated::<syn::Expr, syn::Token![,]>::parse_terminated;
    parser.parse2(tokens).ok().map(|list| list.into_iter().collect())
}
