//! The transcript: every line that went over a wire, with direction and time, to a file of JSON lines. Nothing is
//! kept in memory, and nothing is left out but what is beyond [`MAX_BYTES`].

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use serde_json::json;

/// A transcript ends here, and says so.
const MAX_BYTES: u64 = 256 << 20;

/// Where a line went or came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// To the server.
    ToServer,
    /// From the server: a message.
    FromServer,
    /// From the server's standard output, but no message.
    Noise,
    /// From the server's standard error.
    Stderr,
    /// From the probe itself: what began or ended.
    Event,
}

impl Direction {
    fn name(self) -> &'static str {
        match self {
            Self::ToServer => "to-server",
            Self::FromServer => "from-server",
            Self::Noise => "noise",
            Self::Stderr => "stderr",
            Self::Event => "event",
        }
    }
}

/// Where lines are noted; a clone notes to the same file. The default notes nothing.
#[derive(Clone, Default)]
pub struct Transcript {
    file: Option<Arc<Mutex<Output>>>,
    run: Arc<str>,
}

struct Output {
    file: BufWriter<File>,
    begin: Instant,
    written: u64,
    /// The first thing that went wrong; nothing is written after it.
    failed: Option<io::Error>,
}

impl Transcript {
    /// Creates the file, or empties it.
    ///
    /// # Errors
    /// When it cannot be created.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = BufWriter::new(File::create(path)?);
        let mut output = Output { file, begin: Instant::now(), written: 0, failed: None };
        let started = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().as_millis();
        output.write(&json!({
            "transcript": 1,
            "tool": env!("CARGO_PKG_NAME"),
            "version": env!("CARGO_PKG_VERSION"),
            "started_unix_ms": u64::try_from(started).unwrap_or(u64::MAX),
        }));
        Ok(Self { file: Some(Arc::new(Mutex::new(output))), run: Arc::default() })
    }

    /// The same file for the lines of another run.
    #[must_use]
    pub fn of_run(&self, run: &str) -> Self {
        Self { file: self.file.clone(), run: run.into() }
    }

    /// Notes one line, as raw as text can be: bytes that are not UTF-8 are replaced.
    pub fn note(&self, direction: Direction, line: &[u8]) {
        let Some(output) = &self.file else { return };
        let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
        let at = u64::try_from(output.begin.elapsed().as_millis()).unwrap_or(u64::MAX);
        output.write(&json!({
            "at_ms": at,
            "run": &*self.run,
            "direction": direction.name(),
            "line": String::from_utf8_lossy(line),
        }));
    }

    /// Writes out what is buffered.
    ///
    /// # Errors
    /// When that or anything before failed: the transcript is not whole then.
    pub fn finish(&self) -> io::Result<()> {
        let Some(output) = &self.file else { return Ok(()) };
        let mut output = output.lock().unwrap_or_else(PoisonError::into_inner);
        match output.failed.take() {
            Some(error) => Err(error),
            None => output.file.flush(),
        }
    }
}

impl Output {
    fn write(&mut self, line: &serde_json::Value) {
        if self.failed.is_some() || self.written > MAX_BYTES {
            return;
        }
        let mut text = line.to_string();
        text.push('\n');
        self.written += text.len() as u64;
        if self.written > MAX_BYTES {
            text = format!("{}\n", json!({ "cut": format!("the transcript ends at {MAX_BYTES} bytes") }));
        }
        self.failed = self.file.write_all(text.as_bytes()).err();
    }
}
