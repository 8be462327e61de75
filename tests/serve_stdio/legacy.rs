//! Roots in the revisions with `initialize`: the server asks, whatever the client makes of it.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::serve::message::{self, LEGACY, counted, notification, refusal, request, structured, tool, uri, with_roots};
use crate::serve::stdio::{Answer, Client};
use crate::serve::{Tree, command};

pub fn list_changed() -> Value {
    notification("notifications/roots/list_changed")
}

#[test]
fn roots_are_asked_for_once_and_again_after_a_change() {
    let tree = Tree::new();
    for version in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        let mut client = Client::start(&mut tree.command(&[]));
        client.answer = Answer::Result(tree.roots(&["alpha"]));
        // The capability alone is declared, not that changes are announced.
        client.initialize(version, json!({"roots": {}}));
        client.idle_until_asked(1);
        for _ in 0..3 {
            assert_eq!(counted(&client.count()), (4, "roots:cached"), "{version}");
        }
        assert_eq!(client.asks.len(), 1, "{version}");

        client.answer = Answer::Result(tree.roots(&["beta"]));
        client.send(&list_changed());
        client.idle_until_asked(2);
        assert_eq!(counted(&client.count()), (5, "roots:cached"), "{version}");
        assert_eq!(client.asks.len(), 2, "{version}");
    }
}

#[test]
fn only_a_client_that_declares_roots_is_asked_and_only_in_mode_roots() {
    let tree = Tree::new();
    let beta = tree.path("beta");
    let migrated = |mode| ["--mode", mode, "--allow-dir", beta.to_str().expect("UTF-8")];
    let cases = [
        (vec![], json!({}), json!({}), (2, "cwd:no-capability")),
        (vec![], json!({"experimental": {"roots": {}}}), json!({}), (2, "cwd:no-capability")),
        (migrated("arguments").to_vec(), with_roots(), json!({"directory": "beta"}), (5, "argument")),
        (migrated("resources").to_vec(), with_roots(), json!({"uri": "project-stats://lines/beta"}), (5, "resource")),
        (migrated("config").to_vec(), with_roots(), json!({}), (5, "config")),
    ];
    for (flags, capabilities, arguments, expected) in cases {
        let mut client = Client::start(&mut tree.command(&flags));
        client.answer = Answer::Result(tree.roots(&["alpha"]));
        client.initialize(LEGACY, capabilities);
        client.send(&list_changed());
        assert_eq!(counted(&client.call("count_lines", arguments)), expected, "{flags:?}");
        client.expect_silence(Duration::from_millis(150));
        assert!(client.asks.is_empty(), "{flags:?}: {:?}", client.asks);
    }
}

/// Answers that bring no root: what stands in for them, why, and how often the client is asked in all when it is called
/// twice, says that its roots changed, and is called again.
pub fn useless_answers() -> Vec<(Answer, &'static str, &'static str, usize)> {
    let malformed = [
        json!({}),
        json!({"roots": null}),
        json!({"roots": "file:///"}),
        json!({"roots": 5}),
        json!({"roots": {"uri": "file:///"}}),
        json!([]),
        json!("roots"),
        json!(5),
    ];
    let unusable = [
        json!({"roots": [{"uri": "untitled:Untitled-1"}]}),
        json!({"roots": [null, 5, "file:///", [], {}, {"uri": 5}, {"uri": null}, {"name": "no uri"}]}),
    ];
    let mut all = vec![
        (Answer::Error(-32601), "cwd:no-answer", "-32601", 1),
        (Answer::Error(-32603), "cwd:no-answer", "-32603", 2),
        (Answer::Error(-1), "cwd:no-answer", "-1", 2),
        (Answer::Never, "cwd:no-answer", "did not answer", 2),
        (Answer::Result(json!({"roots": []})), "cwd:empty-list", "empty", 2),
    ];
    all.extend(malformed.map(|answer| (Answer::Result(answer), "cwd:no-answer", "cannot be read", 2)));
    all.extend(unusable.map(|answer| (Answer::Result(answer), "cwd:no-usable-root", "none of", 2)));
    all
}

