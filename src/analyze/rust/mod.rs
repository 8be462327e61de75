//! Rust sources: text → facts (`collect`, one file at a time) → hits (`resolve`, names over the whole tree) →
//! uses (`fold`) and advice → usages.

mod advice;
mod collect;
mod facts;
mod fold;
mod names;
mod parse;
mod resolve;
mod types;
pub mod vocabulary;
mod words;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;

use crate::finding::{Degraded, Skipped};
use crate::knowledge::Knowledge;
use crate::knowledge::protocol::{Construct, Role};
use crate::project::manifest::Manifests;
use crate::project::source::Source;
use crate::usage::{Mitigation, RelatedUse, Remark, Usage, What};

use advice::Advised;
use facts::FileFacts;
use fold::Folded;
use names::{Unit, World};
use resolve::FileView;
use vocabulary::Vocabulary;

/// The stack that a thread needs to call [`FileAnalysis::new`].
pub const STACK_BYTES: usize = parse::STACK_BYTES;

/// What the syntax of one file says; the first half of the analysis, which runs on many threads.
pub struct FileAnalysis(FileFacts);

impl FileAnalysis {
    /// Parses a file. Needs [`STACK_BYTES`] of stack.
    ///
    /// `package` is the folder of its package.
    ///
    /// # Errors
    /// The skip, when not even the tokens of the file can be told apart.
    pub fn new(vocabulary: &Vocabulary<'_>, source: &Arc<Source>, package: Option<&Path>) -> Result<Self, Skipped> {
        let absolute = std::path::absolute(source.path()).unwrap_or_default();
        let inside = package.and_then(|root| absolute.strip_prefix(root).ok()).unwrap_or(source.path());
        collect::collect(vocabulary, source, is_test_file(inside)).map(Self)
    }

    /// String literals that look like suppression comments.
    #[must_use]
    pub fn texts(&self) -> &[std::ops::Range<usize>] {
        &self.0.texts
    }

    /// Whether the file was read by its tokens, and why.
    #[must_use]
    pub fn degraded(&self) -> Option<&Degraded> {
        self.0.degraded.as_ref()
    }

    /// Whether nothing of the file can matter to another.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        !self.0.matters
    }
}

/// The second half: names over all files, then usages in order of path and place. `is_whole` says whether all files of
/// the package in a folder are there.
#[must_use]
pub fn usages(
    knowledge: &Knowledge,
    manifests: &Manifests<'_>,
    files: Vec<FileAnalysis>,
    is_whole: &dyn Fn(&Path) -> bool,
) -> Vec<Usage> {
    let mut packages: BTreeMap<Option<std::path::PathBuf>, (Option<_>, Vec<FileFacts>)> = BTreeMap::new();
    let mut loose = Vec::new();
    for FileAnalysis(file) in files {
        match manifests.package_of(file.source.path()) {
            Some(package) => {
                let entry = packages.entry(Some(package.root.clone())).or_insert((Some(package), Vec::new()));
                entry.1.push(file);
            }
            None => loose.push(file),
        }
    }
    let mut units: Vec<Unit> = Vec::new();
    for (package, mut files) in packages.into_values() {
        files.sort_by(|a, b| a.source.path().cmp(b.source.path()));
        units.push(Unit::new(package, files));
    }
    loose.sort_by(|a, b| a.source.path().cmp(b.source.path()));
    units.extend(loose.into_iter().map(|file| Unit::new(None, vec![file])));

    let world = World::new(&knowledge.rust_sdks, units);
    let mut usages: Vec<Usage> =
        (0..world.units.len()).flat_map(|unit| unit_usages(&world, knowledge, unit, is_whole)).collect();
    usages.sort_by(|a, b| {
        let key = |usage: &Usage| (usage.span.start, usage.span.end, usage.what);
        a.source.path().cmp(b.source.path()).then_with(|| key(a).cmp(&key(b)))
    });
    usages
}

