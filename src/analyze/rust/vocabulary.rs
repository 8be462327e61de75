//! The names worth recording, gathered from the knowledge, and the byte filter that comes before any parse.

use std::collections::BTreeSet;

use aho_corasick::{AhoCorasick, AhoCorasickKind, MatchKind};
use memchr::memmem::Finder;

use crate::knowledge::Knowledge;
use crate::usage::MARKER;

/// What the bytes of a file promise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// No use of Roots can be in it.
    Nothing,
    /// Only if its package depends on an SDK: it holds a word such as `Root` and no other sign.
    WithSdk,
    /// Worth parsing.
    Something,
}

/// Substrings of nearly every name; one `memmem` each costs less than one search for all names. (Three needles
/// in one Aho-Corasick automaton are several times slower: its prefilter picks `_` and `/` as rare bytes.)
const COMMON: [&str; 4] = ["oots", "Root", "ROOTS", "root_list"];
/// Names that mean nothing without an SDK or a capabilities object in the same file.
const AMBIGUOUS: [&str; 3] = ["Root", "roots", "list_changed"];
/// Part of every spelling of `capabilities` and `ClientCapabilities`.
const CAPABILITIES: &str = "apabilit";

/// Names by their kind, and the filter made of them.
pub struct Vocabulary<'k> {
    /// The knowledge behind it.
    pub(super) knowledge: &'k Knowledge,
    pub(super) methods: BTreeSet<&'k str>,
    pub(super) overrides: BTreeSet<&'k str>,
    pub(super) fields: BTreeSet<&'k str>,
    pub(super) macros: BTreeSet<&'k str>,
    pub(super) sdk_names: BTreeSet<String>,
    paths: BTreeSet<&'k str>,
    common: Vec<Finder<'static>>,
    names: AhoCorasick,
    sdk_crates: AhoCorasick,
    root: Finder<'static>,
    capability: Finder<'k>,
    capabilities: Finder<'static>,
    uri_key: Finder<'static>,
}

impl<'k> Vocabulary<'k> {
    /// Gathers the names of the knowledge.
    ///
    /// # Panics
    /// Never: the automatons are small enough for any knowledge that fits in memory.
    #[must_use]
    pub fn new(knowledge: &'k Knowledge) -> Self {
        let sdks = &knowledge.rust_sdks;
        let methods: BTreeSet<&str> =
            sdks.iter().flat_map(|sdk| &sdk.methods).flat_map(|item| &item.names).map(String::as_str).collect();
        let overrides: BTreeSet<&str> =
            sdks.iter().flat_map(|sdk| &sdk.overrides).flat_map(|item| &item.names).map(String::as_str).collect();
        let fields: BTreeSet<&str> =
            sdks.iter().flat_map(|sdk| &sdk.fields).flat_map(|item| &item.names).map(String::as_str).collect();
        let macros: BTreeSet<&str> =
            sdks.iter().flat_map(|sdk| &sdk.macros).flat_map(|item| &item.names).map(String::as_str).collect();
        let paths: BTreeSet<&str> = sdks.iter().flat_map(|sdk| sdk.names()).collect();

        let wire = &knowledge.wire;
        let wire_names = wire.methods.iter().flat_map(|method| &method.values);
        let own_types = wire.hand_rolled.types.iter().flat_map(|own| &own.names);
        let mut names: BTreeSet<&str> =
            paths.iter().copied().chain(wire_names.chain(own_types).map(String::as_str)).collect();
        names.insert(MARKER);
        names.retain(|name| !AMBIGUOUS.contains(name));

        let uncommon = names.iter().filter(|name| !COMMON.iter().any(|common| name.contains(common)));
        let common = COMMON.iter().chain(uncommon).map(|needle| Finder::new(needle).into_owned()).collect();
        // The longest name at a place decides whether it is a word: `enable_roots_list_changed` begins with another.
        // A DFA would take longer to build than the whole start may take, and few files are searched.
        let automaton = |needles: Vec<String>| {
            let builder = AhoCorasick::builder()
                .match_kind(MatchKind::LeftmostLongest)
                .kind(Some(AhoCorasickKind::ContiguousNFA))
                .build(needles);
            builder.unwrap_or_else(|error| unreachable!("too many names: {error}"))
        };
        Self {
            knowledge,
            methods,
            overrides,
            fields,
            macros,
            sdk_names: sdks.iter().flat_map(|sdk| sdk.crate_names()).collect(),
            common,
            names: automaton(names.iter().map(|name| (*name).to_owned()).collect()),
            sdk_crates: automaton(sdks.iter().flat_map(|sdk| sdk.crate_names()).collect()),
            root: Finder::new("Root"),
            capability: Finder::new(&wire.json.capability),
            capabilities: Finder::new(CAPABILITIES),
            uri_key: Finder::new(&format!("\"{}\"", wire.uri.key)).into_owned(),
            paths,
        }
    }

