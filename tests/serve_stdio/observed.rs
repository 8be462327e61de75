//! What the server says beside the protocol: the deprecation warning and the events.

use std::fs;

use serde_json::{Value, json};

use crate::serve::message::{LEGACY, counted, key, modern, notification, state, tool, with_roots};
use crate::serve::stdio::{Answer, Client};
use crate::serve::{Tree, events_in};

/// Everything that can be said about Roots in one connection, in both eras.
fn talk(client: &mut Client, tree: &Tree, capabilities: &Value, arguments: &Value) {
    client.answer = Answer::Result(tree.roots(&["alpha"]));
    client.initialize(LEGACY, capabilities.clone());
    for _ in 0..2 {
        counted(&client.call("count_lines", arguments.clone()));
        client.send(&notification("notifications/roots/list_changed"));
    }
    talk_modern(client, tree, capabilities, arguments);
}

fn talk_modern(client: &mut Client, tree: &Tree, capabilities: &Value, arguments: &Value) {
    let mut params = modern(capabilities.clone(), tool("count_lines", arguments.clone()));
    let mut response = client.request("tools/call", params.clone());
    if response["result"]["resultType"] == "input_required" {
        params["requestState"] = state(&response).into();
        params["inputResponses"] = json!({key(&response): tree.roots(&["alpha"])});
        response = client.request("tools/call", params);
    }
    counted(&response);
}

#[test]
fn the_warning_comes_once_where_roots_are_negotiated() {
    let tree = Tree::new();
    let alpha = tree.path("alpha");
    let alpha = alpha.to_str().expect("UTF-8");
    type Talk = fn(&mut Client, &Tree, &Value, &Value);
    let cases: [(&[&str], Value, Value, usize); 5] = [
        (&[], with_roots(), json!({}), 1),
        (&[], json!({}), json!({}), 0),
        (&["--mode", "config", "--allow-dir", alpha], with_roots(), json!({}), 0),
        (&["--mode", "arguments", "--allow-dir", alpha], with_roots(), json!({"directory": "alpha"}), 0),
        (
            &["--mode", "resources", "--allow-dir", alpha],
            with_roots(),
            json!({"uri": "project-stats://lines/alpha"}),
            0,
        ),
    ];
    for talk in [talk as Talk, talk_modern] {
        for (flags, capabilities, arguments, expected) in &cases {
            let mut client = Client::start(&mut tree.command(flags));
            talk(&mut client, &tree, capabilities, arguments);
            talk_modern(&mut client, &tree, capabilities, arguments);
            assert!(client.close(crate::serve::PATIENCE).success());
            let warnings = client.process.warnings();
            assert_eq!(warnings.len(), *expected, "{flags:?} {capabilities}: {warnings:?}");
            for warning in warnings {
                for part in ["deprecated since 2026-07-28", "SEP-2577", "--mode arguments", "2027-07-28", "https://"] {
                    assert!(warning.contains(part), "{part} is not in {warning}");
                }
            }
        }
    }
}

#[test]
fn events_are_one_object_a_line_and_tell_the_story() {
    let tree = Tree::new();
    let mut client = Client::legacy(&tree, &[], Answer::Result(tree.roots(&["alpha"])));
    client.idle_until_asked(1);
    counted(&client.count());
    for _ in 0..3 {
        client.send(&notification("notifications/roots/list_changed"));
    }
    client.idle_until_asked(2);
    talk_modern(&mut client, &tree, &with_roots(), &json!({}));
    client.call_modern(json!({}), "count_lines", json!({}));
    assert!(client.close(crate::serve::PATIENCE).success());

    let events = client.process.events();
    let of = |name: &str| events.iter().filter(|event| event["event"] == name).collect::<Vec<_>>();
    for (name, fields) in [
        ("negotiated", json!({"era": "legacy", "protocol_version": LEGACY, "roots": true, "list_changed": true})),
        ("roots-asked", json!({"era": "legacy", "moment": "initialized"})),
        ("roots-answered", json!({"era": "legacy", "moment": "initialized", "outcome": "roots", "ignored": 0})),
        ("roots-changed", json!({"era": "legacy", "notifications": 3})),
        ("roots-asked", json!({"era": "legacy", "moment": "list-changed"})),
        ("counted", json!({"era": "legacy", "source": "roots:cached", "lines": 4, "truncated": null})),
        ("negotiated", json!({"era": "modern", "protocol_version": "2026-07-28", "roots": true})),
        ("roots-asked", json!({"era": "modern", "moment": "input-request", "round": 1})),
        ("roots-answered", json!({"era": "modern", "moment": "input-request", "outcome": "roots"})),
        ("counted", json!({"era": "modern", "source": "roots:input-request", "lines": 4})),
        ("fallback", json!({"era": "modern", "source": "cwd:no-capability", "directory": tree.path("here")})),
    ] {
        let fields = fields.as_object().expect("fields");
        let fits = |event: &&Value| fields.iter().all(|(field, value)| event[field] == *value);
        assert!(of(name).iter().any(fits), "no {name} with {fields:?} in {events:#?}");
    }
    let accepted = &of("roots-answered")[0]["accepted"];
    assert_eq!(accepted[0]["path"], json!(tree.path("alpha")), "{accepted}");
    let times: Vec<_> = events.iter().map(|event| event["at_ms"].as_u64()).collect();
    assert!(times.is_sorted(), "{times:?}");
}

#[test]
fn events_in_a_file_leave_standard_error_to_the_warning() {
    let tree = Tree::new();
    let file = tree.path("events.jsonl");
    let mut before = 0;
    // Another run appends.
    for _ in 0..2 {
        let mut client = Client::start(&mut tree.command(&["--events", file.to_str().expect("UTF-8")]));
        talk(&mut client, &tree, &with_roots(), &json!({}));
        assert!(client.close(crate::serve::PATIENCE).success());
        let stderr = client.process.stderr.all();
        assert!(stderr.len() == 1 && stderr[0].starts_with("warning:"), "{stderr:?}");
        let events = events_in(&fs::read_to_string(&file).expect("the file"));
        assert!(events.len() > before + 5, "{events:?}");
        before = events.len();
    }
}

/// Whatever a client calls itself or its roots, an event stays one line, and of bounded length.
#[test]
fn text_of_a_client_does_not_break_the_events() {
    let tree = Tree::new();
    let nasty = format!("two\nlines\r\u{1b}[31m\u{2028}\"{}", "x".repeat(100_000));
    let answer = json!({"roots": [{"uri": nasty, "name": nasty}, tree.root("alpha")]});
    let mut client = Client::legacy(&tree, &[], Answer::Result(answer));
    assert_eq!(counted(&client.count()).0, 4);
    assert!(client.call("count_lines", json!({"root": nasty}))["result"]["isError"] == true);
    let answered = client.process.event("roots-answered", |_| true);
    assert!(answered.to_string().len() < 5_000);
    assert!(client.close(crate::serve::PATIENCE).success());
    assert!(!client.process.events().is_empty());
    assert!(client.process.stderr.all().iter().all(|line| !line.contains('\u{1b}')));
}