#[test]
fn useless_answers_each_have_their_fallback() {
    let tree = Tree::new();
    for (answer, source, _, asks) in useless_answers() {
        let mut client = Client::legacy(&tree, &["--roots-timeout", "300ms"], answer.clone());
        assert_eq!(counted(&client.count()), (2, source), "{answer:?}");
        let listed = client.call("list_roots", json!({}));
        let listed = structured(&listed);
        assert_eq!((&listed["source"], &listed["fallback"]), (&json!(source), &json!(tree.path("here"))), "{answer:?}");
        assert_eq!(client.asks.len(), 1, "{answer:?}: a failure is not repeated for every call");

        client.send(&list_changed());
        client.idle(Duration::from_millis(120));
        assert_eq!(counted(&client.count()), (2, source), "{answer:?}");
        assert_eq!(client.asks.len(), asks, "{answer:?}");

        // A root that is named, but is not there, is not replaced by another directory.
        assert!(refusal(&client.call("count_lines", json!({"root": "alpha"}))).contains("alpha"), "{answer:?}");
        let denied = client.call("count_lines", json!({"subdir": "../alpha"}));
        assert!(refusal(&denied).contains(".."), "{answer:?}");
        assert!(client.close(crate::serve::PATIENCE).success(), "{answer:?}");
        let events = client.process.events();
        let fallbacks: Vec<_> = events.iter().filter(|event| event["event"] == "fallback").collect();
        assert!(fallbacks.len() >= 3, "{answer:?}: {events:#?}");
        assert!(fallbacks.iter().all(|event| event["source"] == source), "{answer:?}: {fallbacks:#?}");
    }
}

#[test]
fn strict_lets_nothing_stand_in_and_says_what_to_do() {
    let tree = Tree::new();
    for (answer, _, reason, asks) in useless_answers() {
        let mut client = Client::legacy(&tree, &["--strict", "--roots-timeout", "300ms"], answer.clone());
        for tool in ["count_lines", "list_roots", "count_lines"] {
            let response = client.call(tool, json!({}));
            let text = refusal(&response);
            for part in [reason, "open a folder", "--allow-dir"] {
                assert!(text.contains(part), "{answer:?}: {part} is not in {text}");
            }
        }
        client.send(&list_changed());
        client.idle(Duration::from_millis(120));
        client.count();
        assert_eq!(client.asks.len(), asks, "{answer:?}");

        // A client that comes to its senses is served, unless it said that it never would.
        client.answer = Answer::Result(tree.roots(&["alpha"]));
        client.send(&list_changed());
        let response = client.count();
        match answer {
            Answer::Error(-32601) => assert!(refusal(&response).contains(reason), "{answer:?}"),
            _ => assert_eq!(counted(&response).0, 4, "{answer:?}"),
        }
    }
    let mut client = Client::start(&mut tree.command(&["--strict"]));
    client.initialize(LEGACY, json!({}));
    let text = refusal(&client.count()).to_owned();
    assert!(text.contains("does not declare") && text.contains("--allow-dir"), "{text}");
    assert!(client.process.events().iter().all(|event| event["event"] != "counted"));
}

#[test]
fn silence_costs_one_deadline_and_the_client_is_told() {
    let tree = Tree::new();
    let mut client = Client::legacy(&tree, &["--roots-timeout", "400ms"], Answer::Never);
    let begun = Instant::now();
    assert_eq!(counted(&client.count()), (2, "cwd:no-answer"));
    assert!(begun.elapsed() >= Duration::from_millis(300), "the deadline was not waited for: {:?}", begun.elapsed());
    client.idle(Duration::from_millis(100));

    assert_eq!((client.asks.len(), client.notifications.len()), (1, 1), "{:?}", client.notifications);
    let told = &client.notifications[0];
    assert_eq!(told["method"], "notifications/cancelled");
    assert_eq!(told["params"]["requestId"], client.asks[0]["id"]);

    for _ in 0..20 {
        assert_eq!(counted(&client.count()), (2, "cwd:no-answer"));
    }
    assert_eq!(client.asks.len(), 1, "calls do not wait again");
    client.send(&list_changed());
    assert_eq!(counted(&client.count()), (2, "cwd:no-answer"));
    assert_eq!(client.asks.len(), 2, "but after a change");
    client.idle(Duration::from_millis(100));
    let told: Vec<_> = client.notifications.iter().map(|told| &told["params"]["requestId"]).collect();
    assert_eq!(told, [&client.asks[0]["id"], &client.asks[1]["id"]]);
    assert_ne!(told[0], told[1]);
}

