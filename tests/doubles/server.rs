//! A server that misbehaves as it is told, for `tests/probe.rs`. It speaks just enough of the protocol, by hand, to
//! be wrong on purpose: `double-server MODE [DIRECTORY]`.
#![allow(clippy::print_stderr, clippy::exit, reason = "it plays servers that do")]

use std::collections::VecDeque;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::time::Duration;

use serde_json::{Value, json};

struct Server {
    mode: String,
    /// The directory that it was started with.
    configured: Option<String>,
    /// Whether the client declared roots, and what it named.
    declared: bool,
    roots: Option<Vec<String>>,
    /// Messages that came while the answer to a question was awaited.
    waiting: VecDeque<Value>,
    last_id: u64,
}

fn main() {
    let mut args = std::env::args().skip(1);
    let mode = args.next().unwrap_or_default();
    match mode.as_str() {
        "exit" => {
            eprintln!("no licence found");
            std::process::exit(7);
        }
        "flood" => loop {
            say_raw(b"garbage garbage garbage garbage garbage garbage\n");
        },
        "flood-line" => loop {
            say_raw(&[b'x'; 65536]);
        },
        "deaf" | "silent" => std::thread::sleep(Duration::from_secs(600)),
        _ => {}
    }
    if mode == "banner" {
        say_raw(b"\x1b[31mWelcome!\x1b[0m\n{not json\n[1, 2]\n\n\xff\xfe\n");
        say_raw(&[&vec![b'y'; 17 << 20][..], b"\n"].concat());
    }
    if mode == "stderr" {
        let line = "noise on stderr\n".repeat(1000);
        (0..1000).for_each(|_| eprint!("{line}"));
    }
    let configured = args.next();
    let mut server = Server { mode, configured, declared: false, roots: None, waiting: VecDeque::new(), last_id: 0 };
    if server.mode == "http" {
        return server.serve_http().unwrap_or_else(|error| eprintln!("{error}"));
    }
    while let Some(message) = server.next() {
        if let Some(answer) = server.handle(&message) {
            say(&answer);
        }
    }
    if server.mode == "stubborn" {
        std::thread::sleep(Duration::from_secs(600));
    }
}

fn say_raw(bytes: &[u8]) {
    let mut out = io::stdout().lock();
    if out.write_all(bytes).and_then(|()| out.flush()).is_err() {
        std::process::exit(1);
    }
}

fn say(message: &Value) {
    say_raw(format!("{message}\n").as_bytes());
}

