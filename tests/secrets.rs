//! No value of a host config that may be a secret appears in any output, error or log, however close to a finding.

use std::fs;
use std::process::Command;

use serde_json::json;

/// Secrets as they stand in configs, each recognisable in output.
const SECRETS: [&str; 11] = [
    "env-hunter2",
    "ghp_abcdefghijklmnopqrstuvwxyz0123456789",
    "header-hunter2",
    "argument-hunter2",
    "url-hunter2",
    "query-hunter2",
    "command-hunter2",
    "docker-hunter2",
    "comment-hunter2",
    "other-hunter2",
    "after-hunter2",
];

/// A minified config in which secrets stand right beside findings.
fn config() -> String {
    let servers = json!({
        "files": {
            "env": { "KEY": SECRETS[0], "GITHUB_TOKEN": SECRETS[1] },
            "headers": { "Authorization": SECRETS[2] },
            "command": "npx",
            "args": ["-y", "@modelcontextprotocol/server-filesystem"],
            "apiKey": SECRETS[9],
        },
        "arguments": {
            "command": "npx",
            "args": ["-y", "@modelcontextprotocol/server-everything", "--key", SECRETS[3], SECRETS[10]],
            "env": { "KEY": SECRETS[0] },
        },
        "remote": { "url": format!("https://user:{}@host/mcp?key={}", SECRETS[4], SECRETS[5]), "roots": [
            { "uri": format!("https://user:{}@host/", SECRETS[4]) }
        ] },
        "line": { "command": format!("TOKEN={} npx -y @modelcontextprotocol/server-filesystem", SECRETS[6]) },
        "docker": { "command": "docker", "args": ["run", "-e", format!("PASSWORD={}", SECRETS[7]), "mcp/rust-mcp-filesystem", "-t"] },
    });
    format!("/*{}*/{}", SECRETS[8], json!({ "mcpServers": servers }))
}

fn outputs(text: &str) -> Vec<(String, String)> {
    let folder = tempfile::tempdir().expect("a temporary folder");
    fs::write(folder.path().join(".mcp.json"), text).expect("a writable folder");
    let mut outputs = Vec::new();
    for format in ["human", "short", "json"] {
        for color in ["always", "never"] {
            let args = ["check", "--pedantic", "--format", format, "--color", color, "."];
            let output = Command::new(env!("CARGO_BIN_EXE_mcp-roots-lint"))
                .args(args)
                .current_dir(folder.path())
                .env("RUST_LOG", "trace")
                .env("RUST_BACKTRACE", "full")
                .output()
                .expect("the program runs");
            let all = [output.stdout, output.stderr].concat();
            outputs.push((args.join(" "), String::from_utf8_lossy(&all).into_owned()));
        }
    }
    outputs
}

#[test]
fn findings_show_no_secrets() {
    for (command, output) in outputs(&config()) {
        assert!(output.contains("config-roots-server"), "{command}: {output}");
        assert!(output.contains("config-roots"), "{command}: {output}");
        for secret in SECRETS {
            assert!(!output.contains(secret), "{command} shows {secret}: {output}");
        }
    }
}

#[test]
fn errors_show_no_secrets() {
    let whole = config();
    let broken = [
        whole[..whole.len() - 2].to_owned(),
        whole.replacen("\"command\"", "command", 1),
        format!("{whole} {}", SECRETS[9]),
        whole.replacen(&format!("\"{}\"", SECRETS[0]), &format!("\"{}", SECRETS[0]), 1),
    ];
    for text in broken {
        for (command, output) in outputs(&text) {
            assert!(output.contains("parse-error"), "{command}: {output}");
            for secret in SECRETS {
                assert!(!output.contains(secret), "{command} shows {secret}: {output}");
            }
        }
    }
}