#[test]
fn calls_that_come_together_wait_for_one_answer() {
    let tree = Tree::new();
    let mut client = Client::legacy(&tree, &["--roots-timeout", "400ms"], Answer::Never);
    let calls: Vec<_> = (1..=20).map(|id| request(id, "tools/call", tool("count_lines", json!({})))).collect();
    let begun = Instant::now();
    client.send_together(&calls);
    for id in 1..=20 {
        assert_eq!(counted(&client.response_to(id)), (2, "cwd:no-answer"));
    }
    assert_eq!(client.asks.len(), 1);
    assert!(begun.elapsed() < Duration::from_secs(6), "20 deadlines would be 8 s: {:?}", begun.elapsed());
}

#[test]
fn a_late_answer_is_for_the_next_call() {
    let tree = Tree::new();
    let mut client = Client::legacy(&tree, &["--roots-timeout", "200ms"], Answer::Never);
    assert_eq!(counted(&client.count()), (2, "cwd:no-answer"));
    let late = message::result(&client.asks[0]["id"], &tree.roots(&["alpha"]));
    client.send(&late);
    client.process.event("roots-answered", |event| event["moment"] == "late");
    assert_eq!(counted(&client.count()), (4, "roots:cached"));
    // Once more, or for a question that was never asked: nothing changes.
    client.send(&late);
    client.send(&message::result(&json!(4711), &tree.roots(&["beta"])));
    client.idle(Duration::from_millis(50));
    assert_eq!(counted(&client.count()), (4, "roots:cached"));
    assert_eq!(client.asks.len(), 1);
}

#[test]
fn a_late_answer_from_before_a_change_is_not_used() {
    let tree = Tree::new();
    let mut client = Client::legacy(&tree, &["--roots-timeout", "200ms"], Answer::Never);
    client.count();
    let late = message::result(&client.asks[0]["id"], &tree.roots(&["alpha"]));
    client.answer = Answer::Result(tree.roots(&["beta"]));
    client.send_together(&[list_changed(), late]);
    assert_eq!(counted(&client.count()).0, 5);
    client.idle(Duration::from_millis(150));
    assert_eq!(counted(&client.count()).0, 5);
}

#[test]
fn an_error_that_is_no_error_object_is_silence() {
    let tree = Tree::new();
    let mut client = Client::legacy(&tree, &["--roots-timeout", "300ms"], Answer::Never);
    client.idle_until_asked(1);
    let id = client.asks[0]["id"].clone();
    client.send(&json!({"jsonrpc": "2.0", "id": id, "error": "no"}));
    // The client may have a request of its own with this number, so the complaint must not look like its response.
    let complaint = client.response_to(Value::Null);
    assert_eq!(message::code(&complaint), -32600);
    assert_eq!(counted(&client.count()), (2, "cwd:no-answer"));
}

/// Hosts start servers in such places for want of a better one.
#[cfg(unix)]
#[test]
fn the_file_system_and_the_home_folder_stand_in_for_nothing() {
    let tree = Tree::new();
    let home = tree.path("here");
    for (directory, named) in [(Path::new("/"), "root of the file system"), (&home, "home folder")] {
        for (answer, capabilities) in [(json!({}), json!({})), (json!({"roots": []}), with_roots())] {
            let mut client = Client::start(command(&[], directory).env("HOME", &home));
            client.answer = Answer::Result(answer);
            client.initialize(LEGACY, capabilities);
            for tool in ["count_lines", "list_roots"] {
                let response = client.call(tool, json!({}));
                let text = refusal(&response);
                assert!(text.contains(named) && text.contains("--allow-dir"), "{directory:?}: {text}");
            }
            client.answer = Answer::Result(tree.roots(&["alpha"]));
        }
        // Below them is where projects are.
        let mut client = Client::start(command(&[], &home).env("HOME", home.parent().expect("a folder")));
        client.initialize(LEGACY, json!({}));
        assert_eq!(counted(&client.count()), (2, "cwd:no-capability"));
    }
}

