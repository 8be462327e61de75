//! Odd files, links and names: what is read, what is named as not read, and where findings stand.

mod support;

use serde_json::{Value, json};
use support::{CLIENT, Folder, named, places};

fn span(report: &Value, finding: usize) -> (&Value, &Value) {
    let span = &report["findings"][finding]["span"];
    (&span["start"], &span["end"])
}

#[test]
fn positions_count_from_the_first_byte_of_the_file() {
    let folder = Folder::new();
    let text = [
        "\u{feff}#!/usr/bin/env run-cargo-script é\r\n", // 3 bytes of mark, 34 of shebang, 2 of line end: 39
        "use rmcp::service::{Peer, RoleClient};\r\n",    // 38 + 2: 79
        "// 😀 é\r\n",                                   // 3 + 4 + 1 + 2 + 2: 91
        "async fn f(peer: &Peer<RoleClient>) {\r\n",     // 37 + 2: 130
        "\tlet é = \"😀\"; peer.notify_roots_list_changed().await;\r\n", // 19 characters, 23 bytes
        "}\r\n",
    ];
    folder.file("src/lib.rs", text.concat());
    let report = folder.report(&["."]);
    assert_eq!(places(&report), ["src/lib.rs:5:20"]);
    let (start, end) = span(&report, 0);
    assert_eq!(start, &json!({ "line": 5, "column": 20, "offset": 153 }));
    assert_eq!(end, &json!({ "line": 5, "column": 45, "offset": 178 }));
    assert_eq!(&text.concat()[153..178], "notify_roots_list_changed");
}

#[test]
fn carriage_returns_alone_and_a_last_line_without_an_end() {
    let folder = Folder::new();
    folder.file("a.rs", "// x\r// y\nfn f(p: &rmcp::Peer<rmcp::RoleClient>) { p.notify_roots_list_changed(); }");
    assert_eq!(places(&folder.report(&["a.rs"])), ["a.rs:2:44"]);
}

#[test]
fn not_utf8_is_named_and_makes_the_check_incomplete() {
    let folder = Folder::new();
    folder.file("latin-1.rs", [CLIENT.as_bytes(), b"// caf\xe9\n"].concat());
    let run = folder.run(&["check", "--format", "json", "latin-1.rs"]);
    let report = run.json();
    assert_eq!(run.code, Some(3), "{run:?}");
    assert_eq!(named(&report, "skipped"), ["latin-1.rs not-utf8"]);
    assert_eq!(report["skipped"][0]["incomplete"], true);
    assert_eq!(report["summary"]["files_skipped"], 1);
    assert_eq!(report["summary"]["files_checked"], 0, "what is skipped is not checked");
}

#[test]
fn utf16_is_named_and_makes_the_check_incomplete() {
    let folder = Folder::new();
    for (name, mark, order) in [
        ("little.rs", [0xff, 0xfe], u16::to_le_bytes as fn(u16) -> [u8; 2]),
        ("big.rs", [0xfe, 0xff], u16::to_be_bytes),
    ] {
        let text: Vec<u8> = CLIENT.encode_utf16().flat_map(order).collect();
        folder.file(name, [&mark[..], &text].concat());
    }
    let run = folder.run(&["check", "--format", "json"]);
    assert_eq!(run.code, Some(3), "{run:?}");
    assert_eq!(named(&run.json(), "skipped"), ["big.rs not-utf8", "little.rs not-utf8"]);
}

#[test]
fn other_bytes_without_a_word_of_roots_are_nobodys_business() {
    let folder = Folder::new();
    folder.file("latin-1.rs", b"// caf\xe9\nfn main() {}\n");
    let run = folder.run(&["check", "--format", "json"]);
    assert_eq!((run.code, &run.json()["skipped"]), (Some(0), &json!([])));
}

#[test]
fn standard_input_that_is_not_utf8_is_named() {
    let folder = Folder::new();
    let input = [CLIENT.as_bytes(), b"\xff"].concat();
    let run = folder.run_with_input(&["check", "--format", "json", "-"], &input);
    assert_eq!(run.code, Some(3), "{run:?}");
    assert_eq!(named(&run.json(), "skipped"), ["stdin.rs not-utf8"]);
}

#[test]
fn empty_files_are_checked() {
    let folder = Folder::new();
    folder.file("empty.rs", "");
    folder.file("mark.rs", "\u{feff}");
    let run = folder.run(&["check", "--format", "json"]);
    assert_eq!((run.code, &run.json()["summary"]["files_checked"]), (Some(0), &json!(2)));
    assert_eq!(folder.run_with_input(&["check", "-"], b"").code, Some(0));
}

