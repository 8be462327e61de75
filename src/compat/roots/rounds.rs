//! Asking in revision 2026-07-28: a call that needs the roots is answered with an `InputRequiredResult`, and the client
//! repeats the call with the answer and the sealed state.
//!
//! The state is sealed by rmcp's `RequestStateCodec` with a key of this process, holds the number of the round, and is
//! bound to the method, the tool and its arguments. It can be used again within its life: the tool only reads, and the
//! server keeps nothing between requests, as the revision wants it.

use std::time::Duration;

use rmcp::ErrorData;
use rmcp::model::{
    CallToolRequestParams, InputRequest, InputRequests, InputRequiredResult, ListRootsRequest, RequestStateCodec,
    RequestStateError, SealOptions,
};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// How the input request is called in `inputRequests` and `inputResponses`.
pub const KEY: &str = "client_roots";
/// How often one call may be asked.
pub const MAX_ROUNDS: u8 = 3;
/// Life of a state: enough for a person who is asked for consent.
const LIFE: Duration = Duration::from_secs(300);
/// A state of ours is far shorter; more is not even decoded.
const MAX_STATE: usize = 1024;

/// What a call has come to.
#[derive(Debug)]
pub enum Round {
    /// The client has to answer first.
    Ask(Box<InputRequiredResult>),
    /// It answered; the value is not looked at yet.
    Answered(Value),
    /// It was asked [`MAX_ROUNDS`] times and never answered.
    GaveUp,
}

/// Seals and opens the states of this process.
pub struct Rounds {
    codec: RequestStateCodec,
}

#[derive(Serialize, Deserialize)]
struct State {
    round: u8,
}

impl Rounds {
    /// With a fresh random key: states of another process are foreign.
    ///
    /// # Errors
    ///
    /// When the system has no random numbers.
    pub fn new() -> Result<Self, String> {
        let mut key = [0_u8; 32];
        getrandom::fill(&mut key).map_err(|error| format!("no random key: {error}"))?;
        let codec = RequestStateCodec::try_new(key).map_err(|error| error.to_string())?;
        Ok(Self { codec })
    }

    /// The round that a state of `call` stands for: 0 without one.
    ///
    /// # Errors
    ///
    /// `-32602`, the same for every state that is forged, expired, of another call or of another process.
    pub fn check(&self, call: &CallToolRequestParams) -> Result<u8, ErrorData> {
        let Some(sealed) = call.request_state.as_deref() else { return Ok(0) };
        let opened = match sealed.len() {
            0..=MAX_STATE => self.codec.open_json_with::<State>(sealed, &binding(call)),
            _ => Err(RequestStateError::MalformedFormat),
        };
        opened.map(|state| state.round).map_err(|_| {
            let message = "requestState is not valid for this request: repeat the call without it to be asked again";
            ErrorData::invalid_params(message, None)
        })
    }

    /// What comes next for `call`, whose state stands for `round`.
    ///
    /// # Errors
    ///
    /// An internal error when the state cannot be sealed.
    pub fn next(&self, call: &CallToolRequestParams, round: u8) -> Result<Round, ErrorData> {
        // Without a state nothing was asked: an answer that comes with it may belong to any call.
        let answer = call.input_responses.as_ref().and_then(|answers| answers.get(KEY)).filter(|_| round > 0);
        if let Some(answer) = answer {
            return Ok(Round::Answered(answer.clone()));
        }
        if round >= MAX_ROUNDS {
            return Ok(Round::GaveUp);
        }
        let binding = binding(call);
        let options = SealOptions::new().associated_data(&binding).ttl(LIFE);
        let state = self.codec.seal_json_with(&State { round: round + 1 }, &options);
        let state = state.map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        let requests = InputRequests::from([(KEY.to_owned(), InputRequest::ListRoots(ListRootsRequest::default()))]);
        Ok(Round::Ask(Box::new(InputRequiredResult::new(Some(requests), Some(state)))))
    }
}

/// What a state is bound to: method, tool and arguments, in one spelling.
fn binding(call: &CallToolRequestParams) -> Vec<u8> {
    let arguments = call.arguments.clone().map_or(Value::Null, Value::Object);
    let mut value = json!(["tools/call", call.name, arguments]);
    value.sort_all_objects();
    value.to_string().into_bytes()
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn call(arguments: Value) -> CallToolRequestParams {
        let arguments = arguments.as_object().cloned().unwrap_or_default();
        CallToolRequestParams::new("count_lines").with_arguments(arguments)
    }

    fn asked(rounds: &Rounds, call: &CallToolRequestParams) -> String {
        match rounds.next(call, rounds.check(call).unwrap()).unwrap() {
            Round::Ask(ask) => ask.request_state.unwrap(),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn a_state_is_good_for_its_call_alone() {
        let rounds = Rounds::new().unwrap();
        let mut first = call(json!({"root": "a", "subdir": "b"}));
        let state = asked(&rounds, &first);
        first.request_state = Some(state.clone());
        assert_eq!(rounds.check(&first).unwrap(), 1);

        let mut reordered = call(json!({"subdir": "b", "root": "a"}));
        reordered.request_state = Some(state.clone());
        assert_eq!(rounds.check(&reordered).unwrap(), 1, "the order of the arguments says nothing");

        let mut foreign = vec![call(json!({"root": "a"})), call(json!({}))];
        let mut other_tool = first.clone();
        other_tool.name = "list_roots".into();
        foreign.push(other_tool);
        for mut call in foreign {
            call.request_state = Some(state.clone());
            assert_eq!(rounds.check(&call).unwrap_err().code.0, -32602);
        }
        let other_process = Rounds::new().unwrap();
        assert_eq!(other_process.check(&first).unwrap_err().code.0, -32602);
    }

    #[test]
    fn a_changed_state_is_refused_whatever_was_changed() {
        let rounds = Rounds::new().unwrap();
        let mut first = call(json!({}));
        let state = asked(&rounds, &first);
        for at in 0..state.len() {
            let mut forged = state.clone().into_bytes();
            forged[at] = if forged[at] == b'A' { b'B' } else { b'A' };
            first.request_state = Some(String::from_utf8(forged).unwrap());
            // The last character of base64 may hold bits that say nothing; then it is another spelling of the same.
            if let Ok(round) = rounds.check(&first) {
                assert!(at == state.len() - 1 && round == 1, "byte {at}");
            }
        }
        for garbage in ["", "rs1.", "rs2.a.b", "x", &"A".repeat(1 << 20)] {
            first.request_state = Some(garbage.to_owned());
            assert_eq!(rounds.check(&first).unwrap_err().code.0, -32602, "{garbage:.20}");
        }
    }

    #[test]
    fn the_rounds_end() {
        let rounds = Rounds::new().unwrap();
        let mut call = call(json!({}));
        for _ in 0..MAX_ROUNDS {
            call.request_state = Some(asked(&rounds, &call));
        }
        assert!(matches!(rounds.next(&call, rounds.check(&call).unwrap()).unwrap(), Round::GaveUp));
        call.input_responses = Some([(KEY.to_owned(), json!({"roots": []}))].into());
        assert!(matches!(rounds.next(&call, MAX_ROUNDS).unwrap(), Round::Answered(_)), "late, but an answer");
        call.request_state = None;
        assert!(matches!(rounds.next(&call, 0).unwrap(), Round::Ask(_)), "an answer to no question is none");
    }
}
