//! A conversation with a server in one era: requests, the rounds of input requests, and whatever the server asks
//! meanwhile. One message is handled after the other, so what was going on when the server asked is always known.
//!
//! Every wait has a deadline. A session that is dropped kills the process; [`Session::close`] ends it as the protocol
//! wants it and says what was left.

use std::time::Duration;

use rmcp::model::ProtocolVersion;
use serde_json::{Map, Value, json};
use tokio::time::{Instant, timeout, timeout_at};

pub use crate::knowledge::protocol::Era;

use super::exchange::{About, Call, Client, Counts, Fault, Listing, OpenError, Remains, Reply, Target};
use super::http::Http;
use super::process::ServerProcess;
use super::roots::{Ask, Moment, RootsAnswer, RootsPolicy};
use super::stdio::Stdio;
use super::transcript::{Direction, Transcript};
use super::wire::{Incoming, Wire};

pub(super) const METHOD_NOT_FOUND: i64 = -32601;
/// How this client answers what it does not know.
pub(super) const NOT_KNOWN: &str = "this client does not know the method";
/// Input rounds of one request; rmcp's and the other SDKs' own limit.
const MAX_ROUNDS: usize = 10;
/// Entries of one list.
const MAX_ITEMS: usize = 10_000;
/// Pages of one list.
const MAX_PAGES: usize = 100;
/// Messages that answer nothing; more are a flood. A server that debounces nothing stays far below.
const MAX_UNASKED: u64 = 100_000;
/// Questions for roots that are kept; more are only counted.
const MAX_ASKS: usize = 1_000;
/// How long a server must be quiet to be taken to have said what it wanted to say by itself; how long it has to ask
/// for roots after a notification (server-everything takes 350 ms); and how long it is listened to at most.
const QUIET: Duration = Duration::from_millis(400);
const REACTION: Duration = Duration::from_secs(1);
const LISTEN: Duration = Duration::from_secs(4);

/// The revision that is offered to a server in an era.
#[must_use]
pub fn revision(era: Era) -> &'static str {
    match era {
        Era::Legacy => ProtocolVersion::LATEST_WITH_INITIALIZE.as_str(),
        Era::Modern => ProtocolVersion::LATEST.as_str(),
    }
}

struct Late {
    due: Instant,
    message: Value,
}

/// A session. See the module.
pub struct Session {
    wire: Wire,
    process: Option<ServerProcess>,
    client: Client,
    about: About,
    begin: Instant,
    last_id: u64,
    /// What is going on.
    moment: Moment,
    asks: Vec<Ask>,
    /// Answers that are to be given late.
    late: Vec<Late>,
    counts: Counts,
    unasked: u64,
    /// Why there is nobody to speak to any more.
    over: Option<Fault>,
    transcript: Transcript,
}

impl Session {
    /// Starts the server, if it is to be started, and opens a session.
    ///
    /// # Errors
    /// When the server cannot be started or does not speak the era. Nothing of it runs then.
    pub async fn open(target: &Target, client: Client, transcript: &Transcript) -> Result<Self, OpenError> {
        let (wire, process) = match target {
            Target::Command(launch) => {
                let (process, pipes) = ServerProcess::start(launch).map_err(OpenError::Start)?;
                (Wire::Stdio(Box::new(Stdio::new(pipes, transcript.clone()))), Some(process))
            }
            Target::Url(url) => {
                (Wire::Http(Box::new(Http::new(url, transcript.clone()).map_err(OpenError::Target)?)), None)
            }
        };
        let session = Self {
            wire,
            process,
            client,
            about: About::default(),
            begin: Instant::now(),
            last_id: 0,
            moment: Moment::BeforeInitialized,
            asks: Vec::new(),
            late: Vec::new(),
            counts: Counts::default(),
            unasked: 0,
            over: None,
            transcript: transcript.clone(),
        };
        session.transcript.note(Direction::Event, b"begin");
        match session.client.era {
            Era::Legacy => session.initialize().await,
            Era::Modern => session.discover().await,
        }
    }