#[test]
fn depth_is_no_reason_to_fall_over() {
    let folder = Folder::new();
    let (open, close) = ("(".repeat(100_000), ")".repeat(100_000));
    folder.file("deep.rs", format!("{CLIENT}const DEEP: u8 = {open}0{close};\n"));
    let run = folder.run(&["check", "--format", "json"]);
    let report = run.json();
    assert_eq!(run.code, Some(1), "{run:?}");
    assert_eq!(named(&report, "degraded"), ["deep.rs too-deep"]);
    assert_eq!(report["skipped"], json!([]));
    assert_eq!(places(&report), ["deep.rs:2:10"]);
    assert_eq!(report["findings"][0]["confidence"], "likely");
    let notes = report["findings"][0]["notes"].to_string();
    assert!(!notes.contains("does not parse"), "rustc may well parse it: {notes}");
}

#[test]
fn ten_megabytes_on_one_line() {
    let folder = Folder::new();
    let text = "x".repeat(5 * 1024 * 1024);
    let line =
        format!("fn f(p: &rmcp::Peer<rmcp::RoleClient>) {{ /*{text}é*/ p.notify_roots_list_changed(); /*{text}*/ }}\n");
    folder.file("long.rs", line);
    let run = folder.run(&["check"]);
    assert_eq!(run.code, Some(1));
    assert!(run.stdout.contains("xé*/ p.notify_roots_list_changed(); /*x"), "{}", run.stdout);
    assert!(run.stdout.lines().all(|line| line.chars().count() < 300), "{}", run.stdout);
    assert!(run.stdout.contains("long.rs:1:5242930\n"), "the line is cut, the position is not: {}", run.stdout);
}

#[test]
fn a_file_that_is_too_large_is_named() {
    let folder = Folder::new();
    let path = folder.file("large.rs", "");
    let file = std::fs::File::options().write(true).open(path).expect("a file");
    file.set_len(32 * 1024 * 1024 + 1).expect("a sparse file");
    let run = folder.run(&["check", "--format", "json"]);
    assert_eq!(run.code, Some(3));
    assert_eq!(named(&run.json(), "skipped"), ["large.rs too-large"]);
    assert_eq!(run.json()["summary"]["files_checked"], 0);
}

#[test]
fn lines_between_labels_are_shown_as_they_are() {
    let folder = Folder::new();
    folder.file(
        "src/lib.rs",
        "use rmcp::model::Root;\nuse std::path::Path;\npub fn root(path: &Path) -> Root {\n    of(path)\n}\n",
    );
    let run = folder.run(&["check"]);
    assert!(run.stdout.contains("1 │ use rmcp::model::Root;\n"), "{}", run.stdout);
    assert!(!run.stdout.contains("2 │ \n"), "line 2 is not empty: {}", run.stdout);
    assert!(run.stdout.contains("3 │ pub fn root("), "{}", run.stdout);
}

#[test]
fn a_path_is_the_same_file_however_it_is_given() {
    let folder = Folder::new();
    folder.file("src/lib.rs", CLIENT);
    folder.file("src/other.rs", CLIENT);
    let absolute = folder.path().canonicalize().expect("a path");
    let absolute = absolute.to_str().expect("UTF-8");
    let inside = format!("{absolute}/src/lib.rs");
    let expected = ["src/lib.rs:2:10", "src/other.rs:2:10"];
    for paths in [
        &["."][..],
        &[absolute],
        &["src", "."],
        &[".", absolute, "src", "src/lib.rs", &inside],
        &["src/lib.rs", "src/other.rs", "src"],
        &["src/lib.rs", "./src/lib.rs", "src/other.rs", "src/../src/other.rs", &inside],
    ] {
        assert_eq!(places(&folder.report(paths)), expected, "{paths:?}");
    }
}

#[test]
fn what_counts_as_a_test_does_not_depend_on_where_the_package_lies() {
    let folder = Folder::new();
    folder.file("tests/app/Cargo.toml", "[package]\nname = \"inner\"\n\n[dependencies]\nrmcp = \"3.11\"\n");
    folder.file("tests/app/src/lib.rs", "fn f() -> rmcp::model::Root { rmcp::model::Root::new(\"file:///a/..\") }\n");
    let mut inside = folder.command(&["check", "--format", "json"]);
    let inside = support::Run::of(inside.current_dir(folder.path().join("tests/app"))).json();
    assert_eq!(inside["summary"]["errors"], 1);
    let outside = folder.report(&["tests/app"]);
    assert_eq!(outside["summary"], inside["summary"]);
    assert_eq!(outside["findings"][0]["in_test"], inside["findings"][0]["in_test"]);
}

