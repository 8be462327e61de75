//! What a call does: learn the client's roots in the era of the request, find the directory, count in it.

use std::sync::Arc;
use std::time::Instant;

use rmcp::ErrorData;
use rmcp::model::{CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, InputRequiredResult};
use rmcp::service::{RequestContext, RoleServer};
use serde::Serialize;
use serde_json::{Value, json};
use tokio::task::JoinError;

use super::boundary::{Directory, Place};
use super::count::{Counts, count};
use super::events::{clip, millis};
use super::roots::degrade::{Access, Learned};
use super::roots::rounds::{KEY, Round};
use super::roots::session::{self, Session};
use super::roots::set::{Failure, RootSet};
use super::select::{self, Allowed};
use super::shared::Shared;
use super::tools::{Call, Selector};
use super::{Era, Source, uri};

/// Why a call did not work.
pub(super) enum Refusal {
    /// Something that a model can act on.
    Text(String),
    /// An error of the protocol.
    Protocol(ErrorData),
}

impl From<ErrorData> for Refusal {
    fn from(error: ErrorData) -> Self {
        Self::Protocol(error)
    }
}

/// The structured result of `count_lines`, and of the resources.
#[derive(Serialize)]
struct Counted {
    directory: String,
    source: Source,
    #[serde(flatten)]
    counts: Counts,
}

/// What came of learning the client's roots.
enum Consulted {
    Learned(Learned),
    /// The client has to answer first (2026-07-28).
    Question(Box<InputRequiredResult>),
}

/// A chosen directory: the fallback is open already.
enum Chosen {
    Place(Place),
    Open(Directory),
}

/// One request, with what it is answered from.
pub(super) struct Request<'a> {
    pub(super) shared: &'a Shared,
    pub(super) session: &'a Arc<Session>,
    pub(super) context: &'a RequestContext<RoleServer>,
    pub(super) era: Era,
}

