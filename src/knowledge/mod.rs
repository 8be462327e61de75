//! The knowledge under `rules/`, loaded and validated. No matching happens here.

mod embedded;
pub mod host;
pub mod protocol;
pub mod rule;
pub mod sdk;
pub mod server;
pub mod wire;

use std::fs;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use thiserror::Error;
use walkdir::WalkDir;

use host::Host;
use protocol::{Construct, Protocol};
use rule::{Advice, ConfigKind, Form, Rule};
use sdk::Sdk;
use server::Server;
use wire::Wire;

/// What is wrong with a knowledge file.
#[derive(Debug, Error)]
pub enum KnowledgeError {
    /// A folder or file of `--rules` cannot be read.
    #[error("cannot read {path}: {source}")]
    Unreadable {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// Not TOML, an unknown key, or a missing one; the text carries line and column.
    #[error("{file}: {message}")]
    Malformed {
        /// Which file.
        file: String,
        /// Line, column and what is wrong.
        message: String,
    },
    /// Well-formed, but it contradicts the rest.
    #[error("{file}: {message}")]
    Inconsistent {
        /// Which file.
        file: String,
        /// What is wrong and what to do.
        message: String,
    },
}

/// Everything that the tool knows.
#[derive(Clone, Debug)]
pub struct Knowledge {
    /// Revisions and the fate of constructs.
    pub protocol: Protocol,
    /// Strings, keys and hand-written types.
    pub wire: Wire,
    /// Rules, by name.
    pub rules: Vec<Rule>,
    /// Rust SDKs, by file name.
    pub rust_sdks: Vec<Sdk>,
    /// Hosts, by file name.
    pub hosts: Vec<Host>,
    /// Servers, by file name.
    pub servers: Vec<Server>,
}

/// One knowledge file on its way in: path below `rules/` with `/`, and its text.
struct File {
    path: String,
    /// Where it lies, for messages.
    shown: String,
    text: String,
}

impl Knowledge {
    /// Loads what is compiled in, and the folders of `--rules` after it. A file of the same path replaces the
    /// embedded one; others are added.
    ///
    /// # Errors
    /// When a folder cannot be read, a file does not have the shape of its place, or two files contradict each
    /// other. The embedded files alone never fail (a test loads them).
    pub fn load(extra: &[PathBuf]) -> Result<Self, KnowledgeError> {
        let mut files: Vec<File> = embedded::FILES
            .iter()
            .map(|(path, text)| File {
                path: (*path).to_owned(),
                shown: format!("rules/{path}"),
                text: (*text).to_owned(),
            })
            .collect();
        for folder in extra {
            for file in read_folder(folder)? {
                files.retain(|known| known.path != file.path);
                files.push(file);
            }
        }
        files.sort_by(|a, b| a.path.cmp(&b.path));
        Self::from_files(&files)
    }

    fn from_files(files: &[File]) -> Result<Self, KnowledgeError> {
        let one = |path: &str| {
            files.iter().find(|file| file.path == path).ok_or_else(|| KnowledgeError::Inconsistent {
                file: path.to_owned(),
                message: "this file is missing".to_owned(),
            })
        };
        let mut rules = Vec::new();
        let mut rust_sdks = Vec::new();
        let mut hosts = Vec::new();
        let mut servers = Vec::new();
        for file in files {
            match file.path.split('/').collect::<Vec<_>>()[..] {
                ["lints", name, "rule.toml"] => {
                    let mut rule: Rule = parse(file)?;
                    rule.name = name.to_owned();
                    rule.page = one(&format!("lints/{name}/page.md"))?.text.clone();
                    rules.push(rule);
                }
                ["sdks", "rust", _] => rust_sdks.push(parse(file)?),
                ["hosts", _] => hosts.push(parse(file)?),
                ["servers", _] => servers.push(parse(file)?),
                ["protocol.toml" | "wire.toml"] | ["lints", _, "page.md"] => {}
                _ => {
                    return Err(KnowledgeError::Inconsistent {
                        file: file.shown.clone(),
                        message: "no kind of knowledge has this place; see rules/README.md".to_owned(),
                    });
                }
            }
        }
        rules.sort_by(|a: &Rule, b| a.name.cmp(&b.name));
        let knowledge = Self {
            protocol: parse(one("protocol.toml")?)?,
            wire: parse(one("wire.toml")?)?,
            rules,
            rust_sdks,
            hosts,
            servers,
        };
        knowledge.validate()?;
        Ok(knowledge)
    }