#[cfg(unix)]
#[test]
fn one_bad_root_never_discards_the_good_ones() {
    let tree = Tree::new();
    std::os::unix::fs::symlink(tree.path("alpha"), tree.path("link")).expect("a link");
    let (alpha, beta, link) = (tree.path("alpha"), tree.path("beta"), tree.path("link"));
    let plain = alpha.display();
    let with = |suffix: &str| format!("{}{suffix}", uri(&alpha));
    // Each entry and what is said about it; nothing for a good one.
    let entries = [
        (json!({"uri": uri(&alpha), "name": "alpha"}), ""),
        (json!({"uri": "alpha"}), "not a URI"),
        (json!({"uri": "./alpha"}), "not a URI"),
        (json!({"uri": ""}), "not a URI"),
        (json!({"uri": plain.to_string()}), "not a URI"),
        (json!({"uri": format!("file:{plain}")}), "without `//`"),
        (json!({"uri": "file://"}), "without a path"),
        (json!({"uri": format!("https://localhost{plain}")}), "scheme `https`"),
        (json!({"uri": "untitled:Untitled-1"}), "scheme `untitled`"),
        (json!({"uri": format!("file://evil.example{plain}")}), "another host"),
        (json!({"uri": with("%00")}), "NUL"),
        (json!({"uri": with("/..%2Fbeta")}), "separator"),
        (json!({"uri": with("/../beta")}), "`..`"),
        (json!({"uri": with("/%2e%2e/beta")}), "`..`"),
        (json!({"uri": with("?x")}), "query"),
        (json!({"uri": with("#x")}), "fragment"),
        (json!({"uri": with("/absent")}), "does not exist"),
        (json!({"uri": with("/text")}), "not a directory"),
        (json!({"uri": with("/")}), "same directory as root 0"),
        (json!({"uri": uri(&link)}), "same directory as root 0"),
        (json!({"uri": 5, "name": "number"}), "no `uri`"),
        (json!({"name": "nothing"}), "no `uri`"),
        (json!(null), "no `uri`"),
        (json!("file:///"), "no `uri`"),
        (json!({"uri": format!("file:///{}", "x".repeat(100_000))}), "100008 bytes"),
        (json!({"uri": uri(&beta).replace("file://", "FILE://localhost"), "name": 5}), ""),
    ];
    let roots: Vec<_> = entries.iter().map(|(entry, _)| entry.clone()).collect();
    let answer = json!({"roots": roots});
    let mut client = Client::legacy(&tree, &[], Answer::Result(answer.clone()));
    let check = |listed: &Value| {
        let listed = structured(listed)["roots"].as_array().expect("a list");
        assert_eq!(listed.len(), entries.len());
        for (index, ((entry, reason), root)) in entries.iter().zip(listed).enumerate() {
            let said = root["reason"].as_str().unwrap_or_default();
            assert_eq!(
                (&root["index"], &root["usable"]),
                (&json!(index), &json!(reason.is_empty())),
                "{entry}: {root}"
            );
            assert!(said.contains(reason) && said.is_empty() == reason.is_empty(), "{entry}: {root}");
            assert!(root.to_string().len() < 2_000, "text of a client is cut");
        }
    };
    check(&client.call("list_roots", json!({})));
    assert_eq!(counted(&client.call("count_lines", json!({"root": 0}))).0, 4);
    assert_eq!(counted(&client.call("count_lines", json!({"root": entries.len() - 1}))).0, 5);
    let response = client.call("count_lines", json!({"root": "number"}));
    assert!(refusal(&response).contains("no `uri`"), "{response}");

    // The same in the other era.
    let asked = client.call_modern(with_roots(), "list_roots", json!({}));
    let mut params = message::modern(with_roots(), tool("list_roots", json!({})));
    params["requestState"] = message::state(&asked).into();
    params["inputResponses"] = json!({ message::key(&asked): answer });
    check(&client.request("tools/call", params));

    // The events tell them apart, too.
    let answered = client.process.event("roots-answered", |event| event["outcome"] == "roots");
    let length = |list: &str| answered[list].as_array().expect("a list").len();
    assert_eq!((length("accepted"), length("rejected")), (2, entries.len() - 2));
}

#[test]
fn a_hundred_thousand_roots_are_read_as_far_as_allowed() {
    let tree = Tree::new();
    let name = |index: usize| format!("sub{index}");
    for index in 0..300 {
        tree.file(&format!("many/{}/text", name(index)), "\n");
    }
    let base = uri(&tree.path("many"));
    let roots: Vec<_> = (0..100_000).map(|index| json!({"uri": format!("{base}/{}", name(index))})).collect();
    for (flags, kept) in [(&[][..], 256), (&["--max-roots", "300"], 300)] {
        let mut client = Client::legacy(&tree, flags, Answer::Result(json!({"roots": roots})));
        let begun = Instant::now();
        let listed = client.call("list_roots", json!({}));
        assert!(begun.elapsed() < Duration::from_secs(15), "{:?}", begun.elapsed());
        let listed = structured(&listed);
        let listed = (listed["roots"].as_array().expect("a list").len(), listed["ignored"].as_u64());
        assert_eq!(listed, (kept, Some(100_000 - kept as u64)));
        let last = client.call("count_lines", json!({"root": kept - 1}));
        assert_eq!(counted(&last).0, 1);
        assert!(refusal(&client.call("count_lines", json!({"root": kept}))).contains("no root"));
    }
}

