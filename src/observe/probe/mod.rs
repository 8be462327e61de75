//! The probe: the same exercise with a client that has roots, one that has none, and one with an empty list, and what
//! the comparison shows. What is said about it is in `verdict`, how it looks in `human` and `json`.
//!
//! | run | the client | |
//! |---|---|---|
//! | `roots` | declares roots and names them; adds one in the end | |
//! | `none` | does not declare them | |
//! | `empty` | declares roots and names none | |
//! | `none-again` | does not declare them | only when `roots` and `none` differ: what differs here, too, has other causes |

pub mod human;
pub mod json;
mod judge;
mod naming;
mod verdict;

use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};

use super::client::{
    About, Ask, Client, Counts, Era, Fault, OpenError, Remains, Reply, Root, RootsPolicy, Session, Target, Transcript,
};
pub use verdict::{Effect, Finding, Verdict};

/// Which era to speak.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, clap::ValueEnum)]
pub enum EraChoice {
    /// The one in which the server uses Roots: modern if it speaks that, else legacy
    #[default]
    Auto,
    /// `initialize`, up to 2025-11-25
    Legacy,
    /// Stateless, 2026-07-28
    Modern,
}

/// A call that the user named.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedCall {
    /// The tool.
    pub tool: String,
    /// Its arguments.
    pub arguments: Map<String, Value>,
}

/// What to probe, and how.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The server.
    pub target: Target,
    /// The era.
    pub era: EraChoice,
    /// The directories that the client names as its roots, absolute.
    pub roots: Vec<PathBuf>,
    /// The directory that is added to them in the end, absolute.
    pub added: PathBuf,
    /// The calls, in this order, in every run. Nothing else is called.
    pub calls: Vec<NamedCall>,
    /// Directories among the arguments of the command, absolute.
    pub configured: Vec<PathBuf>,
    /// How long each answer is waited for.
    pub timeout: Duration,
}

/// One of the runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// With roots.
    Roots,
    /// Without the capability.
    None,
    /// With an empty list.
    Empty,
    /// Without the capability, once more.
    NoneAgain,
}

impl Part {
    /// The name in JSON and in the transcript.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Roots => "roots",
            Self::None => "none",
            Self::Empty => "empty",
            Self::NoneAgain => "none-again",
        }
    }
}

/// The names that a server lists.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Offer {
    /// Tools.
    pub tools: Vec<String>,
    /// URIs of resources.
    pub resources: Vec<String>,
    /// URI templates of resources.
    pub templates: Vec<String>,
    /// Prompts.
    pub prompts: Vec<String>,
    /// Lists that were not read to their end, and why.
    pub stopped: Vec<String>,
}

/// What a called tool answered.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// A result.
    Result(Value),
    /// A result that says that the tool failed.
    ToolError(Value),
    /// A JSON-RPC error.
    Error {
        /// Its code.
        code: i64,
        /// Its message.
        message: String,
    },
    /// None.
    Silent(Fault),
}

impl Answer {
    fn of(reply: Reply) -> Self {
        match reply {
            Reply::Result(mut result) => {
                // What says nothing about the answer.
                if let Some(result) = result.as_object_mut() {
                    result.remove("_meta");
                    result.remove("resultType");
                }
                match result.get("isError") {
                    Some(Value::Bool(true)) => Self::ToolError(result),
                    _ => Self::Result(result),
                }
            }
            Reply::Error { code, message } => Self::Error { code, message },
            Reply::Silent(fault) => Self::Silent(fault),
        }
    }

    /// Whether the tool did what it was called for.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        matches!(self, Self::Result(_))
    }
}

/// One call of a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Called {
    /// Its answer.
    pub answer: Answer,
    /// Times that the request was sent.
    pub rounds: usize,
    /// Messages and questions meanwhile.
    pub counts: Counts,
    /// How long it took.
    pub elapsed: Duration,
}

/// What a server offered and answered at one time.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Exercise {
    /// What it lists.
    pub offer: Offer,
    /// What it answered, in the order of the plan; fewer when it was given up.
    pub calls: Vec<Called>,
}

/// One run.
#[derive(Debug)]
pub struct Run {
    /// Which.
    pub part: Part,
    /// What the server said about itself, or why there was no session.
    pub opened: Result<About, OpenError>,
    /// What it offered and answered.
    pub exercise: Exercise,
    /// The same once a root was added.
    pub after_change: Option<Exercise>,
    /// Its questions for roots.
    pub asks: Vec<Ask>,
    /// Messages of the whole run.
    pub counts: Counts,
    /// Why the run was given up before its end.
    pub given_up: Option<Fault>,
    /// How it ended, and what came beside messages.
    pub remains: Remains,
}

