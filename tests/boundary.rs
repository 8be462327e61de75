//! The access boundary and the counting walk on real trees: links, odd files, races, budgets. URIs as text are tested
//! beside their code.
//!
//! What cannot be tried on a machine (root cannot be denied anything, not every system has `setpriv`) is said on stderr.
#![cfg(all(feature = "runtime", unix))]
#![allow(clippy::print_stdout, reason = "`--nocapture` shows what the races saw")]

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::ffi::{OsStrExt as _, OsStringExt as _};
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::os::unix::net::UnixListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use mcp_roots_lint::compat::boundary::{Directory, OpenError, SubdirError};
use mcp_roots_lint::compat::count::{Budget, Budgets, Cancelled, Counts, count};
use mcp_roots_lint::compat::uri::{StatsUri, parse_stats_uri, path_of, stats_uri, uri_of};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use tempfile::TempDir;

/// A folder with `root`, which is served, and `out`, which is not.
struct Tree {
    path: PathBuf,
    /// Removed with the tree.
    _folder: TempDir,
}

impl Tree {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().canonicalize().expect("it exists");
        let tree = Self { path, _folder: folder };
        tree.dir("root").file("out/secret", "SECRET\n".repeat(1_000)).dir("out/sub").file("out/sub/secret", "SECRET\n");
        tree
    }

    fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.path.join(path)
    }

    fn dir(&self, path: impl AsRef<Path>) -> &Self {
        fs::create_dir_all(self.path(path)).expect("a writable folder");
        self
    }

    fn file(&self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> &Self {
        let path = self.path(path);
        fs::create_dir_all(path.parent().expect("a path in the folder")).expect("a writable folder");
        fs::write(path, bytes).expect("a writable folder");
        self
    }

    fn link(&self, path: impl AsRef<Path>, target: impl AsRef<Path>) -> &Self {
        symlink(target, self.path(path)).expect("a writable folder");
        self
    }

    fn fifo(&self, path: &str) -> &Self {
        let made = Command::new("mkfifo").arg(self.path(path)).status().expect("mkfifo is there");
        assert!(made.success());
        self
    }

    /// A file of text as long as one wishes that takes no room: behind the first 8,000 bytes NUL is text, too.
    fn huge_text(&self, path: &str, bytes: u64) -> &Self {
        self.file(path, "a".repeat(8_000)).grown(path, bytes)
    }

    fn grown(&self, path: &str, bytes: u64) -> &Self {
        let file = File::options().append(true).open(self.path(path)).expect("a writable folder");
        file.set_len(bytes).expect("a file system with sparse files");
        self
    }

    fn mode(&self, path: &str, mode: u32) -> &Self {
        fs::set_permissions(self.path(path), fs::Permissions::from_mode(mode)).expect("own files");
        self
    }

    fn root(&self) -> Directory {
        self.open("root")
    }

    fn open(&self, path: &str) -> Directory {
        Directory::open(&self.path(path)).expect("a directory")
    }

    fn count(&self) -> Counts {
        self.count_within(&Budgets::default())
    }

    fn count_within(&self, budgets: &Budgets) -> Counts {
        count(&self.root(), budgets, &|| false).expect("nobody cancels")
    }
}

/// The message of a refusal, and what it is.
fn refusal(directory: &Directory, subdir: impl AsRef<Path>) -> (&'static str, String) {
    let error = directory.open_subdir(subdir.as_ref()).expect_err("to be refused");
    let kind = match error {
        SubdirError::Absolute(_) => "absolute",
        SubdirError::Parent(_) => "parent",
        SubdirError::Outside(_) => "outside",
        SubdirError::Missing(_) => "missing",
        SubdirError::NotADirectory(_) => "not a directory",
        SubdirError::Denied(_) => "denied",
        _ => "other",
    };
    (kind, error.to_string())
}

/// Fails instead of hanging where something waits for ever.
fn soon<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let (send, receive) = mpsc::channel();
    thread::spawn(move || send.send(work()));
    receive.recv_timeout(Duration::from_secs(10)).expect("an end within ten seconds")
}

/// Says on stderr, past the capture of the test runner, what was not tried.
fn skipped(what: &str) {
    let _ = writeln!(io::stderr(), "SKIPPED: {what}");
}

// Links and paths

