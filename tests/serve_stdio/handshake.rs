//! The begin of a connection, protocol versions, and eras within one connection.

use std::time::Duration;

use serde_json::{Value, json};

use crate::serve::Tree;
use crate::serve::message::{
    self, LEGACY, MODERN, code, counted, handshake, in_version, modern, notification, request, state, tool, with_roots,
};
use crate::serve::stdio::{Answer, Client};

const UNSUPPORTED_VERSION: i64 = -32022;
const WITH_INITIALIZE: [&str; 4] = ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"];

#[test]
fn what_comes_before_the_handshake_is_survived() {
    let early = [
        notification("notifications/initialized"),
        notification("notifications/roots/list_changed"),
        notification("notifications/of/nobody"),
        message::cancelled(1),
        message::result(&json!(0), &json!({"roots": []})),
        message::error(&json!("foreign"), -32601),
        request(1, "server/discover", modern(json!({}), json!({}))),
        message::cancelled(1),
        notification("notifications/initialized"),
    ];
    let tree = Tree::new();
    let mut client = Client::start(&mut tree.command(&[]));
    client.ping();
    client.send_together(&early);
    assert!(client.response_to(1)["result"].is_object());
    client.answer = Answer::Result(tree.roots(&["beta"]));
    client.initialize(LEGACY, with_roots());
    assert_eq!(counted(&client.count()).0, 5);
    // And afterwards: an answer to no question, a question of its own that nobody knows.
    client.send_together(&early[..6]);
    assert_eq!(counted(&client.count()).0, 5);
    client.expect_silence(Duration::from_millis(50));
}

/// Malformed parameters are no handshake; the next one is.
#[test]
fn initialize_may_fail_before_it_works() {
    let malformed = [
        json!([]),
        json!("text"),
        json!(7),
        json!({}),
        json!({"protocolVersion": LEGACY}),
        json!({"protocolVersion": 5, "capabilities": {}, "clientInfo": {"name": "test", "version": "1"}}),
        json!({"protocolVersion": LEGACY, "capabilities": [], "clientInfo": "test"}),
    ];
    let tree = Tree::new();
    let mut client = Client::start(&mut tree.command(&[]));
    for params in malformed {
        let response = client.request("initialize", params.clone());
        assert_eq!(code(&response), -32602, "{params}: {response}");
    }
    let id = client.next_id();
    client.send(&json!({"jsonrpc": "2.0", "id": id, "method": "initialize"}));
    assert_eq!(code(&client.response_to(id)), -32602);
    assert_eq!(client.initialize(LEGACY, json!({}))["protocolVersion"], LEGACY);
}

#[test]
fn initialize_agrees_on_a_version_that_has_it() {
    let known = WITH_INITIALIZE.map(|version| (version, version));
    let others = ["1999-01-01", "2030-01-01", "", "text", MODERN].map(|version| (version, LEGACY));
    let tree = Tree::new();
    for (asked, agreed) in known.into_iter().chain(others) {
        let mut client = Client::start(&mut tree.command(&[]));
        client.answer = Answer::Result(tree.roots(&["beta"]));
        assert_eq!(client.initialize(asked, with_roots())["protocolVersion"], agreed, "{asked}");
        assert_eq!(counted(&client.count()).0, 5, "{asked}");
    }
}

#[test]
fn a_version_that_nobody_knows_is_refused_with_those_that_are_known() {
    let all = [&WITH_INITIALIZE[..], &[MODERN]].concat();
    let offers = [("both", &all[..]), ("legacy", &WITH_INITIALIZE), ("modern", &[MODERN])];
    let tree = Tree::new();
    for (era, offered) in offers {
        let mut client = Client::start(&mut tree.command(&["--era", era]));
        let check = |response: &Value, asked: &str| {
            assert_eq!(code(response), UNSUPPORTED_VERSION, "{era} {asked}: {response}");
            let data = &response["error"]["data"];
            assert_eq!((&data["requested"], &data["supported"]), (&json!(asked), &json!(offered)), "{era}");
        };
        // Before a version is chosen, and after.
        for _ in 0..2 {
            for asked in ["1999-01-01", "2030-01-01", ""] {
                check(&client.request("tools/list", in_version(asked, json!({}), json!({}))), asked);
                let call = in_version(asked, with_roots(), tool("count_lines", json!({})));
                check(&client.request("tools/call", call), asked);
            }
            if era == "legacy" {
                check(&client.request("tools/list", modern(json!({}), json!({}))), MODERN);
                client.initialize(LEGACY, json!({}));
            } else {
                let response = client.request("tools/list", modern(json!({}), json!({})));
                assert!(response["result"]["tools"].is_array(), "{era}: {response}");
            }
        }
    }
}