    async fn initialize(mut self) -> Result<Self, OpenError> {
        let params = json!({
            "protocolVersion": revision(Era::Legacy),
            "capabilities": self.client.roots.capabilities(Era::Legacy),
            "clientInfo": client_info(),
        });
        let reply = self.exchange("initialize", params).await;
        let revision = match &reply {
            Reply::Result(result) => result.get("protocolVersion").and_then(Value::as_str).map(str::to_owned),
            _ => None,
        };
        let (Reply::Result(result), Some(revision)) = (&reply, revision) else {
            let remains = Box::new(self.close().await);
            return Err(OpenError::Handshake { method: "initialize", reply, remains });
        };
        if !ProtocolVersion::known_up_to(&ProtocolVersion::LATEST_WITH_INITIALIZE)
            .iter()
            .any(|known| known.as_str() == revision)
        {
            let remains = Box::new(self.close().await);
            return Err(OpenError::Revision { spoken: vec![revision], remains });
        }
        self.about = about(result, result.get("serverInfo"), revision);
        self.notify("notifications/initialized").await;
        self.moment = Moment::AfterInitialized;
        Ok(self)
    }

    async fn discover(mut self) -> Result<Self, OpenError> {
        let reply = self.exchange("server/discover", json!({})).await;
        let versions = match &reply {
            Reply::Result(result) => result.get("supportedVersions").and_then(Value::as_array).cloned(),
            _ => None,
        };
        let (Reply::Result(result), Some(versions)) = (&reply, versions) else {
            let remains = Box::new(self.close().await);
            return Err(OpenError::Handshake { method: "server/discover", reply, remains });
        };
        let spoken: Vec<String> = versions.iter().filter_map(Value::as_str).map(str::to_owned).collect();
        if !spoken.iter().any(|version| version == revision(Era::Modern)) {
            let remains = Box::new(self.close().await);
            return Err(OpenError::Revision { spoken, remains });
        }
        let info = result.get("_meta").and_then(|meta| meta.get("io.modelcontextprotocol/serverInfo"));
        self.about = about(result, info.or(result.get("serverInfo")), revision(Era::Modern).to_owned());
        self.about.revisions = spoken;
        self.moment = Moment::Idle;
        Ok(self)
    }

    /// What the server said about itself.
    #[must_use]
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The questions for roots so far, the first thousand of them.
    #[must_use]
    pub fn asks(&self) -> &[Ask] {
        &self.asks
    }