#[test]
fn no_path_leads_out() {
    let tree = Tree::new();
    tree.file("root/in/f", "x\n").file("root/in/..foo/f", "x\n").dir("root/...").dir("root/..bar");
    tree.link("root/rel_out", "../out").link("root/abs_out", tree.path("out")).link("root/in/up", "../../out");
    tree.link("root/magic", Path::new("/proc/self/root").join(tree.path("out").strip_prefix("/").expect("absolute")));
    tree.link("root/abs_in", tree.path("root/in")).link("root/rel_in", "in").link("root/chain", "in/up");
    tree.link("root/back", "in/../../root/in").link("root/folded", "in/../rel_in").link("root/self", ".");
    let root = tree.root();
    for out in
        ["rel_out", "rel_out/sub", "abs_out", "abs_out/sub", "magic", "abs_in", "in/up", "chain", "chain/sub", "back"]
    {
        assert_eq!(refusal(&root, out).0, "outside", "{out}");
    }
    for inside in
        ["rel_in", "rel_in/..foo", "in/..foo", "...", "..bar", "folded", "self/self/in", "./in/.", "in//..foo/"]
    {
        let opened = root.open_subdir(Path::new(inside)).expect(inside);
        assert!(opened.is_same(&tree.open(&format!("root/{inside}"))), "{inside}");
    }
    assert_eq!(root.open_subdir(Path::new("./in/./..foo/")).expect("inside").path(), root.path().join("in/..foo"));
    assert_eq!(
        refusal(&root, "rel_out").1,
        "`rel_out` leads out of the directory, as symbolic links with an absolute target always do: \
         send a path inside the directory"
    );
}

#[test]
fn paths_that_go_up_or_begin_at_the_top_are_refused_as_text() {
    let tree = Tree::new();
    tree.dir("root/a");
    let root = tree.root();
    for up in ["..", "../out", "a/..", "a/../a", "missing/../a", "./..", "../root"] {
        assert_eq!(refusal(&root, up).0, "parent", "{up}");
    }
    for absolute in [Path::new("/"), Path::new("/etc"), Path::new("//a"), root.path(), &root.path().join("a")] {
        assert_eq!(refusal(&root, absolute).0, "absolute", "{absolute:?}");
    }
    assert_eq!(refusal(&root, "..").1, "`..` goes up by `..`: send a path that only goes down from the directory");
    for itself in ["", ".", "./", "././."] {
        let same = root.open_subdir(Path::new(itself)).expect(itself);
        assert!(same.is_same(&root) && same.path() == root.path());
    }
}

#[test]
fn what_is_no_directory_is_refused_and_never_waited_for() {
    let tree = Tree::new();
    tree.file("root/file", "x").fifo("root/fifo").link("root/dangling", "nowhere").link("root/to_file", "file");
    tree.link("root/loop", "loop")
        .link("root/loop_a", "loop_b")
        .link("root/loop_b", "loop_a")
        .link("root/zero", "/dev/zero");
    let _socket = UnixListener::bind(tree.path("root/socket")).expect("a socket");
    soon(move || {
        let root = tree.root();
        for file in ["file", "file/", "file/a", "to_file", "fifo", "socket", "fifo/a"] {
            assert_eq!(refusal(&root, file).0, "not a directory", "{file}");
        }
        for missing in ["missing", "missing/a", "dangling", "dangling/a"] {
            assert_eq!(refusal(&root, missing).0, "missing", "{missing}");
        }
        for other in ["loop", "loop_a", "loop_b/a", "a\0b", &"n".repeat(256), &"n/".repeat(5_000)] {
            assert_eq!(refusal(&root, other).0, "other", "{other}");
        }
        assert_eq!(refusal(&root, "zero").0, "outside");
        assert_eq!(
            refusal(&root, "file").1,
            "`file` is a file, not a directory: send the path of the directory that it is in"
        );

        let open = |path: &str| Directory::open(&tree.path(path)).expect_err("to be refused");
        for file in ["root/file", "root/fifo", "root/socket", "root/to_file", "root/zero", "root/file/a"] {
            assert!(matches!(open(file), OpenError::NotADirectory(_)), "{file}");
        }
        for missing in ["root/missing", "root/dangling", "missing/a"] {
            assert!(matches!(open(missing), OpenError::Missing(_)), "{missing}");
        }
        for other in ["root/loop", "root/a\0b"] {
            assert!(matches!(open(other), OpenError::Other(..)), "{other}");
        }
        assert!(open("root/fifo").to_string().ends_with(
            "root/fifo` is not a directory: \
             send the path of the directory that it is in"
        ));
    });
    for relative in ["", ".", "root", "../root", "~", "~/root"] {
        let error = Directory::open(Path::new(relative)).expect_err(relative);
        assert!(matches!(error, OpenError::NotAbsolute(_)), "{relative}");
    }
}

