//! From text to a syntax tree, with the traps of the parser taken out: shebangs, depth, stale source maps.

use proc_macro2::{TokenStream, TokenTree};

/// Groups inside groups that are still parsed.
const MAX_GROUPS: usize = 500;
/// Tokens that may nest without a group (`a.b().c()…`, `!!!x`, `if … else if …`), summed along one path.
const MAX_CHAIN: usize = 10_000;
/// Enough for [`MAX_GROUPS`] and [`MAX_CHAIN`] in a debug build; only touched pages cost memory.
pub(super) const STACK_BYTES: usize = 256 * 1024 * 1024;

/// What the text of a file gives.
pub(super) enum Parsed {
    /// A whole syntax tree.
    Tree(Box<syn::File>),
    /// Only tokens; it does not parse, and where.
    Broken(TokenStream, String),
    /// Only tokens; a parser would run out of stack.
    TooDeep(TokenStream, String),
    /// Not even tokens; why.
    Nothing(String),
}

/// Parses a file's text. Spans of the result are byte ranges of `text` for [`range`], until the next call on the
/// same thread.
pub(super) fn parse(text: &str) -> Parsed {
    proc_macro2::extra::invalidate_current_thread_spans();
    let stream: TokenStream = match without_shebang(text).parse() {
        Ok(stream) => stream,
        Err(error) => {
            let at = error.span().start();
            return Parsed::Nothing(format!("line {}, column {}: {error}", at.line, at.column + 1));
        }
    };
    if let Some(reason) = too_deep(&stream) {
        return Parsed::TooDeep(stream, reason);
    }
    match syn::parse2(stream.clone()) {
        Ok(file) => Parsed::Tree(Box::new(file)),
        Err(error) => {
            let at = error.span().start();
            Parsed::Broken(stream, format!("line {}, column {}: {error}", at.line, at.column + 1))
        }
    }
}

/// String literals (and documentation) that hold `needle`, as ranges of the text. Spans of an earlier parse end.
pub(super) fn literals_with(text: &str, needle: &str) -> Vec<std::ops::Range<usize>> {
    proc_macro2::extra::invalidate_current_thread_spans();
    let mut found = Vec::new();
    let Ok(stream) = without_shebang(text).parse::<TokenStream>() else { return found };
    let mut levels = vec![stream.into_iter()];
    while let Some(level) = levels.last_mut() {
        match level.next() {
            Some(TokenTree::Group(group)) => levels.push(group.stream().into_iter()),
            Some(TokenTree::Literal(literal)) => {
                let range = range(literal.span());
                if text.get(range.clone()).is_some_and(|text| text.contains(needle)) {
                    found.push(range);
                }
            }
            Some(_) => {}
            None => drop(levels.pop()),
        }
    }
    found
}

/// Bytes of the text that a span covers.
pub(super) fn range(span: proc_macro2::Span) -> std::ops::Range<usize> {
    span.byte_range()
}

/// The text with a shebang line blanked, so that offsets stay what they are.
fn without_shebang(text: &str) -> std::borrow::Cow<'_, str> {
    let is_attribute = text.strip_prefix("#!").is_some_and(|rest| rest.trim_start().starts_with('['));
    if !text.starts_with("#!") || is_attribute {
        return text.into();
    }
    let end = text.find('\n').unwrap_or(text.len());
    format!("{}{}", " ".repeat(end), &text[end..]).into()
}

/// Bounds the recursion of a parser and a visitor from above: the longest path down the tokens, counting one for
/// each token since the last separator on every level.
fn too_deep(stream: &TokenStream) -> Option<String> {
    let mut levels = vec![Level::new(stream.clone())];
    let mut chain = 0;
    while let Some(level) = levels.last_mut() {
        let Some(token) = level.tokens.next() else {
            chain -= level.run;
            levels.pop();
            continue;
        };
        let before = level.run;
        level.step(&token);
        chain = chain + level.run - before;
        if chain > MAX_CHAIN || levels.len() > MAX_GROUPS {
            let line = token.span().start().line;
            return Some(format!("line {line}: nested deeper than {MAX_GROUPS} groups or {MAX_CHAIN} tokens"));
        }
        if let TokenTree::Group(group) = token {
            levels.push(Level::new(group.stream()));
        }
    }
    None
}