fn text(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

fn failure(message: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": message }], "isError": true })
}

fn refusal(id: Option<&Value>) -> Option<Value> {
    id.map(|id| json!({ "jsonrpc": "2.0", "id": id, "error": { "code": -32601, "message": "method not found" } }))
}

impl Server {
    fn read() -> Option<Value> {
        let line = io::stdin().lock().lines().next()?.ok()?;
        serde_json::from_str(&line).ok()
    }

    fn next(&mut self) -> Option<Value> {
        self.waiting.pop_front().or_else(Self::read)
    }

    fn is(&self, modes: &[&str]) -> bool {
        modes.contains(&self.mode.as_str())
    }

    /// Asks the client and waits.
    fn ask(&mut self) {
        self.last_id += 1;
        let id = format!("ask-{}", self.last_id);
        say(&json!({ "jsonrpc": "2.0", "id": id, "method": "roots/list" }));
        while let Some(message) = Self::read() {
            if message["id"] == json!(id) {
                let roots = message["result"]["roots"].as_array();
                self.roots = roots.map(|roots| roots.iter().map(|root| root["uri"].to_string()).collect());
                return;
            }
            self.waiting.push_back(message);
        }
    }

    /// One JSON answer to each POST; the address is said on stderr.
    fn serve_http(&mut self) -> io::Result<()> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        eprintln!("{}", listener.local_addr()?);
        for stream in listener.incoming() {
            let _ = self.serve_connection(stream?);
        }
        Ok(())
    }

    fn serve_connection(&mut self, stream: TcpStream) -> io::Result<()> {
        let mut reader = BufReader::new(stream.try_clone()?);
        let (mut head, mut length) = (String::new(), 0);
        while reader.read_line(&mut head)? > 2 {
            let line = head.lines().last().unwrap_or_default().to_lowercase();
            if let Some(value) = line.strip_prefix("content-length:") {
                length = value.trim().parse().unwrap_or(0);
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body)?;
        let message = serde_json::from_slice(&body).unwrap_or_default();
        let (status, body) = match self.handle(&message) {
            _ if !head.starts_with("POST") => ("405 Method Not Allowed", String::new()),
            Some(answer) => ("200 OK", answer.to_string()),
            None => ("202 Accepted", String::new()),
        };
        let length = body.len();
        write!(
            &stream,
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {length}\r\n\
             connection: close\r\n\r\n{body}"
        )
    }

    fn handle(&mut self, message: &Value) -> Option<Value> {
        let (id, params) = (message.get("id"), &message["params"]);
        let result = match message["method"].as_str().unwrap_or_default() {
            "initialize" if self.is(&["modern", "http"]) => return refusal(id),
            "initialize" => self.initialize(params),
            "server/discover" if self.is(&["modern", "http", "eras"]) => {
                json!({ "resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": { "tools": {} } })
            }
            "notifications/initialized" if self.is(&["flood-notify"]) => loop {
                say(&json!({ "jsonrpc": "2.0", "method": "notifications/message", "params": { "level": "info" } }));
            },
            "notifications/initialized" | "notifications/roots/list_changed" => {
                let asks = self.is(&["fallback", "only", "replace", "eras"]) && self.declared;
                if asks || self.is(&["rude"]) {
                    self.ask();
                }
                return None;
            }
            "tools/list" if self.is(&["dies"]) => std::process::exit(9),
            "tools/list" => json!({ "tools": [{ "name": "where" }, { "name": "fixed" }] }),
            "tools/call" if self.is(&["hang"]) => return None,
            "tools/call" => self.call(params),
            _ => return refusal(id),
        };
        id.map(|id| json!({ "jsonrpc": "2.0", "id": id, "result": result }))
    }

    fn initialize(&mut self, params: &Value) -> Value {
        self.declared = params["capabilities"].get("roots").is_some();
        match self.mode.as_str() {
            "nonsense" => return json!(42),
            "no-start" if !self.declared => {
                eprintln!("this server needs roots");
                std::process::exit(5);
            }
            "secret" => eprintln!("starting with {}", std::env::var("DOUBLE_TOKEN").unwrap_or_default()),
            _ => {}
        }
        json!({
            "protocolVersion": "2025-11-25",
            "capabilities": { "tools": {} },
            "serverInfo": { "name": "double\u{1b}[2J", "version": "1" },
        })
    }

    fn call(&mut self, params: &Value) -> Value {
        if params["name"] == json!("fixed") {
            return text("the same");
        }
        let roots = |roots: &Option<Vec<String>>| roots.clone().unwrap_or_default().join(" ").replace('"', "");
        match self.mode.as_str() {
            "in-call" if self.declared => {
                self.ask();
                text(&roots(&self.roots))
            }
            "modern" | "http" => self.modern(params),
            "fallback" | "eras" | "rude" => match &self.roots {
                Some(found) if !found.is_empty() => text(&roots(&self.roots)),
                _ => text("the working directory"),
            },
            "only" => match &self.roots {
                Some(found) if !found.is_empty() => text(&roots(&self.roots)),
                _ => failure("no workspace"),
            },
            "replace" => match &self.roots {
                Some(found) if !found.is_empty() => text(&roots(&self.roots)),
                _ => text(self.configured.as_deref().unwrap_or_default()),
            },
            "secret" => text(&std::env::var("DOUBLE_TOKEN").unwrap_or_default()),
            _ => text("the same"),
        }
    }

    /// Asks by an input request those who declare roots.
    fn modern(&self, params: &Value) -> Value {
        let declared = params["_meta"]["io.modelcontextprotocol/clientCapabilities"].get("roots").is_some();
        match params["inputResponses"]["where"]["roots"].as_array() {
            Some(roots) if params["requestState"] == json!("state") => text(&json!(roots).to_string()),
            _ if declared => json!({
                "resultType": "input_required",
                "inputRequests": { "where": { "method": "roots/list" } },
                "requestState": "state",
            }),
            _ => failure("no workspace"),
        }
    }
}