#[test]
fn a_directory_is_known_by_any_of_its_paths() {
    let tree = Tree::new();
    tree.dir("root/a").dir("root/b").link("link", "root/a").link("root/link", "a");
    let a = tree.open("root/a");
    for path in ["link", "root/link", "root/../root/a/", "root//a/."] {
        let same = tree.open(path);
        assert!(a.is_same(&same), "{path}");
        assert_eq!(same.path(), tree.path("root/a"), "{path}");
    }
    let by_link = tree.root().open_subdir(Path::new("link")).expect("inside");
    assert!(by_link.is_same(&a) && by_link.path() == tree.path("root/link"));
    assert!(!a.is_same(&tree.open("root/b")) && !a.is_same(&tree.root()));
}

#[test]
fn an_opened_directory_stays_what_it_is() {
    let tree = Tree::new();
    tree.file("root/sub/f", "x\n");
    let root = tree.root();
    fs::rename(tree.path("root"), tree.path("moved")).expect("a writable folder");
    tree.link("root", "out");
    assert_eq!(count(&root.clone(), &Budgets::default(), &|| false).expect("nobody cancels").lines, 1);
    assert!(root.open_subdir(Path::new("sub")).expect("inside").is_same(&tree.open("moved/sub")));
    fs::remove_dir_all(tree.path("moved")).expect("a writable folder");
    assert_eq!(count(&root, &Budgets::default(), &|| false), Ok(Counts::default()));
    assert_eq!(refusal(&root, "sub").0, "missing");
}

// Races

/// Does something over and over in another thread while `look` wants more; how often it was done.
fn meanwhile(work: impl Fn() + Sync, mut look: impl FnMut() -> bool) -> u64 {
    struct EndOnDrop<'a>(&'a AtomicBool);
    impl Drop for EndOnDrop<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let (end, done) = (AtomicBool::new(false), AtomicU64::new(0));
    thread::scope(|scope| {
        scope.spawn(|| {
            while !end.load(Ordering::Relaxed) {
                work();
                done.fetch_add(1, Ordering::Relaxed);
            }
        });
        let _end = EndOnDrop(&end);
        while look() {}
    });
    done.into_inner()
}

/// Swaps the directory `door` with a symbolic link out, there and back, while `look` wants more; how often.
fn while_swapped(tree: &Tree, look: impl FnMut() -> bool) -> u64 {
    tree.file("root/door/inside", "x\n").file("root/door/sub/inside", "x\n").link("link", "../out");
    let (door, link, parked) = (tree.path("root/door"), tree.path("link"), tree.path("parked"));
    let swap = |away: &Path, put: &Path, parked: &Path| {
        fs::rename(away, parked).expect("a writable folder");
        fs::rename(put, away).expect("a writable folder");
    };
    let there_and_back = || {
        swap(&door, &link, &parked);
        swap(&door, &parked, &link);
    };
    meanwhile(there_and_back, look)
}

#[test]
fn nothing_leaks_while_a_directory_is_swapped_with_a_link_out() {
    let tree = Tree::new();
    let root = tree.root();
    let outside = [tree.open("out"), tree.open("out/sub")];
    let (mut opened, mut refused, mut missed, mut counted, mut leaks) = (0, 0, 0, BTreeSet::new(), 0);
    let begin = Instant::now();
    let swaps = while_swapped(&tree, || {
        for subdir in ["door", "door/sub"] {
            match root.open_subdir(Path::new(subdir)) {
                Ok(directory) => {
                    opened += 1;
                    let lines = count(&directory, &Budgets::default(), &|| false).expect("nobody cancels").lines;
                    leaks += u64::from(outside.iter().any(|out| out.is_same(&directory)) || lines > 2);
                }
                Err(SubdirError::Outside(_)) => refused += 1,
                Err(SubdirError::Missing(_)) => missed += 1,
                Err(error) => panic!("{error}"),
            }
        }
        let counts = count(&root, &Budgets::default(), &|| false).expect("nobody cancels");
        leaks += u64::from(counts.lines > 2);
        counted.insert((counts.lines, counts.symlinks));
        let time = begin.elapsed();
        time < Duration::from_secs(3) || opened.min(refused) <= 100 && time < Duration::from_secs(20)
    });
    let seen = format!(
        "{leaks} leaks, {swaps} swaps, {opened} opened, {refused} refused, {missed} missed, counted {counted:?}"
    );
    println!("{seen}");
    assert_eq!(leaks, 0, "{seen}");
    assert!(swaps > 100 && opened > 100 && refused > 100, "too little was tried: {seen}");
    assert!(counted.contains(&(2, 0)) && counted.contains(&(0, 1)), "too little was seen: {seen}");
}

