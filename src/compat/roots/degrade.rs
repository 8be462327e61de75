//! What is done when a client gives no usable roots: four steps, each with its own [`Source`] in the result.

use std::env;
use std::sync::Arc;

use super::set::{Failure, RootSet};
use crate::compat::Source;
use crate::compat::boundary::Directory;

/// What a call learned about the client's roots.
#[derive(Debug)]
pub enum Learned {
    /// The client has no `roots` capability, so it must not be asked.
    NoCapability,
    /// It was asked, and this is what came of it.
    Answer {
        /// The roots, or why there are none.
        roots: Result<Arc<RootSet>, Failure>,
        /// How usable roots are called in the result.
        source: Source,
    },
}

/// The directories that a call may choose from.
pub enum Access {
    /// The usable ones of the client's roots.
    Roots(Arc<RootSet>, Source),
    /// The working directory, since there is nothing better; and what the client sent, if anything.
    Fallback(Directory, Option<Arc<RootSet>>, Source),
    /// None: what to tell the model.
    Denied(String, Source),
}

/// What stands in for roots.
pub enum Fallback {
    /// Nothing (`--strict`).
    Nothing,
    /// The working directory.
    WorkingDirectory(Directory),
    /// The working directory would open too much; says why.
    TooWide(String),
}

impl Fallback {
    /// The working directory of this process, unless it is a place where hosts start servers for want of a better one.
    ///
    /// This server only counts lines. One that writes must not do this: a client without roots has allowed nothing.
    #[must_use]
    pub fn working_directory() -> Self {
        let opened = env::current_dir().map_err(|error| error.to_string());
        let opened = opened.and_then(|path| Directory::open(&path).map_err(|error| error.to_string()));
        let directory = match opened {
            Ok(directory) => directory,
            Err(reason) => return Self::TooWide(format!("the working directory cannot be used: {reason}")),
        };
        let shown = directory.path().display();
        if directory.path().parent().is_none() {
            return Self::TooWide(format!("the working directory is `{shown}`, the root of the file system"));
        }
        let Some(home) = env::home_dir().and_then(|home| Directory::open(&home).ok()) else {
            // Then nobody can tell whether it is the home folder.
            return Self::TooWide(format!("the working directory is `{shown}`, and the home folder is not known"));
        };
        if home.path().starts_with(directory.path()) {
            return Self::TooWide(format!("the working directory is `{shown}`, the home folder or one above it"));
        }
        Self::WorkingDirectory(directory)
    }

    /// The access that a call has after all.
    #[must_use]
    pub fn resolve(&self, learned: Learned) -> Access {
        let (source, why, sent) = match learned {
            Learned::NoCapability => {
                (Source::NoCapability, "the client does not declare the `roots` capability".to_owned(), None)
            }
            Learned::Answer { roots: Err(failure), .. } => (Source::NoAnswer, failure.to_string(), None),
            Learned::Answer { roots: Ok(set), source } => {
                if set.usable().next().is_some() {
                    return Access::Roots(set, source);
                }
                if set.roots.is_empty() {
                    (Source::EmptyList, "the client's list of roots is empty".to_owned(), Some(set))
                } else {
                    (Source::NoUsableRoot, no_usable(&set), Some(set))
                }
            }
        };
        match self {
            Self::WorkingDirectory(directory) => Access::Fallback(directory.clone(), sent, source),
            Self::Nothing => {
                Access::Denied(format!("{why}, and --strict lets nothing stand in for roots; {HELP}"), source)
            }
            Self::TooWide(reason) => {
                Access::Denied(format!("{why}, and {reason}, which is too much to read instead; {HELP}"), source)
            }
        }
    }
}

const HELP: &str = "open a folder in the client so that it sends a root, or start this server with \
    `--mode config --allow-dir DIR`";

fn no_usable(set: &RootSet) -> String {
    let reasons: Vec<_> = set
        .roots
        .iter()
        .take(5)
        .map(|root| match &root.place {
            Err(reason) => format!("`{}` ({reason})", root.uri),
            Ok(_) => format!("`{}`", root.uri),
        })
        .collect();
    let more = set.roots.len() + set.ignored - reasons.len();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("none of the client's roots can be used: {}{more}", reasons.join(", "))
}
