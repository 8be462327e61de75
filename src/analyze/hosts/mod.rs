//! Host configs: text → document (`document`) → entries (`entries`) → launches (`launch`) → usages. The text that
//! reports may show is cut down here, too (`redact`): no value of a config leaves without need.

mod document;
mod entries;
pub mod files;
mod launch;
mod redact;
pub mod servers;
mod suggest;

use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use crate::finding::{SkipReason, Skipped};
use crate::knowledge::Knowledge;
use crate::knowledge::host::{ConfigFile, Host, SendsRoots, Syntax};
use crate::knowledge::protocol::Role;
use crate::knowledge::server::{Directories, Launch, LaunchKind, Server, Switch};
use crate::project::source::Source;
use crate::usage::{Confidence, ConfigUse, Mitigation, Remark, Usage, What};

use document::{Malformed, Node, Value};
use entries::{Entry, Word};
use files::ConfigFiles;
use launch::Started;
use redact::{Shown, looks_secret};

/// A config file that was read: its source, as far as it may be shown, and its usages in order of the text.
pub struct Config {
    /// The file.
    pub source: Arc<Source>,
    /// What it does with Roots.
    pub usages: Vec<Usage>,
    /// Its keys and values: text in them is no comment.
    pub texts: Vec<Range<usize>>,
}

/// Reads one config file; nothing, when it is none.
///
/// # Errors
/// The skip, when the file is an MCP config (by its name, its text or because the user named it) and does not parse.
pub fn read(
    knowledge: &Knowledge,
    files: &ConfigFiles<'_>,
    path: &Path,
    text: String,
    named: bool,
) -> Result<Option<Config>, Skipped> {
    let known = files.of(path);
    let Some(syntax) = known.first().map(|(_, file)| file.syntax).or_else(|| files::syntax_of(path)) else {
        return Ok(None);
    };
    let source = Source::new(path.to_owned(), text);
    let documents = match document::parse(syntax, source.text()) {
        Ok(documents) => documents,
        Err(malformed) => {
            let must_parse = named || known.iter().any(|(_, file)| file.must_parse);
            return match must_parse || names_container(knowledge, source.text()) {
                true => Err(skip(&source, &malformed)),
                false => Ok(None),
            };
        }
    };
    let mut finder = Finder {
        knowledge,
        host: host_of(&known, &documents),
        syntax,
        shown: Shown::keys_of(&documents),
        drafts: Vec::new(),
    };
    for document in &documents {
        for entry in entries::find(document) {
            finder.entry(&entry);
        }
        finder.roots_keys(document, &mut Vec::new());
    }
    let Finder { shown, mut drafts, host, .. } = finder;
    drafts.sort_by_key(|draft| (draft.span.start, draft.span.end));
    let display = shown.apply(source.text());
    let source = Arc::new(source.shown_as(display));
    let usages = drafts.into_iter().map(|draft| draft.usage(&source, host)).collect();
    let mut texts = Vec::new();
    for document in &documents {
        document.texts(&mut texts);
    }
    Ok(Some(Config { source, usages, texts }))
}

/// Of several hosts that read a file of this name the one whose containers the file has.
fn host_of<'k>(known: &[(&'k Host, &'k ConfigFile)], documents: &[Value]) -> Option<&'k Host> {
    let has_container = |host: &Host| {
        host.containers.iter().any(|path| {
            let first = path.split('.').next().unwrap_or(path);
            documents.iter().any(|document| document.get(path).or_else(|| document.get(first)).is_some())
        })
    };
    let hosts = || known.iter().map(|(host, _)| *host);
    hosts().find(|host| has_container(host)).or_else(|| hosts().next())
}

fn skip(source: &Source, malformed: &Malformed) -> Skipped {
    let at = source.span(malformed.at..malformed.at).start;
    let reason = if malformed.too_deep { SkipReason::TooDeep } else { SkipReason::ParseError };
    Skipped::new(source.path(), reason, format!("line {}, column {}: {}", at.line, at.column, malformed.message))
}

