//! `project-stats` as it was: the client says where to work.
//!
//! The tool takes no directory. It asks the client for its roots, counts in the first one that it can
//! use, and forgets it when the client says that the list changed. `../after/server.rs` is the same
//! server, migrated.

use std::{
    fs::File,
    io::{self, BufRead as _, BufReader},
    path::{Path, PathBuf},
    time::Duration,
};

use rmcp::{
    Json, Peer, RoleServer, ServerHandler, ServiceExt as _, handler::server::wrapper::Parameters, schemars,
    service::NotificationContext, tool, tool_handler, tool_router, transport::stdio,
};
use tokio::{sync::Mutex, time::timeout};
use walkdir::WalkDir;

/// A client may leave the question open for ever, for example behind a dialog nobody answers.
const ANSWER_TIME: Duration = Duration::from_secs(5);

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct CountLines {
    /// Directory to count, relative to the workspace; the whole workspace when left out.
    subdir: Option<String>,
}

#[derive(Default, serde::Serialize, schemars::JsonSchema)]
struct LineCount {
    files: u64,
    lines: u64,
    /// Files and directories left out because reading them failed.
    unreadable: u64,
}

#[derive(Default)]
struct ProjectStats {
    /// Kept, because every question costs a round trip, and with some clients a dialog.
    workspace: Mutex<Option<PathBuf>>,
}

#[tool_router]
impl ProjectStats {
    /// Count the files and lines of the project that is open in the client.
    #[tool(annotations(read_only_hint = true))]
    async fn count_lines(
        &self,
        Parameters(args): Parameters<CountLines>,
        peer: Peer<RoleServer>,
    ) -> Result<Json<LineCount>, String> {
        let workspace = self.workspace(&peer).await?;
        let subdir = args.subdir.unwrap_or_default();
        let directory = inside(&workspace, &workspace.join(&subdir)).ok_or_else(|| {
            let workspace = workspace.display();
            format!("there is no directory `{subdir}` in `{workspace}`; pass a path relative to it")
        })?;
        // A walk blocks; on this thread it would keep other requests waiting.
        let count = tokio::task::spawn_blocking(move || count(&directory)).await;
        count.map(Json).map_err(|error| error.to_string())
    }
}

impl ProjectStats {
    async fn workspace(&self, peer: &Peer<RoleServer>) -> Result<PathBuf, String> {
        // Locked while the client answers: calls that come meanwhile share one question, and a change
        // that comes meanwhile empties the cache after the answer, old by then, was put in.
        let mut workspace = self.workspace.lock().await;
        match &*workspace {
            Some(known) => Ok(known.clone()),
            None => Ok(workspace.insert(ask_for_workspace(peer).await?).clone()),
        }
    }
}

// SEP-2577 deprecated `list_roots` and the types of its answer; this server still needs them.
#[allow(deprecated)]
async fn ask_for_workspace(peer: &Peer<RoleServer>) -> Result<PathBuf, String> {
    // A client that did not declare the capability must not be asked.
    let client = peer.peer_info();
    if client.is_none_or(|client| client.capabilities.roots.is_none()) {
        let text = "this client names no workspace; ask the user to connect a client with MCP roots";
        return Err(text.to_owned());
    }
    let roots = timeout(ANSWER_TIME, peer.list_roots())
        .await
        .map_err(|_| "the client did not name its workspace in time; try again".to_owned())?
        .map_err(|error| format!("the client refused to name its workspace: {error}"))?
        .roots;
    // Nothing in the list tells which root is meant, so the first local one has to do.
    let workspace = roots.iter().find_map(|root| local_directory(&root.uri));
    workspace.ok_or("no local directory is open in the client; ask the user to open one".into())
}

/// Parsed as a URL, not cut as text: spaces and non-ASCII letters come percent-encoded.
fn local_directory(uri: &str) -> Option<PathBuf> {
    let url = url::Url::parse(uri).ok()?;
    let path = (url.scheme() == "file").then(|| url.to_file_path().ok())??;
    path.canonicalize().ok().filter(|path| path.is_dir())
}

#[tool_handler(name = "project-stats", version = "1.0.0")]
impl ServerHandler for ProjectStats {
    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        // Only forget: the next call asks again, and a change that no call follows costs nothing.
        *self.workspace.lock().await = None;
    }
}

/// The canonical form of `path`, if that is a directory inside `bound`, a canonical path itself.
fn inside(bound: &Path, path: &Path) -> Option<PathBuf> {
    // Canonical on both sides, so `..` and symbolic links count for where they really lead. A relative
    // path has no place here: it would start in the working directory, which the client chose.
    let path = path.is_absolute().then(|| path.canonicalize().ok())??;
    // By components, not as text: `/work/app-old` is not inside `/work/app`.
    (path.starts_with(bound) && path.is_dir()).then_some(path)
}

fn count(directory: &Path) -> LineCount {
    let mut total = LineCount::default();
    // The walk does not follow links, so it cannot leave the directory or run in circles.
    for entry in WalkDir::new(directory) {
        let lines = match entry {
            Ok(entry) if entry.file_type().is_file() => lines(entry.path()),
            Ok(_) => continue, // a directory, a link, or a pipe whose end might never come
            Err(error) => Err(error.into()),
        };
        match lines {
            Ok(lines) => {
                total.files += 1;
                total.lines += lines;
            }
            Err(_) => total.unreadable += 1,
        }
    }
    total
}

/// Of bytes, since not every source file is UTF-8.
fn lines(path: &Path) -> io::Result<u64> {
    let lines = BufReader::new(File::open(path)?).split(b'\n');
    lines.map(|line| line.map(|_| 1)).sum()
}

// One thread keeps messages in order; with more, a call right behind a change can overtake it.
#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = ProjectStats::default().serve(stdio()).await?;
    server.waiting().await?;
    Ok(())
}
