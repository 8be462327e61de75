//! `project-stats` migrated: the operator says where it may work, each call says where it shall.
//!
//! Nothing is asked of the client, so the server works alike at every protocol revision. The boundary
//! comes from the command line, `server-after --allow-dir DIR [--allow-dir DIR]...`; the model picks a
//! directory inside it, and each pick is checked. `../before/server.rs` is the same server, before.

use std::{
    env,
    fs::{self, File},
    io::{self, BufRead as _, BufReader},
    path::{Path, PathBuf},
};

use rmcp::{
    Json, ServerHandler, ServiceExt as _,
    handler::server::wrapper::Parameters,
    model::{Implementation, ServerCapabilities, ServerConfig},
    schemars, tool, tool_handler, tool_router,
    transport::stdio,
};
use walkdir::WalkDir;

#[derive(serde::Deserialize, schemars::JsonSchema)]
struct CountLines {
    /// Absolute path of the project: an allowed directory, or a directory inside one.
    directory: String,
    /// Directory to count, relative to `directory`; all of `directory` when left out.
    subdir: Option<String>,
}

#[derive(Default, serde::Serialize, schemars::JsonSchema)]
struct LineCount {
    files: u64,
    lines: u64,
    /// Files and directories left out because reading them failed.
    unreadable: u64,
}

struct ProjectStats {
    /// What the operator allows, as canonical paths; never empty.
    allowed: Vec<PathBuf>,
}

#[tool_router]
impl ProjectStats {
    /// Count the files and lines of a project.
    #[tool(annotations(read_only_hint = true))]
    async fn count_lines(&self, Parameters(args): Parameters<CountLines>) -> Result<Json<LineCount>, String> {
        let project = self.project(&args.directory)?;
        let subdir = args.subdir.unwrap_or_default();
        let directory = inside(&project, &project.join(&subdir)).ok_or_else(|| {
            let project = project.display();
            format!("there is no directory `{subdir}` in `{project}`; pass a path relative to it")
        })?;
        // A walk blocks; on this thread it would keep other requests waiting.
        let count = tokio::task::spawn_blocking(move || count(&directory)).await;
        count.map(Json).map_err(|error| error.to_string())
    }
}

impl ProjectStats {
    fn from_command_line() -> Result<Self, String> {
        let mut args = env::args_os().skip(1);
        let usage = "usage: server-after --allow-dir DIR [--allow-dir DIR]...";
        let mut allowed = Vec::new();
        while let Some(flag) = args.next() {
            let directory = args.next().filter(|_| flag == "--allow-dir").ok_or(usage)?;
            // Opened here once: a wrong path stops the start, where the operator sees it.
            let path = fs::canonicalize(&directory);
            match path.and_then(|path| fs::read_dir(&path).and(Ok(path))) {
                Ok(path) => allowed.push(path),
                Err(error) => return Err(format!("--allow-dir {}: {error}", directory.display())),
            }
        }
        // No default: clients start servers anywhere, in `/` and the home directory too.
        if allowed.is_empty() {
            return Err(usage.to_owned());
        }
        Ok(Self { allowed })
    }

    /// `directory`, checked. Somebody who can write in an allowed directory could still swap a link in
    /// before it is read; where that matters, open everything through the `cap-std` crate.
    fn project(&self, directory: &str) -> Result<PathBuf, String> {
        let mut bounds = self.allowed.iter();
        let project = bounds.find_map(|bound| inside(bound, Path::new(directory)));
        // One answer for "outside" and "not there", or it would tell what exists outside.
        project.ok_or_else(|| {
            let allowed = self.allowed();
            format!(
                "`{directory}` is not a directory that this server may read. Allowed: {allowed}. \
                 Pass the absolute path of one of these, or of a directory inside one. Only the \
                 operator can allow another, by starting the server with `--allow-dir`."
            )
        })
    }

    fn allowed(&self) -> String {
        let quoted = |path: &PathBuf| format!("`{}`", path.display());
        let paths: Vec<_> = self.allowed.iter().map(quoted).collect();
        paths.join(", ")
    }
}

#[tool_handler]
impl ServerHandler for ProjectStats {
    fn get_info(&self) -> ServerConfig {
        // A new major version, since calls need `directory` now. What to pass stands here and again in
        // the error: not every client shows the instructions to the model.
        let instructions = format!("Counts lines in these directories: {}.", self.allowed());
        ServerConfig::new(ServerCapabilities::builder().enable_tools().build())
            .with_server_info(Implementation::new("project-stats", "2.0.0"))
            .with_instructions(instructions)
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

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let server = ProjectStats::from_command_line()?;
    server.serve(stdio()).await?.waiting().await?;
    Ok(())
}
