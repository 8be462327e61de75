//! Host configs with the quirks that real files have, and whatever bytes may stand in them.

mod support;

use std::fmt::Write as _;

use proptest::prelude::*;
use serde_json::{Value, json};
use support::Folder;

/// The findings of one file, as `line:column rule severity`, and the skips as `reason: detail`.
fn check(path: &str, bytes: &[u8]) -> (Vec<String>, Vec<String>) {
    let folder = Folder::new();
    folder.file(path, bytes);
    let output = folder.command(&["check", "--pedantic", "--format", "json", "."]).output().expect("the tool runs");
    let report: Value = serde_json::from_slice(&output.stdout).expect("JSON on stdout");
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    let finding = |finding: &Value| {
        let start = &finding["span"]["start"];
        format!("{}:{} {} {}", start["line"], start["column"], text(&finding["rule"]), text(&finding["severity"]))
    };
    let skip = |skip: &Value| format!("{}: {}", text(&skip["reason"]), text(&skip["detail"]));
    let all =
        |key: &str, line: &dyn Fn(&Value) -> String| report[key].as_array().expect("a list").iter().map(line).collect();
    (all("findings", &finding), all("skipped", &skip))
}

fn findings(path: &str, text: impl AsRef<[u8]>) -> Vec<String> {
    let (findings, skipped) = check(path, text.as_ref());
    assert!(skipped.is_empty(), "{skipped:?}");
    findings
}

fn skipped(path: &str, text: impl AsRef<[u8]>) -> Vec<String> {
    let (findings, skipped) = check(path, text.as_ref());
    assert!(findings.is_empty(), "{findings:?}");
    skipped
}

const PACKAGE: &str = "@modelcontextprotocol/server-filesystem";

#[test]
fn byte_order_marks_line_ends_and_trailing_commas() {
    let text = format!(
        "\u{feff}{{\r\n  // é\r\n  \"mcpServers\": {{\r\n    \"a\": {{\"command\": \"npx\", \"args\": [\"{PACKAGE}\",],}},\r\n  }},\r\n}}\r\n"
    );
    assert_eq!(findings(".mcp.json", &text), ["4:38 config-roots-server error"]);
    let utf16: Vec<u8> = text.encode_utf16().flat_map(u16::to_le_bytes).collect();
    assert_eq!(findings(".mcp.json", utf16), ["4:38 config-roots-server error"]);
}

#[test]
fn dead_entries_in_comments_are_no_entries() {
    let text = format!("{{ /* \"a\": {{\"command\": \"npx {PACKAGE}\"}}, */ \"servers\": {{}} // npx {PACKAGE}\n}}");
    assert!(findings(".vscode/mcp.json", text).is_empty());
    let text = format!(
        "mcp:\n  servers:\n    # a:\n    #   command: npx\n    #   args: [\"{PACKAGE}\"]\n    b:\n      command: x\n"
    );
    assert!(findings("mcp_agent.config.yaml", text).is_empty());
}

#[test]
fn of_duplicate_keys_the_last_counts() {
    let text = format!("{{\"a\": {{\"command\": \"npx\", \"args\": [\"{PACKAGE}\"], \"args\": [\"other\"]}}}}");
    assert!(findings(".mcp.json", text).is_empty());
}

#[test]
fn what_does_not_parse_is_named_with_its_place() {
    let truncated = skipped(".vscode/mcp.json", "{\n  \"servers\": {\n    \"a\": {\"command\": \"npx\"}\n");
    assert_eq!(truncated, ["parse-error: line 2, column 14: unterminated object"]);
    let glued = skipped(".mcp.json", "{\"mcpServers\": {}}\n}\n");
    assert_eq!(glued.len(), 1);
    assert!(glued[0].starts_with("parse-error: line 2, column 1: "), "{glued:?}");
    let yaml = skipped("fastagent.config.yaml", "mcp:\n  servers: [\n");
    assert!(yaml[0].starts_with("parse-error: line "), "{yaml:?}");
    let toml = skipped(".mcp.toml.json", "x");
    assert!(toml.is_empty() || toml[0].starts_with("parse-error"), "{toml:?}");
    let codex = skipped(".codex/config.toml", "[mcp_servers.a\ncommand = 1\n");
    assert!(codex[0].starts_with("parse-error: line 1, column "), "{codex:?}");
}

