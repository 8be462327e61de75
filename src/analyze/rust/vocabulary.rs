//! The names worth recording, gathered from the knowledge, and the byte filter that comes before any parse.

use std::collections::{BTreeSet, HashMap};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use memchr::memmem::Finder;

use super::words::words;
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

/// Parts of nearly every name. One `memmem` each is all that most files cost. (Three needles in one Aho-Corasick
/// automaton are several times slower: its prefilter picks `_` and `/` as rare bytes.)
const COMMON: [&str; 2] = ["oot", "OOT"];
/// Part of nearly every name of an SDK's crate.
const SDK_HINT: &str = "mcp";
/// Part of every spelling of `capabilities` and `ClientCapabilities`.
const CAPABILITIES: &str = "apabilit";

/// What a word of a file speaks for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Word {
    /// A use of Roots.
    Telling,
    /// A use of Roots where an SDK is at hand: many crates have such names.
    Generic,
    /// A type that people also write themselves: a use of Roots where an SDK or the protocol is at hand.
    OwnType,
    /// The capability's key: a use of Roots where capabilities or URIs are at hand, or an SDK that has such a name.
    Capability,
}

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
    known: HashMap<&'k [u8], Word>,
    /// The strings of the wire: the bytes before the name in them that the search finds, and the whole.
    wire_values: HashMap<&'k [u8], Vec<(usize, &'k [u8])>>,
    /// Parts of all names of SDK crates, which cost less to look for than the names.
    sdk_hints: Vec<Finder<'static>>,
    sdk_crates: AhoCorasick,
    evidence: Vec<Finder<'k>>,
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
        let own_types =
            wire.hand_rolled.types.iter().flat_map(|own| &own.names).map(|name| (name.as_str(), Word::OwnType));
        let mut known = HashMap::new();
        for (name, other) in paths.iter().map(|name| (*name, Word::Generic)).chain(own_types) {
            let telling = words(name).len() > 1 && super::words::any_word(&[name], &wire.telling.words);
            known.insert(name.as_bytes(), if telling { Word::Telling } else { other });
        }
        for flag in &wire.json.flags {
            known.remove(flag.as_bytes());
        }
        known.insert(wire.json.capability.as_bytes(), Word::Capability);
        let mut wire_values: Vec<&str> =
            wire.methods.iter().flat_map(|method| &method.values).map(String::as_str).collect();
        wire_values.push(MARKER);

        let all = known.keys().filter_map(|name| std::str::from_utf8(name).ok()).chain(wire_values.iter().copied());
        let uncommon: BTreeSet<&str> = all.filter(|name| !COMMON.iter().any(|common| name.contains(common))).collect();
        let mut wire_words: HashMap<&[u8], Vec<(usize, &[u8])>> = HashMap::new();
        for value in wire_values {
            let common = COMMON.iter().find_map(|common| Some((value.find(common)?, common.len())));
            let found = common.map_or(0..value.len(), |(at, length)| word_around(value.as_bytes(), at..at + length));
            let word = &value.as_bytes()[found.clone()];
            wire_words.entry(word).or_default().push((found.start, value.as_bytes()));
        }
        let common = COMMON.iter().chain(&uncommon).map(|needle| Finder::new(needle).into_owned()).collect();
        let crates: Vec<String> = sdks.iter().flat_map(|sdk| sdk.crate_names()).collect();
        let unhinted = crates.iter().map(String::as_str).filter(|name| !name.contains(SDK_HINT));
        let sdk_hints = std::iter::once(SDK_HINT).chain(unhinted).map(|hint| Finder::new(hint).into_owned()).collect();
        // A DFA would take longer to build than the whole start may take, and few files are searched.
        let sdk_crates = AhoCorasick::builder().kind(Some(AhoCorasickKind::ContiguousNFA)).build(&crates);
        Self {
            knowledge,
            methods,
            overrides,
            fields,
            macros,
            sdk_names: crates.into_iter().collect(),
            common,
            known,
            wire_values: wire_words,
            sdk_hints,
            sdk_crates: sdk_crates.unwrap_or_else(|error| unreachable!("too many names: {error}")),
            evidence: wire.hand_rolled.evidence.iter().map(Finder::new).collect(),
            capabilities: Finder::new(CAPABILITIES),
            uri_key: Finder::new(&format!("\"{}\"", wire.uri.key)).into_owned(),
            paths,
        }
    }

    /// Looks at a file's bytes. Never loses a use: a file that it calls empty has no name of the knowledge in it, or
    /// only names that nothing in it connects to MCP.
    #[must_use]
    pub fn promise(&self, bytes: &[u8]) -> Promise {
        let (mut generic, mut own_type, mut capability, mut key) = (false, false, false, false);
        for needle in &self.common {
            let mut seen = 0;
            for at in needle.find_iter(bytes).map(|at| at..at + needle.needle().len()) {
                if at.start < seen {
                    continue;
                }
                let word = word_around(bytes, at);
                seen = word.end;
                match self.known.get(&bytes[word.clone()]) {
                    Some(Word::Telling) => return Promise::Something,
                    Some(Word::Generic) => generic = true,
                    Some(Word::OwnType) => own_type = true,
                    Some(Word::Capability) => {
                        generic |= self.paths.contains(self.knowledge.wire.json.capability.as_str());
                        let before = word.start.checked_sub(1).map(|at| bytes[at]);
                        let after = bytes[word.end..].iter().find(|byte| !byte.is_ascii_whitespace());
                        key |= matches!(after, Some(b'"' | b'\\'));
                        // `.roots`, `roots:`, `{ roots }`: a field, not a word of a sentence.
                        capability |= key || before == Some(b'.') || matches!(after, Some(b':' | b',' | b'}'));
                    }
                    None => {}
                }
                if self.is_wire_value(bytes, &word) {
                    return Promise::Something;
                }
            }
        }
        let any = |needles: &[Finder<'_>]| needles.iter().any(|needle| needle.find(bytes).is_some());
        let capability = capability && (self.capabilities.find(bytes).is_some() || self.uri_key.find(bytes).is_some());
        if !(generic || own_type || capability) {
            return Promise::Nothing;
        }
        let names_sdk = any(&self.sdk_hints) && self.sdk_crates.is_match(bytes);
        if names_sdk || (capability && key) || ((own_type || capability) && any(&self.evidence)) {
            return Promise::Something;
        }
        Promise::WithSdk
    }

    /// Whether one of the wire's strings, or the mark of a suppression, stands around a word.
    fn is_wire_value(&self, bytes: &[u8], word: &std::ops::Range<usize>) -> bool {
        let values = self.wire_values.get(&bytes[word.clone()]).map(Vec::as_slice).unwrap_or_default();
        values.iter().any(|(before, value)| {
            word.start.checked_sub(*before).is_some_and(|start| bytes[start..].starts_with(value))
        })
    }

    /// Whether a segment of a path is worth recording: a name of an SDK, or any type or constant with `root` in its
    /// name, which may turn out to be one through a re-export. Variables called `root` are not.
    pub(super) fn is_promising(&self, segment: &str) -> bool {
        self.paths.contains(segment) || segment.contains("Root") || segment.contains("ROOT")
    }
}

