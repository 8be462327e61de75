//! `mcp-roots-lint compare`, as a person runs it: the built-in scenarios pass, whatever is flipped or broken is named,
//! and a wider boundary is an error that nothing excuses.
#![cfg(feature = "runtime")]

use std::fs;
use std::path::Path;
use std::process::{Command, Output};
use std::sync::Mutex;
use std::time::{Duration, Instant};

use serde_json::Value;

const BUILT_IN: &str = include_str!("../rules/scenarios/built-in.toml");

fn compare(args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-roots-lint"));
    command.arg("compare").args(args).output().expect("compare runs")
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// Runs a scenario file.
fn play(file: &str, args: &[&str]) -> Output {
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("scenarios.toml");
    fs::write(&path, file).expect("a file");
    let path = path.to_string_lossy();
    compare(&[&["--scenario", &path], args].concat())
}

#[test]
fn the_bundled_server_passes_in_every_mode_and_era() {
    let begun = Instant::now();
    let output = compare(&["--format", "json"]);
    assert!(begun.elapsed() < Duration::from_secs(60), "took {:?}", begun.elapsed());
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let plays = report["plays"].as_array().expect("plays");

    let file: toml::Table = BUILT_IN.parse().expect("TOML");
    let scenarios = file["scenario"].as_array().expect("scenarios");
    let eras =
        scenarios.iter().map(|scenario| scenario.get("eras").map_or(2, |eras| eras.as_array().map_or(0, Vec::len)));
    assert_eq!(plays.len(), 3 * eras.sum::<usize>(), "every scenario, in each of its eras, for each server");

    for play in plays {
        let verdict = play["verdict"].as_str().expect("a verdict");
        assert!(["same", "expected difference"].contains(&verdict), "{play:#}");
        assert_ne!(play["boundary"], "wider", "{play:#}");
        for call in play["calls"].as_array().expect("calls") {
            if call["verdict"] == "expected difference" {
                assert!(call["reason"].as_str().is_some_and(|reason| reason.len() > 20), "{call:#}");
            }
        }
    }
    // Without roots a call costs one round trip; with them one more in each era.
    let of = |scenario: &str, era: &str| {
        let play = plays.iter().find(|play| play["scenario"] == scenario && play["era"] == era).expect(scenario);
        let trips = &play["most_per_call"];
        (trips["before"]["round_trips"].as_u64(), trips["after"]["round_trips"].as_u64())
    };
    assert_eq!(of("one-root", "modern"), (Some(2), Some(1)));
    assert_eq!(of("no-roots-declared", "legacy"), (Some(1), Some(1)));
    assert_eq!(of("no-roots-declared", "modern"), (Some(1), Some(1)));
}

/// A scenario file in which one expectation is turned into its opposite.
struct Flip {
    scenario: String,
    step: usize,
    side: String,
    file: String,
}

fn flips() -> Vec<Flip> {
    let file: toml::Table = BUILT_IN.parse().expect("TOML");
    let sides: Vec<toml::Value> = file["after"].as_array().expect("servers").clone();
    let wrong: toml::Value = "x = { before = { error = 1 }, after = { error = 2 }, reason = \"flipped\" }"
        .parse::<toml::Table>()
        .expect("TOML")["x"]
        .clone();
    let mut all = Vec::new();
    for (at, scenario) in file["scenario"].as_array().expect("scenarios").iter().enumerate() {
        for (step_at, step) in scenario["step"].as_array().expect("steps").iter().enumerate() {
            if step.get("before").is_none() {
                continue;
            }
            for side in &sides {
                let name = side["name"].as_str().expect("a name");
                let stated = step.get("expect_in").and_then(|of| of.get(name)).or_else(|| step.get("expect"));
                let flipped = match stated {
                    Some(toml::Value::Table(_)) => toml::Value::String("same".into()),
                    _ => wrong.clone(),
                };
                let mut file = file.clone();
                file["after"] = toml::Value::Array(vec![side.clone()]);
                // Only this scenario, so that calls of the other servers are no matter.
                let mut scenario = file["scenario"][at].clone();
                let step = &mut scenario["step"][step_at];
                let step = step.as_table_mut().expect("a step");
                step.remove("expect");
                step.insert("expect_in".into(), toml::Table::from_iter([(name.to_owned(), flipped)]).into());
                for step in scenario["step"].as_array_mut().expect("steps") {
                    keep_only(step, name);
                }
                let scenario_name = scenario["name"].as_str().expect("a name").to_owned();
                file["scenario"] = toml::Value::Array(vec![scenario]);
                let file = toml::to_string(&file).expect("TOML");
                all.push(Flip { scenario: scenario_name, step: step_at, side: name.to_owned(), file });
            }
        }
    }
    all
}

fn keep_only(step: &mut toml::Value, side: &str) {
    for key in ["after_in", "expect_in", "reads_in"] {
        if let Some(of) = step.get_mut(key).and_then(toml::Value::as_table_mut) {
            of.retain(|name, _| name == side);
        }
    }
}

#[test]
fn any_flipped_expectation_fails_and_is_named() {
    let flips = Mutex::new(flips());
    let count = flips.lock().expect("flips").len();
    assert!(count > 60, "only {count} expectations");
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                while let Some(flip) = { flips.lock().expect("flips").pop() } {
                    let Flip { scenario, step, side, file } = flip;
                    let output = play(&file, &[]);
                    let said = text(&output);
                    assert_eq!(output.status.code(), Some(1), "{scenario}, step {step}, {side}:\n{said}");
                    assert!(said.contains(&format!("unexpected: {scenario} (")), "{scenario}, {step}, {side}:\n{said}");
                }
            });
        }
    });
}

