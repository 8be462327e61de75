//! Counts the files and lines in a directory, within budgets. Which directory may be counted is decided elsewhere.
//!
//! The walk holds one open stream of entries a level and no names, so memory does not grow with the tree: neither with a
//! million files in one directory nor with a million directories. It costs two file descriptors a level (three for the
//! deepest); where they run out, what could not be opened counts as unreadable.

use std::io::{self, Read as _};
use std::time::{Duration, Instant};

use cap_fs_ext::{
    FileTypeExt as _, FollowSymlinks, OpenOptionsFollowExt as _, OpenOptionsMaybeDirExt as _, OpenOptionsSyncExt as _,
};
use cap_std::fs::{Dir, DirEntry, File, FileType, OpenOptions, ReadDir};
use serde::Serialize;

use super::boundary::Directory;

/// Bytes of a file's begin that make it binary if one of them is NUL: git's rule (`buffer_is_binary`).
const SNIFFED: u64 = 8_000;
/// Bytes that are read at once; also how often time and cancellation are looked at.
const BUFFER: usize = 64 * 1024;

/// How often something is opened before it counts as unreadable: what failed may have changed its kind meanwhile.
const TRIES: u32 = 3;

/// How far a walk may go.
#[derive(Clone, Debug)]
pub struct Budgets {
    /// Entries of directories, of every kind.
    pub entries: u64,
    /// Bytes that are read, of every file.
    pub bytes: u64,
    /// From the begin of the walk.
    pub time: Duration,
    /// Levels of directories below the first that are looked into; 0 is the first alone.
    pub depth: usize,
}

impl Default for Budgets {
    /// Two million entries, 4 GiB, 30 seconds, 128 levels.
    fn default() -> Self {
        Self { entries: 2_000_000, bytes: 4 << 30, time: Duration::from_secs(30), depth: 128 }
    }
}

/// The name of a budget in [`Budgets`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Budget {
    /// [`Budgets::entries`]
    Entries,
    /// [`Budgets::bytes`]
    Bytes,
    /// [`Budgets::time`]
    Time,
    /// [`Budgets::depth`]
    Depth,
}

/// What is in a directory and all below it. Symbolic links are counted, never followed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Regular files that were read, binary ones included.
    pub files: u64,
    /// Lines of text files. A last line without a newline counts; an empty file has none.
    pub lines: u64,
    /// Bytes of text files.
    pub bytes: u64,
    /// Files with a NUL among their first 8,000 bytes; only these bytes are looked at. UTF-16 is binary.
    pub binary: u64,
    /// Symbolic links.
    pub symlinks: u64,
    /// Named pipes, sockets and devices.
    pub special: u64,
    /// What could not be opened or read, directories among them. What is gone meanwhile counts nowhere.
    pub unreadable: u64,
    /// The first budget that cut the count, if one did. All numbers are then at least, not exactly, what is there.
    pub truncated: Option<Budget>,
}

/// The walk was asked to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the count was cancelled")]
pub struct Cancelled;

/// Counts what is in a directory. `cancelled` is asked at every entry and every 64 KiB of a file.
///
/// Blocks; call it from a thread that may. Changes to the tree meanwhile change the counts and nothing else: the kind of
/// each entry is taken from its opened handle.
///
/// # Errors
///
/// Only if `cancelled`: what cannot be read is counted, and a spent budget is named in [`Counts::truncated`].
pub fn count(directory: &Directory, budgets: &Budgets, cancelled: &dyn Fn() -> bool) -> Result<Counts, Cancelled> {
    let mut walk = Walk::new(budgets, cancelled);
    walk.enter(directory.entries());
    match walk.run() {
        Err(Stop::Cancelled) => Err(Cancelled),
        Ok(()) | Err(Stop::Spent) => Ok(walk.counts),
    }
}

/// Why a walk ends before the tree does.
enum Stop {
    Cancelled,
    Spent,
}

/// What was found out about a regular file.
enum Kind {
    Text,
    Binary,
    Unreadable,
}

/// What was read of a text file so far.
struct Text {
    lines: u64,
    bytes: u64,
    last: u8,
}

struct Walk<'a> {
    budgets: &'a Budgets,
    cancelled: &'a dyn Fn() -> bool,
    begin: Instant,
    options: OpenOptions,
    buffer: Box<[u8]>,
    /// The directories from the first one down to where the walk is.
    levels: Vec<ReadDir>,
    entries: u64,
    bytes: u64,
    counts: Counts,
}

impl<'a> Walk<'a> {
    fn new(budgets: &'a Budgets, cancelled: &'a dyn Fn() -> bool) -> Self {
        let mut options = OpenOptions::new();
        // Without waiting, a named pipe that takes the place of a file does no harm, nor does `/proc/kmsg`.
        options.read(true).follow(FollowSymlinks::No).nonblock(true).maybe_dir(true);
        Self {
            budgets,
            cancelled,
            begin: Instant::now(),
            options,
            buffer: vec![0; BUFFER].into(),
            levels: Vec::new(),
            entries: 0,
            bytes: 0,
            counts: Counts::default(),
        }
    }

