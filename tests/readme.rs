//! The README tells what the tool does today: its tables and option list are generated from the knowledge and the
//! program (`UPDATE_README=1 cargo test --test readme` writes them), its transcripts are real, and no text speaks of a
//! date of removal.

#[cfg(feature = "runtime")]
use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use mcp_roots_lint::knowledge::Knowledge;
use mcp_roots_lint::knowledge::server::Effect;
use walkdir::WalkDir;

/// Stands in a transcript for lines that were left out.
const LEFT_OUT: &str = "…";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    text.replace("\r\n", "\n")
}

fn readme() -> String {
    read(&root().join("README.md"))
}

fn knowledge() -> Knowledge {
    Knowledge::load(&[]).expect("the embedded knowledge is sound")
}

/// What the program prints in this repository, with nothing of the environment in it.
fn output(args: &[&str]) -> String {
    let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-roots-lint"));
    command.args(args).current_dir(root());
    for name in ["NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE", "COLUMNS"] {
        command.env_remove(name);
    }
    let output = command.output().expect("the program starts");
    String::from_utf8(output.stdout).expect("output is UTF-8")
}

/// The place between two markers.
fn block(text: &str, name: &str) -> std::ops::Range<usize> {
    let (begin, end) = (format!("<!-- {name}:begin -->\n"), format!("<!-- {name}:end -->"));
    let from = text.find(&begin).unwrap_or_else(|| panic!("README.md has no {begin}")) + begin.len();
    let until = text[from..].find(&end).unwrap_or_else(|| panic!("README.md has no {end}"));
    from..from + until
}

fn rules_table(knowledge: &Knowledge) -> String {
    let mut table = String::from("| rule | severity | finds |\n|---|---|---|\n");
    for rule in &knowledge.rules {
        let level = rule.level_name();
        table.push_str(&format!("| [`{0}`](rules/lints/{0}/page.md) | {level} | {1} |\n", rule.name, rule.summary));
    }
    table
}

fn sdks_table(knowledge: &Knowledge) -> String {
    let mut table = String::from("| SDK | packages | versions read |\n|---|---|---|\n");
    for sdk in &knowledge.rust_sdks {
        let packages: Vec<String> = sdk.packages.iter().map(|package| format!("`{package}`")).collect();
        table.push_str(&format!("| [{}]({}) | {} | {} |\n", sdk.name, sdk.url, packages.join(", "), sdk.checked));
    }
    table
}

fn effect_name(effect: Option<Effect>) -> &'static str {
    match effect {
        Some(Effect::Fails) => "fails",
        Some(Effect::Widens) => "widens",
        Some(Effect::Narrows) => "narrows",
        Some(Effect::MovesData) => "moves data",
        Some(Effect::FallsBack) => "falls back",
        Some(Effect::Ignored) => "ignored",
        None => "",
    }
}

fn servers_table(knowledge: &Knowledge) -> String {
    let mut table = String::from("| server | effect | without roots |\n|---|---|---|\n");
    for server in knowledge.servers.iter().filter(|server| !server.look_alike) {
        table.push_str(&format!(
            "| {} | {} | {} |\n",
            server.name,
            effect_name(server.effect),
            server.without_roots.replace('|', "\\|")
        ));
    }
    table
}

/// The names of all hosts, folded into lines.
fn hosts(knowledge: &Knowledge) -> String {
    let names: Vec<&str> =
        knowledge.hosts.iter().filter(|host| !host.is_generic).map(|host| host.name.as_str()).collect();
    let mut lines = vec![String::new()];
    for (index, name) in names.iter().enumerate() {
        let end = if index + 1 == names.len() { "." } else { "," };
        for word in format!("{name}{end}").split(' ') {
            let line = lines.last_mut().expect("a line");
            if !line.is_empty() && line.len() + word.len() >= 120 {
                lines.push(word.to_owned());
            } else {
                line.push_str(if line.is_empty() { "" } else { " " });
                line.push_str(word);
            }
        }
    }
    format!("{}\n", lines.join("\n"))
}