#[test]
fn a_template_that_is_no_mcp_config_is_left_alone() {
    let (findings, skipped) = check("config.yaml", b"{{- if .Values.x }}\na: [\n{{- end }}\n");
    assert!(findings.is_empty() && skipped.is_empty(), "{findings:?} {skipped:?}");
}

#[test]
fn windows_paths_and_wrappers() {
    let text = json!({ "mcpServers": {
        "a": { "command": "C:\\Program Files\\nodejs\\npx.cmd", "args": ["-y", PACKAGE] },
        "b": { "command": "cmd", "args": ["/c", "npx", "-y", PACKAGE, "C:\\work"] },
        "c": { "command": "node", "args": ["C:\\x\\node_modules\\@modelcontextprotocol\\server-filesystem\\dist\\index.js"] },
    } });
    let rules: Vec<String> = findings(".mcp.json", text.to_string())
        .iter()
        .map(|line| line.split_once(' ').unwrap_or_default().1.to_owned())
        .collect();
    assert_eq!(rules, ["config-roots-server error", "config-roots-override note", "config-roots-server error"]);
}

#[test]
fn yaml_with_unknown_tags_several_documents_and_aliases() {
    let text = format!(
        "a: !developer_secret ${{oc.env:X}}\n---\nmcp:\n  servers:\n    one: &one\n      command: npx\n      args: [\"{PACKAGE}\"]\n      roots:\n        - uri: \"https://x/y\"\n    two: *one\n"
    );
    let found = findings("mcp_agent.config.yaml", text);
    assert!(found.contains(&"7:14 config-roots-server error".to_owned()), "{found:?}");
    assert!(found.contains(&"8:7 config-roots warning".to_owned()), "{found:?}");
    assert!(found.contains(&"9:16 root-uri-scheme error".to_owned()), "{found:?}");
}

#[test]
fn toml_tables_and_arrays_of_tables() {
    let text = format!("[mcp_servers.a]\ncommand = \"npx\"\nargs = [\"{PACKAGE}\"]\n");
    assert_eq!(findings(".codex/config.toml", text), ["3:9 config-roots-server error"]);
    let text = format!("[[mcp_servers]]\nname = \"a\"\ncommand = \"npx\"\nargs = [\"{PACKAGE}\"]\n");
    assert_eq!(findings(".codex/config.toml", text), ["4:9 config-roots-server error"]);
}

#[test]
fn front_matter_of_an_agent() {
    let text = format!(
        "---\nname: x\nmcp-servers:\n  files:\n    type: local\n    command: npx\n    args: [\"{PACKAGE}\"]\n---\nText.\n"
    );
    assert_eq!(findings(".github/agents/x.md", text), ["7:12 config-roots-server error"]);
    assert!(
        findings(
            "README.md",
            format!("```json\n{{\"a\": {{\"command\": \"npx\", \"args\": [\"{PACKAGE}\"]}}}}\n```\n")
        )
        .is_empty()
    );
}

#[test]
fn deep_and_large_files_end() {
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let skips = skipped(".mcp.json", deep);
    assert!(skips[0].starts_with("too-deep") || skips[0].starts_with("parse-error"), "{skips:?}");
    let mut large = String::from("{\"mcpServers\": {");
    for number in 0..60_000 {
        let _ = write!(
            large,
            "\"server{number}\": {{\"command\": \"npx\", \"args\": [\"-y\", \"other-server-{number}\", \"{}\"]}},",
            "x".repeat(100)
        );
    }
    let _ = write!(large, "\"last\": {{\"command\": \"npx\", \"args\": [\"{PACKAGE}\"]}}}}}}");
    assert!(large.len() > 10_000_000);
    assert_eq!(findings(".mcp.json", large).len(), 1);
}

