//! `probe` against servers that behave and servers that do not: verdicts, exit codes, what is shown and what never is,
//! and that nothing runs afterwards. The servers are `examples/` and `tests/doubles/server.rs`.
#![cfg(feature = "runtime")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// Cargo gives integration tests no variable for examples, but builds them next to the test executable.
fn example(name: &str) -> String {
    let file = format!("{name}{}", std::env::consts::EXE_SUFFIX);
    let test = std::env::current_exe().expect("a path of this test");
    let found = test.ancestors().map(|directory| directory.join("examples").join(&file)).find(|path| path.is_file());
    found.unwrap_or_else(|| panic!("{file} is not built; run `cargo build --examples` first")).display().to_string()
}

fn command(flags: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-roots-lint"));
    command.arg("probe").args(flags);
    command
}

/// Probes a double in the legacy era; what follows the mode are the server's arguments.
fn probe_double(flags: &[&str], server: &[&str]) -> Output {
    let mut all = vec!["--era", "legacy", "--timeout", "2s"];
    all.extend(flags);
    let double = example("double-server");
    all.extend(["--", &double]);
    all.extend(server);
    command(&all).output().expect("the program runs")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn code(output: &Output) -> Option<i32> {
    output.status.code()
}

fn report(output: &Output) -> Value {
    serde_json::from_slice(&output.stdout)
        .unwrap_or_else(|error| panic!("{error}: {}{}", text(&output.stdout), text(&output.stderr)))
}

fn json_report(flags: &[&str], server: &[&str]) -> Value {
    report(&probe_double(&[flags, &["--format", "json"]].concat(), server))
}

const ALL: [&str; 4] = ["--call", "where", "--call", "fixed"];

/// Moments of the questions of a run.
fn moments(report: &Value, run: usize) -> Vec<String> {
    let asks = report["runs"][run]["asks"].as_array().expect("asks");
    asks.iter().map(|ask| ask["moment"].as_str().unwrap_or_default().to_owned()).collect()
}

#[test]
fn every_verdict() {
    let directory = tempfile::tempdir().expect("a temporary folder");
    let directory = directory.path().canonicalize().expect("a path");
    let given = directory.to_str().expect("UTF-8");
    let cases = [
        (vec!["quiet"], &ALL[..], "does-not-use-roots"),
        (vec!["quiet"], &ALL[..2], "did-not-ask"),
        (vec!["fallback"], &ALL[..], "uses-roots-with-fallback"),
        (vec!["only"], &ALL[..], "works-only-through-roots"),
        (vec!["no-start"], &ALL[..], "works-only-through-roots"),
        (vec!["replace", given], &ALL[..], "roots-replace-directories"),
        (vec!["fallback", given], &ALL[..], "uses-roots-with-fallback"),
        (vec!["fallback"], &[][..], "uses-roots"),
    ];
    // Nearly all of their time is waiting.
    std::thread::scope(|scope| {
        for (server, flags, verdict) in &cases {
            scope.spawn(move || {
                let report = json_report(flags, server);
                assert_eq!(report["verdict"], *verdict, "{server:?}: {report:#}");
                assert_eq!(report["schema_version"], 1);
                assert_eq!(report["failure"], Value::Null);
            });
        }
    });
}

#[test]
fn expectations_and_exit_codes() {
    let expect = |verdict, server: &[&str]| {
        let output = probe_double(&[&ALL[..], &["--expect", verdict]].concat(), server);
        (code(&output), text(&output.stderr))
    };
    assert_eq!(expect("does-not-use-roots", &["quiet"]), (Some(0), String::new()));
    let expected = "expected works-only-through-roots, saw does-not-use-roots\n".to_owned();
    assert_eq!(expect("works-only-through-roots", &["quiet"]), (Some(1), expected));
    assert_eq!(expect("did-not-ask", &["exit"]).0, Some(3));
}

#[test]
fn moments_of_questions() {
    let report = json_report(&ALL, &["fallback"]);
    assert_eq!(moments(&report, 0), ["after-initialized", "after-list-changed"]);
    assert_eq!(moments(&report, 1), [""; 0]);
    assert_eq!(moments(&report, 2), ["after-initialized"]);
    // The list with the root that was added.
    assert_eq!(report["runs"][0]["asks"][1]["answer"], "2 roots");
    let after = &report["runs"][0]["after_change"]["answers"][0]["answer"];
    assert!(after.to_string().contains("/beta"), "{report:#}");

    let report = json_report(&ALL, &["in-call"]);
    assert_eq!(moments(&report, 0), ["inside-call", "inside-call"]);
    assert_eq!(report["runs"][0]["asks"][0]["of"], "where");
}

#[test]
fn a_server_that_asks_whom_it_must_not() {
    let report = json_report(&ALL, &["rude"]);
    let notes = report["notes"].to_string();
    assert!(notes.contains("had not declared roots"), "{notes}");
    // -32601 is what such a client answers.
    assert_eq!(report["runs"][1]["asks"][0]["answer"], "error -32601");
}

#[test]
fn input_requests_of_the_modern_era() {
    let double = example("double-server");
    for era in ["auto", "modern"] {
        let flags = ["--era", era, "--format", "json", "--call", "where", "--", &double, "modern"];
        let report = report(&command(&flags).output().expect("the program runs"));
        assert_eq!((&report["era"], &report["verdict"]), (&json!("modern"), &json!("works-only-through-roots")));
        assert_eq!(moments(&report, 0), ["input-request", "input-request"], "{report:#}");
        assert_eq!(report["runs"][0]["answers"][0]["rounds"], 2);
        assert_eq!(report["runs"][1]["asks_total"], 0);
    }
    let output = command(&["--era", "legacy", "--", &double, "modern"]).output().expect("the program runs");
    assert_eq!(code(&output), Some(3));
    assert!(text(&output.stdout).contains("`initialize` was answered with error -32601"), "{output:?}");
}

#[test]
fn the_era_in_which_roots_are_used_is_found() {
    let double = example("double-server");
    let flags = ["--format", "json", "--call", "where", "--", &double, "eras"];
    let found = report(&command(&flags).output().expect("the program runs"));
    assert_eq!((&found["era"], &found["verdict"]), (&json!("legacy"), &json!("uses-roots-with-fallback")));

    let flags = ["--format", "json", "--call", "where", "--", &double, "quiet"];
    let found = report(&command(&flags).output().expect("the program runs"));
    assert_eq!(found["era"], "legacy");
    assert!(found["era_chosen"].as_str().is_some_and(|why| why.contains("-32601")), "{found:#}");
}

#[test]
fn the_migrated_example_uses_no_roots_any_more() {
    let directory = tempfile::tempdir().expect("a temporary folder");
    fs::write(directory.path().join("file"), "1\n2\n").expect("a writable folder");
    let given = directory.path().canonicalize().expect("a path").display().to_string();
    let (before, after) = (example("server-before"), example("server-after"));
    let run = |flags: &[&str]| code(&command(flags).output().expect("the program runs"));
    let expect = ["--expect", "works-only-through-roots", "--call", "count_lines", "--", &before];
    assert_eq!(run(&expect), Some(0));
    let call = format!("count_lines={}", json!({ "directory": given }));
    let expect = ["--expect", "does-not-use-roots", "--call", &call, "--", &after, "--allow-dir", &given];
    assert_eq!(run(&expect), Some(0));
}

#[test]
fn only_named_tools_are_called() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let transcript = folder.path().join("t.jsonl");
    let flags = ["--transcript", transcript.to_str().expect("UTF-8"), "--call", "fixed={\"a\": \"{root}/x\"}"];
    assert_eq!(code(&probe_double(&flags, &["fallback"])), Some(0));
    let lines: Vec<Value> = fs::read_to_string(&transcript)
        .expect("a transcript")
        .lines()
        .map(|line| serde_json::from_str(line).expect("a JSON line"))
        .collect();
    assert_eq!(lines[0]["transcript"], 1);
    let mut calls = Vec::new();
    for line in &lines[1..] {
        assert!(line["at_ms"].is_u64() && line["run"].is_string() && line["line"].is_string(), "{line}");
        let message: Value = serde_json::from_str(line["line"].as_str().unwrap_or_default()).unwrap_or_default();
        if line["direction"] == "to-server" && message["method"] == "tools/call" {
            calls.push(message["params"].clone());
        }
    }
    // Three runs, and the one more after the change.
    assert_eq!(calls.len(), 4);
    for call in calls {
        assert_eq!(call["name"], "fixed");
        let path = call["arguments"]["a"].as_str().unwrap_or_default();
        assert!(path.ends_with("alpha/x"), "{path}");
    }
    let directions = ["to-server", "from-server", "event"];
    assert!(directions.iter().all(|wanted| lines.iter().any(|line| line["direction"] == *wanted)));
}