#[test]
fn a_part_of_a_package_is_not_judged_as_the_whole() {
    let folder = Folder::new();
    folder.file(
        "src/declares.rs",
        "use rmcp::model::ClientCapabilities;\n\
         pub fn capabilities() -> ClientCapabilities { ClientCapabilities::builder().enable_roots().build() }\n",
    );
    folder.file(
        "src/answers.rs",
        "use rmcp::{ClientHandler, ErrorData, RoleClient, model::ListRootsResult, service::RequestContext};\n\
         impl ClientHandler for Client {\n\
         async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> { todo!() }\n\
         }\n",
    );
    let rules = |report: &Value| -> Vec<String> {
        let findings = report["findings"].as_array().expect("findings");
        findings.iter().map(|finding| finding["rule"].as_str().expect("a rule").to_owned()).collect()
    };
    assert_eq!(rules(&folder.report(&["."])), ["roots-list-handler", "roots-capability"]);
    // As a commit hook does, which hands over the changed files.
    assert_eq!(rules(&folder.report(&["src/declares.rs"])), ["roots-capability"]);
}

#[test]
fn gitignore_files_count_unless_told_otherwise() {
    let folder = Folder::new();
    folder.file(".git/HEAD", "ref: refs/heads/main\n");
    folder.file(".gitignore", "ignored.rs\n");
    folder.file(".ignore", "also-ignored.rs\n");
    for name in ["ignored.rs", "also-ignored.rs", "seen.rs", ".hidden/seen.rs", ".git/hook.rs"] {
        folder.file(name, CLIENT);
    }
    assert_eq!(places(&folder.report(&[])), [".hidden/seen.rs:2:10", "seen.rs:2:10"]);
    let all = [".hidden/seen.rs:2:10", "also-ignored.rs:2:10", "ignored.rs:2:10", "seen.rs:2:10"];
    assert_eq!(places(&folder.report(&["--no-ignore"])), all);
    // What is named itself is checked.
    assert_eq!(places(&folder.report(&["ignored.rs"])), ["ignored.rs:2:10"]);
}

#[test]
fn an_excluded_path_is_excluded_however_the_folder_is_given() {
    let folder = Folder::new();
    folder.file("src/lib.rs", CLIENT);
    folder.file("src/made/lib.rs", CLIENT);
    let absolute = folder.path().canonicalize().expect("a path");
    for root in [".", "src", absolute.to_str().expect("UTF-8")] {
        let report = folder.report(&[root, "--exclude", "src/made"]);
        assert_eq!(places(&report), ["src/lib.rs:2:10"], "{root}");
    }
}

#[test]
fn folders_of_others_are_named() {
    let folder = Folder::new();
    for name in ["node_modules", "target", "vendor", "dist"] {
        folder.file(format!("{name}/lib.rs"), CLIENT);
    }
    let report = folder.report(&[]);
    let expected = ["dist excluded", "node_modules excluded", "target excluded", "vendor excluded"];
    assert_eq!((named(&report, "skipped"), places(&report)), (expected.map(str::to_owned).to_vec(), Vec::new()));
    assert_eq!(report["skipped"][0]["incomplete"], false);
    assert_eq!(places(&folder.report(&["--no-default-excludes"])).len(), 4);
}

#[cfg(unix)]
mod unix {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::{CLIENT, Folder, json, named, places};