fn help(command: &str) -> String {
    // The exit code lists, here and in the README's own sections, would say the same.
    let help = output(&[command, "-h"]);
    let options = help.split("\nExit codes:").next().unwrap_or_default();
    let begin = ["Arguments:", "Options:", "Server:", "Servers:"].iter().filter_map(|head| options.find(head)).min();
    let options = begin.map_or(options, |at| &options[at..]);
    format!("```text\n{}\n```\n", options.trim_end())
}

#[test]
fn generated_parts_are_up_to_date() {
    let knowledge = knowledge();
    let parts = [
        ("rules", rules_table(&knowledge)),
        ("sdks", sdks_table(&knowledge)),
        ("servers", servers_table(&knowledge)),
        ("hosts", hosts(&knowledge)),
        ("help", help("check")),
        #[cfg(feature = "runtime")]
        ("serve", help("serve")),
        #[cfg(feature = "runtime")]
        ("probe", help("probe")),
        #[cfg(feature = "runtime")]
        ("compare", help("compare")),
    ];
    let mut text = readme();
    let mut outdated = Vec::new();
    for (name, part) in parts {
        let place = block(&text, name);
        if text[place.clone()] != part {
            text.replace_range(place, &part);
            outdated.push(name);
        }
    }
    if std::env::var_os("UPDATE_README").is_some_and(|value| !value.is_empty() && value != "0") {
        fs::write(root().join("README.md"), text).expect("a writable README.md");
    } else {
        assert!(outdated.is_empty(), "{outdated:?} in README.md; UPDATE_README=1 cargo test --test readme writes them");
    }
}

#[test]
fn the_number_of_sdks_is_right() {
    let count = format!("{} SDKs", knowledge().rust_sdks.len());
    assert!(readme().replace('\n', " ").contains(&count), "README.md does not say `{count}`");
}

/// Words that begin with `--`.
#[cfg(feature = "runtime")]
fn flags(text: &str) -> BTreeSet<String> {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    let mut flags = BTreeSet::new();
    for (at, _) in text.match_indices("--") {
        let rest = &text[at..];
        let end = rest.find(|c: char| !is_part(c)).unwrap_or(rest.len());
        let flag = rest[..end].trim_end_matches('-');
        let begins = !text[..at].ends_with(|c: char| c.is_ascii_alphanumeric() || c == '-');
        if begins && flag.starts_with("--") && flag.len() > 3 {
            flags.insert(flag.to_owned());
        }
    }
    flags
}

#[cfg(feature = "runtime")]
#[test]
fn flags_exist_and_are_documented() {
    let help: BTreeSet<_> = ["check", "serve", "probe", "compare"]
        .iter()
        .flat_map(|command| flags(&output(&[command, "--help"])))
        .collect();
    assert!(help.len() > 10, "{help:?}");
    // Flags of cargo, of git and of ripgrep.
    let others = [
        "--release",
        "--locked",
        "--path",
        "--no-default-features",
        "--hidden",
        "--test",
        "--examples",
        "--cli",
        "--config",
        "--server",
        "--method",
        "--tool-name",
    ];
    let known = |flag: &String| others.contains(&flag.as_str()) || help.contains(flag);
    // The table of servers names the servers' own flags.
    let mut text = readme();
    text.replace_range(block(&text, "servers"), "");
    let in_readme = flags(&text);
    let unknown: Vec<_> = in_readme.iter().filter(|flag| !known(flag)).collect();
    assert!(unknown.is_empty(), "README.md names flags that do not exist: {unknown:?}");
    let missing: Vec<_> = help.difference(&in_readme).filter(|flag| *flag != "--help").collect();
    assert!(missing.is_empty(), "README.md does not name {missing:?}");
}