/// The whole name that a range of the bytes is part of.
fn word_around(bytes: &[u8], range: std::ops::Range<usize>) -> std::ops::Range<usize> {
    let is_part = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
    let before = bytes[..range.start].iter().rev().take_while(|byte| is_part(byte)).count();
    let after = bytes[range.end..].iter().take_while(|byte| is_part(byte)).count();
    range.start - before..range.end + after
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
            "fn f(client: ClientCapabilities) { client.roots.is_some() }",
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
        assert_eq!(promise("fn merkle_roots(capabilities: u8) {}"), Promise::Nothing);
        assert_eq!(promise("fn main() {}"), Promise::Nothing);
    }

    #[test]
    fn names_that_many_crates_have_need_an_sdk() {
        for text in [
            "struct Root;",
            "trait Roots {}",
            "db.set_roots(packages)",
            "pub const RootCapabilities: u32 = 1;",
            "info.capabilities.roots.is_some()",
            "fn f(roots: &[Hash]) {}",
            "#[roots] fn folders() {}",
        ] {
            assert_eq!(promise(text), Promise::WithSdk, "{text}");
            assert_eq!(promise(&format!("use mcpkit::prelude::*;\n{text}")), Promise::Something, "{text}");
        }
    }

    #[test]
    fn a_wire_string_is_told_by_what_stands_around_the_name() {
        for text in ["\"roots/list\"", "\"notifications/roots/list_changed\"", "// mcp-roots-lint: allow(x) y"] {
            assert_eq!(promise(text), Promise::Something, "{text}");
        }
        assert_eq!(promise("\"/roots\""), Promise::WithSdk);
    }
}
