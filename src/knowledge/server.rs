//! `rules/servers/*.toml`: servers that ask for roots (and look-alikes that do not), how a launch looks, and what
//! to write instead.

use std::collections::BTreeMap;

use semver::VersionReq;
use serde::{Deserialize, Serialize};

/// What kind of name a launch is recognised by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LaunchKind {
    /// A package of the npm registry (`npx`, `bunx`, `pnpm dlx`, …), or its path below `node_modules`.
    Npm,
    /// A package of the Python index (`uvx`, `pipx run`, …).
    Pypi,
    /// A Python module (`python -m`).
    PythonModule,
    /// A .NET tool (`dnx`, `dotnet dnx`, `dotnet tool run`).
    Nuget,
    /// An image (`docker run`, `podman run`).
    Docker,
    /// A program by its name.
    Bin,
    /// A beginning of a URL.
    Url,
}

/// A way to start the server.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Launch {
    /// What the names are.
    pub kind: LaunchKind,
    /// Names, without a version.
    pub names: Vec<String>,
    /// Words that must follow, as the first arguments that are not options: `["mcp"]` for `ng mcp`.
    #[serde(default)]
    pub subcommand: Vec<String>,
    /// The name is used by other programs too: not enough for more than a note.
    #[serde(default)]
    pub ambiguous: bool,
}

/// What happens when a client gives no roots and the entry has no pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Deserialize, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Effect {
    /// It does not work.
    Fails,
    /// It allows more than with roots.
    Widens,
    /// It allows less, or something else.
    Narrows,
    /// It keeps its data somewhere else.
    MovesData,
    /// It takes another default, quietly.
    FallsBack,
    /// It asks and ignores the answer.
    Ignored,
}

/// Something in an entry that gives the server what roots would have given: the entry is then fine.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Pin {
    /// One of these options among the arguments (`--cwd`, also as `--cwd=…`).
    pub options: Vec<String>,
    /// One of these variables in the entry's environment.
    pub env: Vec<String>,
    /// The entry sets `cwd`.
    pub cwd: bool,
    /// An HTTP header of the entry.
    pub headers: Vec<String>,
}

/// An option or variable that switches Roots on.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Switch {
    /// Options among the arguments.
    #[serde(default)]
    pub options: Vec<String>,
    /// Variables in the environment, and the values that mean on (none listed: any value but empty, `0`, `false`).
    #[serde(default)]
    pub env: BTreeMap<String, Vec<String>>,
    /// The server asks for roots only with it.
    #[serde(default)]
    pub required: bool,
    /// What it does now, and what to do, one sentence.
    pub help: String,
}

/// Directories among the arguments.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Directories {
    /// Options that come before a directory; none listed: positional arguments are directories.
    #[serde(default)]
    pub options: Vec<String>,
    /// Roots replace them today (`config-roots-override`); otherwise they are a pin.
    #[serde(default)]
    pub replaced_by_roots: bool,
}

/// What to write instead.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Replacement {
    /// Arguments to add at the end; `{directory}` becomes the host's variable for the open folder, or a path to fill
    /// in.
    pub args: Vec<String>,
    /// Variables to set.
    pub env: BTreeMap<String, String>,
    /// Set the entry's `cwd` where the host has it.
    pub cwd: bool,
    /// More to say, or the whole advice when no directory is the right answer.
    pub text: Vec<String>,
}

/// A launch that the tests check: what must come out.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Case {
    /// Command and arguments.
    #[serde(default)]
    pub command: Vec<String>,
    /// Or a URL.
    pub url: Option<String>,
    /// The entry's environment.
    #[serde(default)]
    pub env: BTreeMap<String, String>,
    /// The entry's `cwd`.
    pub cwd: Option<String>,
    /// Rules with their severity at 2026-07-28, such as `config-roots-server error`; empty: silent.
    pub expect: Vec<String>,
}

/// One server.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Server {
    /// The name in messages.
    pub name: String,
    /// Where it was checked: versions, commits, files.
    pub evidence: String,
    /// It looks as if it used Roots and does not: never reported.
    #[serde(default)]
    pub look_alike: bool,
    /// Ways to start it.
    #[serde(default, rename = "launch")]
    pub launches: Vec<Launch>,
    /// Versions that ask for roots, any of these ranges; none: all. Python and calendar versions are read as
    /// `major.minor.patch` with what is missing filled up by 0.
    #[serde(default)]
    pub versions: Vec<VersionReq>,
    /// Whether the newest version asks for roots: an unpinned launch is the newest.
    #[serde(default = "yes")]
    pub newest: bool,
    /// What happens without roots and without a pin.
    pub effect: Option<Effect>,
    /// The same in one sentence, lower case, no full stop.
    #[serde(default)]
    pub without_roots: String,
    /// Where directories stand among the arguments.
    pub directories: Option<Directories>,
    /// What makes an entry fine.
    #[serde(default)]
    pub pin: Pin,
    /// Options and variables that switch Roots on.
    #[serde(default, rename = "switch")]
    pub switches: Vec<Switch>,
    /// What to write instead.
    #[serde(default)]
    pub replacement: Replacement,
    /// Test cases.
    #[serde(rename = "case")]
    pub cases: Vec<Case>,
}

fn yes() -> bool {
    true
}
