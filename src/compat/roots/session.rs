//! Asking in the revisions with `initialize`: one [`Session`] a connection keeps the client's roots, replaces them as a
//! whole when the client says that they changed, and asks within a call when it has none.
//!
//! - The *generation* counts the client's `notifications/roots/list_changed`. An answer is good for a call when it was
//!   asked for in the generation that the call began in, or a later one: so a call never sees roots from before a
//!   notification that it came after, however the tasks are scheduled.
//! - After a change, the session asks on its own account once the notifications pause, so that a flood of them costs
//!   few asks, and a call that comes first asks for itself.
//! - Over HTTP such an ask reaches only a client that listens on a GET stream. It therefore holds nobody up there, and
//!   its silence says nothing: a call asks on its own stream.
//! - A call that got no answer goes on without; others do not ask again for [`PATIENCE`]. When the answer comes late it
//!   serves the calls that follow. (The specification's "SHOULD ignore" of answers after `notifications/cancelled` is
//!   about results that nobody waits for; this one is still true.)

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use rmcp::model::{ClientResult, CustomNotification, ErrorCode, ListRootsRequest, ServerNotification, ServerRequest};
use rmcp::service::{Peer, PeerRequestOptions, RequestHandle, RoleServer, ServiceError};
use serde_json::{Value, json};
use tokio::sync::{Mutex, oneshot};
use tokio_util::sync::CancellationToken;

use super::set::{Failure, RootSet};
use crate::compat::events::{Events, clip, millis};

/// How long an unanswered ask is not repeated, unless the client says that its roots changed.
pub const PATIENCE: Duration = Duration::from_secs(30);
/// How long an answer may be late and still count.
const LATEST_ANSWER: Duration = Duration::from_secs(60);
/// A pause in the notifications that ends a flood of them, and how long a flood can put an ask off.
const PAUSE: Duration = Duration::from_millis(50);
const LONGEST_FLOOD: Duration = Duration::from_secs(1);

/// When an ask was made, for the events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Moment {
    Initialized,
    ListChanged,
    Call,
}

impl Moment {
    fn name(self) -> &'static str {
        match self {
            Self::Initialized => "initialized",
            Self::ListChanged => "list-changed",
            Self::Call => "call",
        }
    }
}

/// What the session knows of the client's roots.
enum Known {
    Nothing,
    Roots(Arc<RootSet>),
    Failed { failure: Failure, since: Instant },
}

struct State {
    known: Known,
    /// The generation in which it was asked for.
    generation: u64,
}

/// What does not change between sessions.
#[derive(Clone)]
pub struct Limits {
    /// How long an ask may take.
    pub timeout: Duration,
    /// How many entries of an answer are looked at.
    pub max_roots: usize,
}

/// The client's answer as a call got it.
#[derive(Debug)]
pub struct Answer {
    /// The roots, or why there are none.
    pub roots: Result<Arc<RootSet>, Failure>,
    /// Whether it was asked for by this call.
    pub asked: bool,
}

/// One connection (stdio) or one session (HTTP).
pub struct Session {
    id: u64,
    events: Arc<Events>,
    limits: Limits,
    /// Whether the server's own asks reach the client: always on stdio.
    own_asks_arrive: bool,
    generation: AtomicU64,
    /// As much of `generation` as events have told.
    told: AtomicU64,
    refresh_waits: AtomicBool,
    /// Also the turnstile: who holds it is asking.
    state: Mutex<State>,
    peer: OnceLock<Peer<RoleServer>>,
    closed: CancellationToken,
}

impl Session {
    /// A session that knows nothing yet.
    #[must_use]
    pub fn new(id: u64, events: Arc<Events>, limits: Limits, own_asks_arrive: bool) -> Arc<Self> {
        Arc::new(Self {
            id,
            events,
            limits,
            own_asks_arrive,
            generation: AtomicU64::new(0),
            told: AtomicU64::new(0),
            refresh_waits: AtomicBool::new(false),
            state: Mutex::new(State { known: Known::Nothing, generation: 0 }),
            peer: OnceLock::new(),
            closed: CancellationToken::new(),
        })
    }

    /// Its number, for the events.
    #[must_use]
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Cancelled when the client is gone.
    #[must_use]
    pub fn closed(&self) -> &CancellationToken {
        &self.closed
    }

    /// The client finished the handshake and has declared roots: ask.
    pub fn initialized(self: &Arc<Self>, peer: Peer<RoleServer>) {
        if self.peer.set(peer).is_ok() {
            self.refresh_soon(Moment::Initialized);
        }
    }

    /// The client begins anew: nothing of before is good any more, not even that it does not know the method.
    pub async fn begun_again(&self) {
        self.generation.fetch_add(1, Ordering::SeqCst);
        self.state.lock().await.known = Known::Nothing;
    }

