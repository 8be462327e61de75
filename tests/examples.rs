//! Runs the migration example (`examples/before`, `examples/after`) with a real client over stdio: what
//! the old server counts with roots, the migrated one counts without, and only inside its boundary.

use std::{
    env,
    error::Error,
    ffi::OsStr,
    fs,
    path::{Path, PathBuf},
    process::Stdio,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use rmcp::{
    ClientHandler, ClientLifecycleMode, ClientServiceExt as _, RoleClient,
    model::{CallToolRequestParams, CallToolResult, ClientCapabilities, ClientConfig, Implementation, ProtocolVersion},
    service::{RequestContext, RunningService},
};
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::{
    process::{Child, Command},
    time::timeout,
};

type Result<T = ()> = std::result::Result<T, Box<dyn Error>>;

/// So that a server that hangs fails the test instead of holding it up.
const PATIENCE: Duration = Duration::from_secs(60);

const LEGACY: ClientLifecycleMode = ClientLifecycleMode::Initialize;

fn modern() -> ClientLifecycleMode {
    ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
}

/// A client that shares one directory with servers that ask for it, or none.
#[derive(Clone, Default)]
struct Client {
    workspace: Option<Arc<Mutex<PathBuf>>>,
    asked: Arc<AtomicUsize>,
}

impl Client {
    fn with_workspace(directory: &Path) -> Self {
        Self { workspace: Some(Arc::new(Mutex::new(directory.to_owned()))), ..Self::default() }
    }

    fn open(&self, directory: &Path) {
        if let Some(workspace) = &self.workspace {
            *workspace.lock().unwrap_or_else(PoisonError::into_inner) = directory.to_owned();
        }
    }

    fn asked(&self) -> usize {
        self.asked.load(Ordering::SeqCst)
    }
}

// SEP-2577 deprecated all of this; the old server is tested with the client that it was written for.
#[allow(deprecated)]
impl ClientHandler for Client {
    fn get_info(&self) -> ClientConfig {
        let mut capabilities = ClientCapabilities::default();
        if self.workspace.is_some() {
            capabilities = ClientCapabilities::builder().enable_roots().enable_roots_list_changed().build();
        }
        ClientConfig::new(capabilities, Implementation::new("examples-test", "1.0.0"))
    }

    async fn list_roots(
        &self,
        _: RequestContext<RoleClient>,
    ) -> std::result::Result<rmcp::model::ListRootsResult, rmcp::ErrorData> {
        self.asked.fetch_add(1, Ordering::SeqCst);
        let uri = self.workspace.as_ref().and_then(|workspace| {
            let workspace = workspace.lock().unwrap_or_else(PoisonError::into_inner);
            url::Url::from_directory_path(&*workspace).ok()
        });
        let roots = uri.into_iter().map(rmcp::model::Root::new).collect();
        Ok(rmcp::model::ListRootsResult::new(roots))
    }
}

/// A server process with a client connected to it. The process ends when this is dropped.
struct Session {
    client: RunningService<RoleClient, Client>,
    _server: Child,
}

impl Session {
    async fn start(example: &str, args: &[&OsStr], client: &Client, lifecycle: ClientLifecycleMode) -> Result<Self> {
        let mut command = Command::new(executable(example)?);
        if let Some(directory) = args.last() {
            // Started in an allowed directory: a relative path must not be taken as one inside it.
            command.current_dir(directory);
        }
        let mut server = command.args(args).stdin(Stdio::piped()).stdout(Stdio::piped()).kill_on_drop(true).spawn()?;
        let pipes = server.stdout.take().zip(server.stdin.take()).ok_or("no pipes")?;
        let client = client.clone().serve_with_lifecycle(pipes, lifecycle);
        Ok(Self { client: timeout(PATIENCE, client).await??, _server: server })
    }

    async fn count_lines(&self, arguments: Value) -> Result<CallToolResult> {
        let mut call = CallToolRequestParams::new("count_lines");
        call.arguments = arguments.as_object().cloned();
        Ok(timeout(PATIENCE, self.client.call_tool(call)).await??)
    }

    async fn count(&self, arguments: Value) -> Result<Value> {
        let result = self.count_lines(arguments).await?;
        Ok(result.structured_content.clone().ok_or_else(|| format!("not a count: {result:?}"))?)
    }

    /// The text of a tool error; anything else is a failure of the test.
    async fn refusal(&self, arguments: Value) -> Result<String> {
        let result = self.count_lines(arguments).await?;
        let text = result.content.first().and_then(|block| block.as_text());
        match text {
            Some(text) if result.is_error == Some(true) => Ok(text.text.clone()),
            _ => Err(format!("not refused: {result:?}").into()),
        }
    }
}

/// Cargo gives integration tests no variable for examples, but builds them next to the test executable.
fn executable(example: &str) -> Result<PathBuf> {
    let file = format!("{example}{}", env::consts::EXE_SUFFIX);
    let test = env::current_exe()?;
    let found = test.ancestors().map(|directory| directory.join("examples").join(&file)).find(|path| path.is_file());
    Ok(found.ok_or_else(|| format!("{file} is not built; run `cargo build --examples` first"))?)
}

/// Two files with five lines, beside directories that belong to nobody's workspace. The names need
/// escaping in a URI.
fn projects() -> Result<(TempDir, PathBuf)> {
    let base = tempfile::tempdir()?;
    let project = base.path().join("my pröject");
    fs::create_dir_all(project.join("src"))?;
    fs::write(project.join("README"), "one\ntwo\n")?;
    fs::write(project.join("src/main.rs"), b"one\n\xff\nthe last one without an end")?;
    for other in ["other", "my pröject-old"] {
        fs::create_dir(base.path().join(other))?;
        fs::write(base.path().join(other).join("secret"), "1\n2\n3\n4\n")?;
    }
    Ok((base, project))
}

fn allow(directory: &Path) -> [&OsStr; 2] {
    ["--allow-dir".as_ref(), directory.as_os_str()]
}

#[tokio::test]
async fn both_count_the_same() -> Result {
    let (_base, project) = projects()?;
    let client = Client::with_workspace(&project);
    let before = Session::start("server-before", &[], &client, LEGACY).await?;
    let after = Session::start("server-after", &allow(&project), &Client::default(), LEGACY).await?;

    let count = json!({ "files": 2, "lines": 5, "unreadable": 0 });
    assert_eq!(before.count(json!({})).await?, count);
    assert_eq!(after.count(json!({ "directory": project })).await?, count);

    let count = json!({ "files": 1, "lines": 3, "unreadable": 0 });
    assert_eq!(before.count(json!({ "subdir": "src" })).await?, count);
    assert_eq!(after.count(json!({ "directory": project, "subdir": "src" })).await?, count);
    assert_eq!(after.count(json!({ "directory": project.join("src") })).await?, count);
    Ok(())
}

#[tokio::test]
async fn before_asks_once_and_again_after_a_change() -> Result {
    let (base, project) = projects()?;
    let client = Client::with_workspace(&project);
    let before = Session::start("server-before", &[], &client, LEGACY).await?;
    for _ in 0..2 {
        assert_eq!(before.count(json!({})).await?["lines"], 5);
    }
    assert_eq!(client.asked(), 1);

    client.open(&base.path().join("other"));
    before.client.notify_roots_list_changed().await?;
    assert_eq!(before.count(json!({})).await?["lines"], 4);
    assert_eq!(client.asked(), 2);
    Ok(())
}

#[tokio::test]
async fn before_stays_in_the_workspace() -> Result {
    let (_base, project) = projects()?;
    let client = Client::with_workspace(&project);
    let before = Session::start("server-before", &[], &client, LEGACY).await?;
    for subdir in ["..", "../other", "../my pröject-old", "/", "absent", "README"] {
        let text = before.refusal(json!({ "subdir": subdir })).await?;
        assert!(text.contains("pass a path relative to it"), "{subdir}: {text}");
    }
    Ok(())
}

/// The reason to migrate: without the capability, and with any client of 2026-07-28, it cannot work.
#[tokio::test]
async fn before_needs_an_old_client_with_roots() -> Result {
    let (_base, project) = projects()?;
    let with = Client::with_workspace(&project);
    for (client, lifecycle) in [(Client::default(), LEGACY), (with, modern())] {
        let before = Session::start("server-before", &[], &client, lifecycle).await?;
        let text = before.refusal(json!({})).await?;
        assert!(text.contains("names no workspace"), "{text}");
        assert_eq!(client.asked(), 0);
    }
    Ok(())
}

#[tokio::test]
async fn after_works_in_both_eras_and_asks_nothing() -> Result {
    let (base, project) = projects()?;
    let other = base.path().join("other");
    let args = [allow(&other), allow(&project)].concat();
    for lifecycle in [LEGACY, modern()] {
        let client = Client::with_workspace(&other);
        let after = Session::start("server-after", &args, &client, lifecycle).await?;
        assert_eq!(after.count(json!({ "directory": project })).await?["lines"], 5);
        assert_eq!(after.count(json!({ "directory": other })).await?["lines"], 4);
        assert_eq!(client.asked(), 0);
    }
    Ok(())
}

#[tokio::test]
async fn after_refuses_what_is_outside() -> Result {
    let (base, project) = projects()?;
    let after = Session::start("server-after", &allow(&project), &Client::default(), LEGACY).await?;
    let allowed = project.canonicalize()?.display().to_string();

    let refused = [
        base.path().join("other"),
        base.path().join("my pröject-old"),
        base.path().join("absent"),
        project.join(".."),
        project.join("../other"),
        project.join("src/../../other"),
        project.join("README"),
        PathBuf::from("/"),
        PathBuf::from(".."),
        PathBuf::from("src"),
        PathBuf::new(),
    ];
    for directory in refused {
        let text = after.refusal(json!({ "directory": directory })).await?;
        assert!(text.contains("--allow-dir"), "{directory:?}: {text}");
        assert!(text.contains(&allowed), "{directory:?}: {text}");
    }

    let outside = base.path().join("other");
    for subdir in [Path::new(".."), Path::new("../other"), Path::new("absent"), &outside] {
        let arguments = json!({ "directory": project, "subdir": subdir });
        let text = after.refusal(arguments).await?;
        assert!(text.contains("pass a path relative to it"), "{subdir:?}: {text}");
    }

    // A path that comes back in is inside.
    let arguments = json!({ "directory": project.join("src/.."), "subdir": "src/../src" });
    assert_eq!(after.count(arguments).await?["lines"], 3);
    Ok(())
}

#[cfg(unix)]
#[tokio::test]
async fn after_does_not_follow_links_out() -> Result {
    use std::os::unix::fs::symlink;

    let (base, project) = projects()?;
    let outside = base.path().join("other");
    symlink(&outside, project.join("link"))?;
    symlink("../other", project.join("relative-link"))?;
    symlink(outside.join("secret"), project.join("file-link"))?;
    symlink(&project, project.join("loop"))?;
    symlink(&project, base.path().join("alias"))?;
    let after = Session::start("server-after", &allow(&project), &Client::default(), LEGACY).await?;

    for link in ["link", "relative-link", "file-link"] {
        let text = after.refusal(json!({ "directory": project.join(link) })).await?;
        assert!(text.contains("--allow-dir"), "{link}: {text}");
        let text = after.refusal(json!({ "directory": project, "subdir": link })).await?;
        assert!(text.contains("pass a path relative to it"), "{link}: {text}");
    }
    // The walk passes links over: neither the files behind them nor the loop are counted.
    let count = json!({ "files": 2, "lines": 5, "unreadable": 0 });
    assert_eq!(after.count(json!({ "directory": project })).await?, count);
    // Another name of an allowed directory is that directory.
    assert_eq!(after.count(json!({ "directory": base.path().join("alias") })).await?, count);
    Ok(())
}

#[tokio::test]
async fn after_does_not_start_without_a_boundary() -> Result {
    let (_base, project) = projects()?;
    let (absent, file) = (project.join("absent"), project.join("README"));
    let wrong: [&[&OsStr]; 5] =
        [&[], &["--allow-dir".as_ref()], &["--allow".as_ref(), project.as_ref()], &allow(&absent), &allow(&file)];
    for args in wrong {
        let output = Command::new(executable("server-after")?).args(args).stdin(Stdio::null()).output().await?;
        let text = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{args:?}: {text}");
        assert!(text.contains("--allow-dir"), "{args:?}: {text}");
    }
    Ok(())
}

#[test]
fn after_has_no_trace_of_roots() {
    let source = include_str!("../examples/after/server.rs");
    assert!(!source.to_lowercase().contains("roots"));
}
