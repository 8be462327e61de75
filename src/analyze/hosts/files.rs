//! Which files are host configs, by their names.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use globset::{GlobBuilder, GlobSet, GlobSetBuilder};

use crate::knowledge::Knowledge;
use crate::knowledge::host::{ConfigFile, Host, Syntax};

/// A kind of file of a host.
type Owner<'k> = (&'k Host, &'k ConfigFile);

/// The patterns of all hosts.
pub struct ConfigFiles<'k> {
    set: GlobSet,
    /// For each glob of the set: whose it is, and what its file leaves out.
    owners: Vec<(Owner<'k>, Arc<GlobSet>)>,
}

impl<'k> ConfigFiles<'k> {
    /// Compiles the patterns.
    ///
    /// # Panics
    /// Never for loaded knowledge: [`Knowledge::load`] checks that the patterns are globs.
    #[must_use]
    pub fn new(knowledge: &'k Knowledge) -> Self {
        let mut all = GlobSetBuilder::new();
        let mut owners = Vec::new();
        for host in &knowledge.hosts {
            for file in &host.files {
                let mut except = GlobSetBuilder::new();
                for pattern in file.patterns.iter().filter_map(|pattern| pattern.strip_prefix('!')) {
                    except.add(valid(glob(pattern)));
                }
                let except = Arc::new(valid(except.build()));
                for pattern in file.patterns.iter().filter(|pattern| !pattern.starts_with('!')) {
                    all.add(valid(glob(pattern)));
                    owners.push(((host, file), Arc::clone(&except)));
                }
            }
        }
        Self { set: valid(all.build()), owners }
    }

    /// Whether a file is one of a host's.
    #[must_use]
    pub fn matches(&self, path: &Path) -> bool {
        self.set.is_match(path) && !self.of(path).is_empty()
    }

    /// The hosts that read a file of this path: those whose name it is alone first, generic names last, else in order
    /// of `rules/hosts`.
    #[must_use]
    pub fn of(&self, path: &Path) -> Vec<Owner<'k>> {
        let matched = self.set.matches(path).into_iter().map(|index| &self.owners[index]);
        let mut owners: Vec<Owner<'k>> =
            matched.filter(|(_, except)| !except.is_match(path)).map(|(owner, _)| *owner).collect();
        owners.sort_by_key(|(host, file)| (host.is_generic, !file.must_parse));
        owners
    }
}

fn valid<T>(result: Result<T, globset::Error>) -> T {
    result.unwrap_or_else(|error| unreachable!("validated on load: {error}"))
}

/// The endings of all patterns: the cheap question before [`ConfigFiles::matches`], which is dear to set up.
#[must_use]
pub fn endings(knowledge: &Knowledge) -> BTreeSet<&str> {
    let patterns = knowledge.hosts.iter().flat_map(|host| &host.files).flat_map(|file| &file.patterns);
    patterns.filter_map(|pattern| pattern.rsplit_once('.')).map(|(_, ending)| ending).collect()
}

/// A pattern of the gitignore dialect that is found anywhere in a tree; a `!` before it is not part of it.
pub(crate) fn glob(pattern: &str) -> Result<globset::Glob, globset::Error> {
    let pattern = pattern.strip_prefix('!').unwrap_or(pattern);
    let anywhere = if pattern.starts_with("**/") { pattern.to_owned() } else { format!("**/{pattern}") };
    GlobBuilder::new(&anywhere).literal_separator(true).build()
}

/// The syntax that a file name suggests, for files that are named on the command line.
#[must_use]
pub fn syntax_of(path: &Path) -> Option<Syntax> {
    match path.extension()?.to_str()? {
        "json" | "jsonc" | "json5" => Some(Syntax::Json),
        "yaml" | "yml" => Some(Syntax::Yaml),
        "toml" => Some(Syntax::Toml),
        "properties" => Some(Syntax::Properties),
        "md" => Some(Syntax::FrontMatter),
        _ => None,
    }
}

/// A place where this user's config of a host may lie.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserFile {
    /// The host's name.
    pub host: String,
    /// The pattern, with variables filled in.
    pub place: PathBuf,
    /// The files that are there.
    pub found: Vec<PathBuf>,
}

/// Looks for this user's own configs. `env` gives variables (`HOME`, `APPDATA`, …); a place whose variable is not
/// set is left out.
#[must_use]
pub fn user_files(knowledge: &Knowledge, env: &dyn Fn(&str) -> Option<String>) -> Vec<UserFile> {
    let mut files = Vec::new();
    for host in &knowledge.hosts {
        for file in &host.files {
            let places = if cfg!(windows) {
                &file.user.windows
            } else if cfg!(target_os = "macos") {
                &file.user.macos
            } else {
                &file.user.linux
            };
            for place in places {
                let Some(place) = fill_in(place, env) else { continue };
                let found = expand(&place);
                files.push(UserFile { host: host.name.clone(), place, found });
            }
        }
    }
    files.sort_by(|a, b| (&a.host, &a.place).cmp(&(&b.host, &b.place)));
    files.dedup();
    files
}

fn fill_in(place: &str, env: &dyn Fn(&str) -> Option<String>) -> Option<PathBuf> {
    let home = || env("HOME").or_else(|| env("USERPROFILE"));
    let filled = if let Some(rest) = place.strip_prefix("~/") {
        format!("{}/{rest}", home()?)
    } else if let Some(rest) = place.strip_prefix('$') {
        let end = rest.find('/').unwrap_or(rest.len());
        format!("{}{}", env(&rest[..end])?, &rest[end..])
    } else if let Some(rest) = place.strip_prefix('%') {
        let (name, rest) = rest.split_once('%')?;
        format!("{}{rest}", env(name)?)
    } else {
        place.to_owned()
    };
    Some(PathBuf::from(filled))
}

/// The files that a place names; `*` stands for any one name.
fn expand(place: &Path) -> Vec<PathBuf> {
    let mut paths = vec![PathBuf::new()];
    for part in place.components() {
        let name = part.as_os_str().to_string_lossy();
        if name.contains('*') {
            let Ok(matcher) = globset::Glob::new(&name).map(|glob| glob.compile_matcher()) else { return Vec::new() };
            let below = |folder: &PathBuf| {
                let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
                entries.filter(|entry| matcher.is_match(entry.file_name())).map(|entry| entry.path()).collect()
            };
            paths = paths.iter().flat_map(|folder| -> Vec<PathBuf> { below(folder) }).collect();
        } else {
            for path in &mut paths {
                path.push(part);
            }
        }
    }
    paths.retain(|path| path.is_file());
    paths.sort();
    paths
}
