//! `cargo bench --bench prefilter`: what a file costs before and after it is thought worth parsing.
//!
//! `naive` is the trap that [`Vocabulary::promise`] avoids: one Aho-Corasick automaton over three needles looks
//! simpler, and takes the bytes `_` and `/` for rare ones, of which Rust code is full.

use std::fs;
use std::path::Path;
use std::sync::{Arc, LazyLock};
use std::thread;

use aho_corasick::AhoCorasick;
use divan::counter::BytesCount;
use divan::{Bencher, black_box};
use memchr::memmem::Finder;

use mcp_roots_lint::analyze::rust::vocabulary::{Promise, Vocabulary};
use mcp_roots_lint::analyze::rust::{FileAnalysis, STACK_BYTES};
use mcp_roots_lint::knowledge::Knowledge;
use mcp_roots_lint::project::source::Source;

static KNOWLEDGE: LazyLock<Knowledge> = LazyLock::new(knowledge);
static VOCABULARY: LazyLock<Vocabulary<'static>> = LazyLock::new(|| Vocabulary::new(&KNOWLEDGE));
/// Real code without any Roots: this crate's own, with the telling letters changed.
static CLEAN: LazyLock<String> = LazyLock::new(|| own_code().replace("oot", "eaf").replace("OOT", "EAF"));
/// Real code that names Roots only at its very end, after many other roots.
static LATE: LazyLock<String> =
    LazyLock::new(|| format!("{}\nfn f() {{ peer.list_roots(); }}\n", CLEAN.replace("let ", "let root_")));

fn main() {
    // The parser needs more stack than a main thread has.
    let thread = thread::Builder::new().stack_size(STACK_BYTES).spawn(divan::main);
    thread.expect("a thread").join().expect("benchmarks that end");
}

fn knowledge() -> Knowledge {
    Knowledge::load(&[]).expect("the embedded knowledge is sound")
}

fn own_code() -> String {
    let mut code = String::new();
    for entry in walkdir::WalkDir::new(Path::new(env!("CARGO_MANIFEST_DIR")).join("src")).sort_by_file_name() {
        let entry = entry.expect("a readable folder");
        if entry.path().extension().is_some_and(|extension| extension == "rs") {
            code.push_str(&fs::read_to_string(entry.path()).expect("a readable file"));
        }
    }
    code
}

fn bytes(text: &str) -> BytesCount {
    BytesCount::of_str(text)
}

/// The floor: one substring, once through the text.
#[divan::bench]
fn one_memmem(bencher: Bencher) {
    let needle = Finder::new("oots");
    bencher.counter(bytes(&CLEAN)).bench_local(|| needle.find(black_box(CLEAN.as_bytes())));
}

#[divan::bench]
fn naive(bencher: Bencher) {
    let needles = AhoCorasick::new(["list_roots", "roots/list", "enable_roots"]).expect("an automaton");
    bencher.counter(bytes(&CLEAN)).bench_local(|| needles.is_match(black_box(CLEAN.as_bytes())));
}

#[divan::bench]
fn promise_clean(bencher: Bencher) {
    assert_eq!(VOCABULARY.promise(CLEAN.as_bytes()), Promise::Nothing);
    bencher.counter(bytes(&CLEAN)).bench_local(|| VOCABULARY.promise(black_box(CLEAN.as_bytes())));
}

#[divan::bench]
fn promise_late(bencher: Bencher) {
    assert_eq!(VOCABULARY.promise(LATE.as_bytes()), Promise::Something);
    bencher.counter(bytes(&LATE)).bench_local(|| VOCABULARY.promise(black_box(LATE.as_bytes())));
}

/// What the prefilter saves: the analysis of one file.
#[divan::bench]
fn analyze_one_file(bencher: Bencher) {
    let text = include_str!("../examples/before/server.rs");
    let source = Arc::new(Source::new("examples/before/server.rs".into(), text.to_owned()));
    bencher.counter(bytes(text)).bench_local(|| FileAnalysis::new(&VOCABULARY, black_box(&source), None).is_ok());
}

/// What every run pays: the knowledge and the names made of it.
#[divan::bench]
fn start_up(bencher: Bencher) {
    bencher.bench_local(|| {
        let knowledge = knowledge();
        Vocabulary::new(&knowledge).promise(b"")
    });
}
