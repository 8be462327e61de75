//! Strings that may be protocol methods, JSON text or root URIs, and text surgery on URIs.

use std::ops::Range;

use syn::{Attribute, Expr, Lit};

use super::Collector;
use crate::analyze::rust::facts::{Access, Mention, TextPlace};
use crate::analyze::rust::parse;
use crate::analyze::rust::types::{is_nothing, names_of, plain_names, segments, string_literal};

/// Calls that hand a string on as it is; what stands around them stands around the string.
const TRANSPARENT: [&str; 18] = [
    "to_string",
    "to_owned",
    "into",
    "from",
    "clone",
    "as_str",
    "as_ref",
    "as_bytes",
    "as_deref",
    "to_vec",
    "Some",
    "Ok",
    "Borrowed",
    "Owned",
    "unwrap",
    "from_static",
    "into_owned",
    "Str",
];

/// Whether a call hands its argument on.
pub(super) fn is_transparent(callee: &[String]) -> bool {
    match callee {
        [.., wrapper, method] if method == "new" => ["Box", "Arc", "Rc", "Cow", "String"].contains(&wrapper.as_str()),
        [.., last] => TRANSPARENT.contains(&last.as_str()),
        [] => false,
    }
}

impl Collector<'_, '_> {
    /// A literal: only strings matter.
    pub(super) fn literal(&mut self, literal: &Lit) {
        if let Lit::Str(text) = literal
            && !self.in_text
        {
            self.text(&text.value(), parse::range(text.span()));
        }
    }

    /// A string that stands somewhere in code.
    pub(super) fn text(&mut self, value: &str, span: Range<usize>) {
        if self.vocabulary.knowledge.wire.method(value).is_some() {
            let place = self.places.last().cloned().unwrap_or(TextPlace::Other);
            self.record(Mention::Text { value: value.to_owned(), place }, span, format!("\"{value}\""));
        } else if value.trim_start().starts_with('{') {
            self.json_text(value, span);
        }
    }

    /// The attributes that say something about the wire: renames and derives.
    pub(super) fn attribute(&mut self, attribute: &Attribute) {
        let path = attribute.path();
        if let Some(last) = path.segments.last()
            && self.vocabulary.macros.contains(last.ident.to_string().as_str())
        {
            let mention = Mention::Macro { segments: segments(path) };
            self.record(mention, parse::range(last.ident.span()), format!("#[{}]", last.ident));
        }
        let Ok(list) = attribute.meta.require_list() else { return };
        if path.is_ident("derive") {
            let macros = &self.vocabulary.macros;
            let known = |name: &proc_macro2::Ident| macros.contains(name.to_string().as_str());
            for token in list.tokens.clone() {
                if let proc_macro2::TokenTree::Ident(name) = token
                    && known(&name)
                {
                    let mention = Mention::Macro { segments: vec![name.to_string()] };
                    self.record(mention, parse::range(name.span()), format!("derive({name})"));
                }
            }
        } else if path.is_ident("serde") || path.is_ident("cfg_attr") || path.is_ident("strum") {
            self.in_place(TextPlace::Renamed, |this| this.token_strings(list.tokens.clone()));
        }
    }

    /// Records the strings of a token stream, at the place at hand.
    fn token_strings(&mut self, tokens: proc_macro2::TokenStream) {
        for token in tokens {
            match token {
                proc_macro2::TokenTree::Group(group) => self.token_strings(group.stream()),
                proc_macro2::TokenTree::Literal(literal) => self.literal(&Lit::new(literal)),
                _ => {}
            }
        }
    }

    /// `map.get("roots")`, `map.insert("roots", …)` and their like on a capabilities object.
    pub(super) fn keyed_access(&mut self, call: &syn::ExprMethodCall, method: &str) {
        let Some((key, span)) = call.args.first().and_then(literal_of) else { return };
        let access = match method {
            "get" | "get_mut" | "contains_key" | "pointer" | "pointer_mut" | "remove" | "has" => Access::Read,
            "insert" | "entry" | "serialize_entry" | "serialize_field" => {
                let cleared = call.args.iter().nth(1).is_some_and(is_nothing);
                if cleared { Access::Cleared } else { Access::Written }
            }
            _ => return,
        };
        let mut path = if method.starts_with("serialize_") {
            self.self_type.iter().cloned().collect()
        } else {
            self.resolve_receiver(&call.receiver).names
        };
        match key.strip_prefix('/') {
            Some(pointer) if method.starts_with("pointer") => path.extend(pointer.split('/').map(str::to_owned)),
            _ => path.push(key),
        }
        self.json_key(path, access, None, span);
    }

