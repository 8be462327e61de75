//! The stdio transport: one JSON-RPC message a line.
//!
//! rmcp's own transport leaves four things to be wished, all of which need the bytes: a line that is not a message gets
//! an answer here; a notification before the handshake does not end the server; the end of the input stops what is being
//! counted at once; and `notifications/roots/list_changed` is noted in the order of arrival and costs no task, so that a
//! flood of them costs no memory.

use std::io;
use std::sync::Arc;

use rmcp::ErrorData;
use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorCode, GetMeta, ProtocolVersion, RequestId,
    ServerJsonRpcMessage,
};
use rmcp::service::{RoleServer, ServiceExt};
use rmcp::transport::Transport;
use serde_json::{Value, json};
use tokio::io::{AsyncBufRead, AsyncBufReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::sync::{Mutex, mpsc};

use super::Era;
use super::roots::session::Session;
use super::server::{Server, unreadable};
use super::shared::Shared;

/// Longest line that is read, in bytes: room for 100,000 roots.
pub const MAX_LINE: usize = 16 << 20;
/// Most values in a message: 100,000 roots with names have 300,000.
const MAX_VALUES: usize = 500_000;
/// Messages that wait to be handled; then the client has to wait.
const WAITING: usize = 16;

/// Serves one client on the process's standard input and output until it closes the input.
///
/// # Errors
///
/// When the connection breaks before the client has chosen a protocol revision in another way than by closing.
pub async fn serve(shared: &Arc<Shared>) -> io::Result<()> {
    serve_on(shared, BufReader::new(tokio::io::stdin()), tokio::io::stdout()).await
}

/// Serves one client on any pair of streams.
///
/// # Errors
///
/// See [`serve`].
pub async fn serve_on<R, W>(shared: &Arc<Shared>, reader: R, writer: W) -> io::Result<()>
where
    R: AsyncBufRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let server: Server = shared.server(true);
    let session = server.session().clone();
    let out = Arc::new(Mutex::new(writer));
    let (sender, messages) = mpsc::channel(WAITING);
    let input =
        Input { reader, out: out.clone(), session: session.clone(), versions: shared.versions(), has_lifecycle: false };
    let reading = tokio::spawn(input.run(sender));
    let result = match server.serve(Lines { messages, out }).await {
        Ok(running) => running.waiting().await.map(drop).map_err(io::Error::other),
        // Closing before the handshake is no mistake of anyone.
        Err(_) if session.closed().is_cancelled() => Ok(()),
        Err(error) => Err(io::Error::other(error)),
    };
    session.closed().cancel();
    reading.abort();
    result
}

/// What rmcp sees: messages that can be read, in their order.
struct Lines<W> {
    messages: mpsc::Receiver<ClientJsonRpcMessage>,
    out: Arc<Mutex<W>>,
}

impl<W: AsyncWrite + Send + Unpin + 'static> Transport<RoleServer> for Lines<W> {
    type Error = io::Error;

    fn send(&mut self, message: ServerJsonRpcMessage) -> impl Future<Output = io::Result<()>> + Send + 'static {
        let out = self.out.clone();
        async move { write(&out, &serde_json::to_vec(&message)?).await }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.messages.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.messages.close();
        Ok(())
    }
}

async fn write<W: AsyncWrite + Unpin>(out: &Mutex<W>, message: &[u8]) -> io::Result<()> {
    let mut out = out.lock().await;
    out.write_all(message).await?;
    out.write_all(b"\n").await?;
    out.flush().await
}

/// Reads the lines, in a task of its own.
struct Input<R, W> {
    reader: R,
    out: Arc<Mutex<W>>,
    session: Arc<Session>,
    versions: Vec<ProtocolVersion>,
    /// Whether a message has chosen how the connection works; before that rmcp takes only requests.
    has_lifecycle: bool,
}

/// What to do with a line.
enum Line {
    Message(Box<ClientJsonRpcMessage>),
    RootsChanged,
    Nothing,
    Refused(Option<RequestId>, ErrorData),
}

