//! Everything that a client can do wrong, done to one process, which then still does what it is there for.

use serde_json::json;

use crate::serve::Tree;
use crate::serve::message::{self, code, counted, handshake, in_version, request, tool, with_roots};
use crate::serve::stdio::{Answer, Client};
use crate::{legacy, lines, modern};

#[test]
fn one_process_survives_it_all() {
    let tree = Tree::new();
    let mut client = Client::legacy(&tree, &["--roots-timeout", "2s"], Answer::Result(tree.roots(&["alpha"])));
    assert_eq!(counted(&client.count()).0, 4);

    lines::refuses_all_and_lives(&mut client, "\r\n");
    lines::refuses_ill_typed_parameters(&mut client);
    for version in ["1999-01-01", "2030-01-01", ""] {
        let response = client.request("tools/list", in_version(version, json!({}), json!({})));
        assert_eq!(code(&response), -32022, "{response}");
    }
    // A second handshake, a session that it does not know, answers and cancellations of nothing.
    client.request("initialize", handshake("2030-01-01", with_roots()));
    for id in [json!(0), json!(4711), json!("x"), json!(null)] {
        client.send(&message::result(&id, &json!({"roots": 5})));
        client.send(&message::error(&id, -32601));
        client.send(&message::cancelled(id));
    }
    let mut asked = modern::Asked::of(client);
    modern::refuses_foreign_states(&tree, &mut asked);
    let mut client = asked.client;

    // The one that is final comes last.
    let (last, answers): (Vec<_>, _) =
        legacy::useless_answers().into_iter().partition(|(answer, ..)| matches!(answer, Answer::Error(-32601)));
    for (answer, source, ..) in answers {
        client.answer = answer.clone();
        client.send(&legacy::list_changed());
        assert_eq!(counted(&client.count()), (2, source), "{answer:?}");
    }
    client.answer = Answer::Result(json!({"roots": vec![tree.root("beta"); 500]}));
    let mut flood = vec![legacy::list_changed(); 20_000];
    flood.push(request(1, "tools/call", tool("count_lines", json!({}))));
    client.send_together(&flood);
    assert_eq!(counted(&client.response_to(1)).0, 5);
    for (answer, source, ..) in last {
        client.answer = answer;
        client.send(&legacy::list_changed());
        assert_eq!(counted(&client.count()), (2, source));
    }
    client.ping();
    assert!(client.close(crate::serve::PATIENCE).success());
    assert!(client.process.stderr.all().iter().all(|line| !line.contains("a fault of this tool")));
}
