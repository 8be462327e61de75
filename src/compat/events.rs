//! What the server did about Roots, one JSON object a line: for a person who watches, and for tests.
//!
//! Every object has `event` (its name) and `at_ms` (milliseconds since the start of the process); the rest depends on
//! the event. Standard output belongs to the protocol, so events go to standard error or to a file.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use serde_json::{Map, Value, json};

/// Text from a client is cut to this many characters.
const MAX_TEXT: usize = 300;

/// Where the events go.
pub struct Events {
    sink: Mutex<Box<dyn Write + Send>>,
    start: Instant,
}

impl Events {
    /// Events on standard error.
    #[must_use]
    pub fn stderr() -> Self {
        Self::new(Box::new(io::stderr()))
    }

    /// Events at the end of a file, which is made when it is not there.
    ///
    /// # Errors
    ///
    /// When the file cannot be opened for writing.
    pub fn file(path: &Path) -> io::Result<Self> {
        Ok(Self::new(Box::new(File::options().create(true).append(true).open(path)?)))
    }

    fn new(sink: Box<dyn Write + Send>) -> Self {
        Self { sink: Mutex::new(sink), start: Instant::now() }
    }

    /// Writes one event; `fields` is an object.
    pub fn emit(&self, event: &str, fields: Value) {
        let mut line = Map::new();
        line.insert("event".into(), event.into());
        line.insert("at_ms".into(), json!(millis(self.start)));
        if let Value::Object(fields) = fields {
            line.extend(fields);
        }
        // One write a line, or processes that share the stream tear each other's lines. There is nobody to tell of a failure.
        let line = format!("{}\n", Value::Object(line));
        let mut sink = self.sink.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = sink.write_all(line.as_bytes()).and_then(|()| sink.flush());
    }
}

/// A line for the person who started the server, on standard error: warnings, and the URL of the HTTP transport.
pub(super) fn notice(text: &str) {
    let _ = io::stderr().lock().write_all(format!("{text}\n").as_bytes());
}

/// Whole milliseconds since `start`.
pub(super) fn millis(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_millis()).unwrap_or(u64::MAX)
}

/// A client's text, cut to what an event or a message may hold.
pub(super) fn clip(text: &str) -> String {
    match text.char_indices().nth(MAX_TEXT) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