    /// The client says that its roots changed: what is known is no longer good for calls that come from here on.
    pub fn roots_changed(self: &Arc<Self>) {
        self.generation.fetch_add(1, Ordering::SeqCst);
        if self.peer.get().is_some() {
            self.refresh_soon(Moment::ListChanged);
        }
    }

    /// The client's roots for a call that begins now.
    pub async fn roots(self: &Arc<Self>, peer: &Peer<RoleServer>) -> Answer {
        let begun_in = self.generation.load(Ordering::SeqCst);
        let mut state = self.state.lock().await;
        match &state.known {
            Known::Roots(roots) if state.generation >= begun_in => {
                return Answer { roots: Ok(roots.clone()), asked: false };
            }
            Known::Failed { failure: failure @ Failure::Refused, .. } => {
                return Answer { roots: Err(failure.clone()), asked: false };
            }
            Known::Failed { failure, since } if state.generation >= begun_in && since.elapsed() < PATIENCE => {
                return Answer { roots: Err(failure.clone()), asked: false };
            }
            _ => {}
        }
        let generation = self.generation.load(Ordering::SeqCst);
        let (roots, late) = self.ask(peer, Moment::Call).await;
        state.learn(&roots, generation);
        drop(state);
        self.wait_for(late, generation);
        Answer { roots, asked: true }
    }

    /// Asks on the session's own account once the notifications pause.
    fn refresh_soon(self: &Arc<Self>, moment: Moment) {
        if self.refresh_waits.swap(true, Ordering::SeqCst) {
            return;
        }
        let session = self.clone();
        let closed = self.closed.clone();
        tokio::spawn(async move {
            tokio::select! {
                () = session.refresh(moment) => {}
                () = closed.cancelled() => {}
            }
        });
    }

    async fn refresh(self: Arc<Self>, moment: Moment) {
        if moment == Moment::ListChanged {
            self.pause().await;
        }
        self.refresh_waits.store(false, Ordering::SeqCst);
        let Some(peer) = self.peer.get() else { return };
        if self.own_asks_arrive {
            let mut state = self.state.lock().await;
            let generation = self.generation.load(Ordering::SeqCst);
            if state.is_settled(generation) {
                return;
            }
            let (roots, late) = self.ask(peer, moment).await;
            state.learn(&roots, generation);
            drop(state);
            self.wait_for(late, generation);
        } else {
            let generation = self.generation.load(Ordering::SeqCst);
            // Whoever holds the turnstile is asking already.
            if self.state.try_lock().is_ok_and(|state| state.is_settled(generation)) {
                return;
            }
            let (roots, late) = self.ask(peer, moment).await;
            if roots.is_ok() || matches!(roots, Err(Failure::Refused)) {
                self.state.lock().await.learn(&roots, generation);
            }
            self.wait_for(late, generation);
        }
    }

    /// Waits until the notifications pause, and says how many there were.
    async fn pause(&self) {
        let begun = Instant::now();
        let mut last = self.generation.load(Ordering::SeqCst);
        loop {
            tokio::time::sleep(PAUSE).await;
            let now = self.generation.load(Ordering::SeqCst);
            if now == last || begun.elapsed() >= LONGEST_FLOOD {
                let count = now - self.told.swap(now, Ordering::SeqCst);
                self.events.emit("roots-changed", json!({"session": self.id, "era": "legacy", "notifications": count}));
                return;
            }
            last = now;
        }
    }

    /// One `roots/list`, with the deadline. When it passes, the way to a late answer is handed back too.
    async fn ask(&self, peer: &Peer<RoleServer>, moment: Moment) -> (Result<Arc<RootSet>, Failure>, Option<Late>) {
        let begun = Instant::now();
        let about = json!({"session": self.id, "era": "legacy", "moment": moment.name()});
        self.events.emit("roots-asked", about);
        let mut late = None;
        let answer = tokio::time::timeout(self.limits.timeout, send(peer)).await;
        let roots = match answer {
            Err(_) => Err(Failure::TimedOut(self.limits.timeout)),
            Ok(Err(failure)) => Err(failure),
            Ok(Ok(handle)) => {
                let RequestHandle { mut rx, id, .. } = handle;
                let left = self.limits.timeout.saturating_sub(begun.elapsed());
                match tokio::time::timeout(left, &mut rx).await {
                    Ok(answer) => self.read(answer).await,
                    Err(_) => {
                        self.give_up(peer, &json!(id)).await;
                        late = Some(rx);
                        Err(Failure::TimedOut(self.limits.timeout))
                    }
                }
            }
        };
        self.report(moment.name(), begun, &roots);
        (roots, late)
    }