    /// What was sent and received so far.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts
    }

    /// Why there is nobody to speak to any more.
    #[must_use]
    pub fn over(&self) -> Option<&Fault> {
        self.over.as_ref()
    }

    /// Sends a request and takes it through all rounds of input that it wants.
    pub async fn request(&mut self, method: &str, params: Value) -> Call {
        let (begin, before) = (Instant::now(), self.counts);
        let mut params = params;
        let mut rounds = 0;
        let reply = loop {
            rounds += 1;
            let reply = self.exchange(method, params.clone()).await;
            let Reply::Result(result) = &reply else { break reply };
            if result.get("resultType").and_then(Value::as_str) != Some("input_required") {
                break reply;
            }
            if rounds == MAX_ROUNDS {
                break Reply::Silent(Fault::Input(format!("more input after {MAX_ROUNDS} rounds")));
            }
            match self.give_input(method, &params, result).await {
                Ok(responses) => {
                    params["inputResponses"] = responses;
                    match result.get("requestState") {
                        Some(state) => params["requestState"] = state.clone(),
                        None => drop(params.as_object_mut().and_then(|params| params.remove("requestState"))),
                    }
                }
                Err(wanted) => break Reply::Silent(Fault::Input(wanted)),
            }
        };
        let counts = Counts {
            sent: self.counts.sent - before.sent,
            received: self.counts.received - before.received,
            asks: self.counts.asks - before.asks,
        };
        Call { reply, rounds, counts, elapsed: begin.elapsed() }
    }

    /// Calls a tool.
    pub async fn call(&mut self, tool: &str, arguments: &Map<String, Value>) -> Call {
        self.request("tools/call", json!({ "name": tool, "arguments": arguments })).await
    }

    /// Reads a list to its end: `tools/list` and `tools`, `resources/list` and `resources`, …
    pub async fn list(&mut self, method: &str, key: &str) -> Listing {
        let mut items = Vec::new();
        let mut params = json!({});
        let mut last = Value::Null;
        for _ in 0..MAX_PAGES {
            let Reply::Result(result) = (match self.request(method, params).await.reply {
                Reply::Result(result) => Reply::Result(result),
                stopped => return Listing { items, stopped: Some(stopped) },
            }) else {
                break;
            };
            let stopped = |what: String| Some(Reply::Silent(Fault::Flood(what)));
            let Some(page) = result.get(key).and_then(Value::as_array) else {
                return Listing { items, stopped: stopped(format!("`{method}` was answered without a list `{key}`")) };
            };
            items.extend(page.iter().take(MAX_ITEMS - items.len()).cloned());
            if items.len() == MAX_ITEMS {
                return Listing { items, stopped: stopped(format!("`{method}` has {MAX_ITEMS} entries or more")) };
            }
            let next = match result.get("nextCursor") {
                Some(cursor @ Value::String(_)) => json!({ "cursor": cursor }),
                _ => return Listing { items, stopped: None },
            };
            if next == last {
                return Listing { items, stopped: stopped(format!("`{method}` gives the same page again and again")) };
            }
            last = next.clone();
            params = next;
        }
        let fault = Fault::Flood(format!("`{method}` has more than {MAX_PAGES} pages"));
        Listing { items, stopped: Some(Reply::Silent(fault)) }
    }

    /// Changes what the client says about Roots from now on. What was declared stays declared: in the legacy era
    /// only `initialize` declares.
    pub fn set_roots(&mut self, roots: RootsPolicy) {
        self.client.roots = roots;
    }

    /// Tells the server that the list of roots changed. In the modern era there is no such notification.
    pub async fn notify_roots_changed(&mut self) {
        if self.client.era == Era::Legacy {
            self.notify("notifications/roots/list_changed").await;
            self.moment = Moment::AfterListChanged;
        }
    }

    /// Listens until the server has said what it wants to say by itself: it was quiet for 400 ms, or for a second after
    /// a notification that it has not asked about yet, or 4 s are over. Answers that are due late are waited for, within
    /// the time-out.
    pub async fn settle(&mut self) {
        let begin = Instant::now();
        let notified = matches!(self.moment, Moment::AfterInitialized | Moment::AfterListChanged);
        let mut first = begin + if notified { REACTION } else { QUIET };
        let mut last = begin;
        while self.over.is_none() {
            let listened = first.max(last + QUIET).min(begin + LISTEN.min(self.client.timeout));
            let late = self.late.iter().map(|late| (late.due + QUIET).min(begin + self.client.timeout)).max();
            let until = late.map_or(listened, |late| late.max(listened));
            if Instant::now() >= until {
                break;
            }
            let before = self.counts;
            let _ = self.step(until).await;
            if self.counts.received > before.received {
                last = Instant::now();
            }
            if self.counts.asks > before.asks {
                first = begin;
            }
        }
    }

    /// Closes the server's input, waits for it to end, ends it otherwise.
    pub async fn close(mut self) -> Remains {
        let early = match &mut self.process {
            Some(process) => process.has_ended(),
            None => false,
        };
        let remains = match (self.wire, self.process) {
            (Wire::Stdio(mut stdio), Some(process)) => {
                stdio.close();
                let end = process.end(early);
                tokio::pin!(end);
                let ending = tokio::select! {
                    ending = &mut end => ending,
                    () = stdio.drain() => end.await,
                };
                let (noise, stderr) = stdio.remains().await;
                Remains { ending: Some(ending), noise, stderr }
            }
            (Wire::Http(http), _) => {
                http.close().await;
                Remains::default()
            }
            (Wire::Stdio(_), None) => Remains::default(),
        };
        let how = remains.ending.map_or_else(|| "closed".to_owned(), |ending| ending.to_string());
        self.transcript.note(Direction::Event, how.as_bytes());
        remains
    }

    /// One request and its answer.
    async fn exchange(&mut self, method: &str, mut params: Value) -> Reply {
        if let Some(fault) = &self.over {
            return Reply::Silent(fault.clone());
        }
        self.last_id += 1;
        let id = self.last_id;
        let name = params.get("name").and_then(Value::as_str);
        let moment = match (method, name) {
            ("initialize" | "server/discover", _) => Moment::BeforeInitialized,
            ("tools/call", Some(tool)) => Moment::InsideCall(tool.to_owned()),
            _ => Moment::InsideRequest(method.to_owned()),
        };
        self.add_meta(&mut params);
        self.moment = moment;
        let deadline = Instant::now() + self.client.timeout;
        let message = json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params });
        let reply = if timeout_at(deadline, self.send(&message)).await.is_ok() {
            self.await_reply(id, deadline).await
        } else {
            Reply::Silent(Fault::Timeout(self.client.timeout))
        };
        if let Reply::Silent(fault) = &reply {
            if fault.is_final() {
                self.over = Some(fault.clone());
            } else if method != "initialize" && matches!(fault, Fault::Timeout(_)) {
                let params = json!({ "requestId": id, "reason": "no answer in time" });
                let message = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled", "params": params });
                self.send_in_time(&message).await;
            }
        }
        self.moment = Moment::Idle;
        reply
    }

    /// In the modern era every request says who asks and what it can do.
    fn add_meta(&self, params: &mut Value) {
        if self.client.era == Era::Modern {
            params["_meta"] = json!({
                "io.modelcontextprotocol/protocolVersion": revision(Era::Modern),
                "io.modelcontextprotocol/clientInfo": client_info(),
                "io.modelcontextprotocol/clientCapabilities": self.client.roots.capabilities(Era::Modern),
            });
        }
    }

    async fn await_reply(&mut self, id: u64, deadline: Instant) -> Reply {
        loop {
            if Instant::now() >= deadline {
                return Reply::Silent(Fault::Timeout(self.client.timeout));
            }
            match self.step(deadline).await {
                Ok(Some(message)) if message.get("id").is_some_and(|answered| is_id(answered, id)) => {
                    return Reply::of(&message);
                }
                // The answer to a request that was given up.
                Ok(_) => {}
                Err(Failure { id: Some(failed), .. }) if !is_id(&failed, id) => {}
                Err(Failure { fault, .. }) => return Reply::Silent(fault),
            }
        }
    }

    /// Takes one message, if one comes in time, and does what it asks for. An answer is given back.
    async fn step(&mut self, deadline: Instant) -> Result<Option<Value>, Failure> {
        self.send_due().await;
        let wake = self.late.iter().map(|late| late.due).min().map_or(deadline, |due| due.min(deadline));
        let Ok(incoming) = timeout_at(wake, self.wire.receive()).await else { return Ok(None) };
        let fault = match incoming {
            Incoming::Message(message) => {
                self.counts.received += 1;
                if message.get("method").is_none() {
                    return Ok(Some(message));
                }
                self.unasked += 1;
                if self.unasked <= MAX_UNASKED {
                    self.serve(&message).await;
                    return Ok(None);
                }
                Fault::Flood(format!("more than {MAX_UNASKED} requests and notifications by the server"))
            }
            Incoming::Failed { id: Some(id), reason } => {
                return Err(Failure { id: Some(id), fault: Fault::Http(reason) });
            }
            Incoming::Failed { id: None, .. } => return Ok(None),
            Incoming::Flood(what) => Fault::Flood(what),
            Incoming::Closed(why) => Fault::Ended(self.end_of_output(why).await),
        };
        self.over = Some(fault.clone());
        Err(Failure { id: None, fault })
    }

    /// Why nothing comes any more, in words.
    async fn end_of_output(&mut self, why: Option<String>) -> String {
        if let Some(why) = why {
            return why;
        }
        let ended = match &mut self.process {
            Some(process) => process.ends_within(QUIET).await,
            None => false,
        };
        if ended { "the server ended" } else { "the server closed its standard output" }.to_owned()
    }

    /// Answers a request of the server. Notifications need no answer.
    async fn serve(&mut self, message: &Value) {
        let Some(id) = message.get("id") else { return };
        let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
        let response = match method {
            "ping" => json!({ "jsonrpc": "2.0", "id": id, "result": {} }),
            "roots/list" => {
                self.note_ask(self.moment.clone());
                match (self.client.roots.result(), self.client.roots.answer()) {
                    (Some(result), RootsAnswer::Late(time, _)) => {
                        let message = json!({ "jsonrpc": "2.0", "id": id, "result": result });
                        self.late.push(Late { due: Instant::now() + time, message });
                        return;
                    }
                    (Some(result), _) => json!({ "jsonrpc": "2.0", "id": id, "result": result }),
                    (None, RootsAnswer::Error(code)) => error(id, code, "this client has no roots"),
                    (None, _) => return,
                }
            }
            _ => error(id, METHOD_NOT_FOUND, NOT_KNOWN),
        };
        self.send_in_time(&response).await;
    }

    /// The answers to the input that a result asks for.
    async fn give_input(&mut self, method: &str, params: &Value, result: &Value) -> Result<Value, String> {
        let of = params.get("name").and_then(Value::as_str).unwrap_or(method).to_owned();
        let mut responses = Map::new();
        let requests = result.get("inputRequests").and_then(Value::as_object);
        for (key, request) in requests.into_iter().flatten() {
            let wanted = request.get("method").and_then(Value::as_str).unwrap_or("something without a method");
            if wanted != "roots/list" {
                return Err(format!("{wanted} as input, which this client does not give"));
            }
            self.note_ask(Moment::InputRequest(of.clone()));
            let answer = self.client.roots.result();
            match (answer, self.client.roots.answer()) {
                (Some(result), RootsAnswer::Late(time, _)) => {
                    // Nothing is open meanwhile; whatever the server says is heard.
                    let due = Instant::now() + time;
                    while Instant::now() < due && self.over.is_none() {
                        let _ = self.step(due).await;
                    }
                    responses.insert(key.clone(), result);
                }
                (Some(result), _) => drop(responses.insert(key.clone(), result)),
                (None, RootsAnswer::Error(METHOD_NOT_FOUND)) => {
                    return Err("roots as input, which this client did not declare".to_owned());
                }
                (None, _) => return Err("roots as input, which this client was told not to give".to_owned()),
            }
        }
        Ok(Value::Object(responses))
    }

    fn note_ask(&mut self, moment: Moment) {
        self.counts.asks += 1;
        if self.asks.len() < MAX_ASKS {
            self.asks.push(Ask { at: self.begin.elapsed(), moment, answer: self.client.roots.answer() });
        }
    }

    async fn send_due(&mut self) {
        let now = Instant::now();
        let (due, later) = std::mem::take(&mut self.late).into_iter().partition(|late: &Late| late.due <= now);
        self.late = later;
        let due: Vec<Late> = due;
        for late in due {
            self.send_in_time(&late.message).await;
        }
    }

    async fn notify(&mut self, method: &str) {
        self.send_in_time(&json!({ "jsonrpc": "2.0", "method": method })).await;
    }

    /// A server that does not read what it is sent does not answer either; that is where it is seen.
    async fn send_in_time(&mut self, message: &Value) {
        let _ = timeout(self.client.timeout, self.send(message)).await;
    }

    async fn send(&mut self, message: &Value) {
        self.counts.sent += 1;
        self.wire.send(message).await;
    }
}

/// A request that failed below the protocol, or all of them.
struct Failure {
    id: Option<Value>,
    fault: Fault,
}

/// Servers have been seen to answer with the identifier as text.
fn is_id(answered: &Value, id: u64) -> bool {
    answered.as_u64() == Some(id) || answered.as_str().is_some_and(|text| text == id.to_string())
}

fn error(id: &Value, code: i64, message: &str) -> Value {
    json!({ "jsonrpc": "2.0", "id": id, "error": { "code": code, "message": message } })
}

fn client_info() -> Value {
    json!({ "name": env!("CARGO_PKG_NAME"), "version": env!("CARGO_PKG_VERSION") })
}

fn about(result: &Value, info: Option<&Value>, revision: String) -> About {
    let part = |key: &str| info.and_then(|info| info.get(key)).and_then(Value::as_str).unwrap_or_default();
    About {
        name: format!("{} {}", part("name"), part("version")).trim().to_owned(),
        revision,
        revisions: Vec::new(),
        capabilities: result.get("capabilities").cloned().unwrap_or_default(),
    }
}