#[test]
fn a_suppression_comment_works_where_the_host_reads_comments() {
    let text = format!(
        "{{ \"servers\": {{\n  // mcp-roots-lint: allow(config-roots-server) one entry for all folders\n  \"a\": {{\"command\": \"npx\", \"args\": [\"{PACKAGE}\"]}}\n}} }}"
    );
    let folder = Folder::new();
    folder.file(".vscode/mcp.json", text);
    let output = folder.command(&["check", "."]).output().expect("the tool runs");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stdout));
}

#[test]
fn own_configs_of_a_made_up_home() {
    let folder = Folder::new();
    folder.file(
        "home/.cursor/mcp.json",
        format!("{{\"mcpServers\": {{\"a\": {{\"command\": \"npx\", \"args\": [\"{PACKAGE}\"]}}}}}}"),
    );
    folder.file("home/.codex/config.toml", "[mcp_servers.a]\ncommand = \"x\"\n");
    folder.file("project.json", "{");
    let home = folder.path().join("home");
    let mut command = folder.command(&["check", "--user", "--format", "short"]);
    for name in ["CODEX_HOME", "CLAUDE_CONFIG_DIR", "OPENCODE_CONFIG", "MCP_CATALOG_PATH", "XDG_CONFIG_HOME"] {
        command.env_remove(name);
    }
    let output = command.env("HOME", &home).env("USERPROFILE", &home).output().expect("the tool runs");
    let (out, err) = (String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert_eq!(output.status.code(), Some(1), "{out}{err}");
    assert!(out.contains(".cursor/mcp.json:1:") && out.lines().count() == 1, "{out}");
    assert!(err.contains("found   ") && err.contains(".codex/config.toml (Codex)"), "{err}");
    assert!(err.contains("absent  ") && err.contains("(Gemini CLI)"), "{err}");
}

/// Names that reach every reader.
const NAMES: [&str; 6] = [
    ".mcp.json",
    "mcp_agent.config.yaml",
    ".codex/config.toml",
    "application.properties",
    ".github/agents/a.md",
    ".vscode/mcp.json",
];

fn config_text() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        "\"",
        "'",
        "\n",
        "\r\n",
        "  ",
        "- ",
        "#",
        "//",
        "/*",
        "*/",
        "=",
        "&a ",
        "*a",
        "!t ",
        "---\n",
        "\"mcpServers\"",
        "servers",
        "command",
        "\"args\"",
        "roots",
        "uri",
        "\u{feff}",
        "é😀",
        "\0",
        "\\u0000",
        "\\ud800",
        "|\n",
        "? ",
        "npx",
        PACKAGE,
        "$HOME",
        "file:///a/../b",
        "[a.b]",
        "[[a]]",
        "true",
        "1e999",
        "\"env\"",
        "sk-secret",
        "spring.ai.mcp.client.root-change-notification",
    ]);
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// No bytes end the tool, and every reported place lies in the file.
    #[test]
    fn any_bytes(name in prop::sample::select(NAMES.to_vec()), bytes in prop_oneof![
        any::<Vec<u8>>(),
        config_text().prop_map(String::into_bytes),
        config_text().prop_map(|text| format!("{{\"mcpServers\": {{\"a\": {{\"command\": \"npx\", \"args\": [\"{PACKAGE}\"]}}}}}}{text}").into_bytes()),
    ]) {
        let folder = Folder::new();
        folder.file(name, &bytes);
        let output = folder.command(&["check", "--pedantic", "--format", "json", "."]).output().expect("the tool runs");
        prop_assert!(matches!(output.status.code(), Some(0 | 1 | 3)), "{:?}", output);
        let report: Value = serde_json::from_slice(&output.stdout).expect("JSON on stdout");
        for skip in report["skipped"].as_array().expect("a list") {
            prop_assert_ne!(&skip["reason"], "panic");
        }
        for finding in report["findings"].as_array().expect("a list") {
            let offset = |end: &str| usize::try_from(finding["span"][end]["offset"].as_u64().expect("a number")).expect("small");
            prop_assert!(offset("start") <= offset("end") && offset("end") <= bytes.len().max(1), "{finding}");
        }
    }
}