/// One level of the walk of [`too_deep`].
struct Level {
    tokens: proc_macro2::token_stream::IntoIter,
    run: usize,
    after_braces: bool,
}

impl Level {
    fn new(stream: TokenStream) -> Self {
        Self { tokens: stream.into_iter(), run: 0, after_braces: false }
    }

    /// A separator ends a run, and so does a block that nothing continues.
    fn step(&mut self, token: &TokenTree) {
        let (separates, continues) = match token {
            TokenTree::Punct(punct) => (matches!(punct.as_char(), ',' | ';'), punct.as_char() != '#'),
            TokenTree::Ident(ident) => (false, ident == "else" || ident == "as"),
            TokenTree::Group(_) | TokenTree::Literal(_) => (false, false),
        };
        self.run = if separates || (self.after_braces && !continues) { 1 } else { self.run + 1 };
        self.after_braces = matches!(
            token,
            TokenTree::Group(group) if group.delimiter() == proc_macro2::Delimiter::Brace
        );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn on_big_stack<T: Send>(work: impl FnOnce() -> T + Send) -> T {
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
            let handle = thread.spawn_scoped(scope, work).unwrap_or_else(|error| panic!("{error}"));
            handle.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    fn shape(text: &str) -> &'static str {
        on_big_stack(|| match parse(text) {
            Parsed::Tree(_) => "tree",
            Parsed::Broken(..) => "broken",
            Parsed::TooDeep(..) => "too deep",
            Parsed::Nothing(_) => "nothing",
        })
    }

    #[test]
    fn a_shebang_keeps_offsets() {
        let text = "#!/usr/bin/env run-cargo-script é\nfn main() {}\n";
        let Parsed::Tree(file) = parse(text) else { panic!("does not parse") };
        let syn::Item::Fn(function) = &file.items[0] else { panic!("not a function") };
        assert_eq!(&text[range(function.sig.ident.span())], "main");
        assert_eq!(shape("#![allow(deprecated)]\n"), "tree");
    }

    #[test]
    fn depth_is_refused_before_it_hurts() {
        let chain = format!("fn f() {{ a{}; }}", ".b()".repeat(3_000));
        assert_eq!(shape(&chain), "tree");
        for (open, close) in [("(", ")"), ("[", "]"), ("{", "}")] {
            let deep = format!("const X: u8 = {}0{};", open.repeat(100_000), close.repeat(100_000));
            assert_eq!(shape(&deep), "too deep");
        }
        for repeated in ["!", "-", "&", "*", "a.", "a + ", "a = ", "|x| ", "return ", "if a {} else ", "A{} as B as "] {
            let deep = format!("fn f() {{ {}a }}", repeated.repeat(100_000));
            assert_eq!(shape(&deep), "too deep", "{repeated}");
        }
        assert_eq!(shape(&format!("type T = {}u8{};", "Vec<".repeat(50_000), ">".repeat(50_000))), "too deep");
    }

    #[test]
    fn long_but_flat_code_parses() {
        let arms: String = (0..5_000).map(|n| format!("{n} => {{ f() }}\n")).collect();
        assert_eq!(shape(&format!("fn f() {{ match x {{ {arms} _ => {{}} }} }}")), "tree");
        assert_eq!(shape(&"fn f() {}\n".repeat(20_000)), "tree");
        assert_eq!(shape(&format!("const X: &[u8] = &[{}];", "1, ".repeat(50_000))), "tree");
    }

    #[test]
    fn broken_code_still_has_tokens() {
        assert_eq!(shape("fn f( {"), "nothing");
        assert_eq!(shape("fn f() { let = ; }"), "broken");
    }
}
