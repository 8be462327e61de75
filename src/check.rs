//! One check, from paths to an [`Outcome`]: walk, analyze, judge. The only place that knows all three.

use std::io::Read;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use thiserror::Error;

use crate::analyze::hosts;
use crate::analyze::hosts::files::{self, ConfigFiles};
use crate::analyze::rust::vocabulary::{Promise, Vocabulary};
use crate::analyze::rust::{self, FileAnalysis};
use crate::finding::{Degraded, Outcome, SkipReason, Skipped};
use crate::judge::{self, JudgeOptions, suppress};
use crate::knowledge::Knowledge;
use crate::project::manifest::{Manifests, Package};
use crate::project::source::Source;
use crate::project::walk::{self, Visit, WalkError, WalkOptions};
use crate::usage::{Confidence, MARKER, Usage};

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

impl CheckOptions {
    /// These paths, with what the command line does when no flag is given, but every file in them: ignore files and
    /// default excludes do not count.
    #[must_use]
    pub fn all_of(knowledge: &Knowledge, paths: Vec<PathBuf>) -> Self {
        Self {
            walk: WalkOptions { paths, respect_ignore: false, default_excludes: false, excludes: Vec::new() },
            include_sdk: false,
            judge: JudgeOptions {
                target: knowledge.protocol.default_target.clone(),
                select: Vec::new(),
                ignore: Vec::new(),
                min_confidence: Confidence::Likely,
                exclude_tests: false,
            },
            stdin: None,
        }
    }
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

/// What the workers bring together.
#[derive(Default)]
struct Gathered {
    analyses: Vec<FileAnalysis>,
    usages: Vec<Usage>,
    commented: Vec<suppress::Commented>,
    skipped: Vec<Skipped>,
    degraded: Vec<Degraded>,
    /// Files that were read and not checked.
    unchecked: usize,
}

impl Gathered {
    /// Names a file that was read and not checked.
    fn skip(&mut self, skipped: Skipped) {
        self.skipped.push(skipped);
        self.unchecked += 1;
    }
}

/// Checks files or standard input.
///
/// # Errors
/// When a named path does not exist, a glob does not parse, standard input breaks off, or no thread can be started.
/// What goes wrong with single files is in [`Outcome::skipped`].
pub fn check(knowledge: &Knowledge, options: &CheckOptions) -> Result<Outcome, CheckError> {
    let vocabulary = Vocabulary::new(knowledge);
    let manifests = Manifests::new(&knowledge.rust_sdks);
    let run = Run {
        knowledge,
        vocabulary: &vocabulary,
        configs: ConfigFiles::new(knowledge),
        manifests: &manifests,
        options,
        gathered: Mutex::default(),
    };
    let workers = thread::available_parallelism().map_or(1, usize::from);
    let (send, receive) = sync_channel::<Arc<Source>>(2 * workers);
    let receive = Mutex::new(receive);

    let walked = thread::scope(|scope| {
        // Stack is reserved here and used only by the files that need it.
        let start = |_| thread::Builder::new().stack_size(rust::STACK_BYTES).spawn_scoped(scope, || run.work(&receive));
        let started: Vec<_> = (0..workers).map(start).collect();
        // One worker is enough to go on with.
        if started.iter().all(Result::is_err)
            && let Some(Err(error)) = started.into_iter().next()
        {
            return Err(CheckError::Thread(error));
        }
        let walked = run.read(&send);
        drop(send);
        walked
    })?;

    let mut gathered = run.gathered.into_inner().unwrap_or_else(PoisonError::into_inner);
    let mut usages = rust::usages(knowledge, &manifests, gathered.analyses, &|root| is_whole(options, root));
    usages.append(&mut gathered.usages);
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
        files_checked: walked.files - gathered.unchecked,
    })
}

struct Run<'a, 'k> {
    knowledge: &'k Knowledge,
    configs: ConfigFiles<'k>,
    vocabulary: &'a Vocabulary<'k>,
    manifests: &'a Manifests<'k>,
    options: &'a CheckOptions,
    gathered: Mutex<Gathered>,
}

impl Run<'_, '_> {
    fn gathered(&self) -> std::sync::MutexGuard<'_, Gathered> {
        self.gathered.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn read(&self, send: &SyncSender<Arc<Source>>) -> Result<walk::Walked, CheckError> {
        if let Some(name) = &self.options.stdin {
            let mut bytes = Vec::new();
            let limit = walk::MAX_FILE_BYTES + 1;
            std::io::stdin().lock().take(limit).read_to_end(&mut bytes).map_err(CheckError::Stdin)?;
            if bytes.len() as u64 == limit {
                let skipped = vec![Skipped::new(name, SkipReason::TooLarge, walk::too_large())];
                return Ok(walk::Walked { files: 0, skipped });
            }
            self.look(&Visit { path: name, named: true, bytes: &bytes }, send);
            return Ok(walk::Walked { files: 1, skipped: Vec::new() });
        }
        let visit = |visit: Visit<'_>| self.look(&visit, send);
        let wanted = |path: &Path| is_rust(path) || self.configs.matches(path);
        Ok(walk::walk(&self.options.walk, &wanted, &visit)?)
    }