#[test]
fn the_two_commands_stand_in_the_readme() {
    let text = readme();
    for command in ["$ cargo run --release -- check examples\n", "$ cargo test\n"] {
        assert!(text.contains(command), "README.md lacks `{}`", command.trim());
    }
}

/// The fenced block that contains a text.
fn fenced<'t>(text: &'t str, needle: &str) -> &'t str {
    let at = text.find(needle).unwrap_or_else(|| panic!("README.md lacks {needle}"));
    let begin = text[..at].rfind("```").expect("inside a fence");
    let end = text[at..].find("```").map(|end| at + end).expect("a fence that ends");
    &text[begin..end]
}

/// Each run of shown lines stands in the real output as a whole and in this order, with a sign between the runs where
/// lines were left out.
fn assert_excerpt(shown: &[&str], real: &str) {
    let real: Vec<String> = real.lines().map(without_time).collect();
    let shown: Vec<String> = shown.iter().map(|line| without_time(line)).collect();
    let runs: Vec<&[String]> = shown.split(|line| line == LEFT_OUT).collect();
    let mut at = 0;
    for (number, run) in runs.iter().enumerate().filter(|(_, run)| !run.is_empty()) {
        let found = (at..=real.len().saturating_sub(run.len())).find(|at| real[*at..].starts_with(run));
        let found = found.unwrap_or_else(|| panic!("the program does not print this here:\n{}", run.join("\n")));
        assert!(number > 0 || found == 0, "README.md leaves out the beginning without a sign");
        at = found + run.len();
    }
    assert!(runs.last().is_some_and(|run| run.is_empty()) || at == real.len(), "README.md leaves out the end");
}

/// `in 12 ms` differs from run to run.
fn without_time(line: &str) -> String {
    let end = line.rfind(" in ").filter(|_| line.contains(" checked, ") && line.ends_with(" ms"));
    end.map_or(line, |end| &line[..end]).to_owned()
}

#[test]
fn the_transcript_is_real() {
    let text = readme();
    let shown: Vec<&str> = fenced(&text, "$ cargo run --release -- check examples").lines().skip(2).collect();
    assert!(shown.len() > 10);
    assert_excerpt(&shown, &output(&["check", "examples"]));
}

#[test]
fn the_json_sample_is_real() {
    let text = readme();
    let shown: Vec<&str> = fenced(&text, "\"schema_version\": 1,").lines().skip(1).collect();
    assert!(shown.len() > 10);
    assert_excerpt(&shown, &output(&["check", "--format", "json", "examples"]));
}

#[cfg(feature = "runtime")]
#[test]
fn the_comparison_is_real() {
    let text = readme();
    let shown: Vec<&str> = fenced(&text, "$ mcp-roots-lint compare\n").lines().skip(2).collect();
    assert!(shown.len() > 10);
    assert_excerpt(&shown, &output(&["compare"]));
}

#[cfg(feature = "runtime")]
#[test]
fn the_probe_is_real() {
    let text = readme();
    let shown: Vec<&str> = fenced(&text, "$ mcp-roots-lint probe --era legacy").lines().skip(2).collect();
    assert!(shown.len() > 10);
    let server = Path::new(env!("CARGO_BIN_EXE_mcp-roots-lint")).with_file_name("examples").join("server-before");
    let server = server.to_string_lossy();
    let real = output(&["probe", "--era", "legacy", "--call", "count_lines", "--", &server]);
    assert_excerpt(&shown, &real.replace(&*server, "target/debug/examples/server-before"));
}

