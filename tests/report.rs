//! The JSON report against its schema, equal runs, colours, and readers that go away.

mod support;

use std::io::Read as _;
use std::process::Stdio;

use serde_json::{Value, json};
use support::{CLIENT, Folder, Run, named};

const SCHEMA: &str = include_str!("../rules/report.schema.json");

fn schema() -> Value {
    serde_json::from_str(SCHEMA).expect("JSON")
}

/// Fails with every place where the report is not as the schema says.
fn assert_valid(report: &Value) {
    let validator = jsonschema::draft202012::options().should_validate_formats(true).build(&schema());
    let validator = validator.expect("a sound schema");
    let errors: Vec<String> =
        validator.iter_errors(report).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{report:#}");
}

/// A folder with something of everything: roles, advice, tests, suppressions, related places, skips.
fn something_of_everything() -> Folder {
    let folder = Folder::new();
    let fixtures = concat!(env!("CARGO_MANIFEST_DIR"), "/rules/lints");
    for rule in std::fs::read_dir(fixtures).expect("the rules") {
        let rule = rule.expect("readable");
        for fixture in std::fs::read_dir(rule.path().join("hit")).expect("fixtures") {
            let fixture = fixture.expect("readable");
            let name = fixture.file_name().to_str().expect("UTF-8").to_owned();
            if !name.ends_with(".rs") {
                continue;
            }
            let text = std::fs::read(fixture.path()).expect("readable");
            folder.file(format!("src/{}/{name}", rule.file_name().to_str().expect("UTF-8")), text);
        }
    }
    folder.file(
        "src/suppressed.rs",
        CLIENT.replace(";\n}", "; // mcp-roots-lint: allow(roots-list-changed-sent) old\n}"),
    );
    folder.file("tests/it.rs", CLIENT);
    folder.file("broken.rs", format!("{CLIENT}fn f() {{ let = ; }}\n"));
    folder.file("open.rs", format!("{CLIENT}fn f() {{\n"));
    folder.file("latin-1.rs", [CLIENT.as_bytes(), b"\xff"].concat());
    folder.file("vendor/lib.rs", CLIENT);
    folder.file("notes.txt", CLIENT);
    folder.file("rmcp/Cargo.toml", "[package]\nname = \"rmcp\"\nversion = \"3.11.0\"\n");
    folder.file("rmcp/src/lib.rs", CLIENT);
    folder
}

#[test]
fn every_report_follows_the_schema() {
    let folder = something_of_everything();
    for (args, findings) in [
        (&[][..], true),
        (&["--pedantic", "--min-confidence", "possible"], true),
        (&["--target", "2025-11-25", "--pedantic"], true),
        (&["--target", "2024-11-05"], true),
        (&["--include-sdk", "--no-default-excludes"], true),
        (&["--select", "roots-capability"], true),
        (&["notes.txt"], false),
    ] {
        let report = folder.report(args);
        assert_valid(&report);
        assert_eq!(report["findings"].as_array().is_some_and(|list| !list.is_empty()), findings, "{args:?}");
    }
    assert_valid(&Folder::new().report(&[]));
}

#[test]
fn the_report_names_all_that_was_not_or_half_checked() {
    let folder = something_of_everything();
    let report = folder.report(&[]);
    assert_eq!(
        named(&report, "skipped"),
        ["latin-1.rs not-utf8", "open.rs parse-error", "rmcp sdk-source", "vendor excluded"]
    );
    assert_eq!(named(&report, "degraded"), ["broken.rs parse-error"]);
    let incomplete: Vec<&Value> =
        report["skipped"].as_array().expect("a list").iter().map(|skip| &skip["incomplete"]).collect();
    assert_eq!(incomplete, [true, true, false, false]);
}

/// What makes the schema worth having: it refuses what is not in it.
#[test]
fn the_schema_is_strict() {
    let validator = jsonschema::validator_for(&schema()).expect("a sound schema");
    let folder = Folder::new();
    folder.file("src/lib.rs", CLIENT);
    let report = folder.report(&[]);
    assert!(validator.is_valid(&report));
    for (path, value) in [
        ("/extra", json!(1)),
        ("/schema_version", json!(2)),
        ("/target", json!("latest")),
        ("/summary/errors", json!(-1)),
        ("/findings/0/severity", json!("fatal")),
        ("/findings/0/role", json!(null)),
        ("/findings/0/status", json!("gone")),
        ("/findings/0/span/start/line", json!(0)),
        ("/findings/0/fingerprint", json!("xyz")),
        ("/findings/0/sdk/version", json!("three")),
        ("/findings/0/suppressed", json!({})),
        ("/skipped/0", json!({ "path": "a", "reason": "lazy", "detail": "x", "incomplete": false })),
    ] {
        let mut changed = report.clone();
        let (parent, key) = path.rsplit_once('/').expect("a path");
        match changed.pointer_mut(parent).expect("a place") {
            Value::Object(map) => drop(map.insert(key.to_owned(), value)),
            Value::Array(list) => list.push(value),
            _ => unreachable!("{parent} holds nothing"),
        }
        assert!(!validator.is_valid(&changed), "{path}");
    }
    for field in report["findings"][0].as_object().expect("a finding").keys() {
        let mut changed = report.clone();
        changed["findings"][0].as_object_mut().expect("a finding").remove(field);
        assert!(!validator.is_valid(&changed), "{field} may be absent");
    }
}

#[test]
fn two_runs_give_the_same_bytes() {
    let folder = something_of_everything();
    for package in 0..6 {
        let root = format!("crates/p{package}");
        let manifest = format!(
            "[package]\nname = \"p{package}\"\nversion = \"0.1.0\"\n\n[dependencies]\nrmcp = \"3.{package}\"\n"
        );
        folder.file(format!("{root}/Cargo.toml"), manifest);
        for file in 0..10 {
            let text = format!("use crate::f{}::f as other;\n{}", (file + 1) % 10, CLIENT.repeat(file % 3 + 1));
            folder.file(format!("{root}/src/f{file}.rs"), text);
        }
    }
    for format in ["json", "short"] {
        let args = ["check", "--format", format, "--pedantic", "--min-confidence", "possible"];
        let first = folder.run(&args);
        assert!(first.stdout.len() > 10_000, "{}", first.stdout.len());
        for _ in 0..3 {
            let next = folder.run(&args);
            assert_eq!((next.code, &next.stderr), (first.code, &first.stderr));
            assert!(next.stdout == first.stdout, "{format} differs from run to run");
        }
    }
}

#[test]
fn fingerprints_stay_when_lines_move() {
    let fingerprints = |text: &str| -> Vec<Value> {
        let folder = Folder::new();
        folder.file("src/lib.rs", text);
        let report = folder.report(&[]);
        report["findings"].as_array().expect("findings").iter().map(|finding| finding["fingerprint"].clone()).collect()
    };
    let twice = CLIENT.repeat(2);
    let before = fingerprints(&twice);
    assert_eq!(before.len(), 2);
    assert_ne!(before[0], before[1], "the same line twice is two findings");
    let moved = format!("\n\n// more\n{}", twice.replace("    peer", "\t\tpeer"));
    assert_eq!(fingerprints(&moved), before);
    // SHA-256 of "roots-list-changed-sent\0src/lib.rs\0peer.notify_roots_list_changed().await;\0" and "0" or "1".
    assert_eq!(before, ["66fdf850d1326d2a", "3d08798fe6fc6391"]);
}

#[test]
fn the_list_of_rules_is_the_same_in_both_formats() {
    let folder = Folder::new();
    let list = folder.run(&["rules", "--format", "json"]).json();
    let list = list.as_array().expect("an array");
    let table = folder.run(&["rules"]).stdout;
    assert_eq!(list.len(), table.lines().count());
    for (rule, line) in list.iter().zip(table.lines()) {
        let keys: Vec<&String> = rule.as_object().expect("an object").keys().collect();
        assert_eq!(keys, ["constructs", "level", "name", "summary"]);
        let (name, summary) = (rule["name"].as_str().expect("a name"), rule["summary"].as_str().expect("a summary"));
        assert!(line.starts_with(&format!("{name} ")) && line.ends_with(summary), "{line}");
        let constructs = rule["constructs"].as_array().expect("a list");
        let depends = if constructs.is_empty() { "by server" } else { "by revision" };
        let level = rule["level"].as_str().unwrap_or(depends);
        assert_eq!(line[name.len()..].trim_start().split("  ").next(), Some(level), "{line}");
        assert!(constructs.is_empty() || rule["level"].is_null(), "{name}: a construct's level is the revision's");
        for (index, construct) in constructs.iter().enumerate() {
            assert!(!constructs[..index].contains(construct), "{name} names {construct} twice");
        }
    }
}

#[test]
fn every_rule_has_a_page() {
    let folder = Folder::new();
    for rule in folder.run(&["rules", "--format", "json"]).json().as_array().expect("an array") {
        let name = rule["name"].as_str().expect("a name");
        let run = folder.run(&["explain", name]);
        assert_eq!(run.code, Some(0), "{run:?}");
        assert_eq!(run.stdout.lines().next(), Some(name));
        assert!(!run.stdout.contains("```") && !run.stdout.contains('\u{1b}'), "{}", run.stdout);
    }
}

fn is_colored(args: &[&str], environment: &[(&str, &str)]) -> bool {
    let folder = Folder::new();
    folder.file("src/lib.rs", CLIENT);
    let mut command = folder.command(args);
    command.envs(environment.iter().copied());
    let run = Run::of(&mut command);
    assert!(run.stderr.is_empty(), "{run:?}");
    run.stdout.contains("\u{1b}[")
}

#[test]
fn colours_follow_the_flag_then_the_environment_then_the_terminal() {
    for command in [&["check"][..], &["explain", "roots-type"]] {
        for (flag, environment, expected) in [
            (None, &[][..], false), // a pipe is no terminal
            (Some("always"), &[], true),
            (Some("auto"), &[], false),
            (Some("never"), &[], false),
            (Some("always"), &[("NO_COLOR", "1")], true),
            (Some("never"), &[("FORCE_COLOR", "1"), ("CLICOLOR_FORCE", "1")], false),
            (None, &[("FORCE_COLOR", "1")], true),
            (None, &[("FORCE_COLOR", "0")], false),
            (None, &[("CLICOLOR_FORCE", "1")], true),
            (None, &[("CLICOLOR_FORCE", "0")], false),
            (None, &[("FORCE_COLOR", "")], false),
            (None, &[("NO_COLOR", "1"), ("FORCE_COLOR", "1")], false),
            (None, &[("NO_COLOR", ""), ("FORCE_COLOR", "1")], true),
            // https://no-color.org: when present and not empty, whatever its value.
            (None, &[("NO_COLOR", "0"), ("FORCE_COLOR", "1")], false),
        ] {
            let flag = flag.map(|flag| ["--color", flag]);
            let args = [command, flag.as_ref().map(<[_; 2]>::as_slice).unwrap_or_default()].concat();
            assert_eq!(is_colored(&args, environment), expected, "{args:?} {environment:?}");
        }
    }
}

#[test]
fn machines_get_no_colours() {
    for format in ["short", "json"] {
        assert!(!is_colored(&["check", "--color", "always", "--format", format], &[]), "{format}");
    }
}

/// `mcp-roots-lint … | head -1`: the reader goes away in the middle.
#[test]
fn a_broken_pipe_is_silent() {
    let folder = Folder::new();
    folder.file("src/lib.rs", CLIENT.repeat(2_000)); // more than a pipe holds
    for args in [&["check"][..], &["check", "--format", "short"], &["check", "--format", "json"]] {
        let mut command = folder.command(args);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the tool starts");
        let mut stdout = child.stdout.take().expect("a pipe");
        stdout.read_exact(&mut [0; 1]).expect("a first byte");
        drop(stdout);
        let output = child.wait_with_output().expect("the tool ends");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
        assert!(matches!(output.status.code(), Some(0 | 1)), "{args:?}: {}", output.status);
    }
    for args in [&["rules"][..], &["explain", "roots-type"], &["--help"], &["--version"]] {
        let mut command = folder.command(args);
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the tool starts");
        drop(child.stdout.take());
        let output = child.wait_with_output().expect("the tool ends");
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
        assert_eq!(output.status.code(), Some(0), "{args:?}");
    }
}

#[test]
fn help_names_every_exit_code() {
    let folder = Folder::new();
    for args in [&["--help"][..], &["check", "--help"]] {
        let run = folder.run(args);
        assert_eq!((run.code, run.stderr.as_str()), (Some(0), ""));
        for code in ["\n  0  ", "\n  1  ", "\n  2  ", "\n  3  "] {
            assert!(run.stdout.contains(code), "{}", run.stdout);
        }
    }
    assert_eq!(folder.run(&["--version"]).stdout, concat!("mcp-roots-lint ", env!("CARGO_PKG_VERSION"), "\n"));
}
