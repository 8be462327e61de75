//! Playing a scenario against one server: makes the tree, starts the server in it, and takes the steps.

use std::ffi::OsString;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::json;

use super::outcome::Outcome;
use super::places::Places;
use super::scenario::{Call, Client, File, Node, Root, Scenario, Side};
use crate::compat::uri::uri_of;
use crate::observe::client::{self, Era, Fault, Launch, OpenError, Reply, RootsPolicy, Session, Target, Transcript};

/// What a call took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Cost {
    /// Messages in both directions.
    pub messages: u64,
    /// Times that something was sent in one direction and had to be answered in the other: the call itself, a
    /// `roots/list` of the server meanwhile, a repetition of the call with input.
    pub round_trips: u64,
}

/// One play: the outcome of each call, in the order of the steps.
#[derive(Clone, Debug, Default)]
pub struct Play {
    /// One for each call step.
    pub calls: Vec<(Outcome, Cost)>,
    /// All messages of the session, the handshake included.
    pub messages: u64,
    /// Questions for roots.
    pub asks: u64,
}

/// Why there was no play.
#[derive(Clone, Debug)]
pub enum NotPlayed {
    /// The server does not speak the era.
    OtherEra(String),
    /// It could not be started, did not answer the handshake, or went away.
    Failed(String),
}

/// One server in one era.
pub struct Player<'a> {
    /// The file of the scenario.
    pub file: &'a File,
    /// Which server.
    pub side: &'a Side,
    /// Which is the one after the migration.
    pub is_after: bool,
    /// Which era.
    pub era: Era,
    /// Where the tree is made, and this program.
    pub places: &'a Places,
    /// How long an answer may take.
    pub timeout: Duration,
    /// Where the messages are kept.
    pub transcript: &'a Transcript,
}

impl Player<'_> {
    /// Plays a scenario.
    ///
    /// # Errors
    ///
    /// When the tree cannot be made, or the server cannot be spoken to.
    pub async fn play(&self, scenario: &Scenario) -> Result<Play, NotPlayed> {
        let failed = |what: String| NotPlayed::Failed(what);
        let root = Path::new(&self.places.dir);
        plant(root, self.file).map_err(|(path, error)| failed(format!("cannot make `{}`: {error}", path.display())))?;
        let mut words = self.side.command.iter().map(|word| self.places.fill(word));
        let launch = Launch {
            program: program(&words.next().unwrap_or_default()),
            args: words.map(OsString::from).collect(),
            env: Vec::new(),
            cwd: Some(root.join(&self.side.cwd)),
        };
        let client = client::Client {
            era: self.era,
            roots: self.policy(&scenario.client),
            timeout: self.timeout + scenario.lateness(),
        };
        let program = launch.program.to_string_lossy().into_owned();
        let run = format!("{}/{}/{}", scenario.name, self.era.name(), self.name());
        let session = Session::open(&Target::Command(launch), client, &self.transcript.of_run(&run)).await;
        let mut session = session.map_err(|error| not_opened(error, &program))?;
        let mut play = Play::default();
        for step in &scenario.steps {
            if let Some(roots) = &step.roots {
                session.set_roots(RootsPolicy::Roots(self.roots(roots)));
                session.notify_roots_changed().await;
            } else if step.settle {
                session.settle().await;
            } else if let Some(call) = self.call_of(step) {
                play.calls.push(self.call(&mut session, call).await);
            }
            if let Some(fault) = session.over() {
                let why = failed(format!("the server went away: {fault}"));
                session.close().await;
                return Err(why);
            }
        }
        let counts = session.counts();
        play.messages = counts.sent + counts.received;
        play.asks = counts.asks;
        session.close().await;
        Ok(play)
    }

    fn name(&self) -> &str {
        if self.is_after { &self.side.name } else { "before" }
    }

    fn call_of<'s>(&self, step: &'s super::scenario::Step) -> Option<&'s Call> {
        if self.is_after { step.after(&self.side.name) } else { step.before.as_ref() }
    }

    async fn call(&self, session: &mut Session, call: &Call) -> (Outcome, Cost) {
        let done = match call {
            Call::Tool { tool, arguments } => session.call(tool, &self.places.fill_members(arguments)).await,
            Call::Read { read } => session.request("resources/read", json!({"uri": self.places.fill(read)})).await,
        };
        let asked_meanwhile = match self.era {
            Era::Legacy => done.counts.asks,
            // There the question is the answer to the call, and the repetition is a round.
            Era::Modern => 0,
        };
        let cost = Cost {
            messages: done.counts.sent + done.counts.received,
            round_trips: done.rounds as u64 + asked_meanwhile,
        };
        (Outcome::of(&done), cost)
    }

    fn policy(&self, client: &Client) -> RootsPolicy {
        let roots = self.roots(&client.roots);
        match client {
            Client { declares: false, .. } => RootsPolicy::Undeclared,
            Client { error: Some(code), .. } => RootsPolicy::Error(*code),
            Client { never: true, .. } => RootsPolicy::Never,
            Client { late_ms: Some(time), .. } => RootsPolicy::Late(Duration::from_millis(*time), roots),
            _ if roots.is_empty() => RootsPolicy::Empty,
            _ => RootsPolicy::Roots(roots),
        }
    }

    fn roots(&self, roots: &[Root]) -> Vec<client::Root> {
        let root = |root: &Root| match root {
            Root::Path(path) => {
                let full = Path::new(&self.places.dir).join(path);
                let name = full.file_name().map(|name| name.to_string_lossy().into_owned());
                client::Root { uri: uri_of(&full), name }
            }
            Root::Uri { uri, name } => client::Root { uri: self.places.fill(uri), name: name.clone() },
        };
        roots.iter().map(root).collect()
    }
}