/// Whether a text names one of the containers that only MCP configs have.
fn names_container(knowledge: &Knowledge, text: &str) -> bool {
    let containers = knowledge.hosts.iter().flat_map(|host| &host.containers);
    let distinctive = containers.filter_map(|path| path.rsplit('.').next()).filter(|key| {
        let key = key.to_lowercase();
        (key.contains("mcp") && key.len() > 3) || key.contains("context_servers")
    });
    distinctive.into_iter().any(|key| text.contains(key))
}

/// A usage before its source is known: the source's shown text depends on all of them.
struct Draft {
    what: What,
    span: Range<usize>,
    item: String,
    detail: Option<String>,
    help: Vec<String>,
    mitigations: Vec<Mitigation>,
    remarks: Vec<Remark>,
}

impl Draft {
    fn new(what: What, span: &Range<usize>, item: impl Into<String>) -> Self {
        Self {
            what,
            span: span.clone(),
            item: item.into(),
            detail: None,
            help: Vec::new(),
            mitigations: Vec::new(),
            remarks: Vec::new(),
        }
    }

    fn usage(self, source: &Arc<Source>, host: Option<&Host>) -> Usage {
        Usage {
            what: self.what,
            source: Arc::clone(source),
            span: self.span,
            item: self.item,
            role: Role::Unknown,
            confidence: Confidence::Certain,
            sdk: None,
            in_test: false,
            mitigations: self.mitigations,
            remarks: self.remarks,
            related: Vec::new(),
            host: host.filter(|host| !host.is_generic).map(|host| host.name.clone()),
            detail: self.detail,
            help: self.help,
        }
    }
}

struct Finder<'k> {
    knowledge: &'k Knowledge,
    host: Option<&'k Host>,
    syntax: Syntax,
    shown: Shown,
    drafts: Vec<Draft>,
}

impl<'k> Finder<'k> {
    fn entry(&mut self, entry: &Entry<'_>) {
        let disabled = entry.disabled.then_some(Mitigation::Disabled);
        let before = self.drafts.len();
        if let Some(roots) = entry.roots {
            self.drafts.push(Draft::new(What::Config(ConfigUse::Roots), &roots.key_span, roots.key.clone()));
            self.root_uris(&roots.value);
        }
        if let Some((server, launch, started)) = self.server_of(entry) {
            self.server(entry, server, launch, &started);
        }
        for draft in &mut self.drafts[before..] {
            draft.mitigations.extend(disabled);
        }
    }

    /// The roots of a list, a single root, or a list of paths.
    fn root_uris(&mut self, roots: &Value) {
        let uri = &self.knowledge.wire.uri;
        let single = matches!(roots.node, Node::Map(_)).then_some(roots);
        for root in roots.items().iter().chain(single) {
            let (value, span) = match &root.node {
                Node::Map(_) => match root.get(&uri.key) {
                    Some(value) => (value.text().unwrap_or_default(), &value.span),
                    None => continue,
                },
                // harnx lists paths, which are no URIs and need no scheme.
                Node::Text(text) if text.contains("://") => (text.as_str(), &root.span),
                _ => continue,
            };
            for fault in crate::analyze::uri::faults(uri, value) {
                // Only what is a path can be told from a secret.
                let is_path = value.starts_with("file:") || value.starts_with('/');
                let item = match value.split_once(':').filter(|_| !is_path || looks_secret(value)) {
                    Some((scheme, _)) if scheme.chars().all(|c| c.is_ascii_alphanumeric()) => format!("\"{scheme}:…\""),
                    None if is_path => format!("\"{value}\""),
                    _ => "\"…\"".to_owned(),
                };
                if is_path {
                    self.shown.word(value, span);
                }
                let mut draft = Draft::new(What::Advice(fault), span, item);
                draft.help.push("write the absolute path as `file:///…`, percent-encoded".to_owned());
                self.drafts.push(draft);
            }
        }
    }