/// What a probe saw.
#[derive(Debug)]
pub struct Probe {
    /// The era that was spoken.
    pub era: Era,
    /// Why it was this one, when the probe chose it.
    pub chosen: Option<String>,
    /// The runs, `roots` first.
    pub runs: Vec<Run>,
    /// What they show.
    pub finding: Finding,
}

impl Probe {
    /// A run, if it was made.
    #[must_use]
    pub fn run(&self, part: Part) -> Option<&Run> {
        self.runs.iter().find(|run| run.part == part)
    }
}

/// A server that could not be run: there is nothing to report but why.
#[derive(Debug)]
pub struct NotRun {
    /// The era that was spoken last.
    pub era: Era,
    /// Why.
    pub error: OpenError,
}

/// What a report shows.
pub struct View<'a, P = Probe> {
    /// What was to be seen.
    pub plan: &'a Plan,
    /// What was.
    pub probe: &'a P,
    /// What was probed, in words.
    pub subject: String,
    /// Values that must not be shown.
    pub secrets: &'a [String],
}

impl<P> View<'_, P> {
    /// A text without the secrets.
    fn hide(&self, text: &str) -> String {
        self.secrets.iter().fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "***"))
    }
}

/// Makes the runs and compares them. At the end, and when this is dropped, nothing that was started runs any more.
///
/// # Errors
/// When the server cannot be run with a client that has roots: nothing is known then.
pub async fn probe(plan: &Plan, transcript: &Transcript) -> Result<Probe, NotRun> {
    match plan.era {
        EraChoice::Legacy => probe_in(plan, Era::Legacy, transcript).await,
        EraChoice::Modern => probe_in(plan, Era::Modern, transcript).await,
        EraChoice::Auto => probe_by_itself(plan, transcript).await,
    }
}

async fn probe_in(plan: &Plan, era: Era, transcript: &Transcript) -> Result<Probe, NotRun> {
    let with_roots = run(plan, era, Part::Roots, transcript).await;
    if let Run { opened: Err(error), .. } = with_roots {
        return Err(NotRun { era, error });
    }
    let mut runs = vec![with_roots];
    for part in [Part::None, Part::Empty] {
        runs.push(run(plan, era, part, transcript).await);
    }
    if judge::differ(&runs[0], &runs[1]) {
        runs.push(run(plan, era, Part::NoneAgain, transcript).await);
    }
    let finding = judge::judge(plan, &runs);
    Ok(Probe { era, chosen: None, runs, finding })
}

/// Probes the era in which the server uses Roots: the modern one if it speaks it, the legacy one if it does not, or
/// showed nothing of Roots in the modern one. Which revisions it names is no help: some servers speak more.
async fn probe_by_itself(plan: &Plan, transcript: &Transcript) -> Result<Probe, NotRun> {
    // A process of its own is asked: a legacy server may not survive the question.
    let client = Client { era: Era::Modern, roots: RootsPolicy::Undeclared, timeout: plan.timeout };
    let spoken = match Session::open(&plan.target, client, &transcript.of_run("era")).await {
        Ok(session) => {
            let spoken = session.about().revisions.clone();
            session.close().await;
            spoken
        }
        Err(error @ (OpenError::Start(_) | OpenError::Target(_))) => return Err(NotRun { era: Era::Modern, error }),
        Err(error) => {
            let mut probe = probe_in(plan, Era::Legacy, transcript).await?;
            probe.chosen = Some(error.to_string());
            return Ok(probe);
        }
    };
    let mut modern = probe_in(plan, Era::Modern, transcript).await?;
    modern.chosen = Some(format!("the server names {}", spoken.join(", ")));
    if modern.finding.verdict.uses_roots() {
        return Ok(modern);
    }
    match probe_in(plan, Era::Legacy, transcript).await {
        Ok(mut legacy) if legacy.finding.verdict.uses_roots() => {
            legacy.chosen = Some(format!(
                "it speaks {}, too, and showed nothing of Roots there",
                crate::observe::client::revision(Era::Modern)
            ));
            Ok(legacy)
        }
        Ok(legacy) => {
            let words = legacy.finding.verdict.words();
            modern.finding.notes.push(format!("the legacy era, which it speaks too: {words}"));
            Ok(modern)
        }
        Err(NotRun { error, .. }) => {
            modern.finding.notes.push(format!("it does not run in the legacy era: {error}"));
            Ok(modern)
        }
    }
}

