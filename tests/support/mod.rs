//! A folder of files for one test, and runs of the tool in it.

#![allow(dead_code, reason = "each test file uses its part")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use tempfile::TempDir;

/// A manifest with rmcp, so that files below it speak MCP.
const MANIFEST: &str = "[package]\nname = \"app\"\nversion = \"0.1.0\"\n\n[dependencies]\nrmcp = \"=3.11.0\"\n";

/// One error: `peer.notify_roots_list_changed()` in line 2, column 10.
pub const CLIENT: &str =
    "async fn f(peer: &rmcp::service::Peer<rmcp::RoleClient>) {\n    peer.notify_roots_list_changed().await;\n}\n";

/// A temporary folder that holds a package with rmcp.
pub struct Folder(TempDir);

/// What one run of the tool gave.
#[derive(Debug)]
pub struct Run {
    pub code: Option<i32>,
    pub stdout: String,
    pub stderr: String,
}

impl Folder {
    /// An empty package.
    pub fn new() -> Self {
        let folder = Self(tempfile::tempdir().expect("a temporary folder"));
        folder.file("Cargo.toml", MANIFEST);
        folder
    }

    pub fn path(&self) -> &Path {
        self.0.path()
    }

    /// Writes a file, and the folders above it.
    pub fn file(&self, path: impl AsRef<Path>, bytes: impl AsRef<[u8]>) -> PathBuf {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().expect("a path in the folder")).expect("a writable folder");
        fs::write(&path, bytes).expect("a writable folder");
        path
    }

    /// The tool, to be started in the folder; the colours of the machine do not matter.
    pub fn command(&self, args: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_mcp-roots-lint"));
        command.args(args).current_dir(self.path()).stdin(Stdio::null());
        for name in ["NO_COLOR", "FORCE_COLOR", "CLICOLOR_FORCE"] {
            command.env_remove(name);
        }
        command
    }

    /// Runs the tool in the folder.
    pub fn run(&self, args: &[&str]) -> Run {
        Run::of(&mut self.command(args))
    }

    /// Runs the tool with this on standard input.
    pub fn run_with_input(&self, args: &[&str], input: &[u8]) -> Run {
        let mut command = self.command(args);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("the tool starts");
        child.stdin.take().expect("a pipe").write_all(input).expect("the tool reads its input");
        Run::from(child.wait_with_output().expect("the tool ends"))
    }

    /// The JSON report of `check` on these paths.
    pub fn report(&self, paths: &[&str]) -> Value {
        self.run(&[&["check", "--format", "json"], paths].concat()).json()
    }
}

impl Run {
    /// Starts a command and waits for it.
    pub fn of(command: &mut Command) -> Self {
        command.output().expect("the tool starts").into()
    }

    /// Standard output as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl From<std::process::Output> for Run {
    fn from(output: std::process::Output) -> Self {
        let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
        Self { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
    }
}

/// `path:line:column` of each finding of a JSON report.
pub fn places(report: &Value) -> Vec<String> {
    let findings = report["findings"].as_array().expect("findings");
    let place = |finding: &Value| {
        let start = &finding["span"]["start"];
        format!("{}:{}:{}", finding["path"].as_str().expect("a path"), start["line"], start["column"])
    };
    findings.iter().map(place).collect()
}

/// `path reason` of each entry of `skipped` or `degraded` in a JSON report.
pub fn named(report: &Value, list: &str) -> Vec<String> {
    let text = |value: &Value| value.as_str().expect("a text").to_owned();
    let entries = report[list].as_array().expect("a list");
    entries.iter().map(|entry| format!("{} {}", text(&entry["path"]), text(&entry["reason"]))).collect()
}