/// Without this one, the test above might pass because the race is never lost.
#[test]
fn the_same_race_is_lost_by_a_check_of_the_path() {
    let tree = Tree::new();
    let (root, door) = (tree.path("root"), tree.path("root/door"));
    let (mut tries, mut leaks) = (0, 0);
    let begin = Instant::now();
    let swaps = while_swapped(&tree, || {
        tries += 1;
        let is_inside = door.canonicalize().is_ok_and(|path| path.starts_with(&root));
        // As often as a walk that trusts its check would open something.
        leaks += u64::from(is_inside && (0..50).any(|_| fs::read(door.join("secret")).is_ok()));
        let time = begin.elapsed();
        time < Duration::from_secs(1) || leaks == 0 && time < Duration::from_secs(20)
    });
    println!("{leaks} leaks in {tries} tries, {swaps} swaps");
    assert!(leaks > 0, "none in {tries} tries, {swaps} swaps");
}

#[test]
fn changes_meanwhile_are_no_errors() {
    let tree = Tree::new();
    for n in 0..50 {
        tree.file(format!("root/still/{n}"), "x\n");
    }
    tree.dir("root/busy");
    let busy = tree.path("root/busy");
    let change = || {
        let (path, other) = (busy.join("a"), busy.join("b"));
        // The same name is in turn a file, a directory, a link out, and gone.
        fs::write(&path, "x").and_then(|()| fs::rename(&path, &other)).expect("a writable folder");
        fs::create_dir_all(path.join("a/b/c")).expect("a writable folder");
        fs::remove_file(&other).and_then(|()| fs::remove_dir_all(&path)).expect("a writable folder");
        symlink("../../out", &path).and_then(|()| fs::remove_file(&path)).expect("a writable folder");
    };
    let begin = Instant::now();
    let rounds = meanwhile(change, || {
        let counts = tree.count();
        assert_eq!((counts.special, counts.unreadable, counts.truncated), (0, 0, None), "{counts:?}");
        assert!((50..=52).contains(&counts.lines), "{counts:?}");
        begin.elapsed() < Duration::from_secs(2)
    });
    assert!(rounds > 10, "too little was tried: {rounds} rounds");
}

// What counts as what

#[test]
fn lines_are_counted() {
    for (text, lines) in [
        ("", 0),
        ("x", 1),
        ("x\n", 1),
        ("\n", 1),
        ("\n\n", 2),
        ("a\nb", 2),
        ("a\r\nb\r\n", 2),
        ("a\rb", 1),
        ("\u{feff}é\n", 1),
    ] {
        let tree = Tree::new();
        tree.file("root/f", text);
        let expected = Counts { files: 1, lines, bytes: text.len() as u64, ..Counts::default() };
        assert_eq!(tree.count(), expected, "{text:?}");
    }
    for bytes in [64 * 1024 - 1, 64 * 1024, 64 * 1024 + 1, 300_000] {
        let tree = Tree::new();
        tree.file("root/f", b"0123456\n".repeat(bytes / 8 + 1).split_at(bytes).0);
        let counts = tree.count();
        assert_eq!((counts.lines, counts.bytes), (bytes.div_ceil(8) as u64, bytes as u64));
    }
}

#[test]
fn binary_files_are_those_with_an_early_nul() {
    let tree = Tree::new();
    let text = "x".repeat(8_000);
    let utf16: Vec<u8> = "a\nb\n".encode_utf16().flat_map(u16::to_le_bytes).collect();
    tree.file("root/early", format!("{}\0\n", &text[1..])).file("root/nul", "\0").file("root/utf16", utf16);
    tree.file("root/late", format!("{text}\0\n")).file("root/latin", b"caf\xe9\n").file("root/empty", "");
    tree.file("root/sparse", "").grown("root/sparse", 3 << 30);
    let expected = Counts { files: 7, binary: 4, lines: 2, bytes: 8_002 + 5, ..Counts::default() };
    assert_eq!(tree.count(), expected);
}

#[test]
fn links_and_special_files_are_counted_and_never_opened() {
    let tree = Tree::new();
    tree.file("root/a/f", "x\n").fifo("root/fifo").fifo("root/a/fifo").link("root/up", "..").link("root/self", ".");
    tree.link("root/loop", "loop").link("root/zero", "/dev/zero").link("root/out", "../out").link("root/f", "a/f");
    tree.link("root/abs", tree.path("out/secret")).link("root/dangling", "nowhere").link("root/to_fifo", "fifo");
    let _socket = UnixListener::bind(tree.path("root/socket")).expect("a socket");
    let device = Command::new("mknod").arg(tree.path("root/zero_device")).args(["c", "1", "5"]).output();
    let devices = u64::from(device.is_ok_and(|made| made.status.success()));
    if devices == 0 {
        skipped("counting a device: only root can make one");
    }
    let expected = Counts { files: 1, lines: 1, bytes: 2, symlinks: 9, special: 3 + devices, ..Counts::default() };
    assert_eq!(soon(move || tree.count()), expected);
}

