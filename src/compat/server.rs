//! The MCP server: for each request the era, then the directories it may use, then the answer. One [`Server`] serves a
//! connection (stdio), a session or a single request (HTTP); [`Shared`] is what they have in common.

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock, CustomRequest,
    CustomResult, DiscoverResult, ErrorCode, Implementation, InitializeRequestParams, InitializeResult,
    ListResourceTemplatesResult, ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
    ReadResourceRequestParams, ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ResourceTemplate,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::sync::Semaphore;

use super::boundary::Directory;
use super::count::{Budgets, Counts, count};
use super::events::{self, Events, millis};
use super::roots::degrade::{Access, Fallback, Learned};
use super::roots::rounds::{KEY, Round, Rounds};
use super::roots::session::{self, Session};
use super::roots::set::{Failure, RootSet};
use super::select::{self, Allowed};
use super::tools::{self, Call};
use super::{Mode, Offer, Options, Source, StartError, uri};

/// Directories that are counted at a time; more calls wait. Threads that block are scarce: standard input is one.
const WALKS: usize = 4;

/// What all connections, sessions and requests of a process have in common.
pub struct Shared {
    options: Options,
    tools: Vec<Tool>,
    allowed: Vec<Allowed>,
    fallback: Fallback,
    rounds: Rounds,
    budgets: Budgets,
    events: Arc<Events>,
    walks: Semaphore,
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

    /// A server for one connection, session or request. On stdio the server's own asks always reach the client.
    pub fn server(self: &Arc<Self>, own_asks_arrive: bool) -> Server {
        let id = self.sessions.fetch_add(1, Ordering::Relaxed);
        let session = Session::new(id, self.events.clone(), self.options.limits.clone(), own_asks_arrive);
        Server { shared: self.clone(), session, greeted: AtomicBool::new(false) }
    }