#[test]
fn roots_that_are_given_are_the_roots() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let folder = folder.path().canonicalize().expect("a path");
    let given = [folder.join("ä b"), folder.join("c")];
    given.iter().for_each(|path| fs::create_dir(path).expect("a writable folder"));
    let roots: Vec<&str> = given.iter().flat_map(|path| ["--root", path.to_str().expect("UTF-8")]).collect();
    let report = json_report(&[&roots[..], &ALL[..2]].concat(), &["fallback"]);
    let answer = report["runs"][0]["answers"][0]["answer"].to_string();
    assert!(answer.contains("/%C3%A4%20b file://") && answer.contains("/c"), "{answer}");
}

#[test]
fn a_secret_of_the_environment_is_never_shown() {
    const SECRET: &str = "hunter2-hunter2";
    let folder = tempfile::tempdir().expect("a temporary folder");
    let config = folder.path().join("mcp.json");
    let entry = json!({ "command": example("double-server"), "args": ["secret"], "env": { "DOUBLE_TOKEN": SECRET } });
    fs::write(&config, json!({ "mcpServers": { "double": entry, "other": { "command": "x" } } }).to_string())
        .expect("a writable folder");
    let config = config.to_str().expect("UTF-8");
    for format in ["human", "json"] {
        let flags = ["--era", "legacy", "--config", config, "--entry", "double", "--call", "where", "--format", format];
        let by_config = command(&flags).output().expect("the program runs");
        let double = example("double-server");
        let flags = ["--era", "legacy", "--call", "where", "--format", format, "--", &double, "secret"];
        let inherited = command(&flags).env("DOUBLE_TOKEN", SECRET).output().expect("the program runs");
        for output in [&by_config, &inherited] {
            assert_eq!(code(output), Some(0), "{output:?}");
            let all = text(&output.stdout) + &text(&output.stderr);
            assert!(!all.contains(SECRET), "{all}");
            assert!(all.contains("starting with ***"), "{all}");
        }
        // What is run is said before it is.
        let shown = text(&by_config.stderr);
        assert!(shown.starts_with("runs ") && shown.contains("secret (with DOUBLE_TOKEN set)"), "{shown}");
    }
}

