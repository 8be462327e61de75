//! Roots in 2026-07-28: the server asks within a result, and believes nothing that comes back.

use std::time::Duration;

use serde_json::{Value, json};

use crate::serve::Tree;
use crate::serve::message::{
    MODERN, code, counted, in_version, key, modern, notification, refusal, state, structured, tool, with_roots,
};
use crate::serve::stdio::Client;

const INVALID_PARAMS: i64 = -32602;

/// A call of `count_lines` that was asked for the roots.
pub struct Asked {
    pub client: Client,
    state: String,
    key: String,
}

impl Asked {
    fn new(tree: &Tree, flags: &[&str]) -> Self {
        Self::of(Client::start(&mut tree.command(flags)))
    }

    pub fn of(mut client: Client) -> Self {
        let response = client.call_modern(with_roots(), "count_lines", json!({}));
        Self { client, state: state(&response).to_owned(), key: key(&response).to_owned() }
    }

    /// Repeats the call with these fields beside its own.
    fn retry(&mut self, fields: Value) -> Value {
        self.retry_of(with_roots(), tool("count_lines", json!({})), fields)
    }

    fn retry_of(&mut self, capabilities: Value, mut params: Value, fields: Value) -> Value {
        let fields = fields.as_object().expect("fields").clone();
        params.as_object_mut().expect("parameters").extend(fields);
        self.client.request("tools/call", modern(capabilities, params))
    }

    /// The fields of a good answer.
    fn answer(&self, roots: Value) -> Value {
        json!({"requestState": self.state, "inputResponses": {self.key.clone(): roots}})
    }
}

#[test]
fn a_declaring_client_is_asked_within_the_result() {
    let tree = Tree::new();
    let mut asked = Asked::new(&tree, &[]);
    let response = asked.retry(asked.answer(tree.roots(&["alpha"])));
    assert_eq!(counted(&response), (4, "roots:input-request"));
    assert_eq!(response["result"]["resultType"], "complete");
    // Nothing is kept: the next call is asked again.
    let response = asked.client.call_modern(with_roots(), "count_lines", json!({}));
    assert!(!state(&response).is_empty());
    assert!(asked.client.asks.is_empty(), "never a request of the server's own");
}

/// What an earlier request declared, or the connection, says nothing.
#[test]
fn the_capability_is_that_of_the_request() {
    let tree = Tree::new();
    let mut asked = Asked::new(&tree, &[]);
    for capabilities in [json!({}), json!({"sampling": {}}), json!({"experimental": {"roots": {}}})] {
        let response = asked.client.call_modern(capabilities.clone(), "count_lines", json!({}));
        assert_eq!(counted(&response), (2, "cwd:no-capability"), "{capabilities}");
        // Nor on the retry, with an answer or without.
        for fields in [asked.answer(tree.roots(&["alpha"])), json!({"requestState": asked.state})] {
            let response = asked.retry_of(capabilities.clone(), tool("count_lines", json!({})), fields);
            assert_eq!(counted(&response), (2, "cwd:no-capability"), "{capabilities}");
        }
    }
    let mut strict = Asked::new(&tree, &["--strict"]);
    let fields = strict.answer(tree.roots(&["alpha"]));
    let response = strict.retry_of(json!({}), tool("count_lines", json!({})), fields);
    assert!(refusal(&response).contains("--allow-dir"));
    assert!(asked.client.asks.is_empty() && strict.client.asks.is_empty());
}

#[test]
fn a_request_without_capabilities_is_no_request() {
    let tree = Tree::new();
    let mut client = Client::start(&mut tree.command(&[]));
    for _ in 0..2 {
        let mut params = in_version(MODERN, json!({}), tool("count_lines", json!({})));
        params["_meta"].as_object_mut().expect("fields").remove("io.modelcontextprotocol/clientCapabilities");
        assert_eq!(code(&client.request("tools/call", params)), INVALID_PARAMS);
        // Then in a connection that has begun.
        client.call_modern(json!({}), "count_lines", json!({}));
    }
}

