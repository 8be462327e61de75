//! A client on standard input and output that sends any bytes, and has an answer to `roots/list`.

use std::collections::VecDeque;
use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{ChildStdin, Command, ExitStatus};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::message::{self, LEGACY, with_roots};
use super::{PATIENCE, Process, Tree};

/// What a client says to `roots/list`.
#[derive(Clone, Debug)]
pub enum Answer {
    /// A result, as it is.
    Result(Value),
    /// A JSON-RPC error.
    Error(i64),
    /// Nothing.
    Never,
}

pub struct Client {
    pub process: Process,
    input: Option<ChildStdin>,
    output: Receiver<Result<Value, String>>,
    /// Messages that came while another was waited for.
    others: VecDeque<Value>,
    next_id: u64,
    /// What is said to `roots/list`.
    pub answer: Answer,
    /// The requests of the server, in their order.
    pub asks: Vec<Value>,
    /// The notifications of the server, in their order.
    pub notifications: Vec<Value>,
}

impl Client {
    /// Connects, and says nothing yet.
    pub fn start(command: &mut Command) -> Self {
        let mut process = Process::start(command);
        let input = process.child.stdin.take();
        let stdout = BufReader::new(process.child.stdout.take().expect("a pipe"));
        let (sender, output) = mpsc::channel();
        thread::spawn(move || {
            for line in stdout.split(b'\n') {
                // Standard output carries the protocol only.
                let message = line.map_err(|error| error.to_string()).and_then(|line| {
                    let message = serde_json::from_slice::<Value>(&line).map_err(|error| error.to_string());
                    let message = message.ok().filter(|message| message["jsonrpc"] == "2.0");
                    message.ok_or_else(|| format!("not a message: {}", String::from_utf8_lossy(&line)))
                });
                if sender.send(message).is_err() {
                    break;
                }
            }
        });
        Self {
            process,
            input,
            output,
            others: VecDeque::new(),
            next_id: 1000,
            answer: Answer::Never,
            asks: Vec::new(),
            notifications: Vec::new(),
        }
    }

    /// A server with these arguments, and a client of the newest revision with `initialize` that has these roots.
    pub fn legacy(tree: &Tree, arguments: &[&str], answer: Answer) -> Self {
        let mut client = Self::start(&mut tree.command(arguments));
        client.answer = answer;
        client.initialize(LEGACY, with_roots());
        client
    }

    /// The whole handshake; gives the result of `initialize`.
    pub fn initialize(&mut self, version: &str, capabilities: Value) -> Value {
        let response = self.request("initialize", message::handshake(version, capabilities));
        self.send(&message::notification("notifications/initialized"));
        assert!(response["result"].is_object(), "{response}");
        response["result"].clone()
    }

    /// Sends bytes, as they are.
    pub fn send_bytes(&mut self, bytes: &[u8]) {
        let input = self.input.as_mut().expect("an open input");
        input.write_all(bytes).and_then(|()| input.flush()).expect("the server reads its input");
    }

    /// Sends a message.
    pub fn send(&mut self, message: &Value) {
        self.send_bytes(format!("{message}\n").as_bytes());
    }

    /// Sends messages in one write, so that the server has them all before it answers the first.
    pub fn send_together(&mut self, messages: &[Value]) {
        let lines: String = messages.iter().map(|message| format!("{message}\n")).collect();
        self.send_bytes(lines.as_bytes());
    }

    pub fn next_id(&mut self) -> u64 {
        self.next_id += 1;
        self.next_id
    }

    /// Sends a request and waits for its response, answering what the server asks meanwhile.
    pub fn request(&mut self, method: &str, params: Value) -> Value {
        let id = self.next_id();
        self.send(&message::request(id, method, params));
        self.response_to(id)
    }

    /// Calls a tool as clients with `initialize` do.
    pub fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", message::tool(tool, arguments))
    }

    /// Calls `count_lines` without arguments.
    pub fn count(&mut self) -> Value {
        self.call("count_lines", json!({}))
    }

    /// Calls a tool in 2026-07-28.
    pub fn call_modern(&mut self, capabilities: Value, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", message::modern(capabilities, message::tool(tool, arguments)))
    }

    /// The response to a request that was sent.
    pub fn response_to(&mut self, id: impl Into<Value>) -> Value {
        let id = id.into();
        let begun = Instant::now();
        if let Some(at) = self.others.iter().position(|message| message["id"] == id) {
            return self.others.remove(at).expect("a message there");
        }
        loop {
            let message = self.next(PATIENCE.saturating_sub(begun.elapsed()));
            let message = message.unwrap_or_else(|| panic!("no response to {id}: {:#?}", self.process.stderr.all()));
            if message["id"] == id {
                return message;
            }
            self.others.push_back(message);
        }
    }

    /// Whether a response has come that nobody has taken.
    pub fn has_response_to(&mut self, id: impl Into<Value>) -> bool {
        let id = id.into();
        self.idle(Duration::from_millis(1));
        self.others.iter().any(|message| message["id"] == id)
    }

    /// Answers the server for a while.
    pub fn idle(&mut self, time: Duration) {
        let begun = Instant::now();
        while let Some(message) = self.next(time.saturating_sub(begun.elapsed())) {
            self.others.push_back(message);
        }
    }

    /// Answers the server until it has asked so often.
    pub fn idle_until_asked(&mut self, times: usize) {
        let begun = Instant::now();
        while self.asks.len() < times {
            assert!(begun.elapsed() < PATIENCE, "asked only {} times", self.asks.len());
            if let Some(message) = self.next(Duration::from_millis(20)) {
                self.others.push_back(message);
            }
        }
    }

    /// Asserts that the server says nothing but what was taken already.
    pub fn expect_silence(&mut self, time: Duration) {
        self.idle(time);
        assert!(self.others.is_empty(), "unexpected: {:?}", self.others);
    }

    /// The next response. Requests and notifications of the server are dealt with on the way.
    pub fn next(&mut self, time: Duration) -> Option<Value> {
        let begun = Instant::now();
        loop {
            let message = match self.output.recv_timeout(time.saturating_sub(begun.elapsed())) {
                Ok(message) => message.unwrap_or_else(|error| panic!("{error}")),
                Err(RecvTimeoutError::Timeout) => return None,
                Err(RecvTimeoutError::Disconnected) => {
                    // Nothing will come; but nobody should ask again and again.
                    thread::sleep(Duration::from_millis(20));
                    return None;
                }
            };
            match (message.get("id"), message.get("method")) {
                (Some(id), Some(_)) => {
                    let answer = match &self.answer {
                        Answer::Result(result) => Some(message::result(id, result)),
                        Answer::Error(code) => Some(message::error(id, *code)),
                        Answer::Never => None,
                    };
                    assert_eq!(message["method"], "roots/list", "the server asks for nothing else");
                    self.asks.push(message);
                    if let Some(answer) = answer {
                        self.send(&answer);
                    }
                }
                (None, Some(_)) => self.notifications.push(message),
                (_, None) => return Some(message),
            }
        }
    }

    /// Asserts that the server still answers.
    pub fn ping(&mut self) {
        let id = self.next_id();
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": "ping"}));
        let response = self.response_to(id);
        assert!(response["result"].is_object(), "{response}");
    }

    /// Closes the input; the server has to end by itself.
    pub fn close(&mut self, deadline: Duration) -> ExitStatus {
        self.input = None;
        self.process.ends_within(deadline)
    }
}
