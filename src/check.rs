//! One check, from paths to an [`Outcome`]: walk, analyze, judge. The only place that knows all three.

use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use thiserror::Error;

use crate::analyze::rust::vocabulary::{Promise, Vocabulary};
use crate::analyze::rust::{self, FileAnalysis};
use crate::finding::{Degraded, Outcome, SkipReason, Skipped};
use crate::judge::{self, JudgeOptions, suppress};
use crate::knowledge::Knowledge;
use crate::project::manifest::{Manifests, Package};
use crate::project::source::Source;
use crate::project::walk::{self, Visit, WalkError, WalkOptions};

/// What to check and how, with nothing left open.
#[derive(Clone, Debug)]
pub struct CheckOptions {
    /// Which files.
    pub walk: WalkOptions,
    /// Check the source of SDKs too.
    pub include_sdk: bool,
    /// How to judge.
    pub judge: JudgeOptions,
    /// Check standard input under this name instead of files.
    pub stdin: Option<PathBuf>,
}

/// Why a check cannot be done at all.
#[derive(Debug, Error)]
pub enum CheckError {
    /// The walk cannot begin.
    #[error(transparent)]
    Walk(#[from] WalkError),
    /// Standard input breaks off.
    #[error("cannot read standard input: {0}")]
    Stdin(std::io::Error),
    /// The system gives no threads.
    #[error("cannot start a thread: {0}")]
    Thread(std::io::Error),
}

/// A file worth parsing.
struct Candidate {
    source: Arc<Source>,
}

/// What the workers bring together.
#[derive(Default)]
struct Gathered {
    analyses: Vec<FileAnalysis>,
    commented: Vec<Arc<Source>>,
    skipped: Vec<Skipped>,
    degraded: Vec<Degraded>,
}

/// Checks files or standard input.
///
/// # Errors
/// When a named path does not exist, a glob does not parse, standard input breaks off, or no thread can be started.
/// What goes wrong with single files is in [`Outcome::skipped`].
pub fn check(knowledge: &Knowledge, options: &CheckOptions) -> Result<Outcome, CheckError> {
    let vocabulary = Vocabulary::new(knowledge);
    let manifests = Manifests::new(&knowledge.rust_sdks);
    let run = Run { vocabulary: &vocabulary, manifests: &manifests, options, gathered: Mutex::default() };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let (send, receive) = sync_channel::<Candidate>(2 * workers);
    let receive = Mutex::new(receive);

    let walked = thread::scope(|scope| {
        for _ in 0..workers {
            // Stack is reserved here and used only by the files that need it.
            let worker = thread::Builder::new().stack_size(rust::STACK_BYTES);
            worker.spawn_scoped(scope, || run.work(&receive)).map_err(CheckError::Thread)?;
        }
        let walked = run.read(&send);
        drop(send);
        walked
    })?;

    let mut gathered = run.gathered.into_inner().unwrap_or_else(PoisonError::into_inner);
    let usages = rust::usages(knowledge, &manifests, gathered.analyses);
    let mut skipped = walked.skipped;
    skipped.append(&mut gathered.skipped);
    skipped.sort();
    skipped.dedup();
    gathered.degraded.sort();
    Ok(Outcome {
        target: options.judge.target.clone(),
        findings: judge::judge(knowledge, &options.judge, usages, &gathered.commented),
        skipped,
        degraded: gathered.degraded,
        files_checked: walked.files,
    })
}

struct Run<'a, 'k> {
    vocabulary: &'a Vocabulary<'k>,
    manifests: &'a Manifests<'k>,
    options: &'a CheckOptions,
    gathered: Mutex<Gathered>,
}

impl Run<'_, '_> {
    fn gathered(&self) -> std::sync::MutexGuard<'_, Gathered> {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, send: &SyncSender<Candidate>) -> Result<walk::Walked, CheckError> {
        if let Some(name) = &self.options.stdin {
            let mut bytes = Vec::new();
            std::io::stdin().lock().read_to_end(&mut bytes).map_err(CheckError::Stdin)?;
            self.look(&Visit { path: name, named: true, bytes: &bytes }, send);
            return Ok(walk::Walked { files: 1, skipped: Vec::new() });
        }
        let visit = |visit: Visit<'_>| self.look(&visit, send);
        Ok(walk::walk(&self.options.walk, &is_rust, &visit)?)
    }