    /// Keys outside of entries that list or switch roots.
    fn roots_keys(&mut self, value: &Value, path: &mut Vec<String>) {
        for item in value.items() {
            self.roots_keys(item, path);
        }
        for property in value.properties() {
            path.push(property.key.clone());
            let joined = path.join(".");
            let known = self.knowledge.hosts.iter().flat_map(|host| &host.roots_keys);
            let found = known.into_iter().find(|key| fits_path(&key.path, &joined));
            if let Some(key) = found {
                let value = property.value.scalar().unwrap_or_default();
                if property.value.node != Node::Null {
                    let mut draft = Draft::new(What::Config(ConfigUse::Roots), &property.key_span, joined);
                    draft.help.push(key.help.clone());
                    draft.mitigations.extend(key.off.iter().any(|off| off == value).then_some(Mitigation::Disabled));
                    self.drafts.push(draft);
                }
            }
            self.roots_keys(&property.value, path);
            path.pop();
        }
    }

    /// The server that an entry starts, if it is a known one; a look-alike is none.
    fn server_of(&self, entry: &Entry<'_>) -> Option<(&'k Server, &'k Launch, Started)> {
        let mut started = launch::unwrap(&entry.words);
        if let Some(url) = &entry.url {
            let (word, kind) = (url.clone(), LaunchKind::Url);
            started.push(Started {
                kind,
                name: url.text.clone(),
                version: None,
                word,
                args: Vec::new(),
                env: Vec::new(),
            });
        }
        started.into_iter().find_map(|started| {
            let fits = |server: &&'k Server| server.launches.iter().find(|launch| fits_launch(launch, &started));
            let (server, launch) =
                self.knowledge.servers.iter().find_map(|server| fits(&server).map(|launch| (server, launch)))?;
            Some((server, launch, started))
        })
    }

    fn server(&mut self, entry: &Entry<'_>, server: &Server, launch: &Launch, started: &Started) {
        let asks = match &started.version {
            Some(version) if !server.versions.is_empty() => {
                server.versions.iter().any(|range| crate::knowledge::sdk::matches(range, version))
            }
            Some(_) => true,
            None => server.newest,
        };
        let Some(effect) = server.effect.filter(|_| !server.look_alike && asks) else { return };
        self.show(entry, started);

        let mut is_on = false;
        for switch in &server.switches {
            if let Some((span, item)) = switched_on(switch, entry, started) {
                is_on = true;
                let mut draft = Draft::new(What::Config(ConfigUse::Flag), &span, item);
                draft.help.push(switch.help.clone());
                self.drafts.push(draft);
            }
        }
        if server.switches.iter().any(|switch| switch.required) && !is_on {
            return;
        }
        let given = server.directories.as_ref().and_then(|known| directory(known, launch, started));
        let replaced = server.directories.as_ref().is_some_and(|known| known.replaced_by_roots);
        let (what, span) = match given {
            Some(given) if replaced => (ConfigUse::Override, given.span.clone()),
            Some(_) => return,
            None if is_pinned(server, entry, started) => return,
            None => {
                let replaceable = !server.replacement.args.is_empty() || !server.replacement.env.is_empty();
                (ConfigUse::Server { effect, replaceable }, started.word.span.clone())
            }
        };
        let item = if started.kind == LaunchKind::Url { &server.name } else { &started.name };
        let mut draft = Draft::new(What::Config(what), &span, item);
        draft.detail = Some(server.without_roots.clone());
        draft.mitigations.extend(launch.ambiguous.then_some(Mitigation::AmbiguousLaunch));
        match self.host.map(|host| host.sends_roots) {
            Some(SendsRoots::Yes | SendsRoots::FromConfig) => draft.remarks.push(Remark::HostSendsRoots),
            Some(SendsRoots::No) => draft.remarks.push(Remark::HostSendsNone),
            _ => {}
        }
        if what != ConfigUse::Override {
            draft.help =
                suggest::replacement(server, entry, package_at(entry, started), started, self.host, self.syntax);
        }
        self.drafts.push(draft);
    }

    /// The words of a launch that a report may show: the program, what the launcher was told, the package and the
    /// directories.
    fn show(&mut self, entry: &Entry<'_>, started: &Started) {
        let package = package_at(entry, started);
        for (word, showable) in entry.words.iter().zip(redact::showable(&entry.words, package, &started.name)) {
            let is_line = entry.words.iter().filter(|other| other.span == word.span).count() > 1;
            if showable && !is_line {
                self.shown.word(&word.text, &word.span);
            }
        }
    }
}