impl<R: AsyncBufRead + Unpin, W: AsyncWrite + Unpin> Input<R, W> {
    async fn run(mut self, messages: mpsc::Sender<ClientJsonRpcMessage>) {
        let mut line = Vec::new();
        loop {
            line.clear();
            let read = match read_line(&mut self.reader, &mut line, MAX_LINE).await {
                Ok(Some(whole)) if whole => self.read(&line),
                Ok(Some(_)) => {
                    let text = format!("the line is longer than {MAX_LINE} bytes and was not read");
                    Line::Refused(None, ErrorData::invalid_request(text, None))
                }
                Ok(None) | Err(_) => break,
            };
            match read {
                Line::Message(message) => {
                    if messages.send(*message).await.is_err() {
                        break;
                    }
                }
                Line::RootsChanged => self.session.roots_changed(),
                Line::Nothing => {}
                Line::Refused(id, error) => {
                    // JSON-RPC wants `"id": null` where the request cannot be told, which rmcp's type leaves out.
                    let answer = json!({"jsonrpc": "2.0", "id": id, "error": error});
                    if write(&self.out, answer.to_string().as_bytes()).await.is_err() {
                        break;
                    }
                }
            }
            // A big message's buffer is not kept for the small ones that follow.
            line.shrink_to(64 << 10);
        }
        self.session.closed().cancel();
    }

    fn read(&mut self, line: &[u8]) -> Line {
        let line = line.trim_ascii();
        if line.is_empty() {
            return Line::Nothing;
        }
        if let Some(error) = too_rich(line) {
            return Line::Refused(None, error);
        }
        let message = match serde_json::from_slice::<ClientJsonRpcMessage>(line) {
            Ok(message) => message,
            // A notification is never answered, not even a malformed one.
            Err(_) if is_notification(line) => return Line::Nothing,
            Err(error) => return refuse(line, &error),
        };
        match &message {
            ClientJsonRpcMessage::Request(request) => {
                if let Some((id, error)) = malformed(&message) {
                    return Line::Refused(Some(id), error);
                }
                // rmcp refuses this one, too, but then ends the connection.
                if let ClientRequest::InitializeRequest(initialize) = &request.request
                    && !self.versions.iter().any(ProtocolVersion::has_initialize)
                {
                    let version = initialize.params.protocol_version.clone();
                    let error = ErrorData::unsupported_protocol_version(version, &self.versions);
                    return Line::Refused(Some(request.id.clone()), error);
                }
                self.has_lifecycle |= chooses_lifecycle(&request.request, &self.versions);
            }
            ClientJsonRpcMessage::Notification(notification)
                if matches!(notification.notification, ClientNotification::RootsListChangedNotification(_)) =>
            {
                return Line::RootsChanged;
            }
            _ if !self.has_lifecycle => return Line::Nothing,
            _ => {}
        }
        Line::Message(Box::new(message))
    }
}

/// The error for a message of more values than any that this server has use for. As a tree of values they would take a
/// hundred times the memory of their text, and the time of everybody else.
pub(super) fn too_rich(text: &[u8]) -> Option<ErrorData> {
    let values = memchr::memchr3_iter(b',', b'[', b'{', text).take(MAX_VALUES + 1).count();
    (values > MAX_VALUES).then(|| {
        ErrorData::invalid_request(format!("the message holds more than {MAX_VALUES} values and was not read"), None)
    })
}

/// The answer to a request for a method of this server whose parameters rmcp could not read.
pub(super) fn malformed(message: &ClientJsonRpcMessage) -> Option<(RequestId, ErrorData)> {
    let ClientJsonRpcMessage::Request(request) = message else { return None };
    let ClientRequest::CustomRequest(custom) = &request.request else { return None };
    // One that says its revision is rmcp's to judge; it hands it to `Server::on_custom_request`.
    if request.request.get_meta().protocol_version().is_some() {
        return None;
    }
    let error = unreadable(&custom.method, Era::Legacy);
    (error.code == ErrorCode::INVALID_PARAMS).then(|| (request.id.clone(), error))
}

