//! The Streamable HTTP transport: rmcp's service on hyper, with what keeps a local server from being used by others, or
//! up: `Host` and `Origin` are checked, bodies and sessions are bounded, slow clients are cut off, and a body that is no
//! message is answered as JSON-RPC.

use std::convert::Infallible;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, LengthLimitError, Limited};
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderMap, HeaderValue, RETRY_AFTER};
use hyper::http::request::Parts;
use hyper::service::service_fn;
use hyper::{Method, Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use rmcp::ErrorData;
use rmcp::model::{ClientJsonRpcMessage, ClientRequest, RequestId};
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;

use super::server::Server;
use super::shared::Shared;
use super::stdio::{MAX_LINE, malformed, refuse_body, too_rich};

/// The path of the endpoint.
pub const ENDPOINT: &str = "/mcp";
/// Longest body that is read, in bytes: as on stdio.
pub const MAX_BODY: usize = MAX_LINE;
/// Connections at a time; more wait to be accepted.
const MAX_CONNECTIONS: usize = 1024;

type Body = BoxBody<Bytes, Infallible>;

/// How much a client may take.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Sessions that may be open at a time.
    pub sessions: usize,
    /// Time for the headers of a request.
    pub header_time: Duration,
    /// Time for the body of a request.
    pub body_time: Duration,
}

impl Limits {
    /// With 10 seconds for the headers and 30 for the body.
    #[must_use]
    pub fn new(sessions: usize) -> Self {
        Self { sessions, header_time: Duration::from_secs(10), body_time: Duration::from_secs(30) }
    }
}

/// Serves HTTP until the process ends.
///
/// # Errors
///
/// When the address cannot be listened on.
pub async fn serve(shared: Arc<Shared>, listen: SocketAddr, limits: Limits) -> io::Result<()> {
    let listener = TcpListener::bind(listen).await?;
    let address = listener.local_addr()?;
    shared.events().notice(&format!("listening on http://{address}{ENDPOINT}"));
    if let Some(warning) = exposed(address) {
        shared.events().notice(&warning);
    }
    serve_on(shared, listener, limits).await
}

/// What to say about an address that is not of this machine alone.
fn exposed(address: SocketAddr) -> Option<String> {
    (!address.ip().is_loopback()).then(|| {
        format!(
            "warning: {address} can be reached from other machines, and nobody is asked who they are: whoever reaches it \
             can count lines in the directories of this server; listen on 127.0.0.1 unless that is what you want"
        )
    })
}

/// Serves HTTP on a socket, until the process ends.
///
/// # Errors
///
/// When the socket has no address.
pub async fn serve_on(shared: Arc<Shared>, listener: TcpListener, limits: Limits) -> io::Result<()> {
    let endpoint = Arc::new(Endpoint::new(shared, listener.local_addr()?, limits));
    let connections = Arc::new(Semaphore::new(MAX_CONNECTIONS));
    loop {
        let Ok(turn) = connections.clone().acquire_owned().await else { return Ok(()) };
        let stream = match listener.accept().await {
            Ok((stream, _)) => stream,
            // Of one connection (reset) or of the process (no more descriptors): both pass.
            Err(_) => {
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            }
        };
        let endpoint = endpoint.clone();
        tokio::spawn(async move {
            let service = service_fn(move |request| {
                let endpoint = endpoint.clone();
                async move { Ok::<_, Infallible>(endpoint.answer(request).await) }
            });
            // An error here is the client's: it went, or it was too slow.
            let _ = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(limits.header_time)
                .serve_connection(TokioIo::new(stream), service)
                .await;
            drop(turn);
        });
    }
}

struct Endpoint {
    service: StreamableHttpService<Server, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
    limits: Limits,
}

impl Endpoint {
    fn new(shared: Arc<Shared>, address: SocketAddr, limits: Limits) -> Self {
        let sessions = Arc::new(LocalSessionManager::default());
        let hosts = hosts(address);
        let origins: Vec<_> = hosts.iter().map(|host| format!("http://{host}")).collect();
        let config = StreamableHttpServerConfig::default()
            .with_allowed_hosts(hosts)
            .with_allowed_origins(origins)
            .enforce_origin_validation()
            .with_max_request_body_bytes(MAX_BODY);
        let service = StreamableHttpService::new(move || Ok(shared.server(false)), sessions.clone(), config);
        Self { service, sessions, limits }
    }

