//! The fallback where nothing parses: patterns over a flat list of tokens.

use std::ops::Range;

use proc_macro2::{Delimiter, TokenStream, TokenTree};
use syn::parse::Parser;
use syn::visit::Visit;
use syn::{Block, Lit};

use super::Collector;
use super::exprs::quote_call;
use crate::analyze::rust::facts::{Mention, PathPlace, Receiver, TextPlace};
use crate::analyze::rust::parse;

/// A token, with groups laid flat.
enum Flat {
    Ident(String),
    Punct(char),
    Str(String),
    /// An opening delimiter; the index of its closing one, and what is inside.
    Open(Delimiter, usize, TokenStream),
    Close,
    Other,
}

/// A flat token and where it stands.
struct Token {
    kind: Flat,
    span: Range<usize>,
}

impl Token {
    fn is(&self, c: char) -> bool {
        matches!(self.kind, Flat::Punct(found) if found == c)
    }

    fn ident(&self) -> Option<&str> {
        match &self.kind {
            Flat::Ident(name) => Some(name),
            _ => None,
        }
    }
}

/// Lays a stream flat without recursion: it may be nested deeper than the stack allows.
fn flatten(stream: TokenStream) -> Vec<Token> {
    let mut flat = Vec::new();
    let mut open: Vec<(usize, Range<usize>)> = Vec::new();
    let mut levels = vec![stream.into_iter()];
    while let Some(level) = levels.last_mut() {
        let Some(token) = level.next() else {
            levels.pop();
            if let Some((at, span)) = open.pop() {
                let end = flat.len();
                if let Some(Token { kind: Flat::Open(_, close, _), .. }) = flat.get_mut(at) {
                    *close = end;
                }
                flat.push(Token { kind: Flat::Close, span });
            }
            continue;
        };
        let span = parse::range(token.span());
        let kind = match token {
            TokenTree::Ident(name) => Flat::Ident(name.to_string()),
            TokenTree::Punct(punct) => Flat::Punct(punct.as_char()),
            TokenTree::Literal(literal) => match Lit::new(literal) {
                Lit::Str(text) => Flat::Str(text.value()),
                _ => Flat::Other,
            },
            TokenTree::Group(group) => {
                open.push((flat.len(), parse::range(group.span_close())));
                levels.push(group.stream().into_iter());
                Flat::Open(group.delimiter(), 0, group.stream())
            }
        };
        flat.push(Token { kind, span });
    }
    flat
}

impl Collector<'_, '_> {
    /// Looks for calls, paths and strings in tokens. With `parse_blocks`, blocks among them that parse are
    /// visited as code.
    pub(super) fn flat_tokens(&mut self, stream: TokenStream, parse_blocks: bool) {
        let tokens = flatten(stream);
        let mut at = 0;
        while at < tokens.len() {
            at = self.flat_token(&tokens, at, parse_blocks);
        }
    }

    /// Handles one token, or what begins with it; gives the index of the next.
    fn flat_token(&mut self, tokens: &[Token], at: usize, parse_blocks: bool) -> usize {
        let wire = &self.vocabulary.knowledge.wire;
        match &tokens[at].kind {
            // Attributes, doc comments among them, are text.
            Flat::Punct('#') => {
                let open = if tokens.get(at + 1).is_some_and(|next| next.is('!')) { at + 2 } else { at + 1 };
                match tokens.get(open).map(|next| &next.kind) {
                    Some(Flat::Open(Delimiter::Bracket, close, _)) => close + 1,
                    _ => at + 1,
                }
            }
            Flat::Open(Delimiter::Brace, close, inner) if parse_blocks => {
                match Block::parse_within.parse2(inner.clone()) {
                    Ok(statements) if !statements.is_empty() => {
                        for statement in &statements {
                            self.visit_stmt(statement);
                        }
                        close + 1
                    }
                    _ => at + 1,
                }
            }
            Flat::Ident(_) => {
                if let Some((Flat::Open(_, close, inner), name)) = macro_at(tokens, at) {
                    if wire.macros.json.iter().any(|json| json == name) && !self.around.tokens_only {
                        self.json_macro(inner.clone());
                        return close + 1;
                    }
                    if wire.macros.text.iter().any(|text| text == name) {
                        return close + 1;
                    }
                }
                self.flat_path(tokens, at)
            }
            Flat::Punct('.') => {
                self.flat_call(tokens, at);
                at + 1
            }
            Flat::Str(value) => {
                let place = self.flat_place(tokens, at);
                let (value, span) = (value.clone(), tokens[at].span.clone());
                let in_text = self.in_text;
                self.in_place(place, |this| {
                    if !in_text {
                        this.text(&value, span);
                    }
                });
                at + 1
            }
            _ => at + 1,
        }
    }