    /// The checks that a shape alone cannot make.
    fn validate(&self) -> Result<(), KnowledgeError> {
        let protocol = &self.protocol;
        let inconsistent =
            |file: &str, message: String| KnowledgeError::Inconsistent { file: file.to_owned(), message };
        if !protocol.knows(&protocol.default_target) {
            return Err(inconsistent("protocol.toml", "default_target is not one of the revisions".to_owned()));
        }
        for construct in ALL_CONSTRUCTS {
            let Some(info) = protocol.constructs.iter().find(|info| info.id == construct) else {
                return Err(inconsistent("protocol.toml", format!("construct {construct:?} is missing")));
            };
            if let Some(id) = info.status.keys().find(|id| !protocol.knows(id)) {
                return Err(inconsistent("protocol.toml", format!("construct {construct:?}: no revision {id}")));
            }
        }
        for rule in &self.rules {
            let file = format!("lints/{}/rule.toml", rule.name);
            let is_name = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
            if !rule.name.chars().all(is_name) {
                return Err(inconsistent(
                    &file,
                    "a rule's name has lower-case letters, digits and `-` alone".to_owned(),
                ));
            }
            let applies = &rule.applies;
            let kinds = [!applies.constructs.is_empty(), applies.advice.is_some(), applies.config.is_some()];
            if kinds.into_iter().filter(|kind| *kind).count() != 1 {
                let message = "`applies` needs one of `constructs`, `advice` and `config`".to_owned();
                return Err(inconsistent(&file, message));
            }
            let by_server = applies.config == Some(ConfigKind::Server);
            let worded = if by_server { !rule.headlines.is_empty() } else { rule.headline.is_some() };
            let wants_words = applies.constructs.is_empty();
            if wants_words != worded || (wants_words && !by_server) != rule.level.is_some() {
                let message = "rules with `advice` or `config` need `level` and `headline` (the server rule \
                               `headlines` alone), others have neither";
                return Err(inconsistent(&file, message.to_owned()));
            }
        }
        for host in &self.hosts {
            for pattern in host.files.iter().flat_map(|file| &file.patterns) {
                if pattern.len() > MAX_PATTERN {
                    return Err(inconsistent("hosts/", format!("{}: a pattern is too long", host.name)));
                }
                if let Err(error) = crate::analyze::hosts::files::glob(pattern) {
                    return Err(inconsistent("hosts/", format!("{}: {pattern}: {error}", host.name)));
                }
            }
        }
        for server in &self.servers {
            let complete = server.effect.is_some() && !server.without_roots.is_empty();
            if server.look_alike == complete || server.launches.is_empty() || server.cases.is_empty() {
                let message =
                    "a server needs `launch`, `case`, and `effect` with `without_roots` unless it is a `look_alike`";
                return Err(inconsistent("servers/", format!("{}: {message}", server.name)));
            }
        }
        Ok(())
    }

    /// The rule of that name.
    #[must_use]
    pub fn rule(&self, name: &str) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.name == name)
    }

    /// The rule that speaks of a construct in a form.
    #[must_use]
    pub fn rule_for(&self, construct: Construct, form: Form) -> Option<&Rule> {
        let fits = |rule: &&Rule| {
            rule.applies.constructs.contains(&construct) && rule.applies.form.unwrap_or(Form::Sdk) == form
        };
        self.rules.iter().find(fits)
    }

    /// The rule that speaks of a thing in host configs.
    #[must_use]
    pub fn rule_for_config(&self, config: ConfigKind) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.applies.config == Some(config))
    }

    /// The rule that speaks of an advice.
    #[must_use]
    pub fn rule_for_advice(&self, advice: Advice) -> Option<&Rule> {
        self.rules.iter().find(|rule| rule.applies.advice == Some(advice))
    }
}

/// Bytes of a glob; what is longer may not compile.
const MAX_PATTERN: usize = 200;

/// All constructs, to check that the protocol file is complete.
const ALL_CONSTRUCTS: [Construct; 14] = [
    Construct::Capability,
    Construct::ListChangedFlag,
    Construct::ListHandler,
    Construct::ListRequest,
    Construct::InputRequest,
    Construct::ListChangedSent,
    Construct::ListChangedHandler,
    Construct::CapabilityCheck,
    Construct::WireType,
    Construct::WireTypeListChanged,
    Construct::WireMethod,
    Construct::WireMethodListChanged,
    Construct::HostRoots,
    Construct::ServerLaunch,
];