#[test]
fn a_hard_link_is_a_file_like_any_other() {
    let tree = Tree::new();
    fs::hard_link(tree.path("out/secret"), tree.path("root/hard")).expect("one file system");
    assert_eq!(tree.count(), Counts { files: 1, lines: 1_000, bytes: 7_000, ..Counts::default() });
}

#[test]
fn all_names_are_names() {
    let tree = Tree::new();
    let names: [&[u8]; 7] = [b"..foo", b"...", b".hidden", b" ", b"a\nb", b"\\", "é\u{202e}".as_bytes()];
    for name in names {
        tree.file(Path::new("root").join(OsStr::from_bytes(name)).join("f"), "x\n");
    }
    let mut expected = 7;
    if fs::create_dir(tree.path("root").join(OsStr::from_bytes(b"\xff\xfe"))).is_ok() {
        let name = OsStr::from_bytes(b"\xff\xfe");
        tree.file(Path::new("root").join(name).join(OsStr::from_bytes(b"\x80")), "x\n");
        let opened = tree.root().open_subdir(Path::new(name)).expect("a directory");
        assert_eq!(opened.path().file_name(), Some(name));
        assert_eq!(path_of(&uri_of(opened.path())).as_deref(), Ok(opened.path()));
        assert!(Directory::open(opened.path()).expect("the same").is_same(&opened));
        expected += 1;
    } else {
        skipped("names that are not UTF-8: the file system has none");
    }
    assert_eq!((tree.count().files, tree.count().lines), (expected, expected));
}