    /// `A::B::C` that begins at `at`.
    fn flat_path(&mut self, tokens: &[Token], at: usize) -> usize {
        let mut names = Vec::new();
        let mut end = at;
        while let Some(name) = tokens.get(end).and_then(Token::ident) {
            names.push(name.to_owned());
            let is_colon = |on: usize| tokens.get(end + on).is_some_and(|token| token.is(':'));
            if !(is_colon(1) && is_colon(2)) || tokens.get(end + 3).and_then(Token::ident).is_none() {
                break;
            }
            end += 3;
        }
        let is_method = at > 0 && tokens[at - 1].is('.');
        let is_defined = at > 0 && tokens[at - 1].ident() == Some("fn");
        let called = matches!(tokens.get(end + 1).map(|t| &t.kind), Some(Flat::Open(..)));
        let span = tokens[at].span.start..tokens[end].span.end;
        if is_defined && self.vocabulary.overrides.contains(names[0].as_str()) {
            let mention = Mention::Method {
                method: names[0].clone(),
                of_trait: self.of_trait.clone(),
                is_facade: true,
                params: Vec::new(),
            };
            self.record(mention, span, format!("fn {}", names[0]));
        } else if !is_method && !is_defined && names.iter().any(|name| self.vocabulary.is_promising(name)) {
            let place = if called { PathPlace::Built } else { PathPlace::Named };
            let quote = names[names.len().saturating_sub(2)..].join("::");
            let text = self.flat_place(tokens, at);
            self.record(Mention::Path { segments: names, place, text }, span, quote);
        }
        end + 1
    }

    /// `.method(` at the dot.
    fn flat_call(&mut self, tokens: &[Token], dot: usize) {
        let Some(method) = tokens.get(dot + 1).and_then(Token::ident) else { return };
        let Some(Flat::Open(Delimiter::Parenthesis, _, inner)) = tokens.get(dot + 2).map(|t| &t.kind) else {
            return;
        };
        let known = self.vocabulary.methods.contains(method) || self.vocabulary.overrides.contains(method);
        if !known {
            return;
        }
        let mut names = Vec::new();
        let mut before = dot;
        while let Some(name) = before.checked_sub(1).and_then(|at| tokens[at].ident()) {
            names.push(name.to_owned());
            match before.checked_sub(2) {
                Some(at) if tokens[at].is('.') => before = at,
                _ => break,
            }
        }
        names.reverse();
        let known = names.first().and_then(|first| self.locals.iter().rev().find_map(|block| block.get(first)));
        let ty = known.filter(|_| names.len() == 1).and_then(|known| known.ty.clone());
        let args = super::json::split_at_commas(inner.clone()).len();
        let quote = quote_call(&names, method, args);
        let mention = Mention::Call { method: method.to_owned(), args, receiver: Receiver { names, ty }, then: None };
        let (method, span) = (method.to_owned(), tokens[dot + 1].span.clone());
        self.record_call(&method);
        self.record(mention, span, quote);
    }

    /// What stands around a string among tokens.
    fn flat_place(&self, tokens: &[Token], at: usize) -> TextPlace {
        let before = |back: usize| at.checked_sub(back).map(|at| &tokens[at]);
        let after = |on: usize| tokens.get(at + on);
        let is = |token: Option<&Token>, c| token.is_some_and(|token| token.is(c));
        let arrow = is(after(1), '=') && is(after(2), '>');
        let equals = is(before(1), '=') && is(before(2), '=');
        if arrow || equals || is(after(1), '|') || is(before(1), '|') {
            return TextPlace::Dispatched;
        }
        if is(before(1), ':')
            && let Some(Flat::Str(key)) = before(2).map(|token| &token.kind)
        {
            return TextPlace::Json(vec![key.clone()]);
        }
        // The nearest open parenthesis with a name before it.
        let callee = (0..at)
            .rev()
            .find(|open| matches!(&tokens[*open].kind, Flat::Open(Delimiter::Parenthesis, close, _) if *close > at));
        match callee.and_then(|open| open.checked_sub(1)).and_then(|name| tokens[name].ident()) {
            Some(name) => TextPlace::Argument(vec![name.to_owned()]),
            None => self.places.last().cloned().unwrap_or(TextPlace::Other),
        }
    }
}

/// `name ! (…)` at `at`: what it opens, and the name.
fn macro_at(tokens: &[Token], at: usize) -> Option<(&Flat, &str)> {
    let name = tokens[at].ident()?;
    tokens.get(at + 1).filter(|token| token.is('!'))?;
    let open = tokens.get(at + 2)?;
    matches!(open.kind, Flat::Open(..)).then_some((&open.kind, name))
}