    /// Decides by the bytes whether a file is worth parsing. Runs on the walker's threads.
    fn look(&self, visit: &Visit<'_>, send: &SyncSender<Arc<Source>>) {
        let skip = |reason, detail: String| {
            self.gathered().skip(Skipped::new(visit.path, reason, detail));
        };
        if !is_rust(visit.path) {
            self.config(visit);
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
        if promise == Promise::WithSdk
            && package.as_ref().is_none_or(|package| package.sdks.is_empty() && !package.is_broken)
        {
            return;
        }
        if let Some(package) = package.filter(|package| package.is_sdk.is_some())
            && !self.options.include_sdk
            && !visit.named
            && !self.is_named(visit.path, &package)
        {
            let detail = format!("`{}` is an SDK; --include-sdk checks it", package.name);
            let root = relative_root(visit.path, &package.root);
            self.gathered().skip(Skipped::new(&root, SkipReason::SdkSource, detail));
            return;
        }
        let source = Arc::new(Source::new(visit.path.to_owned(), text.to_owned()));
        // A worker ends only when this sender is gone.
        let _ = send.send(source);
    }

    /// A host config, or something else that the user named.
    fn config(&self, visit: &Visit<'_>) {
        let skip = |skipped| self.gathered().skip(skipped);
        if !self.configs.matches(visit.path) && files::syntax_of(visit.path).is_none() {
            let detail = "neither a Rust source (`*.rs`) nor a config (JSON, YAML, TOML, properties)";
            skip(Skipped::new(visit.path, SkipReason::UnknownKind, detail));
            return;
        }
        let text = match decode(visit.bytes) {
            Ok(text) => text,
            Err(detail) => {
                skip(Skipped::new(visit.path, SkipReason::NotUtf8, detail));
                return;
            }
        };
        let (knowledge, configs) = (self.knowledge, &self.configs);
        let result = catch_unwind(AssertUnwindSafe(|| hosts::read(knowledge, configs, visit.path, text, visit.named)));
        match result {
            Ok(Ok(None)) => {}
            Ok(Ok(Some(config))) => {
                let mut gathered = self.gathered();
                if config.source.text().contains(MARKER) {
                    gathered.commented.push(suppress::Commented { source: config.source, texts: config.texts });
                }
                gathered.usages.extend(config.usages);
            }
            Ok(Err(skipped)) => skip(skipped),
            // What a panic says may quote the file, and the file may hold secrets.
            Err(_) => skip(Skipped::new(visit.path, SkipReason::Panic, "a fault of this tool, please report it")),
        }
    }

    /// Whether the user named the SDK's folder, or something in it.
    fn is_named(&self, file: &Path, package: &Package) -> bool {
        let absolute = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
        let (file, root) = (absolute(file), absolute(&package.root));
        let named = self.options.walk.paths.iter().map(|path| absolute(path));
        named.into_iter().any(|named| file.starts_with(&named) && named.starts_with(&root))
    }

    fn work(&self, receive: &Mutex<Receiver<Arc<Source>>>) {
        loop {
            let next = receive.lock().unwrap_or_else(PoisonError::into_inner).recv();
            let Ok(source) = next else { return };
            self.analyze(&source);
        }
    }

    fn analyze(&self, source: &Arc<Source>) {
        let result = catch_unwind(AssertUnwindSafe(|| {
            let package = self.manifests.package_of(source.path());
            FileAnalysis::new(self.vocabulary, source, package.as_ref().map(|package| package.root.as_path()))
        }));
        let mut gathered = self.gathered();
        match result {
            Ok(Ok(analysis)) => {
                if source.text().contains(MARKER) {
                    let texts = analysis.texts().to_vec();
                    gathered.commented.push(suppress::Commented { source: Arc::clone(source), texts });
                }
                gathered.degraded.extend(analysis.degraded().cloned());
                if !analysis.is_empty() {
                    gathered.analyses.push(analysis);
                }
            }
            Ok(Err(skipped)) => gathered.skip(skipped),
            Err(panic) => {
                let text = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
                let text = text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default();
                let detail = format!("a fault of this tool, please report it: {text}");
                gathered.skip(Skipped::new(source.path(), SkipReason::Panic, detail));
            }
        }
    }
}

/// UTF-8, or UTF-16 with a byte order mark, which PowerShell writes.
fn decode(bytes: &[u8]) -> Result<String, String> {
    let utf16 = |bytes: &[u8], unit: fn([u8; 2]) -> u16| {
        if bytes.len() % 2 == 1 {
            return Err("broken UTF-16".to_owned());
        }
        let units = bytes.chunks_exact(2).map(|pair| unit([pair[0], pair[1]]));
        char::decode_utf16(units).collect::<Result<String, _>>().map_err(|_| "broken UTF-16".to_owned())
    };
    match bytes {
        [0xff, 0xfe, rest @ ..] => utf16(rest, u16::from_le_bytes),
        [0xfe, 0xff, rest @ ..] => utf16(rest, u16::from_be_bytes),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(text.to_owned()),
            Err(error) => Err(format!("not UTF-8 at byte {}", error.valid_up_to())),
        },
    }
}

/// Whether the walk goes through all sources of the package in a folder.
fn is_whole(options: &CheckOptions, root: &Path) -> bool {
    let Ok(root) = root.canonicalize() else { return false };
    let covers = |named: &PathBuf| {
        named
            .canonicalize()
            .is_ok_and(|named| named.is_dir() && (root.starts_with(&named) || root.join("src") == named))
    };
    options.stdin.is_none() && options.walk.paths.iter().any(covers)
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
