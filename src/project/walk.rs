//! Finds the files to check and reads them, in parallel. What a file's text means is no business of this module.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use ignore::{DirEntry, WalkBuilder, WalkState};
use thiserror::Error;

use crate::finding::{SkipReason, Skipped};

/// Folders of version control systems: never read.
const VCS_FOLDERS: [&str; 4] = [".git", ".hg", ".jj", ".svn"];
/// Folders of other people's code and of build results: read only on request.
const DEFAULT_EXCLUDES: [&str; 4] = ["node_modules", "target", "vendor", "dist"];
/// A file that is larger is named and not read; generated bindings stay well below.
pub const MAX_FILE_BYTES: u64 = 32 * 1024 * 1024;

/// What to walk.
#[derive(Clone, Debug)]
pub struct WalkOptions {
    /// Files and folders, as the user named them.
    pub paths: Vec<PathBuf>,
    /// Leave out files that gitignore files name.
    pub respect_ignore: bool,
    /// Leave out `node_modules`, `target`, `vendor` and `dist`.
    pub default_excludes: bool,
    /// Globs of the gitignore dialect that leave out more.
    pub excludes: Vec<String>,
}

/// Why a walk cannot begin.
#[derive(Debug, Error)]
pub enum WalkError {
    /// A named path is not there.
    #[error("{}: no such file or folder", .0.display())]
    Missing(PathBuf),
    /// A named path cannot be read.
    #[error("{}: {}", .0.display(), .1)]
    Unreadable(PathBuf, String),
    /// `--exclude` is not a glob.
    #[error("--exclude {glob:?}: {message}")]
    BadGlob {
        /// The glob.
        glob: String,
        /// What is wrong with it.
        message: String,
    },
}

/// What one file's reading gave.
pub struct Visit<'a> {
    /// Where it is.
    pub path: &'a Path,
    /// Named on the command line itself, not found in a folder.
    pub named: bool,
    /// Its bytes.
    pub bytes: &'a [u8],
}

/// The result of a walk, apart from what `visit` made of the files.
#[derive(Debug, Default)]
pub struct Walked {
    /// Files that were read.
    pub files: usize,
    /// What was left out, and why.
    pub skipped: Vec<Skipped>,
}