#[test]
fn a_root_is_selected_by_name_then_uri_then_index() {
    let tree = Tree::new();
    let mut roots = tree.roots(&["alpha", "beta", "gamma", "here"]);
    // A name that looks like an index, and one that two have.
    roots["roots"][1]["name"] = "2".into();
    roots["roots"][2]["name"] = "twice".into();
    roots["roots"][3]["name"] = "twice".into();
    let mut client = Client::legacy(&tree, &[], Answer::Result(roots));
    let gamma = uri(&tree.path("gamma"));
    let selected = [
        (json!("alpha"), 4),
        (json!("2"), 5),
        (json!(1), 5),
        (json!("3"), 2),
        (json!(0), 4),
        (json!(gamma), 7),
        (json!(format!("{gamma}/")), 7),
        (json!(gamma.replace("gamma", "gamm%61")), 7),
    ];
    for (root, lines) in selected {
        let response = client.call("count_lines", json!({"root": root}));
        assert_eq!(counted(&response).0, lines, "{root}");
    }
    let response = client.call("count_lines", json!({"root": "alpha", "subdir": "sub"}));
    assert_eq!(counted(&response).0, 1);

    let paths: Vec<PathBuf> = ["alpha", "beta", "gamma", "here"].map(|name| tree.path(name)).into();
    let mut lists_all = |arguments: Value, why: &str| {
        let response = client.call("count_lines", arguments.clone());
        let text = refusal(&response);
        assert!(text.contains(why), "{arguments}: {text}");
        for path in &paths {
            assert!(text.contains(&path.display().to_string()), "{arguments}: {path:?} is not in {text}");
        }
    };
    lists_all(json!({}), "several roots");
    lists_all(json!({"root": "twice"}), "index");
    for absent in [json!("ALPHA"), json!(4), json!("4"), json!(""), json!("-1"), json!(uri(&tree.path("absent")))] {
        lists_all(json!({"root": absent}), "no root");
    }
}

/// With rmcp's own tasks, 34 to 48 of 300 answers came from the old roots.
#[test]
fn a_call_after_a_change_never_sees_the_old_roots() {
    let tree = Tree::new();
    let mut client = Client::legacy(&tree, &[], Answer::Result(tree.roots(&["alpha"])));
    assert_eq!(counted(&client.count()).0, 4);
    let mut stale = 0;
    for turn in 0..300 {
        let (name, lines) = if turn % 2 == 0 { ("beta", 5) } else { ("alpha", 4) };
        client.answer = Answer::Result(tree.roots(&[name]));
        client.send_together(&[list_changed(), request(turn, "tools/call", tool("count_lines", json!({})))]);
        stale += u32::from(counted(&client.response_to(turn)).0 != lines);
    }
    assert_eq!(stale, 0);
}

#[test]
fn a_flood_of_changes_costs_few_asks_and_little_memory() {
    const FLOOD: usize = 20_000;
    let tree = Tree::new();
    let mut client = Client::legacy(&tree, &[], Answer::Result(tree.roots(&["alpha"])));
    assert_eq!(counted(&client.count()).0, 4);
    let mut flood = vec![list_changed(); FLOOD];
    flood.push(request(1, "tools/call", tool("count_lines", json!({}))));
    client.answer = Answer::Result(tree.roots(&["beta"]));
    client.send_together(&flood);
    assert_eq!(counted(&client.response_to(1)).0, 5);
    client.process.event("roots-changed", |_| true);
    client.idle(Duration::from_millis(200));
    assert!(client.asks.len() <= 6, "{} asks", client.asks.len());
    let noted = client.process.events();
    let noted = noted.iter().filter_map(|event| event["notifications"].as_u64());
    assert_eq!(noted.sum::<u64>(), FLOOD as u64, "each is noted in one event");
    #[cfg(target_os = "linux")]
    assert!(client.process.peak_memory() < 40, "{} MiB", client.process.peak_memory());
}