    #[test]
    fn what_a_terminal_obeys_never_reaches_it() {
        let folder = Folder::new();
        let line = "fn f(p: &rmcp::Peer<rmcp::RoleServer>) { let _ = \"\u{1b}[31m\u{61c}\u{202e}\u{2066}\"; p.list_roots(); }\n";
        let uri = "fn g() { let _ = rmcp::model::Root::new(\"http://\u{1b}]0;x\u{7}\u{202e}/..\"); }\n";
        folder.file("\u{1b}[2J\u{202e}\u{9b}.rs", [line, uri].concat());
        folder.file("\u{1b}[2Jbroken.rs", format!("{line}fn {{\n"));
        let is_unsafe = |c: char| {
            (c.is_control() && c != '\n') || matches!(c, '\u{61c}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
        };
        for format in ["human", "short", "json"] {
            let run = folder.run(&["check", "--pedantic", "--format", format]);
            assert_eq!(run.code, Some(1), "{run:?}");
            assert!(run.stdout.contains("roots-list-request") && run.stdout.contains("root-uri-scheme"), "{run:?}");
            let found: Vec<char> = run.stdout.chars().filter(|c| is_unsafe(*c)).collect();
            assert_eq!(found, [], "{format}");
        }
        // JSON names the file as it is, escaped.
        let report = folder.report(&["--select", "root-uri-scheme"]);
        assert_eq!(report["findings"][0]["path"], "\u{1b}[2J\u{202e}\u{9b}.rs");
        // What is on the command line may have come from elsewhere.
        let run = folder.run(&["check", "\u{1b}[2Jnowhere"]);
        assert_eq!(run.code, Some(2));
        assert!(!run.stderr.contains('\u{1b}'), "{run:?}");
    }

    #[test]
    fn links_are_followed_once_and_never_in_circles() {
        let folder = Folder::new();
        let outside = Folder::new();
        let target = outside.file("outside.rs", CLIENT);
        folder.file("src/lib.rs", CLIENT);
        for (target, link) in [
            ("..".as_ref(), "src/loop"),
            (folder.path(), "src/absolute-loop"),
            ("self".as_ref(), "self"),
            ("lib.rs".as_ref(), "src/alias.rs"),
            (&target, "src/out.rs"),
            (&target, "src/out-again.rs"),
            ("nowhere".as_ref(), "src/broken.rs"),
            ("circle.rs".as_ref(), "circle.rs"),
        ] {
            symlink(target, folder.path().join(link)).expect("a link");
        }
        let run = folder.run(&["check", "--format", "json"]);
        let report = run.json();
        assert_eq!(places(&report), ["src/lib.rs:2:10", "src/out-again.rs:2:10"]);
        assert_eq!(named(&report, "skipped"), ["circle.rs broken-link", "src/broken.rs broken-link"]);
        assert_eq!(report["summary"]["files_checked"], 2);
        assert_eq!(report["skipped"][0]["incomplete"], false);
        // A link and its target are one file.
        for paths in [&["src/alias.rs", "src/lib.rs"][..], &["src/lib.rs", "src/alias.rs", "src/alias.rs"]] {
            assert_eq!(places(&folder.report(paths)).len(), 1, "{paths:?}");
        }
        assert_eq!(places(&folder.report(&["src/loop/src/lib.rs"])), ["src/loop/src/lib.rs:2:10"]);
    }

    #[test]
    fn a_linked_folder_that_is_named_is_checked() {
        let folder = Folder::new();
        folder.file("real/lib.rs", CLIENT);
        symlink("real", folder.path().join("link")).expect("a link");
        assert_eq!(places(&folder.report(&["link"])), ["link/lib.rs:2:10"]);
        assert_eq!(places(&folder.report(&["."])), ["real/lib.rs:2:10"]);
        assert_eq!(places(&folder.report(&["link", "real"])).len(), 1);
    }

    #[test]
    fn what_cannot_be_read_is_named() {
        let folder = Folder::new();
        let file = folder.file("secret.rs", CLIENT);
        let inside = folder.file("closed/lib.rs", CLIENT);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o000)).expect("a file of ours");
        if fs::read(&file).is_ok() {
            return; // root may read everything
        }
        let closed = inside.parent().expect("a folder");
        fs::set_permissions(closed, fs::Permissions::from_mode(0o000)).expect("a folder of ours");
        let run = folder.run(&["check", "--format", "json"]);
        fs::set_permissions(closed, fs::Permissions::from_mode(0o700)).expect("a folder of ours");
        assert_eq!(run.code, Some(3), "{run:?}");
        assert_eq!(named(&run.json(), "skipped"), ["closed unreadable", "secret.rs unreadable"]);
    }

    #[test]
    fn a_pipe_is_named_and_not_waited_for() {
        let folder = Folder::new();
        let pipe = folder.path().join("pipe.rs");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        if !made.is_ok_and(|status| status.success()) {
            return; // no mkfifo here
        }
        let report = folder.report(&[]);
        assert_eq!(named(&report, "skipped"), ["pipe.rs unreadable"]);
        assert_eq!(report["summary"]["files_checked"], json!(0));
    }

    #[test]
    fn a_name_that_is_not_utf8_is_reported() {
        use std::os::unix::ffi::OsStrExt as _;
        let folder = Folder::new();
        if fs::write(folder.path().join(std::ffi::OsStr::from_bytes(b"caf\xe9.rs")), CLIENT).is_err() {
            return; // the file system takes no such name
        }
        assert_eq!(places(&folder.report(&[])), ["caf\u{fffd}.rs:2:10"]);
    }
}

#[test]
#[cfg(target_os = "linux")]
fn a_config_whose_name_is_not_utf8_is_read() {
    use std::os::unix::ffi::OsStrExt;

    let folder = Folder::new();
    let name = std::ffi::OsStr::from_bytes(b"caf\xe9.mcp.json");
    folder.file(
        name,
        r#"{"mcpServers": {"a": {"command": "npx", "args": ["@modelcontextprotocol/server-filesystem"]}}}"#,
    );
    assert_eq!(places(&folder.report(&["."])).len(), 1);
}
