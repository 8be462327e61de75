//! What the server did about Roots, one JSON object a line: for a person who watches, and for tests.
//!
//! Every object has `event` (its name) and `at_ms` (milliseconds since the start of the process); the rest depends on
//! the event. Standard output belongs to the protocol, so events go to standard error or to a file.

use std::fs::File;
use std::io::{self, Write};
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, SyncSender};
use std::sync::{Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Map, Value, json};

/// Text from a client is cut to this many characters.
const MAX_TEXT: usize = 300;

/// Lines that wait to be written; more are dropped and counted.
const WAITING: usize = 4096;
/// How long the end of the process waits for them.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Where the events go.
///
/// A thread writes them: whoever started the server may never read its standard error, and a full pipe must not hold up
/// the protocol.
pub struct Events {
    queue: SyncSender<Line>,
    dropped: AtomicU64,
    done: Mutex<Option<Receiver<()>>>,
    start: Instant,
}

enum Line {
    Event(String),
    /// For the person who started the server, always on standard error.
    Notice(String),
    End,
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

    fn new(mut sink: Box<dyn Write + Send>) -> Self {
        let (queue, lines) = mpsc::sync_channel(WAITING);
        let (end, done) = mpsc::channel();
        thread::spawn(move || {
            for line in lines {
                // One write a line, or processes that share the stream tear each other's lines. There is nobody to tell
                // of a failure.
                match line {
                    Line::Event(line) => drop(sink.write_all(line.as_bytes()).and_then(|()| sink.flush())),
                    Line::Notice(line) => drop(io::stderr().lock().write_all(line.as_bytes())),
                    Line::End => break,
                }
            }
            let _ = end.send(());
        });
        Self { queue, dropped: AtomicU64::new(0), done: Mutex::new(Some(done)), start: Instant::now() }
    }

    /// Writes one event; `fields` is an object.
    pub fn emit(&self, event: &str, fields: Value) {
        let mut line = Map::new();
        line.insert("event".into(), event.into());
        line.insert("at_ms".into(), json!(millis(self.start)));
        if let Value::Object(fields) = fields {
            line.extend(fields);
        }
        let dropped = self.dropped.load(Ordering::Relaxed);
        if dropped > 0 {
            line.insert("dropped_before".into(), dropped.into());
        }
        let sent = self.queue.try_send(Line::Event(format!("{}\n", Value::Object(line))));
        match sent {
            Ok(()) => drop(self.dropped.fetch_sub(dropped, Ordering::Relaxed)),
            Err(_) => drop(self.dropped.fetch_add(1, Ordering::Relaxed)),
        }
    }

    /// A line for the person who started the server, on standard error: warnings, and the URL of the HTTP transport.
    pub fn notice(&self, text: &str) {
        let _ = self.queue.try_send(Line::Notice(format!("{text}\n")));
    }

    /// Waits, not for long, until everything is written.
    pub fn finish(&self) {
        let done = self.done.lock().unwrap_or_else(PoisonError::into_inner).take();
        if let (Ok(()), Some(done)) = (self.queue.try_send(Line::End), done) {
            let _ = done.recv_timeout(LAST_WORDS);
        }
    }
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
