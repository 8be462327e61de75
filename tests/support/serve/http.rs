//! Streamable HTTP in bytes: requests as a test writes them, and responses as they come.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::time::Duration;

use serde_json::Value;

use super::message;
use super::{PATIENCE, Process, Tree};

/// A server on a port of its own.
pub struct Server {
    pub process: Process,
    pub address: SocketAddr,
}

impl Server {
    pub fn start(tree: &Tree, arguments: &[&str]) -> Self {
        let http = ["--transport", "http", "--listen", "127.0.0.1:0"];
        let process = Process::start(&mut tree.command(&[&http, arguments].concat()));
        let url = |line: &str| Some(line.strip_prefix("listening on http://")?.strip_suffix("/mcp")?.to_owned());
        let address = process.stderr.wait("address", url).parse().expect("an address");
        Self { process, address }
    }

    pub fn url(&self) -> String {
        format!("http://{}/mcp", self.address)
    }

    pub fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect_timeout(&self.address, PATIENCE).expect("a connection");
        stream.set_read_timeout(Some(PATIENCE)).expect("a timeout");
        stream.set_write_timeout(Some(PATIENCE)).expect("a timeout");
        stream
    }

    /// Sends a request and reads the head of the response.
    pub fn open(&self, request: &Request) -> Response {
        let mut stream = self.connect();
        // A server that refuses early closes before it has read everything.
        let _ = stream.write_all(&request.bytes(self.address));
        Response::read(stream)
    }

    /// Sends a request and reads the whole response.
    pub fn send(&self, request: &Request) -> Whole {
        self.open(request).whole()
    }

    /// Opens a session; gives its identifier.
    pub fn session(&self, capabilities: Value) -> String {
        let initialize = message::request(0, "initialize", message::handshake(message::LEGACY, capabilities));
        let mut response = self.open(&Request::post(&initialize));
        let session = response.header("mcp-session-id").unwrap_or_else(|| panic!("{response:?}")).to_owned();
        assert!(response.message(0)["result"].is_object());
        let initialized = Request::post(&message::notification("notifications/initialized")).in_session(&session);
        assert_eq!(self.send(&initialized).status, 202);
        session
    }
}

/// A request, with the headers of a good one until a test changes them.
#[derive(Clone, Debug)]
pub struct Request {
    pub method: String,
    pub path: String,
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    pub fn new(method: &str, body: impl Into<Vec<u8>>) -> Self {
        let request = Self { method: method.into(), path: "/mcp".into(), headers: Vec::new(), body: body.into() };
        request
            .with("Content-Type", "application/json")
            .with("Accept", "application/json, text/event-stream")
            .with("Connection", "close")
    }

    pub fn post(message: &Value) -> Self {
        Self::new("POST", message.to_string())
    }

    /// A request of 2026-07-28, with the headers that it has to have.
    pub fn modern(message: &Value) -> Self {
        let request = Self::post(message).with("MCP-Protocol-Version", message::MODERN);
        let request = request.with("Mcp-Method", message["method"].as_str().unwrap_or_default());
        match message["params"]["name"].as_str().or(message["params"]["uri"].as_str()) {
            Some(name) => request.with("Mcp-Name", name),
            None => request,
        }
    }

    /// With this header, in place of one of the same name.
    pub fn with(mut self, name: &str, value: &str) -> Self {
        self = self.without(name);
        self.headers.push((name.into(), value.into()));
        self
    }

    pub fn without(mut self, name: &str) -> Self {
        self.headers.retain(|(other, _)| !other.eq_ignore_ascii_case(name));
        self
    }

    pub fn in_session(self, session: &str) -> Self {
        self.with("Mcp-Session-Id", session).with("MCP-Protocol-Version", message::LEGACY)
    }

    pub fn bytes(&self, address: SocketAddr) -> Vec<u8> {
        let has = |name: &str| self.headers.iter().any(|(other, _)| other.eq_ignore_ascii_case(name));
        let mut head = format!("{} {} HTTP/1.1\r\n", self.method, self.path);
        if !has("Host") {
            head += &format!("Host: {address}\r\n");
        }
        if !has("Content-Length") && !has("Transfer-Encoding") {
            head += &format!("Content-Length: {}\r\n", self.body.len());
        }
        for (name, value) in &self.headers {
            head += &format!("{name}: {value}\r\n");
        }
        [head.as_bytes(), b"\r\n", &self.body].concat()
    }
}