fn parse<T: DeserializeOwned>(file: &File) -> Result<T, KnowledgeError> {
    toml::from_str(&file.text).map_err(|error| KnowledgeError::Malformed {
        file: file.shown.clone(),
        message: error.to_string().trim_end().to_owned(),
    })
}

/// The knowledge files of a `--rules` folder; fixtures and other files are left alone.
fn read_folder(folder: &Path) -> Result<Vec<File>, KnowledgeError> {
    let unreadable = |path: &Path, source| KnowledgeError::Unreadable { path: path.to_owned(), source };
    match fs::metadata(folder) {
        Ok(metadata) if !metadata.is_dir() => {
            return Err(unreadable(folder, std::io::Error::other("not a folder")));
        }
        Ok(_) => {}
        Err(error) => return Err(unreadable(folder, error)),
    }
    let mut files = Vec::new();
    for entry in WalkDir::new(folder).sort_by_file_name() {
        let entry = entry.map_err(|error| {
            let path = error.path().unwrap_or(folder).to_owned();
            unreadable(&path, error.into_io_error().unwrap_or_else(|| std::io::Error::other("a loop of links")))
        })?;
        let Ok(relative) = entry.path().strip_prefix(folder) else { continue };
        let path = relative.to_string_lossy().replace('\\', "/");
        let fixture = path.split('/').any(|part| part == "hit" || part == "miss");
        let known = path.ends_with(".toml") || (path.starts_with("lints/") && path.ends_with(".md"));
        // What `compare` plays stands beside the knowledge, and is none.
        let scenario = path.starts_with("scenarios/");
        if entry.file_type().is_file() && known && !fixture && !scenario {
            let text = fs::read_to_string(entry.path()).map_err(|error| unreadable(entry.path(), error))?;
            files.push(File { path, shown: entry.path().to_string_lossy().replace('\\', "/"), text });
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;
    use protocol::Status;

    fn knowledge() -> Knowledge {
        Knowledge::load(&[]).unwrap_or_else(|error| panic!("{error}"))
    }

    #[test]
    fn every_construct_and_advice_has_a_rule() {
        let knowledge = knowledge();
        for construct in ALL_CONSTRUCTS {
            if matches!(construct, Construct::HostRoots | Construct::ServerLaunch) {
                continue; // host configs have rules of their own
            }
            let sdk = knowledge.rule_for(construct, Form::Sdk);
            let wire = knowledge.rule_for(construct, Form::Wire);
            let is_string = matches!(construct, Construct::WireMethod | Construct::WireMethodListChanged);
            assert!(sdk.is_some() || is_string, "{construct:?} has no rule");
            assert!(wire.is_some(), "{construct:?} has no rule for its wire form");
        }
    }

    #[test]
    fn statuses_follow_the_specification() {
        let protocol = knowledge().protocol;
        let status = |construct, target| protocol.status(construct, target).0;
        assert_eq!(status(Construct::ListRequest, "2025-11-25"), Status::Active);
        assert_eq!(status(Construct::ListRequest, "2026-07-28"), Status::Refused);
        assert_eq!(status(Construct::InputRequest, "2025-11-25"), Status::Unavailable);
        assert_eq!(status(Construct::InputRequest, "2026-07-28"), Status::Deprecated);
        assert_eq!(status(Construct::ListChangedFlag, "2026-07-28"), Status::Removed);
        assert_eq!(status(Construct::Capability, "2026-07-28"), Status::Deprecated);
    }

    #[test]
    fn an_unknown_key_is_named_with_file_and_line() {
        let file = File {
            path: "sdks/rust/ours.toml".to_owned(),
            shown: "rules/sdks/rust/ours.toml".to_owned(),
            text: "name = \"ours\"\npackages = [\"ours\"]\nchecked = \"1\"\nurl = \"\"\ncolour = 1\n".to_owned(),
        };
        let Err(error) = parse::<Sdk>(&file) else { panic!("not refused") };
        let error = error.to_string();
        assert!(error.starts_with("rules/sdks/rust/ours.toml: "), "{error}");
        assert!(error.contains("line 5") && error.contains("colour"), "{error}");
    }
}