#[test]
fn counts_as_json() {
    let json = |counts: Counts| serde_json::to_string(&counts).expect("plain data");
    assert_eq!(
        json(Counts::default()),
        r#"{"files":0,"lines":0,"bytes":0,"binary":0,"symlinks":0,"special":0,"unreadable":0,"truncated":null}"#
    );
    for (budget, name) in
        [(Budget::Entries, "entries"), (Budget::Bytes, "bytes"), (Budget::Time, "time"), (Budget::Depth, "depth")]
    {
        let counts = Counts { truncated: Some(budget), ..Counts::default() };
        assert!(json(counts).ends_with(&format!(r#""truncated":"{name}"}}"#)));
    }
}

// Budgets and cancellation

#[test]
fn the_budget_of_entries_cuts() {
    let tree = Tree::new();
    for n in 0..10 {
        tree.file(format!("root/{n}"), "x\n");
    }
    let cut = |entries| {
        let counts = tree.count_within(&Budgets { entries, ..Budgets::default() });
        (counts.files, counts.truncated)
    };
    assert_eq!(cut(10), (10, None));
    assert_eq!(cut(9), (9, Some(Budget::Entries)));
    assert_eq!(cut(0), (0, Some(Budget::Entries)));
}

#[test]
fn the_budget_of_bytes_cuts_within_a_file() {
    let tree = Tree::new();
    tree.file("root/f", "0123456\n".repeat(100_000));
    let cut = |bytes| {
        let counts = tree.count_within(&Budgets { bytes, ..Budgets::default() });
        assert!(counts.bytes <= bytes + 64 * 1024, "{counts:?}");
        (counts.files, counts.lines, counts.truncated)
    };
    assert_eq!(cut(800_000), (1, 100_000, None));
    assert_eq!(cut(799_999), (1, 100_000, Some(Budget::Bytes)));
    assert_eq!(cut(100_000), (1, 2 * 64 * 1024 / 8, Some(Budget::Bytes)));
    tree.huge_text("root/f", 64 << 30);
    assert_eq!(cut(1 << 20), (1, 1, Some(Budget::Bytes)));
}

#[test]
fn the_budget_of_time_cuts_within_a_file() {
    let tree = Tree::new();
    tree.huge_text("root/huge", 64 << 30);
    let begin = Instant::now();
    let counts = tree.count_within(&Budgets { time: Duration::from_millis(50), bytes: u64::MAX, ..Budgets::default() });
    assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
    assert_eq!((counts.files, counts.lines, counts.truncated), (1, 1, Some(Budget::Time)));
    let counts = tree.count_within(&Budgets { time: Duration::ZERO, ..Budgets::default() });
    assert_eq!(counts, Counts { truncated: Some(Budget::Time), ..Counts::default() });
    tree.file("root/huge", "");
    assert_eq!(tree.count_within(&Budgets { time: Duration::MAX, ..Budgets::default() }).truncated, None);
}

/// Directories one in another, with a file in each.
fn deep(tree: &Tree, levels: usize) {
    let mut path = PathBuf::from("root");
    for _ in 0..levels {
        path.push("d");
        tree.file(path.join("f"), "x\n");
    }
}

#[test]
fn the_budget_of_depth_cuts_and_the_rest_is_counted() {
    let tree = Tree::new();
    deep(&tree, 200);
    for n in 0..20 {
        tree.file(format!("root/{n}/f"), "x\n");
    }
    let cut = |depth| {
        let counts = tree.count_within(&Budgets { depth, ..Budgets::default() });
        (counts.files, counts.unreadable, counts.truncated)
    };
    assert_eq!(cut(Budgets::default().depth), (128 + 20, 0, Some(Budget::Depth)));
    assert_eq!(cut(199), (199 + 20, 0, Some(Budget::Depth)));
    assert_eq!(cut(200), (200 + 20, 0, None));
    assert_eq!(cut(1), (1 + 20, 0, Some(Budget::Depth)));
    assert_eq!(cut(0), (0, 0, Some(Budget::Depth)));
}

#[test]
fn the_first_budget_that_cut_is_named() {
    let tree = Tree::new();
    tree.dir("root/a/b").file("root/a/f", "x".repeat(200_000));
    let budgets = Budgets { depth: 0, entries: 0, ..Budgets::default() };
    assert_eq!(tree.count_within(&budgets).truncated, Some(Budget::Entries));
    tree.dir("root/c");
    let budgets = Budgets { depth: 0, entries: 1, ..Budgets::default() };
    assert_eq!(tree.count_within(&budgets).truncated, Some(Budget::Depth));
    let budgets = Budgets { bytes: 1, entries: 4, ..Budgets::default() };
    assert_eq!(tree.count_within(&budgets).truncated, Some(Budget::Bytes));
}

/// Cancels when asked for the `n`th time; what came out, and how often it was asked.
fn cancelled_at(tree: &Tree, n: u64) -> (Result<Counts, Cancelled>, u64) {
    let asked = Cell::new(0);
    let cancelled = || {
        asked.set(asked.get() + 1);
        asked.get() >= n
    };
    let budgets = Budgets { bytes: u64::MAX, ..Budgets::default() };
    (count(&tree.root(), &budgets, &cancelled), asked.get())
}

#[test]
fn a_walk_is_cancelled_at_once() {
    let tree = Tree::new();
    for n in 0..100 {
        tree.dir(format!("root/{n}/empty"));
    }
    for n in [1, 2, 150] {
        assert_eq!(cancelled_at(&tree, n), (Err(Cancelled), n));
    }
    assert!(cancelled_at(&tree, u64::MAX).0.is_ok());
}

#[test]
fn a_huge_file_is_cancelled_at_once() {
    let tree = Tree::new();
    tree.huge_text("root/huge", 64 << 30);
    assert_eq!(cancelled_at(&tree, 200), (Err(Cancelled), 200));
}

// Rights and limits, in processes of their own

/// Names the folder for the tests that are only run by others.
const FOLDER: &str = "BOUNDARY_TEST_FOLDER";

fn folder() -> Option<PathBuf> {
    std::env::var_os(FOLDER).map(PathBuf::from)
}

/// Runs one of the ignored tests below, started by `launcher`.
fn child(launcher: &[&str], program: &Path, test: &str, folder: &Path) -> io::Result<Output> {
    let mut command = Command::new(launcher[0]);
    command.args(&launcher[1..]).arg(program).args([test, "--exact", "--ignored", "--nocapture"]);
    command.env(FOLDER, folder).current_dir("/").output()
}

fn passed(output: &Output) -> bool {
    output.status.success() && String::from_utf8_lossy(&output.stdout).contains("1 passed")
}

#[test]
fn what_may_not_be_read_is_counted() {
    let tree = Tree::new();
    tree.file("root/f", "x\n").file("root/no_file", "x\n").file("root/no_dir/f", "x\n").file("root/list_only/f", "x\n");
    tree.file("root/pass_only/sub/f", "x\n").mode("root/no_file", 0).mode("root/no_dir", 0);
    tree.mode("root/list_only", 0o444).mode("root/pass_only", 0o111).mode("", 0o755);
    if File::open(tree.path("root/no_file")).is_err() {
        unreadable(&tree.path(""));
    } else if let Some(output) = as_nobody(&tree) {
        assert!(passed(&output), "{output:#?}");
    }
    for path in ["root/no_dir", "root/list_only", "root/pass_only"] {
        tree.mode(path, 0o755);
    }
}

/// The test below, run as another user by root, whom nothing is denied.
fn as_nobody(tree: &Tree) -> Option<Output> {
    // Where this program is, others may have no access.
    let program = tree.path("program");
    fs::copy(std::env::current_exe().expect("a running program"), &program).expect("a writable folder");
    let user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"];
    match child(&user, &program, "unreadable_as_nobody", &tree.path("")) {
        Ok(output) => Some(output),
        Err(error) => {
            skipped(&format!("files that may not be read: root may read all, and `setpriv` does not start: {error}"));
            None
        }
    }
}

#[test]
#[ignore = "run by `what_may_not_be_read_is_counted`"]
fn unreadable_as_nobody() {
    if let Some(folder) = folder() {
        unreadable(&folder);
    }
}

fn unreadable(folder: &Path) {
    let root = Directory::open(&folder.join("root")).expect("it may be read");
    let counts = count(&root, &Budgets::default(), &|| false).expect("nobody cancels");
    // The file and the directory without rights, the file in the one that can be listed, the one that cannot be.
    assert_eq!(counts, Counts { files: 1, lines: 1, bytes: 2, unreadable: 4, ..Counts::default() });
    for denied in ["no_dir", "no_dir/a", "pass_only"] {
        let (kind, message) = refusal(&root, denied);
        assert_eq!(kind, "denied", "{denied}");
        assert!(message.contains("permission denied"), "{message}");
        let error = Directory::open(&folder.join("root").join(denied)).expect_err(denied);
        assert!(matches!(error, OpenError::Denied(_)), "{denied}");
    }
    assert!(root.open_subdir(Path::new("pass_only/sub")).is_ok());
}

#[test]
fn too_few_descriptors_are_survived() {
    let tree = Tree::new();
    deep(&tree, 100);
    let program = std::env::current_exe().expect("a running program");
    let limited = ["sh", "-c", "ulimit -n 64 && exec \"$0\" \"$@\""];
    let output = child(&limited, &program, "deep_with_few_descriptors", &tree.path("")).expect("a shell");
    assert!(passed(&output), "{output:#?}");
}

#[test]
#[ignore = "run by `too_few_descriptors_are_survived`"]
fn deep_with_few_descriptors() {
    let Some(folder) = folder() else { return };
    let root = Directory::open(&folder.join("root")).expect("a directory");
    let counts = count(&root, &Budgets::default(), &|| false).expect("nobody cancels");
    assert!(counts.files >= 20 && counts.files < 64 && counts.unreadable > 0, "{counts:?}");
    assert!(root.open_subdir(Path::new("d/d/d")).is_ok(), "none is left open");
}

// Whatever the input

/// A tree with links of all kinds, and the inodes of the directories that are inside.
static PREPARED: LazyLock<(Tree, BTreeSet<u64>)> = LazyLock::new(|| {
    let tree = Tree::new();
    tree.dir("root/a/b/c").dir("root/..foo/...").file("root/a/file", "").link("root/self", ".").link("root/up", "..");
    tree.link("root/out", "../out")
        .link("root/a/out", "../../out")
        .link("root/a/b/root", "../..")
        .link("root/in", "a/b");
    tree.link("root/abs", tree.path("root/a")).link("root/top", "/").link("root/proc", "/proc/self/root");
    tree.link("root/a/b/c/far", "../../../..").link("root/loop", "loop").link("root/turn", "a/../../root/a");
    let inside = ["", "a", "a/b", "a/b/c", "..foo", "..foo/..."];
    let inode = |path| fs::metadata(tree.path("root").join(path)).expect("it exists").ino();
    let inodes = inside.into_iter().map(inode).collect();
    (tree, inodes)
});

fn name_in_prepared() -> impl Strategy<Value = Vec<u8>> {
    const NAMES: [&str; 24] = [
        "a", "b", "c", "file", "..foo", "...", "self", "up", "out", "root", "in", "abs", "top", "proc", "far", "loop",
        "turn", "", ".", "..", "/", "sub", "secret", "a/b",
    ];
    prop_oneof![9 => select(&NAMES[..]).prop_map(|name| name.as_bytes().to_vec()), 1 => vec(any::<u8>(), 0..4)]
}

/// An absolute path of any bytes that a path can hold, without `..`.
fn absolute_path() -> impl Strategy<Value = PathBuf> {
    let name = vec(1..=u8::MAX, 1..12).prop_filter("a name", |name| !name.contains(&b'/') && name != b"..");
    vec(name, 0..6).prop_map(|names| {
        let names = names.into_iter().map(OsString::from_vec);
        Path::new("/").join(names.collect::<PathBuf>())
    })
}

/// Text that is nearly a URI.
fn nearly_a_uri() -> impl Strategy<Value = String> {
    const PIECES: [&str; 30] = [
        "file:",
        "FILE://",
        "//",
        "/",
        "/",
        "localhost",
        "a",
        "é",
        "..",
        ".",
        "%2e",
        "%2F",
        "%5C",
        "%00",
        "%FF",
        "%C3%A9",
        "%",
        "%4",
        "\\",
        "?",
        "#",
        " ",
        "\t",
        "C:",
        "C|",
        "@",
        "|",
        "100%",
        "~",
        "+",
    ];
    let pieces = vec(select(&PIECES[..]), 0..8).prop_map(|pieces| pieces.concat());
    prop_oneof![pieces.clone().prop_map(|rest| format!("file:///{rest}")), pieces, any::<String>()]
}

proptest! {
    #[test]
    fn no_list_of_names_leads_out(names in vec(name_in_prepared(), 0..7)) {
        let (tree, inside) = &*PREPARED;
        let subdir = PathBuf::from(OsString::from_vec(names.join(&b'/')));
        if let Ok(opened) = tree.root().open_subdir(&subdir) {
            // What the path shows is where it is: nothing has changed since.
            let inode = fs::metadata(opened.path()).expect("it exists").ino();
            prop_assert!(inside.contains(&inode), "{subdir:?} leads to {:?}", opened.path());
            prop_assert!(Directory::open(opened.path()).expect("it exists").is_same(&opened));
        }
    }

    #[test]
    fn a_path_is_found_again_by_its_uri(path in absolute_path()) {
        let uri = uri_of(&path);
        prop_assert!(uri.is_ascii());
        prop_assert_eq!(path_of(&uri), Ok(path));
    }

    #[test]
    fn what_is_accepted_means_the_same_to_other_readers(uri in nearly_a_uri()) {
        // An old way to write drives that other readers change on every system.
        prop_assume!(!uri.contains("C|"));
        if let Ok(path) = path_of(&uri) {
            let read = url::Url::parse(&uri).expect("accepted by other readers, too");
            prop_assert_eq!(read.to_file_path(), Ok(path));
        }
    }

    #[test]
    fn a_resource_is_found_again_by_its_uri(path in absolute_path(), directory in vec(1..=u8::MAX, 1..12)) {
        prop_assume!(!directory.contains(&b'/') && directory != b"." && directory != b"..");
        let directory = OsString::from_vec(directory);
        let path = path.strip_prefix("/").expect("absolute").to_owned();
        let uri = stats_uri(&directory, &path);
        prop_assert_eq!(parse_stats_uri(&uri), Ok(StatsUri { directory, path }));
    }

    #[test]
    fn a_resource_is_never_elsewhere(rest in nearly_a_uri()) {
        if let Ok(read) = parse_stats_uri(&format!("project-stats://lines/{rest}")) {
            let is_name = |part| matches!(part, std::path::Component::Normal(_));
            prop_assert!(read.path.components().all(is_name) && Path::new(&read.directory).components().all(is_name));
        }
    }
}

/// A root is remembered between calls, not kept open: whoever can write in one root must not re-point one inside it.
#[test]
fn a_directory_that_was_replaced_is_not_opened_again() {
    let tree = Tree::new();
    fs::create_dir_all(tree.path("project/sub")).expect("made");
    fs::create_dir_all(tree.path("outside")).expect("made");
    let place = Directory::open(&tree.path("project/sub")).expect("opened").place();
    assert!(place.open().is_ok());
    fs::rename(tree.path("project/sub"), tree.path("project/moved")).expect("moved");
    symlink(tree.path("outside"), tree.path("project/sub")).expect("linked");
    let error = place.open().expect_err("another directory");
    assert!(matches!(error, OpenError::Replaced(_)), "{error}");
    fs::remove_file(tree.path("project/sub")).expect("removed");
    fs::create_dir(tree.path("project/sub")).expect("made");
    assert!(matches!(place.open(), Err(OpenError::Replaced(_))), "the same name is not the same directory");
    fs::remove_dir(tree.path("project/sub")).expect("removed");
    fs::rename(tree.path("project/moved"), tree.path("project/sub")).expect("moved back");
    assert!(place.open().is_ok());
}
