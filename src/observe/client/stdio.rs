//! Messages over the pipes of a process: one a line. Whatever else comes is noise, counted and kept in part. Nothing
//! here grows with what a server sends, beyond one line of at most [`MAX_LINE`].

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncWriteExt as _, BufReader};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

use super::process::Pipes;
use super::transcript::{Direction, Transcript};
use super::wire::Incoming;

/// A longer line is noise. rmcp's own limit.
const MAX_LINE: usize = 16 << 20;
/// Lines of noise that are kept, and bytes of each.
const KEPT_LINES: usize = 5;
const KEPT_BYTES: usize = 500;
/// Noise beyond this is a flood.
const FLOOD_BYTES: u64 = 32 << 20;
const FLOOD_LINES: u64 = 100_000;
/// Messages that wait for a server to read them.
const QUEUE: usize = 64;
/// Bytes of standard error that are kept from its begin, and as many from its end.
const STDERR_PART: usize = 8 << 10;
/// How long standard error is read on after the process is gone.
const LINGER: Duration = Duration::from_millis(300);

/// What came on standard output and is no message.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Noise {
    /// Lines.
    pub lines: u64,
    /// Bytes, without line ends.
    pub bytes: u64,
    /// The first few lines, cut.
    pub first: Vec<String>,
}

impl Noise {
    fn add(&mut self, kept: &[u8], length: usize) {
        self.lines += 1;
        self.bytes += length as u64;
        if self.first.len() < KEPT_LINES {
            let mut text = String::from_utf8_lossy(&kept[..kept.len().min(KEPT_BYTES)]).into_owned();
            if length > KEPT_BYTES {
                text.push('…');
            }
            self.first.push(text);
        }
    }

    fn is_flood(&self) -> bool {
        self.bytes > FLOOD_BYTES || self.lines > FLOOD_LINES
    }
}

/// What came on standard error: the begin and the end of it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    head: Vec<u8>,
    tail: VecDeque<u8>,
    /// All bytes, kept or not.
    pub bytes: u64,
}

impl Captured {
    fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        let (head, rest) = bytes.split_at(bytes.len().min(STDERR_PART - self.head.len()));
        self.head.extend(head);
        self.tail.extend(&rest[rest.len().saturating_sub(STDERR_PART)..]);
        self.tail.drain(..self.tail.len().saturating_sub(STDERR_PART));
    }

    /// What is kept, with a sign where something is left out.
    #[must_use]
    pub fn text(&self) -> String {
        let (head, tail) = (&self.head, self.tail.iter().copied().collect::<Vec<u8>>());
        let left_out = self.bytes - (head.len() + tail.len()) as u64;
        if left_out == 0 {
            return String::from_utf8_lossy(&[head.as_slice(), &tail].concat()).into_owned();
        }
        let (head, tail) = (String::from_utf8_lossy(head), String::from_utf8_lossy(&tail));
        format!("{head}\n… {left_out} bytes left out …\n{tail}")
    }
}

/// The pipes of a running server.
pub(super) struct Stdio {
    /// Dropped to close the server's standard input.
    input: Option<mpsc::Sender<Vec<u8>>>,
    output: BufReader<ChildStdout>,
    /// The line that is being read, up to [`MAX_LINE`] of it, and its length so far.
    line: Vec<u8>,
    length: usize,
    /// Messages of a batch (2025-03-26) that are to come.
    batch: VecDeque<Value>,
    noise: Noise,
    stderr: Arc<Mutex<Captured>>,
    stderr_task: JoinHandle<()>,
    transcript: Transcript,
}

impl Stdio {
    pub(super) fn new(pipes: Pipes, transcript: Transcript) -> Self {
        let (input, queue) = mpsc::channel(QUEUE);
        tokio::spawn(write(pipes.stdin, queue));
        let stderr = Arc::default();
        let stderr_task = tokio::spawn(capture(pipes.stderr, Arc::clone(&stderr), transcript.clone()));
        Self {
            input: Some(input),
            output: BufReader::with_capacity(64 << 10, pipes.stdout),
            line: Vec::new(),
            length: 0,
            batch: VecDeque::new(),
            noise: Noise::default(),
            stderr,
            stderr_task,
            transcript,
        }
    }

    /// Hands a message over to be written; waits only while the queue is full. A server that has closed its input is
    /// told apart by its output.
    pub(super) async fn send(&self, message: &Value) {
        let line = message.to_string();
        self.transcript.note(Direction::ToServer, line.as_bytes());
        if let Some(input) = &self.input {
            let _ = input.send((line + "\n").into_bytes()).await;
        }
    }