    /// Tells the client that nobody waits any longer.
    ///
    /// As a custom notification, since rmcp forgets a request when it sends its own `CancelledNotification`, and a late
    /// answer would be lost.
    async fn give_up(&self, peer: &Peer<RoleServer>, id: &Value) {
        let params = json!({"requestId": id, "reason": "no answer to roots/list in time"});
        let cancelled = CustomNotification::new("notifications/cancelled", Some(params));
        let sent = peer.send_notification(ServerNotification::CustomNotification(cancelled));
        // A client that does not answer may not read either.
        let _ = tokio::time::timeout(PAUSE, sent).await;
    }

    async fn read(&self, answer: Answered) -> Result<Arc<RootSet>, Failure> {
        let answer = match answer {
            Ok(Ok(answer)) => answer,
            Ok(Err(error)) => return Err(failure_of(error)),
            Err(_) => return Err(Failure::Unsent("the client is gone".into())),
        };
        let value = serde_json::to_value(answer).map_err(|error| Failure::Malformed(error.to_string()))?;
        read(value, self.limits.max_roots).await
    }

    /// Lets an answer that comes after the deadline serve the calls that follow.
    fn wait_for(self: &Arc<Self>, late: Option<Late>, generation: u64) {
        let Some(late) = late else { return };
        let session = self.clone();
        tokio::spawn(async move {
            let begun = Instant::now();
            let answer = tokio::select! {
                answer = tokio::time::timeout(LATEST_ANSWER, late) => answer,
                () = session.closed.cancelled() => return,
            };
            let Ok(answer) = answer else { return };
            let roots = session.read(answer).await;
            session.report("late", begun, &roots);
            session.state.lock().await.learn(&roots, generation);
        });
    }

    fn report(&self, moment: &str, begun: Instant, roots: &Result<Arc<RootSet>, Failure>) {
        let about = json!({"session": self.id, "era": "legacy", "moment": moment, "after_ms": millis(begun)});
        report(&self.events, about, roots.as_deref());
    }
}

impl State {
    /// Keeps what was learned, unless something newer is known.
    fn learn(&mut self, roots: &Result<Arc<RootSet>, Failure>, generation: u64) {
        if generation < self.generation {
            return;
        }
        self.generation = generation;
        self.known = match roots {
            Ok(roots) => Known::Roots(roots.clone()),
            Err(failure) => Known::Failed { failure: failure.clone(), since: Instant::now() },
        };
    }

    /// Whether asking on the session's own account would bring nothing.
    fn is_settled(&self, generation: u64) -> bool {
        match &self.known {
            Known::Nothing => false,
            Known::Failed { failure: Failure::Refused, .. } => true,
            Known::Roots(_) | Known::Failed { .. } => self.generation >= generation,
        }
    }
}

type Answered = Result<Result<ClientResult, ServiceError>, oneshot::error::RecvError>;
type Late = oneshot::Receiver<Result<ClientResult, ServiceError>>;

async fn send(peer: &Peer<RoleServer>) -> Result<RequestHandle<RoleServer>, Failure> {
    let request = ServerRequest::ListRootsRequest(ListRootsRequest::default());
    // rmcp's own deadline would forget the request.
    peer.send_request_with_option(request, PeerRequestOptions::no_options()).await.map_err(failure_of)
}

fn failure_of(error: ServiceError) -> Failure {
    match error {
        ServiceError::McpError(error) if error.code == ErrorCode::METHOD_NOT_FOUND => Failure::Refused,
        ServiceError::McpError(error) => Failure::Error { code: error.code.0, message: clip(&error.message) },
        error => Failure::Unsent(error.to_string()),
    }
}

/// Reads an answer without blocking the protocol: directories are opened.
pub async fn read(answer: Value, max_roots: usize) -> Result<Arc<RootSet>, Failure> {
    let read = tokio::task::spawn_blocking(move || RootSet::read(&answer, max_roots)).await;
    match read {
        Ok(Ok(roots)) => Ok(Arc::new(roots)),
        Ok(Err(reason)) => Err(Failure::Malformed(reason)),
        Err(fault) => Err(Failure::Malformed(fault.to_string())),
    }
}

/// The event for an answer: accepted and rejected roots, or the failure. `about` is an object.
pub fn report(events: &Events, mut about: Value, roots: Result<&RootSet, &Failure>) {
    let fields = match roots {
        Ok(set) => {
            let (accepted, rejected): (Vec<_>, Vec<_>) =
                set.roots.iter().enumerate().partition(|(_, root)| root.place.is_ok());
            let list = |roots: Vec<(usize, &super::set::Root)>| -> Vec<Value> {
                roots.into_iter().map(|(index, root)| root.to_json(index)).collect()
            };
            json!({"outcome": "roots", "accepted": list(accepted), "rejected": list(rejected), "ignored": set.ignored})
        }
        Err(failure) => json!({"outcome": failure.name(), "reason": failure.to_string()}),
    };
    if let (Value::Object(about), Value::Object(fields)) = (&mut about, fields) {
        about.extend(fields);
    }
    events.emit("roots-answered", about);
}
