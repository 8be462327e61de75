//! `mcp-roots-lint serve` as a child process, and clients that send it whatever bytes a test wants.
//!
//! Nothing here waits without a deadline, and a process ends with the value that stands for it.

#![allow(dead_code, reason = "each test file uses its part")]

pub mod http;
pub mod message;
pub mod stdio;

use std::fs;
use std::io::{BufRead as _, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tempfile::TempDir;

/// The deadline of a wait that says nothing else. Only a server that hangs ever takes as long.
pub const PATIENCE: Duration = Duration::from_secs(30);

/// The command `mcp-roots-lint serve` with these arguments, in this directory. The home folder is elsewhere.
pub fn command(arguments: &[&str], directory: &Path) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-roots-lint"));
    command.arg("serve").args(arguments).current_dir(directory).env("HOME", env!("CARGO_TARGET_TMPDIR"));
    command
}

/// A server, killed when this is dropped.
pub struct Process {
    pub child: Child,
    pub stderr: Lines,
}

impl Process {
    pub fn start(command: &mut Command) -> Self {
        let command = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the server starts");
        let stderr = Lines::of(child.stderr.take().expect("a pipe"));
        Self { child, stderr }
    }

    /// The events on standard error so far.
    pub fn events(&self) -> Vec<Value> {
        events_in(&self.stderr.all().join("\n"))
    }

    /// Waits for an event of this name that `fits`.
    pub fn event(&self, name: &str, fits: impl Fn(&Value) -> bool) -> Value {
        let parsed = |line: &str| serde_json::from_str::<Value>(line).ok();
        self.stderr.wait(name, |line| parsed(line).filter(|event| event["event"] == name && fits(event)))
    }

    /// The warnings on standard error so far.
    pub fn warnings(&self) -> Vec<String> {
        self.stderr.all().into_iter().filter(|line| line.starts_with("warning:")).collect()
    }

    pub fn is_running(&mut self) -> bool {
        self.child.try_wait().expect("a child").is_none()
    }

    /// How long the server takes to end by itself, and how it ends.
    pub fn ends_within(&mut self, deadline: Duration) -> ExitStatus {
        let begun = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().expect("a child") {
                return status;
            }
            assert!(begun.elapsed() < deadline, "still running after {deadline:?}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    /// The most memory that it ever held, in MiB.
    #[cfg(target_os = "linux")]
    pub fn peak_memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).expect("a running process");
        let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).expect("a peak");
        peak.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") / 1024
    }

    /// The processor time that it used so far, in ticks (hundredths of a second).
    #[cfg(target_os = "linux")]
    pub fn ticks(&self) -> u64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).expect("a running process");
        // The name of the program comes before, in parentheses; user and system time are fields 14 and 15.
        let (_, fields) = stat.rsplit_once(')').expect("a name");
        fields.split_whitespace().skip(11).take(2).map(|field| field.parse::<u64>().expect("a number")).sum()
    }

    /// Asserts that soon nothing is being computed: a walk that was to stop has stopped.
    #[cfg(target_os = "linux")]
    pub fn is_idle_within(&self, deadline: Duration, after: &str) {
        let begun = Instant::now();
        loop {
            let before = self.ticks();
            thread::sleep(Duration::from_millis(200));
            // Walking takes all of the time that it gets.
            if self.ticks() - before <= 2 {
                return;
            }
            assert!(begun.elapsed() < deadline, "{after}: still computing after {deadline:?}");
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The lines of a stream, read as they come.
#[derive(Clone)]
pub struct Lines(Arc<(Mutex<Seen>, Condvar)>);

#[derive(Default)]
struct Seen {
    lines: Vec<String>,
    ended: bool,
}

impl Lines {
    pub fn of(stream: impl Read + Send + 'static) -> Self {
        let lines = Self(Arc::default());
        let shared = lines.clone();
        thread::spawn(move || {
            for line in BufReader::new(stream).split(b'\n').map_while(Result::ok) {
                let line = String::from_utf8(line).unwrap_or_else(|error| format!("not UTF-8: {error}"));
                shared.change(|read| read.lines.push(line));
            }
            shared.change(|read| read.ended = true);
        });
        lines
    }

    fn change(&self, change: impl FnOnce(&mut Seen)) {
        change(&mut self.0.0.lock().unwrap_or_else(PoisonError::into_inner));
        self.0.1.notify_all();
    }

    pub fn all(&self) -> Vec<String> {
        self.0.0.lock().unwrap_or_else(PoisonError::into_inner).lines.clone()
    }

    /// Waits for a line that `find` takes.
    pub fn wait<T>(&self, what: &str, find: impl Fn(&str) -> Option<T>) -> T {
        let begun = Instant::now();
        let (read, changed) = &*self.0;
        let mut read = read.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            if let Some(found) = read.lines.iter().find_map(|line| find(line)) {
                return found;
            }
            assert!(!read.ended && begun.elapsed() < PATIENCE, "no {what} in {:#?}", read.lines);
            read = changed.wait_timeout(read, PATIENCE).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}

/// The events in a text. Every line that is no warning or notice has to be one.
pub fn events_in(text: &str) -> Vec<Value> {
    let notices = ["warning:", "listening on "];
    let lines = text.lines().filter(|line| !notices.iter().any(|notice| line.starts_with(notice)));
    let event = |line: &str| {
        let event: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert!(event["event"].is_string() && event["at_ms"].is_u64(), "{event}");
        event
    };
    lines.map(event).collect()
}

/// Directories to serve: `alpha` (4 lines, one of them in `sub`), `beta` (5), `gamma` (7), and `here` (2), where servers
/// are started; and files that a walk takes long for.
pub struct Tree(TempDir);

impl Tree {
    pub fn new() -> Self {
        let tree = Self(tempfile::tempdir().expect("a temporary folder"));
        tree.file("alpha/text", "one\ntwo\nthe last one without an end");
        tree.file("alpha/sub/text", "one\n");
        tree.file("alpha/binary", b"\0\n");
        tree.file("alpha/empty", "");
        tree.file("beta/text", "\n".repeat(5));
        tree.file("gamma/text", "\n".repeat(7));
        tree.file("here/text", "\n".repeat(2));
        tree
    }

    /// The path of what is in it, free of symbolic links.
    pub fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().expect("a temporary folder").join(name)
    }

    pub fn file(&self, name: &str, bytes: impl AsRef<[u8]>) {
        let path = self.0.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a writable folder");
        fs::write(path, bytes).expect("a writable folder");
    }

    /// A directory that takes seconds to count: a sparse file that begins as text.
    pub fn endless(&self) -> PathBuf {
        self.file("endless/text", "\n".repeat(10_000));
        let file = fs::File::options().append(true).open(self.path("endless/text")).expect("the file");
        file.set_len(1 << 40).expect("a file system with sparse files");
        self.path("endless")
    }

    /// An entry of an answer to `roots/list`, of the same name.
    pub fn root(&self, name: &str) -> Value {
        json!({"uri": message::uri(&self.path(name)), "name": name})
    }

    /// An answer to `roots/list`.
    pub fn roots(&self, names: &[&str]) -> Value {
        json!({"roots": names.iter().map(|name| self.root(name)).collect::<Vec<_>>()})
    }

    /// A server in `here`.
    pub fn command(&self, arguments: &[&str]) -> Command {
        command(arguments, &self.path("here"))
    }
}
