//! `rules/hosts/*.toml`: where a host keeps its config, and how roots and variables look in it.

use serde::Deserialize;

/// How a config file is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Syntax {
    /// JSON, read with comments and trailing commas in any case.
    Json,
    /// YAML, several documents and unknown tags included.
    Yaml,
    /// TOML.
    Toml,
    /// Java properties.
    Properties,
    /// YAML front matter of a Markdown file.
    FrontMatter,
}

/// A kind of file that a host reads.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ConfigFile {
    /// Globs of the gitignore dialect, found anywhere in a tree: `.vscode/mcp.json`, `*.fastmcp.json`.
    #[serde(default)]
    pub patterns: Vec<String>,
    /// How it is written.
    pub syntax: Syntax,
    /// The name belongs to MCP alone: a file that does not parse makes the check incomplete.
    #[serde(default)]
    pub must_parse: bool,
    /// The host reads comments in it, so that a suppression comment can stand there.
    #[serde(default)]
    pub comments: bool,
    /// Where the file lies for a user, for `--user`.
    #[serde(default)]
    pub user: UserPlaces,
}

/// Places in a user's home by system; `~`, `$VAR` and `%VAR%` are filled in, `*` matches one name.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct UserPlaces {
    /// On Linux.
    pub linux: Vec<String>,
    /// On macOS.
    pub macos: Vec<String>,
    /// On Windows.
    pub windows: Vec<String>,
}

/// A key, outside of server entries, that switches roots on or lists them.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct RootsKey {
    /// The keys down to it joined by `.`; `*` stands for any one key. Keys with a literal dot and nested keys
    /// are both found.
    pub path: String,
    /// Values that mean that it is off: then a note says that the key is there.
    #[serde(default)]
    pub off: Vec<String>,
    /// What to do instead, one sentence.
    pub help: String,
}

/// One host.
#[derive(Clone, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Host {
    /// The name in messages, such as `VS Code`.
    pub name: String,
    /// Not one host: names that many use. Its patterns come last, and messages do not name it.
    #[serde(default)]
    pub is_generic: bool,
    /// How the file was checked, in words.
    pub checked: String,
    /// What was not verified, in words; empty when all was.
    #[serde(default)]
    pub unverified: Vec<String>,
    /// Whether it sends roots to servers: `yes`, `no`, `from-config`, `empty` (declares, lists nothing) or
    /// `unknown`.
    pub sends_roots: SendsRoots,
    /// The files.
    #[serde(rename = "file")]
    pub files: Vec<ConfigFile>,
    /// Key paths that hold server entries, joined by `.` (a literal dot counts as such); entries are found by
    /// their shape wherever they stand, these names tell that a text is an MCP config.
    #[serde(default)]
    pub containers: Vec<String>,
    /// The variable for the folder that is open, in the host's own syntax; none where it has no such variable.
    pub workspace_variable: Option<String>,
    /// An entry may carry `cwd`.
    #[serde(default)]
    pub entry_cwd: bool,
    /// Keys that list or switch roots outside of entries.
    #[serde(default, rename = "roots_key")]
    pub roots_keys: Vec<RootsKey>,
}

/// Whether a host sends roots.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "kebab-case")]
#[allow(missing_docs, reason = "described at `Host::sends_roots`")]
pub enum SendsRoots {
    Yes,
    No,
    FromConfig,
    Empty,
    Unknown,
}