    async fn answer(&self, request: Request<Incoming>) -> Response<Body> {
        if request.uri().path() != ENDPOINT {
            return text(StatusCode::NOT_FOUND, &format!("not found: the endpoint is {ENDPOINT}"));
        }
        if request.method() != Method::POST {
            return self.service.handle(request).await;
        }
        let (head, body) = request.into_parts();
        let body = match tokio::time::timeout(self.limits.body_time, Limited::new(body, MAX_BODY).collect()).await {
            Ok(Ok(body)) => body.to_bytes(),
            Ok(Err(error)) if error.is::<LengthLimitError>() => {
                let message = format!("the body is longer than {MAX_BODY} bytes");
                return error_response(StatusCode::PAYLOAD_TOO_LARGE, None, &ErrorData::invalid_request(message, None));
            }
            Ok(Err(error)) => return text(StatusCode::BAD_REQUEST, &format!("the body cannot be read: {error}")),
            Err(_) => {
                let message = format!("the body did not come within {} s", self.limits.body_time.as_secs());
                return error_response(StatusCode::REQUEST_TIMEOUT, None, &ErrorData::invalid_request(message, None));
            }
        };
        if let Some(error) = too_rich(&body) {
            return error_response(StatusCode::PAYLOAD_TOO_LARGE, None, &error);
        }
        let message = match serde_json::from_slice::<ClientJsonRpcMessage>(&body) {
            Ok(message) => message,
            Err(error) => {
                let (id, error) = refuse_body(&body, &error);
                return self.refuse(head, body, id, &error).await;
            }
        };
        if let Some((id, error)) = malformed(&message) {
            return self.refuse(head, body, Some(id), &error).await;
        }
        let opens_session = initialize_id(&message).filter(|_| !head.headers.contains_key("mcp-session-id"));
        if let Some(id) = opens_session
            && self.sessions.sessions.read().await.len() >= self.limits.sessions
        {
            let message = format!(
                "{} sessions are open, which is the most that --max-sessions allows: end one, or try again later",
                self.limits.sessions
            );
            let mut response =
                error_response(StatusCode::SERVICE_UNAVAILABLE, Some(id), &ErrorData::internal_error(message, None));
            response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("60"));
            return response;
        }
        self.service.handle(Request::from_parts(head, Full::new(body))).await
    }

    /// A body that is no message of MCP. rmcp checks the headers first; when it minds nothing but the body, for which it
    /// has only a line of text (and calls it an unsupported media type), the client gets a JSON-RPC error.
    async fn refuse(&self, head: Parts, body: Bytes, id: Option<RequestId>, error: &ErrorData) -> Response<Body> {
        let sent_json = is_json(&head.headers);
        let response = self.service.handle(Request::from_parts(head, Full::new(body))).await;
        let minds_body = matches!(response.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE | StatusCode::BAD_REQUEST);
        if sent_json && minds_body && !is_json(response.headers()) {
            return error_response(StatusCode::BAD_REQUEST, id, error);
        }
        response
    }
}

fn is_json(headers: &HeaderMap) -> bool {
    let essence = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()?.split(';').next());
    essence.is_some_and(|essence| essence.trim().eq_ignore_ascii_case("application/json"))
}

fn initialize_id(message: &ClientJsonRpcMessage) -> Option<RequestId> {
    match message {
        ClientJsonRpcMessage::Request(request) => match &request.request {
            ClientRequest::InitializeRequest(_) => Some(request.id.clone()),
            _ => None,
        },
        _ => None,
    }
}

/// What a client of this server writes in `Host`.
fn hosts(address: SocketAddr) -> Vec<String> {
    let port = address.port();
    let mut hosts = vec![format!("localhost:{port}"), format!("127.0.0.1:{port}"), format!("[::1]:{port}")];
    let own = match address.ip() {
        ip if ip.is_loopback() || ip.is_unspecified() => None,
        IpAddr::V4(ip) => Some(format!("{ip}:{port}")),
        IpAddr::V6(ip) => Some(format!("[{ip}]:{port}")),
    };
    hosts.extend(own);
    hosts
}

fn error_response(status: StatusCode, id: Option<RequestId>, error: &ErrorData) -> Response<Body> {
    let body = json!({"jsonrpc": "2.0", "id": id, "error": error}).to_string();
    response(status, "application/json", body)
}

fn text(status: StatusCode, text: &str) -> Response<Body> {
    response(status, "text/plain; charset=utf-8", text.to_owned())
}

fn response(status: StatusCode, kind: &'static str, body: String) -> Response<Body> {
    let mut response = Response::new(Full::new(Bytes::from(body)).boxed());
    *response.status_mut() = status;
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_that_others_can_reach_is_warned_of() {
        for (address, others) in [
            ("127.0.0.1:80", false),
            ("127.8.9.10:80", false),
            ("[::1]:80", false),
            ("0.0.0.0:80", true),
            ("[::]:80", true),
            ("192.168.0.1:80", true),
            ("[fe80::1]:80", true),
        ] {
            let warning = exposed(address.parse().expect("an address"));
            assert_eq!(warning.is_some(), others, "{address}");
            assert!(warning.is_none_or(|text| text.starts_with("warning:") && text.contains(address)), "{address}");
        }
    }

    #[test]
    fn slow_clients_have_ten_seconds_for_headers_and_thirty_for_bodies() {
        let limits = Limits::new(1);
        assert_eq!((limits.header_time.as_secs(), limits.body_time.as_secs()), (10, 30));
    }
}