async fn run(plan: &Plan, era: Era, part: Part, transcript: &Transcript) -> Run {
    let roots =
        |directories: &[PathBuf]| -> Vec<Root> { directories.iter().filter_map(|path| Root::of(path)).collect() };
    let policy = match part {
        Part::Roots => RootsPolicy::Roots(roots(&plan.roots)),
        Part::None | Part::NoneAgain => RootsPolicy::Undeclared,
        Part::Empty => RootsPolicy::Empty,
    };
    let client = Client { era, roots: policy, timeout: plan.timeout };
    let mut session = match Session::open(&plan.target, client, &transcript.of_run(part.name())).await {
        Ok(session) => session,
        Err(error) => {
            let remains = error.remains().cloned().unwrap_or_default();
            return Run {
                part,
                opened: Err(error),
                exercise: Exercise::default(),
                after_change: None,
                asks: Vec::new(),
                counts: Counts::default(),
                given_up: None,
                remains,
            };
        }
    };
    // In the modern era a server says nothing by itself.
    if era == Era::Legacy {
        session.settle().await;
    }
    let mut patience = Patience::default();
    let exercise = exercise(&mut session, plan, &mut patience).await;
    let mut after_change = None;
    if part == Part::Roots && !patience.is_over(&session) {
        let all = [plan.roots.as_slice(), std::slice::from_ref(&plan.added)].concat();
        session.set_roots(RootsPolicy::Roots(roots(&all)));
        if era == Era::Legacy {
            session.notify_roots_changed().await;
            session.settle().await;
        }
        after_change = Some(self::exercise(&mut session, plan, &mut patience).await);
    }
    session.settle().await;
    let given_up = session.over().cloned().or(patience.given_up);
    let (about, asks, counts) = (session.about().clone(), session.asks().to_vec(), session.counts());
    let remains = session.close().await;
    Run { part, opened: Ok(about), exercise, after_change, asks, counts, given_up, remains }
}

/// A server that has stopped to answer is not waited for again and again.
#[derive(Default)]
struct Patience {
    timeouts: usize,
    given_up: Option<Fault>,
}

impl Patience {
    /// Requests in a row without an answer after which a run is given up.
    const MOST: usize = 2;

    fn note(&mut self, fault: Option<&Fault>) {
        match fault {
            Some(fault @ Fault::Timeout(_)) => {
                self.timeouts += 1;
                if self.timeouts >= Self::MOST {
                    self.given_up = Some(fault.clone());
                }
            }
            _ => self.timeouts = 0,
        }
    }

    fn is_over(&self, session: &Session) -> bool {
        self.given_up.is_some() || session.over().is_some()
    }
}

async fn exercise(session: &mut Session, plan: &Plan, patience: &mut Patience) -> Exercise {
    let mut offer = Offer::default();
    let has = |key: &str| session.about().capabilities.get(key).is_some();
    // A server without tools has been seen to offer some all the same; the others are asked for as declared.
    let (resources, prompts) = (has("resources"), has("prompts"));
    let lists: [(bool, &str, &str, &str, &mut Vec<String>); 4] = [
        (true, "tools/list", "tools", "name", &mut offer.tools),
        (resources, "resources/list", "resources", "uri", &mut offer.resources),
        (resources, "resources/templates/list", "resourceTemplates", "uriTemplate", &mut offer.templates),
        (prompts, "prompts/list", "prompts", "name", &mut offer.prompts),
    ];
    for (is_declared, method, key, name, names) in lists {
        if !is_declared || patience.is_over(session) {
            continue;
        }
        let listing = session.list(method, key).await;
        names.extend(listing.items.iter().filter_map(|item| item.get(name)?.as_str()).map(str::to_owned));
        names.sort();
        let fault = match &listing.stopped {
            Some(Reply::Silent(fault)) => Some(fault),
            _ => None,
        };
        patience.note(fault);
        match &listing.stopped {
            None | Some(Reply::Error { code: -32601, .. }) => {}
            Some(Reply::Error { code, message }) => offer.stopped.push(format!("`{method}`: error {code}: {message}")),
            Some(Reply::Silent(fault)) => offer.stopped.push(format!("`{method}`: {fault}")),
            Some(Reply::Result(_)) => {}
        }
    }
    let mut calls = Vec::new();
    for call in &plan.calls {
        if patience.is_over(session) {
            break;
        }
        let made = session.call(&call.tool, &call.arguments).await;
        let answer = Answer::of(made.reply);
        patience.note(match &answer {
            Answer::Silent(fault) => Some(fault),
            _ => None,
        });
        calls.push(Called { answer, rounds: made.rounds, counts: made.counts, elapsed: made.elapsed });
    }
    Exercise { offer, calls }
}
