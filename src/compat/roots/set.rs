//! A client's answer to `roots/list`: each entry is accepted or rejected for its own reason, so that one bad root
//! never discards the good ones.

use std::collections::HashMap;
use std::time::Duration;

use serde_json::{Value, json};

use crate::compat::boundary::{Directory, Place};
use crate::compat::events::clip;
use crate::compat::uri;

/// One entry of the answer.
#[derive(Clone, Debug)]
pub struct Root {
    /// The client's URI; empty when the entry has none.
    pub uri: String,
    /// The client's name for it.
    pub name: Option<String>,
    /// The directory, to open when it is used, or why the entry cannot be used.
    pub place: Result<Place, String>,
}

impl Root {
    fn rejected(uri: &str, name: Option<String>, reason: String) -> Self {
        Self { uri: clip(uri), name, place: Err(reason) }
    }

    /// The entry as results and events show it.
    #[must_use]
    pub fn to_json(&self, index: usize) -> Value {
        json!({
            "index": index,
            "name": self.name.as_deref().map(clip),
            "uri": clip(&self.uri),
            "path": self.place.as_ref().ok().map(|place| place.path().to_string_lossy()),
            "usable": self.place.is_ok(),
            "reason": self.place.as_ref().err(),
        })
    }
}

/// All entries, in the client's order.
#[derive(Clone, Debug, Default)]
pub struct RootSet {
    /// At most the number that was allowed for.
    pub roots: Vec<Root>,
    /// How many entries came after those, and were not looked at.
    pub ignored: usize,
}

impl RootSet {
    /// Reads a `ListRootsResult`. Opens each directory once, so this blocks.
    ///
    /// # Errors
    ///
    /// When the answer is not an object with an array `roots`: says what it is.
    pub fn read(answer: &Value, max_roots: usize) -> Result<Self, String> {
        let Some(entries) = answer.get("roots") else {
            return Err("the answer has no `roots`".into());
        };
        let Some(entries) = entries.as_array() else {
            return Err("`roots` of the answer is not an array".into());
        };
        let mut seen = HashMap::new();
        let mut roots = Vec::with_capacity(entries.len().min(max_roots));
        for (index, entry) in entries.iter().take(max_roots).enumerate() {
            let mut root = read_entry(entry);
            if let Ok(place) = &root.place {
                match seen.get(place.path()) {
                    Some(first) => root.place = Err(format!("the same directory as root {first}")),
                    None => {
                        seen.insert(place.path().to_owned(), index);
                    }
                }
            }
            roots.push(root);
        }
        Ok(Self { ignored: entries.len() - roots.len(), roots })
    }

    /// The entries that can be used, each with its index in the client's order.
    pub fn usable(&self) -> impl Iterator<Item = (usize, &Root, &Place)> {
        let with_index = self.roots.iter().enumerate();
        with_index.filter_map(|(index, root)| Some((index, root, root.place.as_ref().ok()?)))
    }
}

fn read_entry(entry: &Value) -> Root {
    let name = entry.get("name").and_then(Value::as_str).map(str::to_owned);
    let Some(uri) = entry.get("uri").and_then(Value::as_str) else {
        return Root::rejected("", name, "has no `uri` of type string".into());
    };
    let opened = uri::path_of(uri).map_err(|error| error.to_string());
    let opened = opened.and_then(|path| Directory::open(&path).map_err(|error| error.to_string()));
    match opened {
        Ok(directory) => Root { uri: uri.to_owned(), name, place: Ok(directory.place()) },
        Err(reason) => Root::rejected(uri, name, reason),
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, thiserror::Error)]
pub enum Failure {
    /// The client does not know the method: final for the session.
    #[error("the client declared roots but does not know roots/list (-32601)")]
    Refused,
    /// Another JSON-RPC error.
    #[error("the client answered roots/list with error {code}: {message}")]
    Error {
        /// The code of the error.
        code: i32,
        /// Its message, cut.
        message: String,
    },
    /// Nothing came within the deadline.
    #[error("the client did not answer roots/list within {} ms", .0.as_millis())]
    TimedOut(Duration),
    /// An answer that is none.
    #[error("the client's answer to roots/list cannot be read: {0}")]
    Malformed(String),
    /// The client went on without answering, as often as it was asked (2026-07-28).
    #[error("the client repeated the request {0} times without an answer to roots/list")]
    Withheld(u8),
    /// The connection cannot carry the question.
    #[error("roots/list could not be sent: {0}")]
    Unsent(String),
}

impl Failure {
    /// The kind, for events.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Refused => "refused",
            Self::Error { .. } => "error",
            Self::TimedOut(_) => "timed-out",
            Self::Malformed(_) => "malformed",
            Self::Withheld(_) => "withheld",
            Self::Unsent(_) => "unsent",
        }
    }
}