#[test]
fn answers_without_a_root_have_their_fallback() {
    let tree = Tree::new();
    let cases = [
        (json!({"roots": []}), "cwd:empty-list", "empty"),
        (json!({"roots": [{"uri": "untitled:Untitled-1"}, null]}), "cwd:no-usable-root", "none of"),
    ];
    let (mut plain, mut strict) = (Asked::new(&tree, &[]), Asked::new(&tree, &["--strict"]));
    for (roots, source, reason) in cases {
        assert_eq!(counted(&plain.retry(plain.answer(roots.clone()))), (2, source));
        let response = strict.retry(strict.answer(roots));
        assert!(refusal(&response).contains(reason) && refusal(&response).contains("--allow-dir"), "{response}");
    }
    let one_of_two = json!({"roots": [{"uri": 5}, tree.root("beta")]});
    assert_eq!(counted(&strict.retry(strict.answer(one_of_two))), (5, "roots:input-request"));
}

#[test]
fn an_answer_of_the_wrong_shape_is_a_malformed_request() {
    let tree = Tree::new();
    let mut asked = Asked::new(&tree, &[]);
    let answers =
        [json!({}), json!({"roots": null}), json!({"roots": 5}), json!({"roots": {}}), json!([]), json!(5), json!("x")];
    for answer in answers {
        let response = asked.retry(asked.answer(answer.clone()));
        assert_eq!(code(&response), INVALID_PARAMS, "{answer}: {response}");
    }
    for responses in [json!([]), json!("x"), json!(5)] {
        let response = asked.retry(json!({"requestState": asked.state, "inputResponses": responses}));
        assert_eq!(code(&response), INVALID_PARAMS, "{responses}: {response}");
    }
    assert_eq!(counted(&asked.retry(asked.answer(tree.roots(&["alpha"])))).0, 4);
}

#[test]
fn a_state_that_is_not_of_this_call_is_refused() {
    let tree = Tree::new();
    refuses_foreign_states(&tree, &mut Asked::new(&tree, &[]));
}

pub fn refuses_foreign_states(tree: &Tree, asked: &mut Asked) {
    let other_process = Asked::new(tree, &[]).state;
    let good = asked.state.clone();
    let replaced = |at: usize| {
        let mut bytes = good.clone().into_bytes();
        bytes[at] = if bytes[at] == b'A' { b'B' } else { b'A' };
        String::from_utf8(bytes).expect("ASCII")
    };
    let forged = [
        replaced(5),
        replaced(good.len() / 2),
        replaced(good.len() - 5),
        good[..good.len() - 4].to_owned(),
        format!("{good}AAAA"),
        good.replacen("rs1", "rs2", 1),
        "rs2.x.y".into(),
        "rs1".into(),
        "rs1..".into(),
        "garbage".into(),
        "\0".into(),
        String::new(),
        "A".repeat(1 << 20),
        other_process,
    ];
    let mut messages = Vec::new();
    let mut refused = |asked: &mut Asked, capabilities: Value, params: Value, state: &Value| {
        for roots in [None, Some(tree.roots(&["alpha"]))] {
            let mut fields = json!({"requestState": state});
            if let Some(roots) = roots {
                fields["inputResponses"] = json!({asked.key.clone(): roots});
            }
            let response = asked.retry_of(capabilities.clone(), params.clone(), fields);
            let shown = state.to_string();
            assert_eq!(code(&response), INVALID_PARAMS, "{params} {}: {response}", &shown[..shown.len().min(80)]);
            messages.push(response["error"]["message"].clone());
        }
    };
    let call = tool("count_lines", json!({}));
    for state in &forged {
        refused(asked, with_roots(), call.clone(), &json!(state));
    }
    // It is forged whether or not the client can be asked.
    refused(asked, json!({}), call.clone(), &json!("garbage"));
    // Good, but of another tool or other arguments.
    let good = json!(good);
    for other in [
        tool("list_roots", json!({})),
        tool("count_lines", json!({"root": "alpha"})),
        tool("count_lines", json!({"subdir": ""})),
    ] {
        refused(asked, with_roots(), other, &good);
    }
    // All the same, so that nobody learns what was wrong with it.
    messages.dedup();
    assert_eq!(messages.len(), 1, "{messages:?}");

    for state in [json!(5), json!({}), json!([]), json!(true)] {
        let response = asked.retry(json!({"requestState": state}));
        assert_eq!(code(&response), INVALID_PARAMS, "{state}: {response}");
    }
    assert_eq!(counted(&asked.retry(asked.answer(tree.roots(&["alpha"])))).0, 4, "the good one is still good");
}