    /// The next message, or why there will be none. Can be dropped while it waits: nothing is lost.
    pub(super) async fn receive(&mut self) -> Incoming {
        if let Some(message) = self.batch.pop_front() {
            return Incoming::Message(message);
        }
        loop {
            let buffer = match self.output.fill_buf().await {
                Ok([]) | Err(_) => {
                    if self.length > 0 {
                        self.make_noise();
                    }
                    return Incoming::Closed(None);
                }
                Ok(buffer) => buffer,
            };
            let end = memchr::memchr(b'\n', buffer);
            let part = &buffer[..end.unwrap_or(buffer.len())];
            self.line.extend(&part[..part.len().min(MAX_LINE - self.line.len())]);
            self.length += part.len();
            let consumed = part.len() + usize::from(end.is_some());
            self.output.consume(consumed);
            if end.is_some()
                && let Some(incoming) = self.take_line()
            {
                return incoming;
            }
            // A line without an end is a flood, too.
            if self.noise.bytes + self.length.saturating_sub(MAX_LINE) as u64 > FLOOD_BYTES {
                self.make_noise();
                return self.flood();
            }
        }
    }

    /// What a whole line is; nothing, when it is to be passed over.
    fn take_line(&mut self) -> Option<Incoming> {
        if self.line.trim_ascii().is_empty() && self.length <= MAX_LINE {
            self.clear();
            return None;
        }
        let message = (self.length <= MAX_LINE).then(|| serde_json::from_slice(&self.line).ok()).flatten();
        match message {
            Some(message @ Value::Object(_)) => {
                self.transcript.note(Direction::FromServer, &self.line);
                self.clear();
                Some(Incoming::Message(message))
            }
            Some(Value::Array(messages)) if messages.first().is_some_and(Value::is_object) => {
                self.transcript.note(Direction::FromServer, &self.line);
                self.clear();
                self.batch = messages.into();
                self.batch.pop_front().map(Incoming::Message)
            }
            _ => {
                self.make_noise();
                self.noise.is_flood().then(|| self.flood())
            }
        }
    }

    fn make_noise(&mut self) {
        self.transcript.note(Direction::Noise, &self.line);
        self.noise.add(&self.line, self.length);
        self.clear();
    }

    fn flood(&self) -> Incoming {
        let Noise { lines, bytes, .. } = self.noise;
        Incoming::Flood(format!("{bytes} bytes in {lines} lines that are no messages on standard output"))
    }

    fn clear(&mut self) {
        // A long line does not keep its memory.
        self.line.clear();
        self.line.shrink_to(64 << 10);
        self.length = 0;
    }

    /// Closes the server's standard input.
    pub(super) fn close(&mut self) {
        self.input = None;
    }

    /// Reads on until the server closes its output, so that one that still writes can end.
    pub(super) async fn drain(&mut self) {
        while let Ok(bytes @ 1..) = self.output.fill_buf().await.map(<[u8]>::len) {
            self.output.consume(bytes);
        }
    }

    /// What came beside messages, once the process has ended.
    pub(super) async fn remains(mut self) -> (Noise, Captured) {
        let _ = tokio::time::timeout(LINGER, &mut self.stderr_task).await;
        // A process that got away may hold the pipe open.
        self.stderr_task.abort();
        let captured = std::mem::take(&mut *self.stderr.lock().unwrap_or_else(PoisonError::into_inner));
        (self.noise, captured)
    }
}

async fn write(mut stdin: ChildStdin, mut queue: mpsc::Receiver<Vec<u8>>) {
    while let Some(line) = queue.recv().await {
        if stdin.write_all(&line).await.is_err() {
            return;
        }
    }
}

async fn capture(mut stderr: ChildStderr, captured: Arc<Mutex<Captured>>, transcript: Transcript) {
    let mut buffer = vec![0; 16 << 10];
    let mut line = Vec::new();
    while let Ok(length @ 1..) = stderr.read(&mut buffer).await {
        let bytes = &buffer[..length];
        captured.lock().unwrap_or_else(PoisonError::into_inner).add(bytes);
        for part in bytes.split_inclusive(|byte| *byte == b'\n') {
            line.extend(part);
            if line.ends_with(b"\n") || line.len() > MAX_LINE {
                transcript.note(Direction::Stderr, line.trim_ascii_end());
                line.clear();
            }
        }
    }
    if !line.is_empty() {
        transcript.note(Direction::Stderr, &line);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_much_text_the_begin_and_the_end_are_kept() {
        let mut captured = Captured::default();
        captured.add(b"first\n");
        for _ in 0..10_000 {
            captured.add(b"filler filler\n");
        }
        captured.add(b"last\n");
        let text = captured.text();
        assert!(text.starts_with("first\n") && text.ends_with("last\n") && text.contains("bytes left out"));
        assert!(text.len() < 2 * STDERR_PART + 100);
        assert_eq!(captured.bytes, 6 + 140_000 + 5);
    }

    #[test]
    fn little_text_is_kept_whole() {
        let mut captured = Captured::default();
        captured.add(&[b'x'; STDERR_PART - 1]);
        captured.add("é!".as_bytes());
        assert!(captured.text().ends_with("xé!"));
    }
}