#[test]
fn discover_names_the_versions_that_are_offered() {
    let all = [&WITH_INITIALIZE[..], &[MODERN]].concat();
    let tree = Tree::new();
    for (era, offered) in [("both", &all[..]), ("modern", &[MODERN])] {
        let mut client = Client::start(&mut tree.command(&["--era", era]));
        let response = client.request("server/discover", modern(json!({}), json!({})));
        assert_eq!(response["result"]["supportedVersions"], json!(offered), "{era}: {response}");
        assert!(response["result"]["capabilities"]["tools"].is_object(), "{response}");
    }
}

/// Without 2026-07-28 there is no discover either; what a client learns is the versions that there are.
#[test]
fn the_legacy_offer_does_not_pretend_to_be_modern() {
    let tree = Tree::new();
    let mut client = Client::start(&mut tree.command(&["--era", "legacy"]));
    let response = client.request("server/discover", modern(json!({}), json!({})));
    let supported = match response.get("error") {
        Some(_) => {
            assert_eq!(code(&response), UNSUPPORTED_VERSION);
            &response["error"]["data"]["supported"]
        }
        None => &response["result"]["supportedVersions"],
    };
    assert_eq!(*supported, json!(WITH_INITIALIZE));
    assert_eq!(client.initialize(MODERN, json!({}))["protocolVersion"], LEGACY);
}

#[test]
fn the_modern_offer_refuses_initialize_and_lives() {
    let tree = Tree::new();
    let mut client = Client::start(&mut tree.command(&["--era", "modern"]));
    for _ in 0..2 {
        for version in [LEGACY, "2024-11-05", "1999-01-01"] {
            let response = client.request("initialize", handshake(version, with_roots()));
            assert_eq!(code(&response), UNSUPPORTED_VERSION, "{response}");
            assert_eq!(response["error"]["data"]["supported"], json!([MODERN]), "{response}");
        }
        // Whether or not a client takes note of the refusal.
        client.send(&notification("notifications/initialized"));
        let response = client.call_modern(json!({}), "count_lines", json!({}));
        assert_eq!(counted(&response), (2, "cwd:no-capability"));
    }
    assert!(client.asks.is_empty());
}

/// The era is that of the request, not of the connection.
#[test]
fn each_request_has_its_own_era() {
    let tree = Tree::new();
    let mut client = Client::legacy(&tree, &[], Answer::Result(tree.roots(&["alpha"])));
    assert_eq!(counted(&client.count()).0, 4);
    assert_eq!(client.asks.len(), 1);

    // A modern request in a session with initialize: what it declares counts, and what it brings.
    let response = client.call_modern(json!({}), "count_lines", json!({}));
    assert_eq!(counted(&response), (2, "cwd:no-capability"));
    let asked = client.call_modern(with_roots(), "count_lines", json!({}));
    let mut params = modern(with_roots(), tool("count_lines", json!({})));
    params["requestState"] = state(&asked).into();
    params["inputResponses"] = json!({ message::key(&asked): tree.roots(&["beta"]) });
    let response = client.request("tools/call", params);
    assert_eq!(counted(&response), (5, "roots:input-request"));
    assert_eq!(client.asks.len(), 1, "and no request of the server's own");

    // The session is what it was.
    assert_eq!(counted(&client.count()), (4, "roots:cached"));
}

#[test]
fn initialize_is_answered_in_a_connection_that_began_without_it() {
    let tree = Tree::new();
    let mut client = Client::start(&mut tree.command(&[]));
    assert_eq!(counted(&client.call_modern(json!({}), "count_lines", json!({}))), (2, "cwd:no-capability"));
    client.answer = Answer::Result(tree.roots(&["alpha"]));
    assert_eq!(client.initialize(LEGACY, with_roots())["protocolVersion"], LEGACY);
    let response = client.call_modern(with_roots(), "count_lines", json!({}));
    assert!(!state(&response).is_empty());
}

/// The era of what follows is that of the version that was agreed on, not of the one that was asked for.
#[test]
fn a_second_handshake_agrees_like_the_first() {
    let tree = Tree::new();
    let mut client = Client::legacy(&tree, &[], Answer::Result(tree.roots(&["alpha"])));
    for version in ["2030-01-01", MODERN, "2024-11-05"] {
        let agreed = if version == "2024-11-05" { version } else { LEGACY };
        assert_eq!(client.initialize(version, with_roots())["protocolVersion"], agreed);
        assert_eq!(counted(&client.count()).0, 4, "{version}");
    }
}