    /// Looks at a file's bytes. Never loses a use: a file that it calls empty has no name of the knowledge in it.
    #[must_use]
    pub fn promise(&self, bytes: &[u8]) -> Promise {
        if !self.common.iter().any(|needle| needle.find(bytes).is_some()) {
            return Promise::Nothing;
        }
        let in_company = || {
            let signs = [&self.capabilities, &self.uri_key];
            signs.iter().any(|needle| needle.find(bytes).is_some()) || self.sdk_crates.is_match(bytes)
        };
        let named = self.names.find_iter(bytes).any(|found| is_word(bytes, found.range()));
        if named || (in_company() && has_word(&self.capability, bytes)) {
            return Promise::Something;
        }
        match has_word(&self.root, bytes) {
            true if self.sdk_crates.is_match(bytes) => Promise::Something,
            true => Promise::WithSdk,
            false => Promise::Nothing,
        }
    }

    /// Whether a segment of a path is worth recording: a name of an SDK, or any type or constant with `root` in its
    /// name, which may turn out to be one through a re-export. Variables called `root` are not.
    pub(super) fn is_promising(&self, segment: &str) -> bool {
        self.paths.contains(segment) || segment.contains("Root") || segment.contains("ROOT")
    }
}

/// Whether a range of the bytes is not part of a longer name: `.roots`, `"roots"`, `roots:`.
fn is_word(bytes: &[u8], range: std::ops::Range<usize>) -> bool {
    let is_part = |byte: Option<&u8>| byte.is_some_and(|byte| byte.is_ascii_alphanumeric() || *byte == b'_');
    let before = range.start.checked_sub(1).and_then(|at| bytes.get(at));
    !is_part(before) && !is_part(bytes.get(range.end))
}

fn has_word(finder: &Finder<'_>, bytes: &[u8]) -> bool {
    let length = finder.needle().len();
    finder.find_iter(bytes).any(|at| is_word(bytes, at..at + length))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn promise(text: &str) -> Promise {
        let knowledge = Knowledge::load(&[]).unwrap_or_else(|error| panic!("{error}"));
        Vocabulary::new(&knowledge).promise(text.as_bytes())
    }

    #[test]
    fn every_kind_of_use_passes() {
        for text in [
            "peer.list_roots().await",
            "use rmcp::model::Root;",
            "info.capabilities.roots.is_some()",
            "runtime.request_root_list(None)",
            "methods::ROOTS_LIST",
            "json!({\"roots\": [{\"uri\": \"file:///a\"}]})",
            "json!({\"method\": \"roots/list\"})",
            "// mcp-roots-lint: allow(roots-type) reason",
            "use turul_mcp_server::roots; roots! {}",
        ] {
            assert_eq!(promise(text), Promise::Something, "{text}");
        }
    }

    #[test]
    fn other_roots_do_not() {
        assert_eq!(promise("fn merkle_roots(roots: &[Hash]) {}"), Promise::Nothing);
        assert_eq!(promise("fn merkle_roots(capabilities: u8) {}"), Promise::Nothing);
        assert_eq!(promise("fn main() {}"), Promise::Nothing);
        assert_eq!(promise("struct Root;"), Promise::WithSdk);
    }
}
