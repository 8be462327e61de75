//! The MCP server: which methods there are, and what a client negotiated. One [`Server`] serves a connection (stdio), a
//! session, or a single request (HTTP).

use std::borrow::Cow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ClientCapabilities, ContentBlock, CustomRequest,
    CustomResult, DiscoverResult, ErrorCode, InitializeRequestParams, InitializeResult, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ReadResourceResult, Resource, ResourceContents, ResourceTemplate, ServerConfig, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer};
use rmcp::{ErrorData, ServerHandler};
use serde_json::json;

use super::calls::{Refusal, Request, cancelled_error};
use super::events::clip;
use super::roots::session::Session;
use super::shared::Shared;
use super::{Era, Mode, tools, uri};

/// Serves one connection, session or request.
pub struct Server {
    shared: Arc<Shared>,
    session: Arc<Session>,
    greeted: AtomicBool,
    initialized: AtomicBool,
}

impl Server {
    /// A server for one connection, session or request.
    #[must_use]
    pub fn new(shared: Arc<Shared>, session: Arc<Session>) -> Self {
        Self { shared, session, greeted: AtomicBool::new(false), initialized: AtomicBool::new(false) }
    }

    /// The session, for the transport.
    #[must_use]
    pub fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// Notes what a client negotiated; in 2026-07-28 that is said with each request, so the first one counts.
    fn greet(&self, context: &RequestContext<RoleServer>) {
        if era_of(context) == Era::Modern && !self.greeted.swap(true, Ordering::Relaxed) {
            let version = context.protocol_version();
            self.negotiated(Era::Modern, version.as_ref(), context.client_capabilities().as_ref());
        }
    }

    fn request<'a>(&'a self, context: &'a RequestContext<RoleServer>) -> Request<'a> {
        Request { shared: &self.shared, session: &self.session, context, era: era_of(context) }
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

    fn only_with_resources(&self, method: &'static str) -> Result<(), ErrorData> {
        match self.shared.options.mode {
            Mode::Resources => Ok(()),
            _ => Err(ErrorData::new(ErrorCode::METHOD_NOT_FOUND, method, None)),
        }
    }
}

/// The era of a request: what it says itself, or else what its session negotiated.
fn era_of(context: &RequestContext<RoleServer>) -> Era {
    match context.protocol_version() {
        Some(version) if !version.has_initialize() => Era::Modern,
        _ => Era::Legacy,
    }
}

/// This server hands out everything at once, so a cursor is none of its own.
fn no_cursor(page: Option<&PaginatedRequestParams>) -> Result<(), ErrorData> {
    match page.and_then(|page| page.cursor.as_ref()) {
        None => Ok(()),
        Some(_) => Err(ErrorData::invalid_params("unknown cursor: this server gives no cursors", None)),
    }
}

/// The methods of this server, and whether 2026-07-28 has them. rmcp takes one with malformed parameters for a method that
/// it does not know.
const METHODS: [(&str, bool); 8] = [
    ("initialize", false),
    ("ping", false),
    ("resources/list", true),
    ("resources/read", true),
    ("resources/templates/list", true),
    ("server/discover", true),
    ("tools/call", true),
    ("tools/list", true),
];

/// The error for a request that rmcp could not read as one of its methods.
#[must_use]
pub fn unreadable(method: &str, era: Era) -> ErrorData {
    let known = METHODS.iter().any(|&(name, is_modern)| name == method && (is_modern || era == Era::Legacy));
    let method = clip(method);
    if known {
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
        mut request: InitializeRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        let result = self.negotiate_initialize(&request)?;
        self.negotiated(Era::Legacy, Some(&result.protocol_version), Some(&request.capabilities));
        // What was agreed on decides the era of what follows, not what was asked for. In the first handshake rmcp sees to it.
        request.protocol_version = result.protocol_version.clone();
        context.peer.set_peer_info(request);
        if self.initialized.swap(true, Ordering::Relaxed) {
            self.session.begun_again().await;
        }
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
        let served = self.request(&context);
        let answer = tokio::select! {
            answer = served.call(call, &request) => answer,
            () = context.ct.cancelled() => return Err(cancelled_error()),
            () = self.session.closed().cancelled() => return Err(cancelled_error()),
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
        let served = self.request(&context);
        let counted = tokio::select! {
            counted = served.count_resource(request.uri.clone()) => counted,
            () = context.ct.cancelled() => return Err(cancelled_error()),
            () = self.session.closed().cancelled() => return Err(cancelled_error()),
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
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        Err(unreadable(&request.method, era_of(&context)))
    }
}