/// As documented: the tool only reads, and the server keeps nothing that it could know a replay by.
#[test]
fn a_good_state_may_be_used_again() {
    let tree = Tree::new();
    let mut asked = Asked::new(&tree, &[]);
    for (name, lines) in [("alpha", 4), ("alpha", 4), ("beta", 5)] {
        assert_eq!(counted(&asked.retry(asked.answer(tree.roots(&[name])))), (lines, "roots:input-request"));
    }
    // No arguments and empty ones are the same call, however it is spelled.
    let fields = asked.answer(tree.roots(&["alpha"]));
    let response = asked.retry_of(with_roots(), json!({"name": "count_lines"}), fields);
    assert!(response["error"].is_object() || counted(&response).0 == 4, "{response}");
}

#[test]
fn a_retry_without_the_answer_is_asked_again_until_it_is_enough() {
    let tree = Tree::new();
    let without: [fn(&str) -> Value; 4] = [
        |_| json!({}),
        |_| json!({"inputResponses": {}}),
        |_| json!({"inputResponses": {"another_key": {"roots": []}}}),
        |_| json!({"inputResponses": null}),
    ];
    for (flags, ends) in [(&[][..], Some("cwd:no-answer")), (&["--strict"], None)] {
        for fields in without {
            let mut asked = Asked::new(&tree, flags);
            let mut rounds = 1;
            let last = loop {
                let mut fields = fields(&asked.key);
                fields["requestState"] = asked.state.clone().into();
                let response = asked.retry(fields);
                if response["result"]["resultType"] != "input_required" {
                    break response;
                }
                let next = state(&response).to_owned();
                assert_ne!(next, asked.state, "a round has its own state");
                asked.state = next;
                rounds += 1;
                assert!(rounds <= 10, "asked again for ever");
            };
            assert_eq!(rounds, 3);
            match ends {
                Some(source) => assert_eq!(counted(&last), (2, source)),
                None => assert!(refusal(&last).contains("--allow-dir"), "{last}"),
            }
        }
    }
    // Answers to other questions beside the right one do no harm, and one that comes in the second round is an answer.
    let mut asked = Asked::new(&tree, &[]);
    let again = asked.retry(json!({"requestState": asked.state}));
    asked.state = state(&again).to_owned();
    let mut fields = asked.answer(tree.roots(&["beta"]));
    fields["inputResponses"]["another_key"] = json!({"roots": 5});
    assert_eq!(counted(&asked.retry(fields)), (5, "roots:input-request"));
}

/// It may be an answer to any call.
#[test]
fn an_answer_without_a_state_is_asked_for() {
    let tree = Tree::new();
    let mut asked = Asked::new(&tree, &[]);
    for fields in [
        json!({"inputResponses": {asked.key.clone(): tree.roots(&["alpha"])}}),
        json!({"inputResponses": {asked.key.clone(): tree.roots(&["alpha"])}, "requestState": null}),
    ] {
        assert!(!state(&asked.retry(fields)).is_empty());
    }
}

/// The revision has no such notification; some clients send it all the same.
#[test]
fn changes_are_not_announced_in_this_era() {
    let tree = Tree::new();
    let mut asked = Asked::new(&tree, &[]);
    for _ in 0..100 {
        asked.client.send(&notification("notifications/roots/list_changed"));
    }
    assert_eq!(counted(&asked.retry(asked.answer(tree.roots(&["alpha"])))).0, 4);
    asked.client.expect_silence(Duration::from_millis(200));
    assert!(asked.client.asks.is_empty());
    let events = asked.client.process.events();
    assert!(events.iter().all(|event| event["event"] != "roots-changed"), "{events:?}");
}

#[test]
fn a_hundred_thousand_roots_are_read_as_far_as_allowed() {
    let tree = Tree::new();
    let mut asked = Asked::new(&tree, &["--max-roots", "3"]);
    let roots = vec![tree.root("alpha"); 100_000];
    let response = asked.retry(asked.answer(json!({"roots": roots})));
    assert_eq!(counted(&response).0, 4, "the second and third are the first again");
    let response = asked.client.call_modern(with_roots(), "list_roots", json!({}));
    let mut params = modern(with_roots(), tool("list_roots", json!({})));
    params["requestState"] = state(&response).into();
    params["inputResponses"] = json!({key(&response): {"roots": roots}});
    let response = asked.client.request("tools/call", params);
    let listed = structured(&response);
    assert_eq!((listed["roots"].as_array().map(Vec::len), &listed["ignored"]), (Some(3), &json!(99_997)));
}