impl Request<'_> {
    /// Answers `tools/call`.
    pub(super) async fn call(&self, call: Call, params: &CallToolRequestParams) -> Result<CallToolResponse, Refusal> {
        let allowed = self.shared.allowed.clone();
        let value = match call {
            Call::CountInRoot(arguments) => {
                let learned = match self.consult(params).await? {
                    Consulted::Learned(learned) => learned,
                    Consulted::Question(question) => return Ok((*question).into()),
                };
                let (chosen, source) = choose(self.resolve(learned), arguments.root.as_ref())?;
                let open = move || {
                    let directory = match chosen {
                        Chosen::Place(place) => place.open().map_err(|error| error.to_string())?,
                        Chosen::Open(directory) => directory,
                    };
                    in_subdir(&directory, arguments.subdir.as_deref())
                };
                self.count(source, open).await?
            }
            Call::CountInDirectory(arguments) => {
                let open = move || {
                    let directory = select::allowed(&allowed, &arguments.directory)?;
                    in_subdir(&directory, arguments.subdir.as_deref())
                };
                self.count(Source::Argument, open).await?
            }
            Call::CountResource(arguments) => self.count_resource(arguments.uri).await?,
            Call::CountConfigured(arguments) => {
                let open = move || in_subdir(&allowed[0].directory, arguments.subdir.as_deref());
                self.count(Source::Config, open).await?
            }
            Call::ListRoots => match self.consult(params).await? {
                Consulted::Learned(learned) => list_roots(self.resolve(learned))?,
                Consulted::Question(question) => return Ok((*question).into()),
            },
            Call::ListDirectories => list_directories(&allowed),
            Call::EchoRoots => match self.consult(params).await? {
                Consulted::Learned(learned) => {
                    return Ok(CallToolResult::success(vec![ContentBlock::text(echo(&learned))]).into());
                }
                Consulted::Question(question) => return Ok((*question).into()),
            },
        };
        Ok(CallToolResult::structured(value).into())
    }

    /// Counts in the directory of a resource.
    pub(super) async fn count_resource(&self, uri: String) -> Result<Value, Refusal> {
        let allowed = self.shared.allowed.clone();
        self.count(Source::Resource, move || select::resource(&allowed, &uri)).await
    }

    /// Learns the client's roots, if it has declared any, in the way of the era.
    async fn consult(&self, params: &CallToolRequestParams) -> Result<Consulted, ErrorData> {
        // A forged state is one whatever else the request says.
        let round = self.shared.rounds.check(params)?;
        if self.context.client_capabilities().is_none_or(|client| client.roots.is_none()) {
            return Ok(Consulted::Learned(Learned::NoCapability));
        }
        let (roots, source) = match self.era {
            Era::Legacy => {
                let answer = self.session.roots(&self.context.peer).await;
                (answer.roots, if answer.asked { Source::Asked } else { Source::Cached })
            }
            Era::Modern => {
                let answer = match self.shared.rounds.next(params, round)? {
                    Round::Ask(question) => {
                        self.emit("roots-asked", json!({"moment": "input-request", "round": round + 1}));
                        return Ok(Consulted::Question(question));
                    }
                    Round::Answered(answer) => Ok(answer),
                    Round::GaveUp => Err(Failure::Withheld(round)),
                };
                (self.read(answer).await?, Source::InputRequest)
            }
        };
        Ok(Consulted::Learned(Learned::Answer { roots, source }))
    }

    /// Reads an answer of 2026-07-28. One that is malformed makes the request malformed.
    async fn read(&self, answer: Result<Value, Failure>) -> Result<Result<Arc<RootSet>, Failure>, ErrorData> {
        let begun = Instant::now();
        let roots = match answer {
            Ok(value) => session::read(value, self.shared.options.limits.max_roots).await,
            Err(failure) => Err(failure),
        };
        let about = json!({
            "session": self.session.id(), "era": self.era.name(), "moment": "input-request", "after_ms": millis(begun),
        });
        session::report(&self.shared.events, about, roots.as_deref());
        match roots {
            Err(Failure::Malformed(reason)) => {
                Err(ErrorData::invalid_params(format!("inputResponses.{KEY}: {reason}"), None))
            }
            roots => Ok(roots),
        }
    }

    /// What the call may choose from after all.
    fn resolve(&self, learned: Learned) -> Access {
        let access = self.shared.fallback.resolve(learned);
        match &access {
            Access::Roots(..) => {}
            Access::Fallback(directory, _, source) => {
                self.emit("fallback", json!({"source": source, "directory": directory.path().to_string_lossy()}));
            }
            Access::Denied(reason, source) => self.emit("fallback", json!({"source": source, "denied": reason})),
        }
        access
    }

    /// Opens and counts where blocking is allowed; stops when the client cancels or is gone.
    async fn count(
        &self,
        source: Source,
        open: impl FnOnce() -> Result<Directory, String> + Send + 'static,
    ) -> Result<Value, Refusal> {
        let begun = Instant::now();
        let cancelled = self.context.ct.clone();
        let closed = self.session.closed().clone();
        let budgets = self.shared.budgets.clone();
        let _turn = self.shared.walks.acquire().await;
        let walk = tokio::task::spawn_blocking(move || {
            let directory = open().map_err(Refusal::Text)?;
            let counts = count(&directory, &budgets, &|| cancelled.is_cancelled() || closed.is_cancelled());
            Ok::<_, Refusal>((directory, counts.map_err(|_| cancelled_error())?))
        });
        let (directory, counts) = walk.await.map_err(|fault: JoinError| internal(&fault))??;
        let counted = Counted { directory: directory.path().to_string_lossy().into_owned(), source, counts };
        let value = serde_json::to_value(counted).map_err(|fault| internal(&fault))?;
        let mut fields = value.clone();
        fields["took_ms"] = millis(begun).into();
        self.emit("counted", fields);
        Ok(value)
    }

    /// An event of this request; `fields` is an object.
    fn emit(&self, event: &str, mut fields: Value) {
        fields["session"] = self.session.id().into();
        fields["era"] = self.era.name().into();
        self.shared.events.emit(event, fields);
    }
}

fn internal(fault: &dyn std::error::Error) -> ErrorData {
    ErrorData::internal_error(fault.to_string(), None)
}

/// The error of a request that was cancelled; nobody waits for it.
pub(super) fn cancelled_error() -> ErrorData {
    ErrorData::internal_error("the request was cancelled", None)
}

/// The roots as they came, for the fixtures of the conformance suite.
fn echo(learned: &Learned) -> String {
    let set = match learned {
        Learned::NoCapability => return "the client does not declare roots".into(),
        Learned::Answer { roots: Err(failure), .. } => return failure.to_string(),
        Learned::Answer { roots: Ok(set), .. } => set,
    };
    let roots = set.roots.iter().map(|root| match &root.name {
        Some(name) => format!("{} ({name})", root.uri),
        None => root.uri.clone(),
    });
    format!("{KEY}: {}", roots.collect::<Vec<_>>().join(", "))
}

fn choose(access: Access, root: Option<&Selector>) -> Result<(Chosen, Source), Refusal> {
    match access {
        Access::Roots(set, source) => {
            let place = select::root(&set, root).map_err(Refusal::Text)?;
            Ok((Chosen::Place(place), source))
        }
        Access::Fallback(directory, _, source) => match root {
            None => Ok((Chosen::Open(directory), source)),
            Some(root) => Err(Refusal::Text(format!(
                "there is no root `{}`, since the client sent none that can be used: leave `root` out to count in \
                 `{}`, or see list_roots",
                clip(&root.to_string()),
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