    /// Decides by the bytes whether a file is worth parsing. Runs on the walker's threads.
    fn look(&self, visit: &Visit<'_>, send: &SyncSender<Candidate>) {
        let skip = |reason, detail: String| {
            self.gathered().skipped.push(Skipped::new(visit.path, reason, detail));
        };
        if !is_rust(visit.path) {
            skip(SkipReason::UnknownKind, "only Rust sources (`*.rs`) are checked".to_owned());
            return;
        }
        let utf16 = visit.bytes.starts_with(&[0xff, 0xfe]) || visit.bytes.starts_with(&[0xfe, 0xff]);
        let promise = self.vocabulary.promise(visit.bytes);
        if promise == Promise::Nothing && !utf16 {
            return;
        }
        let Ok(text) = std::str::from_utf8(visit.bytes) else {
            skip(SkipReason::NotUtf8, "Rust sources are UTF-8; save it as UTF-8 to have it checked".to_owned());
            return;
        };
        let package = self.manifests.package_of(visit.path);
        if promise == Promise::WithSdk && package.as_ref().is_none_or(|package| package.sdks.is_empty()) {
            return;
        }
        if let Some(package) = package.filter(|package| package.is_sdk.is_some())
            && !self.options.include_sdk
            && !self.is_named(visit.path, &package)
        {
            let detail = format!("`{}` is an SDK; --include-sdk checks it", package.name);
            let root = relative_root(visit.path, &package.root);
            self.gathered().skipped.push(Skipped::new(&root, SkipReason::SdkSource, detail));
            return;
        }
        let source = Arc::new(Source::new(visit.path.to_owned(), text.to_owned()));
        // The workers are gone only when one of them could not be started, which ends the check.
        let _ = send.send(Candidate { source });
    }

    /// Whether the user named the SDK's folder, or something in it.
    fn is_named(&self, file: &Path, package: &Package) -> bool {
        let absolute = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let (file, root) = (absolute(file), absolute(&package.root));
        let named = self.options.walk.paths.iter().map(|path| absolute(path));
        named.into_iter().any(|named| file.starts_with(&named) && named.starts_with(&root))
    }

    fn work(&self, receive: &Mutex<Receiver<Candidate>>) {
        loop {
            let next = receive.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(candidate) = next else { return };
            self.analyze(&candidate);
        }
    }

    fn analyze(&self, candidate: &Candidate) {
        let source = &candidate.source;
        let result = catch_unwind(AssertUnwindSafe(|| FileAnalysis::new(self.vocabulary, source)));
        let mut gathered = self.gathered();
        if source.text().contains(suppress::MARKER) {
            gathered.commented.push(Arc::clone(source));
        }
        match result {
            Ok(Ok(analysis)) => {
                gathered.degraded.extend(analysis.degraded().cloned());
                if !analysis.is_empty() {
                    gathered.analyses.push(analysis);
                }
            }
            Ok(Err(skipped)) => gathered.skipped.push(skipped),
            Err(panic) => {
                let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
                let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
                let detail = format!("a fault of this tool, please report it: {text}");
                gathered.skipped.push(Skipped::new(source.path(), SkipReason::Panic, detail));
            }
        }
    }
}

fn is_rust(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "rs")
}

/// The folder of a package as the walk would name it, given a file in it.
fn relative_root(file: &Path, root: &Path) -> PathBuf {
    let below = std::path::absolute(file)
        .ok()
        .and_then(|absolute| absolute.strip_prefix(root).map(|rest| rest.components().count()).ok())
        .unwrap_or_default();
    file.ancestors().nth(below).map_or_else(|| root.to_owned(), Path::to_owned)
}