/// Whether rmcp leaves its opening loop with this request.
fn chooses_lifecycle(request: &ClientRequest, versions: &[ProtocolVersion]) -> bool {
    match request {
        ClientRequest::InitializeRequest(_) => true,
        ClientRequest::PingRequest(_) | ClientRequest::DiscoverRequest(_) => false,
        other => {
            let meta = other.get_meta();
            meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
                && meta.protocol_version().is_some_and(|version| versions.contains(&version))
        }
    }
}

/// The answer to a line that is no message.
pub(super) fn refuse_body(line: &[u8], error: &serde_json::Error) -> (Option<RequestId>, ErrorData) {
    match serde_json::from_slice::<Value>(line) {
        Err(_) => (None, ErrorData::parse_error(format!("not JSON that can be read: {error}"), None)),
        Ok(Value::Array(_)) => {
            (None, ErrorData::invalid_request("batches are not supported: send one message at a time", None))
        }
        Ok(value) => {
            // The id of a response is one of this server's: its client may have a request of the same id.
            let is_response = ["result", "error"].iter().any(|field| value.get(field).is_some());
            let id = value.get("id").filter(|_| !is_response).cloned();
            let id = id.and_then(|id| serde_json::from_value(id).ok());
            let method = value.get("method").filter(|_| value["jsonrpc"] == "2.0").and_then(Value::as_str);
            // With an id and a method, only the parameters are left to be wrong.
            let error = match method {
                Some(method) if id.is_some() => unreadable(method, Era::Legacy),
                _ => ErrorData::invalid_request(format!("not a JSON-RPC message of MCP: {error}"), None),
            };
            (id, error)
        }
    }
}

fn is_notification(line: &[u8]) -> bool {
    let value = serde_json::from_slice::<Value>(line);
    value.is_ok_and(|value| value["jsonrpc"] == "2.0" && value["method"].is_string() && value.get("id").is_none())
}

fn refuse(line: &[u8], error: &serde_json::Error) -> Line {
    let (id, error) = refuse_body(line, error);
    Line::Refused(id, error)
}

/// Reads a line without its end. `None` at the end of the input, `Some(false)` for a line that is longer than `max`, of
/// which the rest is skipped.
async fn read_line<R: AsyncBufRead + Unpin>(
    reader: &mut R,
    line: &mut Vec<u8>,
    max: usize,
) -> io::Result<Option<bool>> {
    let mut whole = true;
    let mut begun = false;
    loop {
        let available = reader.fill_buf().await?;
        if available.is_empty() {
            return Ok(begun.then_some(whole));
        }
        begun = true;
        let end = memchr::memchr(b'\n', available);
        let part = &available[..end.unwrap_or(available.len())];
        if whole && line.len() + part.len() <= max {
            line.extend_from_slice(part);
        } else {
            whole = false;
            line.clear();
        }
        let used = part.len() + usize::from(end.is_some());
        reader.consume(used);
        if end.is_some() {
            return Ok(Some(whole));
        }
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    async fn lines(text: &[u8], max: usize) -> Vec<Option<Vec<u8>>> {
        // A small buffer, so that lines come in parts.
        let mut reader = BufReader::with_capacity(3, text);
        let (mut all, mut line) = (Vec::new(), Vec::new());
        while let Some(whole) = read_line(&mut reader, &mut line, max).await.unwrap() {
            all.push(whole.then(|| line.clone()));
            line.clear();
        }
        all
    }

    #[tokio::test]
    async fn lines_are_cut_at_newlines_and_long_ones_are_skipped() {
        let expected = [Some(&b"ab"[..]), Some(b""), None, Some(b"12345"), Some(b"end")];
        let expected: Vec<_> = expected.into_iter().map(|line| line.map(<[u8]>::to_vec)).collect();
        assert_eq!(lines(b"ab\n\n123456\n12345\nend", 5).await, expected);
        assert_eq!(lines(b"", 5).await, Vec::<Option<Vec<u8>>>::new());
        assert_eq!(lines(b"123456", 5).await, [None]);
    }
}