    /// The literal URI that a root is built with.
    pub(super) fn uri(&mut self, expr: &Expr, built_by: Option<Vec<String>>) {
        if let Some((value, span)) = literal_of(expr) {
            let quote = format!("\"{value}\"");
            self.record(Mention::Uri { value, built_by }, span, quote);
        }
    }

    /// `uri.strip_prefix("file://")` and its like.
    pub(super) fn surgery_call(&mut self, call: &syn::ExprMethodCall, method: &str, span: Range<usize>) {
        let uri = &self.vocabulary.knowledge.wire.uri;
        let cuts = uri.surgery.iter().any(|name| name == method);
        let Some(text) = call.args.first().and_then(string_literal) else { return };
        if cuts && uri.scheme_texts.contains(&text) {
            let names = self.resolve_receiver(&call.receiver).names;
            let written = plain_names(&call.receiver).unwrap_or_default();
            let tail = written[written.len().saturating_sub(2)..].join(".");
            let quote = format!("{tail}.{method}(\"{text}\")");
            self.record(Mention::Surgery { names }, span, quote);
        }
    }

    /// `&uri[7..]`, `uri["file://".len()..]`.
    pub(super) fn surgery_slice(&mut self, index: &syn::ExprIndex) {
        let Expr::Range(range) = index.index.as_ref() else { return };
        let Some(start) = &range.start else { return };
        let scheme = &self.vocabulary.knowledge.wire.uri.scheme;
        let cuts = match start.as_ref() {
            Expr::Lit(literal) => match &literal.lit {
                Lit::Int(number) => number.base10_parse::<usize>().is_ok_and(|number| number == scheme.len()),
                _ => false,
            },
            Expr::MethodCall(call) => {
                call.method == "len" && string_literal(&call.receiver).is_some_and(|text| text == *scheme)
            }
            _ => false,
        };
        let names = names_of(&index.expr);
        // A number alone says nothing: the thing that is cut must be called a URI.
        if cuts && names.last().is_some_and(|last| last.to_lowercase().contains("ur")) {
            let span = parse::range(syn::spanned::Spanned::span(index));
            let quote = self.out.source.text().get(span.clone()).unwrap_or_default().to_owned();
            let names = self.resolve_receiver(&index.expr).names;
            self.record(Mention::Surgery { names }, span, quote);
        }
    }
}

/// The text of a literal, also behind `.into()`, `String::from(…)` or `format!("…")`, and where it stands.
fn literal_of(expr: &Expr) -> Option<(String, Range<usize>)> {
    match expr {
        Expr::Lit(literal) => match &literal.lit {
            Lit::Str(text) => Some((text.value(), parse::range(text.span()))),
            _ => None,
        },
        Expr::Reference(inner) => literal_of(&inner.expr),
        Expr::Paren(inner) => literal_of(&inner.expr),
        Expr::Group(inner) => literal_of(&inner.expr),
        Expr::MethodCall(call) if call.args.is_empty() => {
            is_transparent(&[call.method.to_string()]).then(|| literal_of(&call.receiver)).flatten()
        }
        Expr::Call(call) if call.args.len() == 1 => match call.func.as_ref() {
            Expr::Path(path) if is_transparent(&segments(&path.path)) => literal_of(&call.args[0]),
            _ => None,
        },
        Expr::Macro(call) if call.mac.path.is_ident("format") => match call.mac.tokens.clone().into_iter().next()? {
            proc_macro2::TokenTree::Literal(literal) => match Lit::new(literal) {
                Lit::Str(text) => Some((text.value(), parse::range(text.span()))),
                _ => None,
            },
            _ => None,
        },
        _ => None,
    }
}