/// Reads every file that `wanted` accepts (by its path) and hands its bytes to `visit`, from several threads.
///
/// Hidden files are read, symlinks are not followed into folders; a symlinked file outside of the named folders is
/// read once.
///
/// # Errors
/// When a named path does not exist or a glob does not parse. Everything later is reported in [`Walked::skipped`].
pub fn walk(
    options: &WalkOptions,
    wanted: &(dyn Fn(&Path) -> bool + Sync),
    visit: &(dyn Fn(Visit<'_>) + Sync),
) -> Result<Walked, WalkError> {
    let excludes = excludes(&options.excludes)?;
    let (files, folders) = split(&options.paths)?;
    let state = Mutex::new(State::default());
    let mut buffer = Vec::new();
    for file in &files {
        read(file, true, &mut buffer, visit, &state);
    }
    if let Some((first, rest)) = folders.split_first() {
        let respect_ignore = options.respect_ignore;
        let odd_folders: Arc<Mutex<Vec<PathBuf>>> = Arc::default();
        let odd = Arc::clone(&odd_folders);
        if let Some(odd) = folders.iter().find(|folder| respect_ignore && has_odd_ignore_file(folder)) {
            return Err(WalkError::Unreadable(odd.clone(), "its ignore file is a pipe or a device".to_owned()));
        }
        let mut builder = WalkBuilder::new(first);
        for folder in rest {
            builder.add(folder);
        }
        builder
            .hidden(false)
            .follow_links(false)
            .filter_entry(move |entry| {
                let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
                if is_folder && respect_ignore && has_odd_ignore_file(entry.path()) {
                    odd.lock().unwrap_or_else(PoisonError::into_inner).push(entry.path().to_owned());
                    return false;
                }
                entry.depth() == 0 || !excludes.matched(entry.path(), is_folder).is_ignore()
            })
            .git_ignore(options.respect_ignore)
            .git_exclude(options.respect_ignore)
            .git_global(options.respect_ignore)
            .ignore(options.respect_ignore)
            .parents(options.respect_ignore);
        builder.build_parallel().run(|| {
            let (state, files) = (&state, &files);
            let mut buffer = Vec::new();
            Box::new(move |entry| {
                let entry = match entry {
                    Ok(entry) => entry,
                    Err(error) => {
                        state_of(state).skipped.push(walk_error(&error));
                        return WalkState::Continue;
                    }
                };
                let kind = entry.file_type();
                if kind.is_some_and(|kind| kind.is_dir()) {
                    return enter(&entry, options.default_excludes, state);
                }
                if kind.is_some_and(|kind| kind.is_symlink()) {
                    if wanted(entry.path()) || entry.path().is_dir() {
                        state_of(state).links.insert(entry.into_path());
                    }
                } else if wanted(entry.path()) && !files.contains(entry.path()) {
                    read(entry.path(), false, &mut buffer, visit, state);
                }
                WalkState::Continue
            })
        });
        for folder in odd_folders.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            let detail = "its ignore file is a pipe or a device";
            state_of(&state).skipped.push(Skipped::new(&folder, SkipReason::Unreadable, detail));
        }
    }
    read_links(&folders, &files, options, wanted, visit, &state, &mut buffer);
    let mut state = state.into_inner().unwrap_or_else(PoisonError::into_inner);
    state.skipped.sort();
    Ok(Walked { files: state.files, skipped: state.skipped })
}

#[derive(Default)]
struct State {
    files: usize,
    skipped: Vec<Skipped>,
    links: BTreeSet<PathBuf>,
}

fn state_of(state: &Mutex<State>) -> std::sync::MutexGuard<'_, State> {
    state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn excludes(globs: &[String]) -> Result<Gitignore, WalkError> {
    let mut builder = GitignoreBuilder::new(std::env::current_dir().unwrap_or_else(|_| ".".into()));
    let bad = |glob: &str, error: ignore::Error| WalkError::BadGlob {
        glob: glob.to_owned(),
        message: match error {
            ignore::Error::Glob { err, .. } => err,
            other => other.to_string(),
        },
    };
    for glob in globs {
        builder.add_line(None, glob).map_err(|error| bad(glob, error))?;
    }
    builder.build().map_err(|error| bad(&globs.join(", "), error))
}

/// The named files, and the named folders without those that lie inside another.
fn split(paths: &[PathBuf]) -> Result<(BTreeSet<PathBuf>, Vec<PathBuf>), WalkError> {
    let mut files: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
    let mut folders: Vec<(PathBuf, PathBuf)> = Vec::new();
    for path in paths {
        let canonical = path.canonicalize().map_err(|error| match error.kind() {
            io::ErrorKind::NotFound => WalkError::Missing(path.clone()),
            _ => WalkError::Unreadable(path.clone(), error.to_string()),
        })?;
        if canonical.is_dir() {
            if !folders.iter().any(|(_, known)| canonical.starts_with(known)) {
                folders.retain(|(_, known)| !known.starts_with(&canonical));
                folders.push((path.clone(), canonical));
            }
        } else {
            files.entry(canonical).or_insert_with(|| path.clone());
        }
    }
    // A walk names its files below the folder as it was given; a file named twice must compare equal.
    let within = |(canonical, given): (PathBuf, PathBuf)| {
        let inside = folders.iter().find_map(|(folder, known)| Some(folder.join(canonical.strip_prefix(known).ok()?)));
        inside.unwrap_or(given)
    };
    let files = files.into_iter().map(within).collect();
    Ok((files, folders.into_iter().map(|(given, _)| given).collect()))
}

fn enter(entry: &DirEntry, default_excludes: bool, state: &Mutex<State>) -> WalkState {
    if entry.depth() == 0 {
        return WalkState::Continue;
    }
    let name = entry.file_name().to_string_lossy();
    if VCS_FOLDERS.contains(&name.as_ref()) {
        return WalkState::Skip;
    }
    if default_excludes && DEFAULT_EXCLUDES.contains(&name.as_ref()) {
        state_of(state).skipped.push(Skipped::new(
            entry.path(),
            SkipReason::Excluded,
            format!("`{name}` folders are excluded by default; --no-default-excludes reads them"),
        ));
        return WalkState::Skip;
    }
    WalkState::Continue
}

fn read(path: &Path, named: bool, buffer: &mut Vec<u8>, visit: &dyn Fn(Visit<'_>), state: &Mutex<State>) {
    match read_into(path, buffer) {
        Ok(true) => {
            state_of(state).files += 1;
            visit(Visit { path, named, bytes: buffer });
        }
        Ok(false) => state_of(state).skipped.push(Skipped::new(path, SkipReason::TooLarge, too_large())),
        Err(error) => {
            state_of(state).skipped.push(Skipped::new(path, SkipReason::Unreadable, error.to_string()));
        }
    }
}

/// What is said of a file over the limit.
pub(crate) fn too_large() -> String {
    format!("larger than {} MiB", MAX_FILE_BYTES / 1024 / 1024)
}

/// The text of a file beside the checked ones, a manifest or lock. Never waits on a pipe or a device.
pub(super) fn read_text(path: &Path) -> io::Result<String> {
    let mut buffer = Vec::new();
    match read_into(path, &mut buffer)? {
        true => String::from_utf8(buffer).map_err(io::Error::other),
        false => Err(io::Error::other(too_large())),
    }
}

/// Whether a folder has an ignore file that is no file: reading a pipe would wait, and a device never ends.
fn has_odd_ignore_file(folder: &Path) -> bool {
    [".gitignore", ".ignore", ".git/info/exclude"].iter().any(|name| {
        let path = folder.join(name);
        path.metadata().is_ok_and(|metadata| !metadata.is_file() && !metadata.is_dir())
    })
}

/// Fills the buffer with a regular file's bytes; `false` when it is too large. Never waits on a pipe or a device.
fn read_into(path: &Path, buffer: &mut Vec<u8>) -> io::Result<bool> {
    buffer.clear();
    let metadata = path.metadata()?;
    if !metadata.is_file() {
        return Err(io::Error::other("not a regular file"));
    }
    if metadata.len() > MAX_FILE_BYTES {
        return Ok(false);
    }
    File::open(path)?.take(MAX_FILE_BYTES + 1).read_to_end(buffer)?;
    Ok(buffer.len() as u64 <= MAX_FILE_BYTES)
}

/// Symlinked files whose target the walk did not read under its own name, and folders that links lead to.
fn read_links(
    folders: &[PathBuf],
    files: &BTreeSet<PathBuf>,
    options: &WalkOptions,
    wanted: &dyn Fn(&Path) -> bool,
    visit: &dyn Fn(Visit<'_>),
    state: &Mutex<State>,
    buffer: &mut Vec<u8>,
) {
    let links = std::mem::take(&mut state_of(state).links);
    let canonical = |path: &PathBuf| path.canonicalize().ok();
    let inside: Vec<PathBuf> = folders.iter().filter_map(canonical).collect();
    let mut seen: BTreeSet<PathBuf> = files.iter().filter_map(canonical).collect();
    // What stands inside was read there, unless its own name or place leaves it out.
    let was_read = |target: &Path| {
        inside.iter().filter_map(|folder| target.strip_prefix(folder).ok()).any(|below| {
            let excluded = below.components().any(|part| {
                let name = part.as_os_str().to_string_lossy();
                VCS_FOLDERS.contains(&name.as_ref())
                    || (options.default_excludes && DEFAULT_EXCLUDES.contains(&name.as_ref()))
            });
            !excluded && (target.is_dir() || wanted(target))
        })
    };
    for link in links {
        match link.canonicalize() {
            Ok(target) if was_read(&target) => {}
            Ok(target) if target.is_dir() => {
                let detail = "links are not followed into folders; name the folder itself to have it checked";
                state_of(state).skipped.push(Skipped::new(&link, SkipReason::LinkedFolder, detail));
            }
            Ok(target) => {
                if seen.insert(target) {
                    read(&link, false, buffer, visit, state);
                }
            }
            Err(error) => {
                state_of(state).skipped.push(Skipped::new(&link, SkipReason::BrokenLink, error.to_string()));
            }
        }
    }
}

fn walk_error(error: &ignore::Error) -> Skipped {
    let path = path_of(error).unwrap_or_default();
    Skipped::new(&path, SkipReason::Unreadable, error.to_string())
}

fn path_of(error: &ignore::Error) -> Option<PathBuf> {
    match error {
        ignore::Error::WithPath { path, .. } => Some(path.clone()),
        ignore::Error::WithDepth { err, .. } | ignore::Error::WithLineNumber { err, .. } => path_of(err),
        ignore::Error::Loop { child, .. } => Some(child.clone()),
        _ => None,
    }
}