fn unit_usages(world: &World<'_>, knowledge: &Knowledge, unit: usize, is_whole: &dyn Fn(&Path) -> bool) -> Vec<Usage> {
    let whole = world.units[unit].package.as_ref().is_none_or(|package| is_whole(&package.root));
    let files = &world.units[unit].files;
    let functions: BTreeSet<String> = files.iter().flat_map(|file| file.functions.iter().cloned()).collect();
    let traits: BTreeSet<String> = files.iter().flat_map(|file| file.traits.iter().cloned()).collect();
    let views: Vec<FileView<'_, '_>> =
        (0..files.len()).map(|file| FileView::new(world, knowledge, unit, file, &functions, &traits)).collect();
    let folded: Vec<Vec<Folded>> = views.iter().map(|view| fold::fold(view.facts(), view.hits())).collect();
    let builds_modern =
        folded.iter().flatten().any(|one| one.hit.construct == Construct::InputRequest && !one.hit.in_test);

    let mut usages = Vec::new();
    for advised in advice::advise(world, knowledge, unit, &views, &folded, whole) {
        usages.push(advice_usage(files, advised));
    }
    for (index, uses) in folded.into_iter().enumerate() {
        let role = file_role(knowledge, &uses);
        for one in uses {
            usages.push(usage(knowledge, &files[index], one, role, builds_modern));
        }
    }
    usages
}

/// The side that a file is on, as far as its uses tell: both sides make a gateway.
fn file_role(knowledge: &Knowledge, uses: &[Folded]) -> Role {
    let roles: BTreeSet<Role> = uses
        .iter()
        .filter(|one| !one.hit.in_test)
        .map(|one| knowledge.protocol.construct(one.hit.construct).role)
        .filter(|role| *role != Role::Unknown)
        .collect();
    match (roles.contains(&Role::Client), roles.contains(&Role::Server)) {
        (true, true) => Role::Gateway,
        (true, false) => Role::Client,
        (false, true) => Role::Server,
        (false, false) => Role::Unknown,
    }
}

fn usage(knowledge: &Knowledge, file: &FileFacts, one: Folded, file_role: Role, builds_modern: bool) -> Usage {
    let Folded { hit, related } = one;
    let own_role = knowledge.protocol.construct(hit.construct).role;
    let role =
        if own_role == Role::Unknown || (file_role == Role::Gateway && !hit.in_test) { file_role } else { own_role };
    let mut mitigations = hit.mitigations;
    if hit.construct == Construct::ListRequest && builds_modern && mitigations.is_empty() {
        mitigations.push(Mitigation::LegacyPath);
    }
    let mut remarks = hit.remarks;
    // rustc warns at a part of the use, if not at the whole.
    if related.iter().any(|part| part.sdk.is_some() && !part.remarks.contains(&Remark::RustcSilent)) {
        remarks.retain(|remark| *remark != Remark::RustcSilent);
    }
    let related = related
        .into_iter()
        .map(|hit| RelatedUse {
            source: Arc::clone(&file.source),
            span: hit.span,
            message: format!("`{}` belongs to this use", hit.quote),
        })
        .collect();
    Usage {
        what: What::Construct(hit.construct, hit.form),
        source: Arc::clone(&file.source),
        span: hit.span,
        item: hit.quote,
        role,
        confidence: hit.confidence,
        sdk: hit.sdk,
        in_test: hit.in_test,
        mitigations,
        remarks,
        related,
        host: None,
        detail: None,
        help: Vec::new(),
    }
}

fn advice_usage(files: &[FileFacts], advised: Advised) -> Usage {
    let related = advised
        .related
        .into_iter()
        .map(|(file, span)| RelatedUse {
            source: Arc::clone(&files[file].source),
            span,
            message: "and here".to_owned(),
        })
        .collect();
    Usage {
        what: What::Advice(advised.advice),
        source: Arc::clone(&files[advised.file].source),
        span: advised.span,
        item: advised.quote,
        role: Role::Unknown,
        confidence: advised.confidence,
        sdk: None,
        in_test: advised.in_test,
        mitigations: Vec::new(),
        remarks: Vec::new(),
        related,
        host: None,
        detail: None,
        help: Vec::new(),
    }
}

/// Test code by where it stands: cargo's test folders, and the names that test modules have.
fn is_test_file(path: &Path) -> bool {
    let in_folder = path.parent().is_some_and(|parent| {
        parent.components().any(|part| ["tests", "benches"].iter().any(|name| part.as_os_str() == *name))
    });
    let stem = path.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    in_folder || stem == "tests" || stem == "test" || stem.ends_with("_test") || stem.ends_with("_tests")
}
