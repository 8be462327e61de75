//! From the arguments of a call to the directory that it means. Choosing compares names; only handles give access.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use super::boundary::{Directory, OpenError, Place};
use super::events::clip;
use super::roots::set::{Root, RootSet};
use super::tools::Selector;
use super::uri;

/// A directory that the operator allows, opened once at the start.
#[derive(Clone, Debug)]
pub struct Allowed {
    /// Its last component; the path itself when there is none (`/`).
    pub name: OsString,
    /// The path as it was given.
    pub given: PathBuf,
    /// The handle.
    pub directory: Directory,
}

impl Allowed {
    /// Opens the directories of `--allow-dir`, each once.
    ///
    /// # Errors
    ///
    /// Names the directory that cannot be opened, and says why.
    pub fn open(paths: &[PathBuf]) -> Result<Vec<Self>, String> {
        let mut all: Vec<Self> = Vec::with_capacity(paths.len());
        for given in paths {
            let absolute = std::path::absolute(given).map_err(|error| format!("{}: {error}", given.display()))?;
            let directory = Directory::open(&absolute).map_err(|error| for_operator(&error))?;
            if all.iter().any(|other| other.directory.is_same(&directory)) {
                continue;
            }
            let path = directory.path();
            let name = path.file_name().unwrap_or(path.as_os_str()).to_owned();
            all.push(Self { name, given: absolute, directory });
        }
        Ok(all)
    }
}

/// The error without its advice, which is for who sends a path.
fn for_operator(error: &OpenError) -> String {
    match error {
        OpenError::Missing(path) => format!("`{}` does not exist", path.display()),
        OpenError::NotADirectory(path) => format!("`{}` is not a directory", path.display()),
        OpenError::Denied(path) => format!("`{}` may not be read by this user", path.display()),
        error => error.to_string(),
    }
}

/// The root that `selector` means: by name, then by URI, then by index; the only usable one when it is `None`.
///
/// # Errors
///
/// A text for the model, which lists the roots.
pub fn root(set: &RootSet, selector: Option<&Selector>) -> Result<Place, String> {
    let usable: Vec<_> = set.usable().collect();
    let Some(selector) = selector else {
        return match usable.as_slice() {
            [(_, _, place)] => Ok((*place).clone()),
            _ => Err(format!("there are several roots, say which with `root`: {}", listed(set))),
        };
    };
    let chosen = match selector {
        Selector::Index(index) => set.roots.get(*index),
        Selector::Text(text) => by_text(set, text)?,
    };
    // What a model wrote is only quoted from here on.
    let selector = clip(&selector.to_string());
    match chosen.map(|root| &root.place) {
        Some(Ok(place)) => Ok(place.clone()),
        Some(Err(reason)) => Err(format!("root `{selector}` cannot be used: {reason}; choose from: {}", listed(set))),
        None => Err(format!("there is no root `{selector}`; choose from: {}", listed(set))),
    }
}

/// By name, then by URI, then by index.
fn by_text<'s>(set: &'s RootSet, text: &str) -> Result<Option<&'s Root>, String> {
    let named: Vec<_> = set.roots.iter().filter(|root| root.name.as_deref() == Some(text)).collect();
    match named.as_slice() {
        [] => {
            let path = uri::path_of(text).ok();
            let same = |uri: &str| uri == text || (path.is_some() && uri::path_of(uri).ok() == path);
            let digits = text.bytes().all(|byte| byte.is_ascii_digit());
            let by_index = || text.parse().ok().filter(|_| digits).and_then(|index: usize| set.roots.get(index));
            Ok(set.roots.iter().find(|root| same(&root.uri)).or_else(by_index))
        }
        [root] => Ok(Some(root)),
        _ => Err(format!("several roots are named `{}`, choose by index: {}", clip(text), listed(set))),
    }
}

/// The directory that the argument `directory` means: an allowed one by name, or a path or `file:` URI in one.
///
/// # Errors
///
/// A text for the model, which lists the allowed directories.
pub fn allowed(all: &[Allowed], argument: &str) -> Result<Directory, String> {
    let named: Vec<_> = all.iter().filter(|allowed| allowed.name == OsStr::new(argument)).collect();
    match named.as_slice() {
        [one] => return Ok(one.directory.clone()),
        [] => {}
        _ => return Err(format!("several allowed directories are named `{argument}`, give the path: {}", names(all))),
    }
    if argument.len() > uri::MAX_URI_BYTES {
        return Err(too_long(argument.len()));
    }
    let path = if argument.len() > 7 && argument.is_char_boundary(7) && argument[..7].eq_ignore_ascii_case("file://") {
        uri::path_of(argument).map_err(|error| format!("`{argument}`: {error}"))?
    } else {
        PathBuf::from(argument)
    };
    if !path.is_absolute() {
        return Err(format!("no allowed directory is named `{argument}`; choose from: {}", names(all)));
    }
    // The innermost one, when one allowed directory holds another.
    let holders = all.iter().filter_map(|allowed| {
        let rest = [allowed.directory.path(), &allowed.given].into_iter().find_map(|base| path.strip_prefix(base).ok());
        Some((allowed, rest?))
    });
    match holders.min_by_key(|(_, rest)| rest.components().count()) {
        Some((allowed, rest)) => subdir(&allowed.directory, rest),
        None => Err(format!("`{argument}` is not in an allowed directory; choose from: {}", names(all))),
    }
}

/// The directory that a `project-stats:` URI means.
///
/// # Errors
///
/// A text for the model.
pub fn resource(all: &[Allowed], uri: &str) -> Result<Directory, String> {
    let parsed = uri::parse_stats_uri(uri).map_err(|error| error.to_string())?;
    match all.iter().find(|allowed| allowed.name == parsed.directory) {
        Some(allowed) => subdir(&allowed.directory, &parsed.path),
        None => {
            Err(format!("no allowed directory is named `{}`; choose from: {}", parsed.directory.display(), names(all)))
        }
    }
}

/// A directory in another, through its handle.
///
/// # Errors
///
/// A text for the model.
pub fn subdir(directory: &Directory, subdir: &Path) -> Result<Directory, String> {
    let length = subdir.as_os_str().len();
    if length > uri::MAX_URI_BYTES {
        return Err(too_long(length));
    }
    directory.open_subdir(subdir).map_err(|error| error.to_string())
}

/// Such a text is not repeated in the answer.
fn too_long(length: usize) -> String {
    format!("a path of {length} bytes: at most {} are read", uri::MAX_URI_BYTES)
}

fn listed(set: &RootSet) -> String {
    let shown = set.usable().take(20).map(|(index, root, place)| match &root.name {
        Some(name) => format!("{index} `{}` ({})", clip(name), place.path().display()),
        None => format!("{index} ({})", place.path().display()),
    });
    joined(shown.collect(), set.usable().count())
}

fn names(all: &[Allowed]) -> String {
    let shown = all.iter().take(20).map(|allowed| format!("`{}`", allowed.directory.path().display()));
    joined(shown.collect(), all.len())
}

fn joined(shown: Vec<String>, count: usize) -> String {
    let more = count - shown.len();
    let more = if more > 0 { format!(", and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}