/// A response whose body is read piece by piece.
#[derive(Debug)]
pub struct Response {
    pub status: u16,
    headers: Vec<(String, String)>,
    stream: BufReader<TcpStream>,
    /// Text of an event stream that is no whole event yet.
    rest: String,
}

/// A response with its body.
#[derive(Debug)]
pub struct Whole {
    pub status: u16,
    headers: Vec<(String, String)>,
    pub body: String,
}

fn find<'a>(headers: &'a [(String, String)], name: &str) -> Option<&'a str> {
    headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
}

impl Whole {
    pub fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }

    /// The body as one JSON-RPC message.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

impl Response {
    pub fn read(stream: TcpStream) -> Self {
        let mut stream = BufReader::new(stream);
        let status = line(&mut stream);
        let code = status.split(' ').nth(1).and_then(|code| code.parse().ok());
        let code = code.unwrap_or_else(|| panic!("not a response: {status:?}"));
        let mut headers = Vec::new();
        loop {
            let line = line(&mut stream);
            match line.split_once(':') {
                Some((name, value)) => headers.push((name.to_owned(), value.trim().to_owned())),
                None => break,
            }
        }
        Self { status: code, headers, stream, rest: String::new() }
    }

    pub fn header(&self, name: &str) -> Option<&str> {
        find(&self.headers, name)
    }

    /// The next piece of the body, `None` at its end.
    fn piece(&mut self) -> Option<Vec<u8>> {
        let chunked = self.header("transfer-encoding").is_some_and(|value| value == "chunked");
        if !chunked {
            let mut body = Vec::new();
            self.stream.read_to_end(&mut body).expect("a body");
            return Some(body).filter(|body| !body.is_empty());
        }
        let size = usize::from_str_radix(&line(&mut self.stream), 16).expect("the size of a piece");
        let mut piece = vec![0; size + 2];
        self.stream.read_exact(&mut piece).expect("a piece");
        piece.truncate(size);
        Some(piece).filter(|piece| !piece.is_empty())
    }

    pub fn whole(mut self) -> Whole {
        let mut body = Vec::new();
        while let Some(piece) = self.piece() {
            body.extend(piece);
        }
        Whole { status: self.status, headers: self.headers, body: String::from_utf8(body).expect("UTF-8") }
    }

    /// The next message of an event stream, `None` at its end.
    pub fn next(&mut self) -> Option<Value> {
        loop {
            while let Some((event, rest)) = self.rest.split_once("\n\n") {
                let data: String = event.lines().filter_map(|line| line.strip_prefix("data:")).collect();
                self.rest = rest.to_owned();
                // Events without data keep the stream alive.
                if !data.trim().is_empty() {
                    return Some(serde_json::from_str(&data).expect("a message"));
                }
            }
            let piece = self.piece()?;
            self.rest += &String::from_utf8(piece).expect("UTF-8");
        }
    }

    /// The response to the request with this id, in an event stream or as the body.
    pub fn message(&mut self, id: impl Into<Value>) -> Value {
        let id = id.into();
        if self.header("content-type").is_some_and(|value| value.starts_with("application/json")) {
            let mut body = Vec::new();
            while let Some(piece) = self.piece() {
                body.extend(piece);
            }
            return serde_json::from_slice(&body).expect("a message");
        }
        loop {
            let message = self.next().expect("a response before the end of the stream");
            if message["id"] == id && message.get("method").is_none() {
                return message;
            }
        }
    }

    /// How long a stream may be silent before reading it fails.
    pub fn set_patience(&self, time: Duration) {
        self.stream.get_ref().set_read_timeout(Some(time)).expect("a timeout");
    }
}

fn line(stream: &mut BufReader<TcpStream>) -> String {
    let mut line = String::new();
    stream.read_line(&mut line).expect("a line before the deadline");
    line.trim_end().to_owned()
}