#[test]
fn a_mode_that_is_broken_on_purpose_is_named() {
    // Serves another directory than it should.
    let broken = "arguments={self} serve --mode arguments --allow-dir {dir}/beta";
    let output = compare(&["--after", broken, "--only", "one-root"]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("unexpected: one-root (legacy), arguments"), "{said}");
    assert!(said.contains("ONLY BEFORE"), "{said}");
}

const SMALL: &str = r#"
[tree]
"project/a.txt" = "one\ntwo\n"
"project/out" = { link = "../outside" }
"outside/secret.txt" = "secret\n"

[before]
command = ["{self}", "serve", "--mode", "roots"]
cwd = "project"

[[after]]
name = "after"
command = ["{self}", "serve", "--mode", "arguments", "--allow-dir", "{dir}"]
allowed = ["project"]

[[scenario]]
name = "outside"
client = { roots = ["project"] }

[[scenario.step]]
before = { tool = "count_lines", arguments = { subdir = "../outside" } }
after = { tool = "count_lines", arguments = { directory = "{dir}/outside" } }
reads = "outside"
expect = { before = { refused = "goes up" }, after = { result = { lines = 1, bytes = 7, files = 1, directory = "{dir}/outside", binary = 0, symlinks = 0, special = 0, unreadable = 0, source = "argument" } }, reason = "says someone who should not" }
"#;

#[test]
fn a_wider_boundary_fails_whatever_the_scenario_expects() {
    let output = play(SMALL, &[]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("after: wider"), "{said}");
    assert!(said.contains("READABLE, AND MUST NOT BE: `outside` (outside)"), "{said}");

    // The same call is fine when the operator named that directory.
    let named = SMALL.replace("allowed = [\"project\"]", "allowed = [\"project\", \"outside\"]");
    let output = play(&named, &[]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("readable, as the operator named it: `outside`"), "{said}");

    // A link in a named directory is no name for what it leads to.
    let through_link = SMALL
        .replace("allowed = [\"project\"]", "allowed = [\"project\"]\ncwd = \"project\"")
        .replace("reads = \"outside\"", "reads = \"project/out\"");
    assert_eq!(play(&through_link, &[]).status.code(), Some(1));
}

#[test]
fn a_server_that_cannot_be_played_is_incomplete() {
    for (before, why) in [
        ("/does/not/exist", "cannot be started"),
        ("sh -c 'echo broken >&2; exit 3'", "it said: broken"),
        ("sleep 60", "no answer within"),
    ] {
        let output = play(SMALL, &["--before", before, "--timeout", "300ms", "--era", "legacy"]);
        let said = text(&output);
        assert_eq!(output.status.code(), Some(3), "{before}:\n{said}");
        assert!(said.contains("NOT PLAYED") && said.contains(why), "{before}:\n{said}");
        assert!(said.contains("not played: outside (legacy), after") && said.contains("after: not tested"), "{said}");
    }
}