/// The messages of both eras: what the client says is said, what the server says is compared.
#[cfg(feature = "runtime")]
#[test]
fn the_messages_are_real() {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::process::{Command, Stdio};

    let home = tempfile::tempdir().expect("a folder");
    let me = home.path().canonicalize().expect("a path");
    for (path, text) in [("alpha/notes.txt", "one\ntwo\nthree"), ("beta/b.txt", "1\n2\n3\n4\n")] {
        fs::create_dir_all(me.join(path).parent().expect("a folder")).expect("made");
        fs::write(me.join(path), text).expect("written");
    }
    let text = readme().replace("/home/me/", &format!("{}/", me.display()));
    for first in [
        "> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"initialize\"",
        "> {\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/call\"",
    ] {
        let mut server = Command::new(env!("CARGO_BIN_EXE_mcp-roots-lint"))
            .args(["serve", "--events", "events.jsonl"])
            .current_dir(&me)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("serve starts");
        let mut input = server.stdin.take().expect("stdin");
        let mut output = BufReader::new(server.stdout.take().expect("stdout")).lines();
        let mut state = String::new();
        let mut heard = 0;
        for line in fenced(&text, first).lines().skip(1) {
            match line.split_at(2) {
                ("> ", said) => writeln!(input, "{}", said.replacen('…', &state, 1)).expect("said"),
                ("< ", shown) => {
                    let real = output.next().expect("an answer").expect("a line");
                    let mut rest = real.as_str();
                    let parts: Vec<_> = shown.split('…').collect();
                    for (at, part) in parts.iter().enumerate() {
                        let is_last = at + 1 == parts.len();
                        let found = if is_last { rest.len().checked_sub(part.len()) } else { rest.find(part) };
                        let found = found.filter(|&found| rest[found..].starts_with(part) && (at > 0 || found == 0));
                        let found = found.unwrap_or_else(|| panic!("the server says\n{real}\nand README.md\n{shown}"));
                        rest = &rest[found + part.len()..];
                    }
                    assert!(rest.is_empty(), "the server says\n{real}\nand README.md\n{shown}");
                    let value: serde_json::Value = serde_json::from_str(&real).expect("JSON");
                    if let Some(sealed) = value["result"]["requestState"].as_str() {
                        sealed.clone_into(&mut state);
                    }
                    heard += 1;
                }
                _ => panic!("{line}"),
            }
        }
        assert!(heard >= 2);
        drop(input);
        assert!(server.wait().expect("ended").success());
    }
}

#[test]
fn links_lead_to_files() {
    for (file, text) in [("README.md", readme()), ("rules/README.md", read(&root().join("rules/README.md")))] {
        let folder = root().join(file).parent().expect("a folder").to_owned();
        let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
        for target in targets.filter(|target| !target.contains("://") && !target.starts_with('#')) {
            let path = folder.join(target.split('#').next().unwrap_or(target));
            assert!(path.exists(), "{file}: {target} does not exist");
        }
    }
}

/// Everything that speaks of the deprecation to a reader.
fn texts() -> Vec<PathBuf> {
    let rules = WalkDir::new(root().join("rules")).sort_by_file_name().into_iter();
    let files = rules.map(|entry| entry.expect("a readable folder").into_path());
    let is_text = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "md" || extension == "toml");
    let mut texts: Vec<PathBuf> = files.filter(is_text).collect();
    texts.extend(["README.md", "CHANGELOG.md", "CONTRIBUTING.md"].map(|name| root().join(name)));
    texts
}

/// 2027-07-28 is when Roots becomes eligible for removal, not when it goes.
#[test]
fn no_text_names_a_date_of_removal() {
    let forbidden = [
        "will be removed",
        "will be gone",
        "removed on 2027",
        "removed in 2027",
        "removed by 2027",
        "removal on 2027",
        "removal in 2027",
        "gone on 2027",
        "gone by 2027",
        "until 2027",
    ];
    for path in texts() {
        let text = read(&path).replace('\n', " ").to_lowercase();
        for phrase in forbidden {
            assert!(!text.contains(phrase), "{}: `{phrase}`", path.display());
        }
        let exact = "the first revision released on or after";
        for (at, _) in text.match_indices("2027-07-28") {
            assert!(text[..at].trim_end().ends_with(exact), "{}: write `{exact} 2027-07-28`", path.display());
        }
    }
}