/// The index of the word that names what is started.
fn package_at(entry: &Entry<'_>, started: &Started) -> Option<usize> {
    let from_package_option = |word: &Word| word.span == started.word.span && word.text.ends_with(&started.word.text);
    entry.words.iter().position(|word| *word == started.word || from_package_option(word))
}

/// Whether a path of keys is one that the knowledge names: `*` stands for any one key.
fn fits_path(pattern: &str, path: &str) -> bool {
    let (pattern, path): (Vec<&str>, Vec<&str>) = (pattern.split('.').collect(), path.split('.').collect());
    pattern.len() == path.len() && pattern.iter().zip(&path).all(|(known, key)| known == &"*" || known == key)
}

fn fits_launch(launch: &Launch, started: &Started) -> bool {
    let named = launch.names.iter().any(|name| match launch.kind {
        LaunchKind::Url => started.name.starts_with(name.as_str()),
        LaunchKind::Nuget => started.name.eq_ignore_ascii_case(name),
        LaunchKind::Pypi => started.name == name.to_lowercase().replace('_', "-"),
        _ => started.name == *name,
    });
    let words = positional(started);
    launch.kind == started.kind
        && named
        && launch
            .subcommand
            .iter()
            .zip(words.iter().map(Some).chain(std::iter::repeat(None)))
            .all(|(wanted, word)| word.is_some_and(|word| word.text == *wanted))
}

fn positional(started: &Started) -> Vec<&Word> {
    started.args.iter().filter(|word| !word.text.starts_with('-')).collect()
}

/// The first directory among the arguments.
fn directory<'s>(known: &Directories, launch: &Launch, started: &'s Started) -> Option<&'s Word> {
    if known.options.is_empty() {
        return positional(started).get(launch.subcommand.len()).copied();
    }
    started.args.iter().find(|word| has_option(&known.options, &word.text))
}

/// `--option` or `--option=value`.
fn has_option(options: &[String], text: &str) -> bool {
    options
        .iter()
        .any(|option| text == option || text.strip_prefix(option.as_str()).is_some_and(|rest| rest.starts_with('=')))
}

fn is_pinned(server: &Server, entry: &Entry<'_>, started: &Started) -> bool {
    let pin = &server.pin;
    let env = entry.env.iter().map(|(name, ..)| name);
    let launcher_env = started.env.iter().map(|(name, ..)| name);
    started.args.iter().any(|word| has_option(&pin.options, &word.text))
        || env.chain(launcher_env).any(|name| pin.env.contains(name))
        || (pin.cwd && entry.cwd.is_some())
        || entry.headers.iter().any(|(header, _)| pin.headers.iter().any(|known| known.eq_ignore_ascii_case(header)))
}

/// Where an entry switches Roots on, and how it says so.
fn switched_on(switch: &Switch, entry: &Entry<'_>, started: &Started) -> Option<(Range<usize>, String)> {
    let option =
        started.args.iter().find(|word| has_option(&switch.options, &word.text) && !word.text.ends_with("=false"));
    if let Some(word) = option {
        let shown = word.text.split('=').next().unwrap_or_default();
        return Some((word.span.clone(), shown.to_owned()));
    }
    let is_on = |name: &String, value: &str| {
        switch.env.get(name).is_some_and(|on| match on.is_empty() {
            true => !matches!(value.to_lowercase().as_str(), "" | "0" | "false" | "no" | "off"),
            false => on.iter().any(|known| known.eq_ignore_ascii_case(value)),
        })
    };
    let own = entry.env.iter().find(|(name, value, _)| is_on(name, value));
    let own = own.map(|(name, _, span)| (span.clone(), name.clone()));
    let launcher = || started.env.iter().find(|(name, value, _)| is_on(name, value));
    own.or_else(|| launcher().map(|(name, _, word)| (word.span.clone(), name.clone())))
}