#[test]
fn a_server_of_one_era_is_compared_in_that_era() {
    let output = play(
        &SMALL
            .replace("\"--allow-dir\", \"{dir}\"", "\"--allow-dir\", \"{dir}/project\"")
            .replace("expect = {", "expect = \"same-error\" #"),
        &["--before", "{self} serve --mode roots --era legacy"],
    );
    let said = text(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("1 same, 0 with expected differences, 0 unexpected, 1 left out"), "{said}");
}

#[test]
fn mistakes_in_scenarios_are_said_with_their_place() {
    let cases = [
        ("", "there is no [[scenario]]"),
        ("nonsense = 1", "unknown field `nonsense`"),
        ("[tree]\n\"../x\" = \"\"\n[[scenario]]\nname=\"a\"\nstep=[{settle=true}]", "`../x` is not a relative path"),
        (
            "[tree]\n\"a\" = { link = \"/tmp\" }\n\"a/b/c\" = \"\"\n[[scenario]]\nname=\"a\"\nstep=[{settle=true}]",
            "`a/b/c` is in `a`, which is no directory",
        ),
        ("[[scenario]]\nname=\"a\"\nclient={roots=[\"x\"]}\nstep=[{settle=true}]", "`x` is not in [tree]"),
        (
            "[[scenario]]\nname=\"a\"\nstep=[{before={tool=\"t\"},after={tool=\"t\"},reads=\"x\"}]",
            "`x` is not in [tree]; only a call that is expected to fail",
        ),
        (
            "[before]\ncommand=[\"x\",\"{dirr}/y\"]\n[[scenario]]\nname=\"a\"\nstep=[{settle=true}]",
            "`{dirr}` is none of the places",
        ),
        (
            "[before]\ncommand=[\"x\"]\nallowed=[\"y\"]\n[[scenario]]\nname=\"a\"\nstep=[{settle=true}]",
            "`y` is not in [tree]",
        ),
        ("[[scenario]]\nname=\"a\"\nstep=[{}]", "scenario `a`: step 1: a step is one of"),
        (
            "[[scenario]]\nname=\"a\"\nstep=[{settle=true}]\n[[scenario]]\nname=\"a\"\nstep=[{settle=true}]",
            "two scenarios `a`",
        ),
        ("[[scenario]]\nname=\"a\"\nstep=[{settle=true, reads=\"x\"}]", "belong to a call"),
        ("[[scenario]]\nname=\"a\"\nclient={never=true,error=1}\nstep=[{settle=true}]", "only one of"),
        (
            "[[scenario]]\nname=\"a\"\nstep=[{before={tool=\"t\"},after={tool=\"t\"},expect={before=\"x\",after=\"y\",reason=\"r\"}}]",
            "there is no outcome `x`",
        ),
        (
            "[[scenario]]\nname=\"a\"\nstep=[{before={tool=\"t\"},after={tool=\"t\"},expect={before={error=1},after={error=1},reason=\"r\"}}]",
            "two different outcomes",
        ),
        ("[[scenario]]\nname=\"a\"\nstep=[{before={tool=\"t\"},after={tool=\"t\"}}]", "there is no server `before`"),
    ];
    for (file, what) in cases {
        let output = play(file, &[]);
        let said = text(&output);
        assert_eq!(output.status.code(), Some(2), "{file}:\n{said}");
        assert!(said.contains(what) && said.contains("scenarios.toml"), "{file}:\n{said}");
    }
    assert_eq!(compare(&["--only", "nothing"]).status.code(), Some(2));
    let output = compare(&["--only", "never-answers,answers-late", "--era", "modern"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output).contains("there is nothing to play"), "{}", text(&output));
    assert_eq!(compare(&["--before", "'"]).status.code(), Some(2));
    let output = compare(&["--before", "x", "--after", "y"]);
    assert!(text(&output).contains("there is no call for the server `after`, only for arguments"), "{}", text(&output));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn markdown_and_transcript_hold_the_same_comparison() {
    let folder = tempfile::tempdir().expect("a folder");
    let transcript = folder.path().join("messages.jsonl");
    let transcript = transcript.to_string_lossy();
    let args = ["--only", "several-roots", "--format", "markdown", "--transcript", &transcript];
    let output = compare(&args);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(0), "{said}");
    assert!(said.contains("| several-roots | legacy | expected [1] |"), "{said}");
    assert!(said.contains("### Access boundary"), "{said}");
    let messages = fs::read_to_string(Path::new(&*transcript)).expect("a transcript");
    assert!(messages.lines().all(|line| serde_json::from_str::<Value>(line).is_ok()), "{messages}");
    assert!(messages.contains("input_required"), "the modern era is played, too");
}

