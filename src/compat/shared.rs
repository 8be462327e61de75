//! What all connections, sessions and requests of a process have in common: the options, checked, and what is made of
//! them once.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use rmcp::model::{Implementation, ProtocolVersion, ServerCapabilities, ServerConfig, Tool};
use serde_json::json;
use tokio::sync::Semaphore;

use super::count::Budgets;
use super::events::Events;
use super::roots::degrade::Fallback;
use super::roots::rounds::Rounds;
use super::roots::session::Session;
use super::select::Allowed;
use super::server::Server;
use super::{Mode, Offer, Options, StartError, tools};

/// Directories that are counted at a time; more calls wait. Threads that block are scarce: standard input is one.
const WALKS: usize = 4;

/// What all connections, sessions and requests of a process have in common.
pub struct Shared {
    pub(super) options: Options,
    pub(super) tools: Vec<Tool>,
    pub(super) allowed: Vec<Allowed>,
    pub(super) fallback: Fallback,
    pub(super) rounds: Rounds,
    pub(super) budgets: Budgets,
    pub(super) events: Arc<Events>,
    pub(super) walks: Semaphore,
    warned: AtomicBool,
    sessions: AtomicU64,
}

impl Shared {
    /// Checks the options, opens the allowed directories, and finds what stands in for roots.
    ///
    /// # Errors
    ///
    /// [`StartError::Options`] when the mode and the allowed directories do not fit.
    pub fn new(options: Options, events: Events) -> Result<Arc<Self>, StartError> {
        let allowed = Allowed::open(&options.allow_dirs)
            .map_err(|reason| StartError::Options(format!("--allow-dir: {reason}")))?;
        check_allowed(options.mode, &allowed)?;
        let fallback = if options.strict { Fallback::Nothing } else { Fallback::working_directory() };
        Ok(Arc::new(Self {
            tools: tools::tools(options.mode, options.conformance),
            allowed,
            fallback,
            rounds: Rounds::new().map_err(StartError::Options)?,
            budgets: Budgets::default(),
            events: Arc::new(events),
            walks: Semaphore::new(WALKS),
            warned: AtomicBool::new(false),
            sessions: AtomicU64::new(0),
            options,
        }))
    }

    /// What was done about Roots.
    #[must_use]
    pub fn events(&self) -> &Events {
        &self.events
    }

    /// A server for one connection, session or request. On stdio the server's own asks always reach the client.
    pub fn server(self: &Arc<Self>, own_asks_arrive: bool) -> Server {
        let id = self.sessions.fetch_add(1, Ordering::Relaxed);
        let session = Session::new(id, self.events.clone(), self.options.limits.clone(), own_asks_arrive);
        Server::new(self.clone(), session)
    }

    /// The versions that are offered.
    #[must_use]
    pub fn versions(&self) -> Vec<ProtocolVersion> {
        let known = ProtocolVersion::KNOWN_VERSIONS.iter();
        known
            .filter(|version| match self.options.offer {
                Offer::Both => true,
                Offer::Legacy => version.has_initialize(),
                Offer::Modern => !version.has_initialize(),
            })
            .cloned()
            .collect()
    }

    /// What the server says of itself.
    pub(super) fn info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools();
        let capabilities = match self.options.mode {
            Mode::Resources => capabilities.enable_resources().build(),
            _ => capabilities.build(),
        };
        let instructions = match self.options.mode {
            Mode::Roots => {
                "Counts lines in the client's roots. Roots is deprecated (SEP-2577): this server keeps it \
                 for comparison."
            }
            Mode::Arguments => {
                "Counts lines in a directory that the call names; list_directories shows the allowed ones."
            }
            Mode::Resources => "Counts lines in the directory of a resource; resources/list shows the allowed ones.",
            Mode::Config => "Counts lines in the one configured directory.",
        };
        ServerConfig::new(capabilities)
            .with_server_info(Implementation::new("mcp-roots-lint", env!("CARGO_PKG_VERSION")))
            .with_instructions(instructions)
    }

    /// "Implementations SHOULD emit a warning when deprecated capabilities are negotiated" (SEP-2577): once a process.
    pub(super) fn roots_negotiated(&self) {
        if !self.warned.swap(true, Ordering::Relaxed) {
            self.events.notice(&self.options.deprecation);
            self.events.emit("deprecation-warned", json!({"text": self.options.deprecation}));
        }
    }
}

fn check_allowed(mode: Mode, allowed: &[Allowed]) -> Result<(), StartError> {
    let refuse = |text: String| Err(StartError::Options(text));
    match (mode, allowed) {
        (Mode::Roots, []) | (Mode::Config, [_]) => Ok(()),
        (Mode::Roots, _) => refuse("--mode roots takes its directories from the client: leave --allow-dir out".into()),
        (Mode::Config, _) => refuse("--mode config takes exactly one --allow-dir".into()),
        (Mode::Arguments, []) => refuse("--mode arguments needs at least one --allow-dir".into()),
        (Mode::Resources, []) => refuse("--mode resources needs at least one --allow-dir".into()),
        (Mode::Arguments, _) => Ok(()),
        (Mode::Resources, all) => {
            for (at, one) in all.iter().enumerate() {
                let shown = one.directory.path().display();
                if one.directory.path().file_name().is_none() {
                    return refuse(format!("--allow-dir {shown}: has no name that a resource URI could hold"));
                }
                if all[..at].iter().any(|other| other.name == one.name) {
                    return refuse(format!(
                        "--allow-dir {shown}: another allowed directory has the same name, so that a \
                         resource URI could not tell them apart"
                    ));
                }
            }
            Ok(())
        }
    }
}
