//! Which files are host configs, by their names.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use globset::{GlobBuilder, GlobMatcher};

use crate::knowledge::Knowledge;
use crate::knowledge::host::{ConfigFile, Host, Syntax};

/// A kind of file of a host.
type Owner<'k> = (&'k Host, &'k ConfigFile);

/// The patterns of all hosts. Nearly all end in a plain name, so that a look-up of the file's name is all that nearly
/// every file of a tree costs, and nothing has to be compiled for it.
pub struct ConfigFiles<'k> {
    patterns: Vec<Pattern<'k>>,
    /// File name → patterns that end in it.
    named: HashMap<&'k str, Vec<usize>>,
    /// Patterns whose last part has a wildcard.
    wild: Vec<usize>,
}

/// One pattern, and whose it is.
struct Pattern<'k> {
    text: &'k str,
    /// Its place among all.
    index: usize,
    owner: Owner<'k>,
    /// Compiled at the first path that may match.
    matcher: OnceLock<GlobMatcher>,
}

/// What stands for other characters in a pattern.
const WILDCARDS: [char; 5] = ['*', '?', '[', '{', '\\'];

impl<'k> Pattern<'k> {
    fn parts(&self) -> (&'k str, &'k str) {
        self.text.rsplit_once('/').unwrap_or(("", self.text))
    }

    fn matches(&self, path: &Path, name: &str) -> bool {
        let (folders, last) = self.parts();
        let is_plain = |part: &&str| !part.contains(WILDCARDS);
        let begin = last.find(WILDCARDS).unwrap_or(last.len());
        let end = last.rfind(|c| WILDCARDS.contains(&c) || c == ']' || c == '}').map_or(0, |at| at + 1);
        if !(name.starts_with(&last[..begin]) && name.ends_with(&last[end..])) {
            return false;
        }
        let on_the_way = |part: &str| path.components().any(|component| component.as_os_str() == part);
        let mut plain = folders.split('/').filter(|part| !part.is_empty()).filter(is_plain);
        plain.all(on_the_way) && self.matcher.get_or_init(|| valid(glob(self.text)).compile_matcher()).is_match(path)
    }

    fn is_excepted(&self, path: &Path) -> bool {
        let except = self.owner.1.patterns.iter().filter(|pattern| pattern.starts_with('!'));
        except.into_iter().any(|pattern| valid(glob(pattern)).compile_matcher().is_match(path))
    }
}

impl<'k> ConfigFiles<'k> {
    /// Sorts the patterns.
    #[must_use]
    pub fn new(knowledge: &'k Knowledge) -> Self {
        let mut all = Self { patterns: Vec::new(), named: HashMap::new(), wild: Vec::new() };
        for host in &knowledge.hosts {
            for file in &host.files {
                for text in file.patterns.iter().filter(|pattern| !pattern.starts_with('!')) {
                    let pattern =
                        Pattern { text, index: all.patterns.len(), owner: (host, file), matcher: OnceLock::new() };
                    let (_, last) = pattern.parts();
                    match last.contains(WILDCARDS) {
                        true => all.wild.push(pattern.index),
                        false => all.named.entry(last).or_default().push(pattern.index),
                    }
                    all.patterns.push(pattern);
                }
            }
        }
        all
    }

    /// The patterns that a path matches, and that do not except it.
    ///
    /// # Panics
    /// Never for loaded knowledge: [`Knowledge::load`] checks that the patterns are globs.
    fn matching<'s>(&'s self, path: &'s Path) -> impl Iterator<Item = &'s Pattern<'k>> {
        let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        let named = self.named.get(&*name).map(Vec::as_slice).unwrap_or_default();
        let candidates = named.iter().chain(&self.wild).map(|index| &self.patterns[*index]);
        candidates.filter(move |pattern| pattern.matches(path, &name) && !pattern.is_excepted(path))
    }

    /// Whether a file is one of a host's.
    #[must_use]
    pub fn matches(&self, path: &Path) -> bool {
        self.matching(path).next().is_some()
    }

    /// The hosts that read a file of this path: those whose name it is alone first, generic names last, else in order
    /// of `rules/hosts`.
    #[must_use]
    pub fn of(&self, path: &Path) -> Vec<Owner<'k>> {
        let mut matching: Vec<&Pattern<'k>> = self.matching(path).collect();
        matching.sort_by_key(|pattern| (pattern.owner.0.is_generic, !pattern.owner.1.must_parse, pattern.index));
        matching.into_iter().map(|pattern| pattern.owner).collect()
    }
}

fn valid<T>(result: Result<T, globset::Error>) -> T {
    result.unwrap_or_else(|error| unreachable!("validated on load: {error}"))
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