#[test]
fn entries_are_found_by_name() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let config = folder.path().join("mcp.json");
    let double = example("double-server");
    let servers = json!({
        "workspace": { "command": double, "args": ["replace", "${workspaceFolder}"] },
        "input": { "command": double, "args": ["quiet", "${input:key}"] },
    });
    fs::write(&config, json!({ "servers": servers }).to_string()).expect("a writable folder");
    let config = config.to_str().expect("UTF-8");
    let run = |entry: &str| {
        let flags = ["--era", "legacy", "--config", config, "--entry", entry, "--call", "where", "--format", "json"];
        command(&flags).output().expect("the program runs")
    };
    // The folder that is open is the root.
    let workspace = run("workspace");
    assert_eq!(code(&workspace), Some(0), "{workspace:?}");
    assert!(text(&workspace.stderr).contains("alpha"));
    for (entry, says) in [("absent", "it has \"input\", \"workspace\""), ("input", "`${input:key}`")] {
        let output = run(entry);
        assert_eq!(code(&output), Some(2), "{entry}");
        assert!(text(&output.stderr).contains(says), "{output:?}");
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn wrong_arguments() {
    for (flags, says) in [
        (&["--call", "x={", "--", "true"][..], "not a JSON object"),
        (&["--timeout", "5", "--", "true"], "with a unit"),
        (&["--root", "/no/such/place", "--", "true"], "--root"),
        (&["--root", "Cargo.toml", "--", "true"], "not a directory"),
        (&["--url", "ftp://host/"], "not an http"),
        (&["--config", "no-such-file.json", "--entry", "x"], "--config"),
        (&["--config", "Cargo.toml"], "--entry"),
        (&["--url", "http://localhost/", "--", "true"], "cannot be used with"),
        (&["--expect", "maybe", "--", "true"], "possible values"),
        (&[], "required"),
    ] {
        let output = command(flags).output().expect("the program runs");
        assert_eq!(code(&output), Some(2), "{flags:?}");
        assert!(text(&output.stderr).contains(says), "{flags:?}: {output:?}");
    }
}

#[test]
fn servers_that_cannot_be_run() {
    let cases = [
        ("exit", "the server ended"),
        ("silent", "no answer within 2s"),
        ("deaf", "no answer within 2s"),
        ("flood", "given up: "),
        ("flood-line", "given up: "),
        ("nonsense", "a result that is none"),
    ];
    std::thread::scope(|scope| {
        for (mode, says) in cases {
            scope.spawn(move || {
                let begin = Instant::now();
                let output = probe_double(&[], &[mode]);
                assert!(begin.elapsed() < Duration::from_secs(20), "{mode} took {:?}", begin.elapsed());
                assert_eq!(code(&output), Some(3), "{mode}: {output:?}");
                let shown = text(&output.stdout);
                assert!(shown.contains("could not be run") && shown.contains(says), "{mode}: {shown}");
                assert!(shown.len() < 4_000, "{mode}: {}", shown.len());
            });
        }
    });
    let output = probe_double(&[], &["exit"]);
    assert!(text(&output.stdout).contains("| no licence found"), "{output:?}");
    let output = command(&["--", "no-such-program-of-this-name"]).output().expect("the program runs");
    assert_eq!(code(&output), Some(3));
    let output = command(&["--format", "json", "--url", "http://127.0.0.1:9/mcp"]).output().expect("the program runs");
    assert_eq!(code(&output), Some(3));
    assert!(report(&output)["failure"].is_string());
}

/// Probes a server that goes wrong on the way; the report is short, and holds nothing that a terminal would obey.
fn gone_wrong(mode: &str, says: &str) {
    let begin = Instant::now();
    let output = probe_double(&ALL, &[mode]);
    assert!(begin.elapsed() < Duration::from_secs(90), "{mode} took {:?}", begin.elapsed());
    assert_eq!(code(&output), Some(0), "{mode}: {output:?}");
    let shown = text(&output.stdout);
    assert!(shown.contains(says), "{mode}: {shown}");
    assert!(shown.len() < 8_000, "{mode}: {}", shown.len());
    assert!(!shown.contains('\u{1b}'), "{mode}: {shown}");
}

#[test]
fn banners_and_lines_that_are_too_long() {
    gone_wrong("banner", "stdout, not messages (with roots): 5 lines");
}

#[test]
fn a_flood_on_stderr() {
    gone_wrong("stderr", "stderr (with roots): 16000000 bytes");
}

#[test]
fn calls_that_are_never_answered() {
    gone_wrong("hang", "no answer within 2s");
    assert_eq!(json_report(&ALL[..2], &["hang"])["verdict"], "did-not-ask");
}

#[test]
fn a_server_that_dies() {
    gone_wrong("dies", "given up: the server ended");
}

#[test]
fn a_flood_of_notifications() {
    gone_wrong("flood-notify", "given up: more than 100000");
}

/// Waits for a process to be gone; one that was orphaned is reaped by somebody else.
#[cfg(target_os = "linux")]
fn is_gone(pid: u32) -> bool {
    let begin = Instant::now();
    let runs = || {
        let status = fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
        status.rsplit(") ").next().is_some_and(|rest| !rest.is_empty() && !rest.starts_with('Z'))
    };
    while runs() {
        if begin.elapsed() > Duration::from_secs(5) {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
    true
}

#[cfg(target_os = "linux")]
fn pids(file: &Path) -> Vec<u32> {
    let text = fs::read_to_string(file).unwrap_or_default();
    text.lines().filter_map(|line| line.trim().parse().ok()).collect()
}

/// A server that ignores SIGTERM and the end of its input, with a child that does, too, and a daemon in a session of
/// its own.
#[cfg(target_os = "linux")]
fn stubborn(pids: &Path) -> String {
    let (pids, double) = (pids.display(), example("double-server"));
    format!(
        "trap '' TERM; sleep 300 & echo $! >>{pids}; setsid sh -c 'echo $$ >>{pids}; exec sleep 300' & \
         echo $$ >>{pids}; exec {double} stubborn"
    )
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_runs_afterwards() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("pids");
    let begin = Instant::now();
    let flags = ["--era", "legacy", "--timeout", "2s", "--", "sh", "-c", &stubborn(&file)];
    let output = command(&flags).output().expect("the program runs");
    assert_eq!(code(&output), Some(0), "{output:?}");
    assert!(text(&output.stdout).contains("killed"), "{output:?}");
    assert!(begin.elapsed() < Duration::from_secs(40), "{:?}", begin.elapsed());
    let pids = pids(&file);
    assert_eq!(pids.len(), 9, "three processes in each of three runs: {pids:?}");
    for pid in pids {
        assert!(is_gone(pid), "{pid}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn nothing_runs_after_an_interrupt() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let file = folder.path().join("pids");
    let hang = format!("echo $$ >>{}; {}", file.display(), stubborn(&file).replace(" stubborn", " silent"));
    let flags = ["--era", "legacy", "--timeout", "60s", "--", "sh", "-c", &hang];
    let child = command(&flags).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped()).spawn();
    let child = child.expect("the program runs");
    let begin = Instant::now();
    while pids(&file).len() < 4 && begin.elapsed() < Duration::from_secs(20) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let interrupted = Command::new("kill").args(["-INT", &child.id().to_string()]).status().expect("kill runs");
    assert!(interrupted.success());
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(code(&output), Some(2), "{output:?}");
    assert!(text(&output.stderr).contains("interrupted"), "{output:?}");
    let pids = pids(&file);
    assert!(pids.len() >= 4, "{pids:?}");
    for pid in pids {
        assert!(is_gone(pid), "{pid}");
    }
}

#[test]
fn a_server_behind_a_url() {
    use std::io::{BufRead as _, BufReader};

    let mut server = Command::new(example("double-server"));
    let mut server = server.arg("http").stderr(std::process::Stdio::piped()).spawn().expect("the double runs");
    let mut lines = BufReader::new(server.stderr.take().expect("a pipe")).lines();
    let address = lines.next().expect("an address").expect("text");
    let url = format!("http://someone:hunter2@{address}/mcp?key=hunter3");
    let flags = ["--format", "json", "--call", "where", "--url", &url];
    let seen = command(&flags).output();
    let human = command(&["--call", "where", "--url", &url]).output();
    server.kill().and_then(|()| server.wait()).expect("the double ends");
    // Nobody is there any more.
    let after = command(&["--url", &url]).output().expect("the program runs");
    assert_eq!(code(&after), Some(3));

    let (seen, human) = (seen.expect("the program runs"), human.expect("the program runs"));
    let found = report(&seen);
    assert_eq!((&found["era"], &found["verdict"]), (&json!("modern"), &json!("works-only-through-roots")), "{found:#}");
    assert_eq!(moments(&found, 0), ["input-request", "input-request"]);
    assert_eq!(found["runs"][0]["remains"]["ending"], Value::Null);
    for output in [&seen, &human, &after] {
        let all = text(&output.stdout) + &text(&output.stderr);
        assert!(!all.contains("hunter") && all.contains(&address), "{all}");
    }
}

#[test]
fn temporary_directories_are_removed() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let double = example("double-server");
    let flags = ["--era", "legacy", "--", &double, "quiet"];
    let output = command(&flags).env("TMPDIR", folder.path()).env("TMP", folder.path()).output();
    assert_eq!(code(&output.expect("the program runs")), Some(0));
    let left: Vec<PathBuf> =
        fs::read_dir(folder.path()).expect("a folder").flatten().map(|entry| entry.path()).collect();
    assert!(left.is_empty(), "{left:?}");
}