    fn run(&mut self) -> Result<(), Stop> {
        while let Some(level) = self.levels.last_mut() {
            match level.next() {
                Some(Ok(entry)) => self.entry(&entry)?,
                // The rest of a directory that fails is not waited for: it may fail for ever.
                Some(Err(error)) => {
                    self.not_read(&error);
                    self.levels.pop();
                }
                None => drop(self.levels.pop()),
            }
        }
        Ok(())
    }

    fn entry(&mut self, entry: &DirEntry) -> Result<(), Stop> {
        self.go_on()?;
        if self.entries == self.budgets.entries {
            return Err(self.spent(Budget::Entries));
        }
        self.entries += 1;
        // The directory's word for it is only believed where that means not to open: opening a device may do things.
        if entry.file_type().is_ok_and(|kind| self.is_passed_over(kind)) { Ok(()) } else { self.open(entry) }
    }

    /// Counts what is never opened, if it is that.
    fn is_passed_over(&mut self, kind: FileType) -> bool {
        if kind.is_symlink() {
            self.counts.symlinks += 1;
        } else if kind.is_fifo() || kind.is_socket() || kind.is_char_device() || kind.is_block_device() {
            self.counts.special += 1;
        } else {
            return false;
        }
        true
    }

    fn open(&mut self, entry: &DirEntry) -> Result<(), Stop> {
        for _ in 0..TRIES {
            match entry.open_with(&self.options).and_then(|file| Ok((file.metadata()?.file_type(), file))) {
                Ok((kind, file)) if kind.is_dir() => return self.directory(file),
                Ok((kind, file)) if kind.is_file() => return self.file(file),
                Ok((kind, _)) if self.is_passed_over(kind) => return Ok(()),
                _ => {}
            }
            // It may have become something that is not to be opened, or be gone.
            match entry.metadata() {
                Ok(metadata) if self.is_passed_over(metadata.file_type()) => return Ok(()),
                Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
                _ => {}
            }
        }
        self.counts.unreadable += 1;
        Ok(())
    }

    fn not_read(&mut self, error: &io::Error) {
        if error.kind() != io::ErrorKind::NotFound {
            self.counts.unreadable += 1;
        }
    }

    fn directory(&mut self, directory: File) -> Result<(), Stop> {
        if self.levels.len() > self.budgets.depth {
            self.spent(Budget::Depth);
        } else {
            self.enter(Dir::from_std_file(directory.into_std()).entries());
        }
        Ok(())
    }

    fn enter(&mut self, entries: io::Result<ReadDir>) {
        match entries {
            Ok(entries) => self.levels.push(entries),
            Err(error) => self.not_read(&error),
        }
    }

    /// Of a file that a budget cuts, what was read counts.
    fn file(&mut self, file: File) -> Result<(), Stop> {
        let mut text = Text { lines: 0, bytes: 0, last: b'\n' };
        let read = self.read(file, &mut text);
        match read {
            Ok(Kind::Unreadable) => self.counts.unreadable += 1,
            Ok(Kind::Binary) => {
                self.counts.files += 1;
                self.counts.binary += 1;
            }
            Ok(Kind::Text) | Err(_) => {
                self.counts.files += 1;
                self.counts.lines += text.lines + u64::from(text.last != b'\n');
                self.counts.bytes += text.bytes;
            }
        }
        read.map(drop)
    }

    fn read(&mut self, mut file: File, text: &mut Text) -> Result<Kind, Stop> {
        loop {
            let read = match file.read(&mut self.buffer) {
                Ok(0) => return Ok(Kind::Text),
                Ok(read) => &self.buffer[..read],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                Err(_) => return Ok(Kind::Unreadable),
            };
            self.bytes += read.len() as u64;
            if text.is_binary_with(read) {
                return Ok(Kind::Binary);
            }
            text.add(read);
            if self.bytes > self.budgets.bytes {
                return Err(self.spent(Budget::Bytes));
            }
            self.go_on()?;
        }
    }

    fn go_on(&mut self) -> Result<(), Stop> {
        if (self.cancelled)() {
            Err(Stop::Cancelled)
        } else if self.begin.elapsed() >= self.budgets.time {
            Err(self.spent(Budget::Time))
        } else {
            Ok(())
        }
    }

    /// The first budget that is spent is the one to name.
    fn spent(&mut self, budget: Budget) -> Stop {
        self.counts.truncated.get_or_insert(budget);
        Stop::Spent
    }
}

impl Text {
    fn is_binary_with(&self, read: &[u8]) -> bool {
        let sniffed = SNIFFED.saturating_sub(self.bytes).min(read.len() as u64);
        memchr::memchr(0, &read[..sniffed as usize]).is_some()
    }

    fn add(&mut self, read: &[u8]) {
        self.lines += memchr::memchr_iter(b'\n', read).count() as u64;
        self.bytes += read.len() as u64;
        self.last = read.last().copied().unwrap_or(self.last);
    }
}