    /// The events of the process.
    #[must_use]
    pub fn events(&self) -> &Events {
        &self.events
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

    fn info(&self) -> ServerConfig {
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
    fn roots_negotiated(&self) {
        if !self.warned.swap(true, Ordering::Relaxed) {
            events::notice(&self.options.deprecation);
        }
    }
}

fn check_allowed(mode: Mode, allowed: &[Allowed]) -> Result<(), StartError> {
    let refuse = |text: String| Err(StartError::Options(text));
    match (mode, allowed) {
        (Mode::Roots, []) | (Mode::Config, [_]) => Ok(()),
        (Mode::Roots, _) => refuse("--mode roots takes its directories from the client: leave --allow-dir out".into()),
        (Mode::Config, _) => refuse("--mode config takes exactly one --allow-dir".into()),
        (_, []) => refuse("this mode needs at least one --allow-dir".into()),
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

/// The era of a request: what it says itself, or else what its session negotiated.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Era {
    Legacy,
    Modern,
}

impl Era {
    fn of(context: &RequestContext<RoleServer>) -> Self {
        match context.protocol_version() {
            Some(version) if !version.has_initialize() => Self::Modern,
            _ => Self::Legacy,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Legacy => "legacy",
            Self::Modern => "modern",
        }
    }
}

/// Serves one connection, session or request.
pub struct Server {
    shared: Arc<Shared>,
    session: Arc<Session>,
    greeted: AtomicBool,
}

/// Access to directories, or the question that comes first.
enum Turn {
    Go(Access),
    Ask(CallToolResponse),
}

/// The structured result of `count_lines`.
#[derive(Serialize)]
struct Counted {
    directory: String,
    source: Source,
    #[serde(flatten)]
    counts: Counts,
}

/// What a call came to that did not work: a text for the model, or an error of the protocol.
enum Refusal {
    Text(String),
    Protocol(ErrorData),
}

impl Server {
    /// The session, for the transport.
    #[must_use]
    pub fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// Notes what a client negotiated; in 2026-07-28 that is said with each request, so the first one counts.
    fn greet(&self, context: &RequestContext<RoleServer>) {
        if Era::of(context) == Era::Modern && !self.greeted.swap(true, Ordering::Relaxed) {
            let version = context.protocol_version();
            self.negotiated(Era::Modern, version.as_ref(), context.client_capabilities().as_ref());
        }
    }

    fn negotiated(&self, era: Era, version: Option<&ProtocolVersion>, client: Option<&ClientCapabilities>) {
        let roots = client.and_then(|client| client.roots.as_ref());
        self.shared.events.emit(
            "negotiated",
            json!({
                "session": self.session.id(),
                "era": era.name(),
                "protocol_version": version.map(ProtocolVersion::as_str),
                "roots": roots.is_some(),
                "list_changed": roots.and_then(|roots| roots.list_changed).unwrap_or(false),
            }),
        );
        if roots.is_some() && self.shared.options.mode == Mode::Roots {
            self.shared.roots_negotiated();
        }
    }

    async fn answer(
        &self,
        call: Call,
        request: CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, Refusal> {
        let allowed = self.shared.allowed.clone();
        let counted = match call {
            Call::CountInRoot(arguments) => {
                let access = match self.access(&request, context).await? {
                    Turn::Go(access) => access,
                    Turn::Ask(question) => return Ok(question),
                };
                let root = arguments.root.map(tools::Selector::into_text);
                let (directory, source) = choose(access, root.as_deref())?;
                self.count(context, source, move || {
                    let directory = match directory {
                        Chosen::Path(path) => Directory::open(&path).map_err(|error| error.to_string())?,
                        Chosen::Open(directory) => directory,
                    };
                    in_subdir(&directory, arguments.subdir.as_deref())
                })
                .await?
            }
            Call::CountInDirectory(arguments) => {
                self.count(context, Source::Argument, move || {
                    let directory = select::allowed(&allowed, &arguments.directory)?;
                    in_subdir(&directory, arguments.subdir.as_deref())
                })
                .await?
            }
            Call::CountResource(arguments) => {
                self.count(context, Source::Resource, move || select::resource(&allowed, &arguments.uri)).await?
            }
            Call::CountConfigured(arguments) => {
                self.count(context, Source::Config, move || {
                    in_subdir(&allowed[0].directory, arguments.subdir.as_deref())
                })
                .await?
            }
            Call::ListRoots => {
                return match self.access(&request, context).await? {
                    Turn::Go(access) => Ok(CallToolResult::structured(list_roots(access)?).into()),
                    Turn::Ask(question) => Ok(question),
                };
            }
            Call::ListDirectories => return Ok(CallToolResult::structured(list_directories(&allowed)).into()),
            Call::EchoRoots => {
                return match self.shared.ask_round(&request, &self.session, context)? {
                    Err(question) => Ok(question),
                    Ok(answer) => {
                        let text = answer.map_or_else(|failure| failure.to_string(), |answer| answer.to_string());
                        Ok(CallToolResult::success(vec![ContentBlock::text(format!("{KEY}: {text}"))]).into())
                    }
                };
            }
        };
        Ok(CallToolResult::structured(counted).into())
    }

    /// The directories that a call may choose from, in mode `roots`.
    async fn access(
        &self,
        request: &CallToolRequestParams,
        context: &RequestContext<RoleServer>,
    ) -> Result<Turn, Refusal> {
        let era = Era::of(context);
        let declared = context.client_capabilities().is_some_and(|client| client.roots.is_some());
        // A forged state is one whatever else the request says.
        self.shared.rounds.check(request).map_err(Refusal::Protocol)?;
        let learned = if !declared {
            Learned::NoCapability
        } else if era == Era::Legacy {
            let answer = self.session.roots(&context.peer).await;
            Learned::Answer { roots: answer.roots, source: if answer.asked { Source::Asked } else { Source::Cached } }
        } else {
            match self.shared.ask_round(request, &self.session, context)? {
                Err(question) => return Ok(Turn::Ask(question)),
                Ok(answer) => Learned::Answer { roots: self.read_answer(answer).await?, source: Source::InputRequest },
            }
        };
        let access = self.shared.fallback.resolve(learned);
        let about = |source: Source| json!({"session": self.session.id(), "era": era.name(), "source": source});
        match &access {
            Access::Roots(..) => {}
            Access::Fallback(directory, _, source) => {
                let mut fields = about(*source);
                fields["directory"] = directory.path().to_string_lossy().into();
                self.shared.events.emit("fallback", fields);
            }
            Access::Denied(reason, source) => {
                let mut fields = about(*source);
                fields["denied"] = reason.as_str().into();
                self.shared.events.emit("fallback", fields);
            }
        }
        Ok(Turn::Go(access))
    }

    /// Reads an answer of 2026-07-28. One that is malformed is a malformed request.
    async fn read_answer(&self, answer: Result<Value, Failure>) -> Result<Result<Arc<RootSet>, Failure>, Refusal> {
        let begun = Instant::now();
        let roots = match answer {
            Ok(value) => session::read(value, self.shared.options.limits.max_roots).await,
            Err(failure) => Err(failure),
        };
        let about = json!({"session": self.session.id(), "era": "modern", "moment": "input-request", "after_ms": millis(begun)});
        session::report(&self.shared.events, about, roots.as_deref());
        match roots {
            Err(Failure::Malformed(reason)) => {
                let message = format!("inputResponses.{KEY}: {reason}");
                Err(Refusal::Protocol(ErrorData::invalid_params(message, None)))
            }
            roots => Ok(roots),
        }
    }

    /// Opens and counts where blocking is allowed; stops when the client cancels or is gone.
    async fn count(
        &self,
        context: &RequestContext<RoleServer>,
        source: Source,
        open: impl FnOnce() -> Result<Directory, String> + Send + 'static,
    ) -> Result<Value, Refusal> {
        let begun = Instant::now();
        let cancelled = context.ct.clone();
        let closed = self.session.closed().clone();
        let budgets = self.shared.budgets.clone();
        let _turn = self.shared.walks.acquire().await;
        let walk = tokio::task::spawn_blocking(move || {
            let directory = open().map_err(Refusal::Text)?;
            let counts = count(&directory, &budgets, &|| cancelled.is_cancelled() || closed.is_cancelled());
            let counts = counts.map_err(|_| Refusal::Protocol(stopped()))?;
            Ok((directory, counts))
        });
        let fault =
            |error: tokio::task::JoinError| Refusal::Protocol(ErrorData::internal_error(error.to_string(), None));
        let (directory, counts) = walk.await.map_err(fault)??;
        let counted = Counted { directory: directory.path().to_string_lossy().into_owned(), source, counts };
        let value = serde_json::to_value(counted);
        let value = value.map_err(|error| Refusal::Protocol(ErrorData::internal_error(error.to_string(), None)))?;
        let mut fields = value.clone();
        fields["session"] = self.session.id().into();
        fields["era"] = Era::of(context).name().into();
        fields["took_ms"] = millis(begun).into();
        self.shared.events.emit("counted", fields);
        Ok(value)
    }
}

impl Shared {
    /// The question of 2026-07-28 (`Err`), or what the client answered.
    fn ask_round(
        &self,
        request: &CallToolRequestParams,
        session: &Session,
        context: &RequestContext<RoleServer>,
    ) -> Result<Result<Result<Value, Failure>, CallToolResponse>, Refusal> {
        let declared = context.client_capabilities().is_some_and(|client| client.roots.is_some());
        if Era::of(context) == Era::Legacy || !declared {
            return Ok(Ok(Err(Failure::Unsent("this client cannot be asked within a result".into()))));
        }
        let round = self.rounds.check(request).map_err(Refusal::Protocol)?;
        match self.rounds.next(request, round).map_err(Refusal::Protocol)? {
            Round::Answered(answer) => Ok(Ok(Ok(answer))),
            Round::GaveUp => Ok(Ok(Err(Failure::Withheld(round)))),
            Round::Ask(question) => {
                let about =
                    json!({"session": session.id(), "era": "modern", "moment": "input-request", "round": round + 1});
                self.events.emit("roots-asked", about);
                Ok(Err((*question).into()))
            }
        }
    }
}

/// A chosen directory: the fallback is open already.
enum Chosen {
    Path(PathBuf),
    Open(Directory),
}

fn choose(access: Access, root: Option<&str>) -> Result<(Chosen, Source), Refusal> {
    match access {
        Access::Roots(set, source) => {
            let path = select::root(&set, root).map_err(Refusal::Text)?;
            Ok((Chosen::Path(path), source))
        }
        Access::Fallback(directory, _, source) => match root {
            None => Ok((Chosen::Open(directory), source)),
            Some(root) => Err(Refusal::Text(format!(
                "there is no root `{}`, since the client sent none that can be used: leave `root` out to count in \
                 `{}`, or see list_roots",
                events::clip(root),
                directory.path().display()
            ))),
        },
        Access::Denied(reason, _) => Err(Refusal::Text(reason)),
    }
}

fn in_subdir(directory: &Directory, subdir: Option<&str>) -> Result<Directory, String> {
    match subdir {
        None => Ok(directory.clone()),
        Some(subdir) => select::subdir(directory, subdir.as_ref()),
    }
}

fn list_roots(access: Access) -> Result<Value, Refusal> {
    let (set, source, fallback) = match access {
        Access::Roots(set, source) => (Some(set), source, None),
        Access::Fallback(directory, set, source) => {
            (set, source, Some(directory.path().to_string_lossy().into_owned()))
        }
        Access::Denied(reason, _) => return Err(Refusal::Text(reason)),
    };
    let set = set.as_deref();
    let roots: Vec<_> =
        set.into_iter().flat_map(|set| set.roots.iter().enumerate()).map(|(index, root)| root.to_json(index)).collect();
    let ignored = set.map_or(0, |set| set.ignored);
    Ok(json!({"source": source, "roots": roots, "ignored": ignored, "fallback": fallback}))
}

fn list_directories(allowed: &[Allowed]) -> Value {
    let directories: Vec<_> = allowed
        .iter()
        .map(|allowed| {
            let path = allowed.directory.path();
            json!({"name": allowed.name.to_string_lossy(), "path": path.to_string_lossy(), "uri": uri::uri_of(path)})
        })
        .collect();
    json!({"source": Source::Config, "directories": directories})
}

fn stopped() -> ErrorData {
    ErrorData::internal_error("the request was cancelled", None)
}

/// This server hands out everything at once, so a cursor is none of its own.
fn no_cursor(page: Option<&PaginatedRequestParams>) -> Result<(), ErrorData> {
    match page.and_then(|page| page.cursor.as_ref()) {
        None => Ok(()),
        Some(_) => Err(ErrorData::invalid_params("unknown cursor: this server gives no cursors", None)),
    }
}

/// The methods of this server. rmcp takes one with malformed parameters for a method that it does not know.
const METHODS: [&str; 8] = [
    "initialize",
    "ping",
    "resources/list",
    "resources/read",
    "resources/templates/list",
    "server/discover",
    "tools/call",
    "tools/list",
];

/// The error for a request that rmcp could not read as one of its methods.
#[must_use]
pub fn unreadable(method: &str) -> ErrorData {
    let method = events::clip(method);
    if METHODS.contains(&method.as_str()) {
        ErrorData::invalid_params(format!("the parameters of {method} are malformed"), None)
    } else {
        ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None)
    }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        self.shared.info()
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        self.shared.versions().into()
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let result = self.negotiate_initialize(&request)?;
        self.negotiated(Era::Legacy, Some(&result.protocol_version), Some(&request.capabilities));
        context.peer.set_peer_info(request);
        Ok(result)
    }

    async fn discover(&self, context: RequestContext<RoleServer>) -> Result<DiscoverResult, ErrorData> {
        self.greet(&context);
        Ok(DiscoverResult::from_server_info(self.shared.versions(), self.shared.info()))
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let declared = context.peer.peer_info().is_some_and(|client| client.capabilities.roots.is_some());
        if declared && self.shared.options.mode == Mode::Roots {
            self.session.initialized(context.peer);
        }
    }

    async fn on_roots_list_changed(&self, _: NotificationContext<RoleServer>) {
        // In a 2026-07-28 connection nothing is kept, so there is nothing to do: the revision has no such notification.
        self.session.roots_changed();
    }

    async fn list_tools(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        no_cursor(page.as_ref())?;
        self.greet(&context);
        Ok(ListToolsResult::with_all_items(self.shared.tools.clone()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.shared.tools.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        self.greet(&context);
        let call = tools::parse(self.shared.options.mode, self.shared.options.conformance, &request)?;
        let answer = tokio::select! {
            answer = self.answer(call, request, &context) => answer,
            () = context.ct.cancelled() => return Err(stopped()),
            () = self.session.closed().cancelled() => return Err(stopped()),
        };
        match answer {
            Ok(response) => Ok(response),
            Err(Refusal::Text(text)) => Ok(CallToolResult::error(vec![ContentBlock::text(text)]).into()),
            Err(Refusal::Protocol(error)) => Err(error),
        }
    }

    async fn list_resources(
        &self,
        page: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        self.only_with_resources("resources/list")?;
        no_cursor(page.as_ref())?;
        self.greet(&context);
        let resources = self.shared.allowed.iter().map(|allowed| {
            Resource::new(uri::stats_uri(&allowed.name, "".as_ref()), allowed.name.to_string_lossy())
                .with_description(format!("Line counts of {}", allowed.directory.path().display()))
                .with_mime_type("application/json")
        });
        Ok(ListResourcesResult::with_all_items(resources.collect()))
    }

    async fn list_resource_templates(
        &self,
        page: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        self.only_with_resources("resources/templates/list")?;
        no_cursor(page.as_ref())?;
        let template = ResourceTemplate::new(uri::STATS_TEMPLATE, "line counts")
            .with_description("Line counts of an allowed directory, or of a directory in it")
            .with_mime_type("application/json");
        Ok(ListResourceTemplatesResult::with_all_items(vec![template]))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        self.only_with_resources("resources/read")?;
        self.greet(&context);
        let allowed = self.shared.allowed.clone();
        let uri = request.uri.clone();
        let counted = tokio::select! {
            counted = self.count(&context, Source::Resource, move || select::resource(&allowed, &uri)) => counted,
            () = context.ct.cancelled() => return Err(stopped()),
            () = self.session.closed().cancelled() => return Err(stopped()),
        };
        match counted {
            Ok(counted) => {
                let contents =
                    ResourceContents::text(counted.to_string(), request.uri).with_mime_type("application/json");
                Ok(ReadResourceResult::new(vec![contents]).into())
            }
            Err(Refusal::Text(text)) => Err(ErrorData::resource_not_found(text, Some(json!({"uri": request.uri})))),
            Err(Refusal::Protocol(error)) => Err(error),
        }
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(unreadable(&request.method))
    }
}

impl Server {
    fn only_with_resources(&self, method: &'static str) -> Result<(), ErrorData> {
        match self.shared.options.mode {
            Mode::Resources => Ok(()),
            _ => Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None)),
        }
    }
}