/// A program that is named by a path is the one that this names here, not in the tree, where it is started.
fn program(name: &str) -> OsString {
    let is_path = name.contains(['/', std::path::MAIN_SEPARATOR]);
    match std::path::absolute(name) {
        Ok(absolute) if is_path => absolute.into(),
        _ => name.into(),
    }
}

/// A server that answers, but not in this era, is no failure of the comparison.
fn not_opened(error: OpenError, program: &str) -> NotPlayed {
    let text = match &error {
        OpenError::Start(why) => format!("`{program}` cannot be started: {why}"),
        error => error.to_string(),
    };
    match error {
        OpenError::Revision { .. } => NotPlayed::OtherEra(text),
        OpenError::Handshake { reply: Reply::Error { code: -32601 | -32602 | -32022 | -32600, .. }, .. } => {
            NotPlayed::OtherEra(text)
        }
        // Servers of the legacy era have been seen to say nothing to a request before `initialize`.
        OpenError::Handshake { method: "server/discover", reply: Reply::Silent(Fault::Timeout(_)), .. } => {
            NotPlayed::OtherEra(text)
        }
        OpenError::Start(_) | OpenError::Target(_) | OpenError::Handshake { .. } => {
            let stderr = error.remains().map(|remains| remains.stderr.text()).unwrap_or_default();
            let said = stderr.lines().next_back().map(|line| format!("; it said: {line}")).unwrap_or_default();
            NotPlayed::Failed(text + &said)
        }
    }
}

/// Makes the tree of a file, anew.
fn plant(root: &Path, file: &File) -> Result<(), (PathBuf, io::Error)> {
    let at = |path: &Path| {
        let path = path.to_owned();
        move |error| (path, error)
    };
    if root.exists() {
        fs::remove_dir_all(root).map_err(at(root))?;
    }
    fs::create_dir_all(root).map_err(at(root))?;
    for (path, node) in &file.tree {
        let path = root.join(path);
        if let Some(parent) = path.parent() {
            fs::create_dir_all(parent).map_err(at(parent))?;
        }
        match node {
            Node::Text(text) => fs::write(&path, text),
            Node::Bytes { bytes } => fs::write(&path, bytes),
            Node::Link { link } => symlink(link, &path),
            Node::Directory { .. } => fs::create_dir_all(&path),
        }
        .map_err(at(&path))?;
    }
    Ok(())
}

#[cfg(unix)]
fn symlink(target: &str, path: &Path) -> io::Result<()> {
    std::os::unix::fs::symlink(target, path)
}

#[cfg(windows)]
fn symlink(target: &str, path: &Path) -> io::Result<()> {
    // Whether the target is a directory has to be said on Windows; the links of scenarios are to directories.
    std::os::windows::fs::symlink_dir(target, path)
}