/// `examples/migration.md` is what the comparison of the two example servers says; `UPDATE_EXAMPLES=1` writes it.
#[test]
fn the_report_of_the_example_migration_is_true() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    // Wherever the target folder is, cargo builds the examples beside the binary for `cargo test`.
    let binaries = Path::new(env!("CARGO_BIN_EXE_mcp-roots-lint")).parent().expect("a folder").join("examples");
    let file = fs::read_to_string(root.join("examples/migration.toml")).expect("the scenarios");
    let binaries = binaries.to_string_lossy().replace('\\', "/");
    let output = play(&file.replace("target/debug/examples", &binaries), &["--format", "markdown"]);
    let report = String::from_utf8_lossy(&output.stdout).replace(&binaries, "target/debug/examples");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output));
    let path = root.join("examples/migration.md");
    if std::env::var_os("UPDATE_EXAMPLES").is_some_and(|value| !value.is_empty() && value != "0") {
        fs::write(&path, report).expect("written");
    } else {
        let kept = fs::read_to_string(&path).expect("the report");
        assert_eq!(kept.replace("\r\n", "\n"), report, "UPDATE_EXAMPLES=1 cargo test --test compare writes it");
    }
}

#[test]
fn a_failed_expectation_is_shown_against_what_came() {
    let wrong = SMALL
        .replace("\"--allow-dir\", \"{dir}\"", "\"--allow-dir\", \"{dir}/outside\"")
        .replace("allowed = [\"project\"]", "allowed = [\"outside\"]")
        .replace("lines = 1", "lines = 2");
    let output = play(&wrong, &["--era", "legacy"]);
    let said = text(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("after, stated and real/lines: 2 -> 1"), "{said}");
    // Of the rest nothing differs.
    assert_eq!(said.matches("stated and real").count(), 1, "{said}");
}

/// The servers are in process groups of their own, where Ctrl-C does not reach them by itself.
#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_ends_the_servers() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, pid) = (folder.path().join("scenarios.toml"), folder.path().join("pid"));
    fs::write(&file, SMALL).expect("a file");
    let server =
        format!("sh -c 'trap \"\" TERM; echo $$ > {0}.new; mv {0}.new {0}; sleep 600; sleep 600'", pid.display());
    let mut compare = Command::new(env!("CARGO_BIN_EXE_mcp-roots-lint"))
        .args(["compare", "--timeout", "60s", "--before", &server, "--scenario"])
        .arg(&file)
        .stdout(std::process::Stdio::null())
        .stderr(std::process::Stdio::null())
        .spawn()
        .expect("compare starts");
    let until = |what: &str, is_so: &dyn Fn() -> bool| {
        let begun = Instant::now();
        while !is_so() {
            assert!(begun.elapsed() < Duration::from_secs(30), "{what}");
            std::thread::sleep(Duration::from_millis(20));
        }
    };
    until("the server starts", &|| pid.exists());
    let process = format!("/proc/{}", fs::read_to_string(&pid).expect("a number").trim());
    assert!(Path::new(&process).exists());
    let killed = Command::new("kill").args(["-INT", &compare.id().to_string()]).status().expect("kill runs");
    assert!(killed.success());
    assert_eq!(compare.wait().expect("it ends").code(), Some(2));
    until("the server ends", &|| !Path::new(&process).exists());
}
