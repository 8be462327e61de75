//! The server as a process: it ends when its client goes, stops what is cancelled, and is not held up by a walk or by a
//! client that does not read.

use std::io::{Read as _, Write as _};
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::serve::message::{LEGACY, cancelled, counted, modern, request, tool, with_roots};
use crate::serve::stdio::{Answer, Client};
use crate::serve::{PATIENCE, Process, Tree, message};

/// How long a walk may go on that was to stop: the machine may be busy.
const AT_ONCE: Duration = Duration::from_secs(2);

/// A client whose call number 1 is counting what takes long.
fn counting(tree: &Tree, of_modern: bool) -> Client {
    let directory = tree.endless();
    let directory = directory.to_str().expect("UTF-8");
    let mut client = Client::start(&mut tree.command(&["--mode", "config", "--allow-dir", directory]));
    let call = tool("count_lines", json!({}));
    let call = if of_modern {
        modern(json!({}), call)
    } else {
        client.initialize(LEGACY, json!({}));
        call
    };
    client.send(&request(1, "tools/call", call));
    client.idle(Duration::from_millis(150));
    assert!(!client.has_response_to(1), "not long enough");
    client
}

#[test]
fn the_end_of_the_input_ends_a_walk_and_the_process() {
    let tree = Tree::new();
    for of_modern in [false, true] {
        let mut client = counting(&tree, of_modern);
        let status = client.close(Duration::from_secs(1));
        assert!(status.success(), "{status}");
    }
}

#[test]
fn the_end_of_the_input_ends_the_process_in_every_state() {
    type Talk = fn(&mut Client);
    let talks: [(&str, Talk); 6] = [
        ("nothing was said", |_| {}),
        ("half a line", |client| client.send_bytes(b"{\"jsonrpc\":")),
        ("a bad line", |client| client.send_bytes(b"garbage\n")),
        ("before initialized", |client| {
            let params = message::handshake(LEGACY, with_roots());
            client.request("initialize", params);
        }),
        ("roots are asked for", |client| {
            client.initialize(LEGACY, with_roots());
            client.idle_until_asked(1);
        }),
        ("a call waits for the roots", |client| {
            client.initialize(LEGACY, with_roots());
            client.send(&request(1, "tools/call", tool("count_lines", json!({}))));
            client.idle_until_asked(1);
        }),
    ];
    let tree = Tree::new();
    for (when, talk) in talks {
        let mut client = Client::start(&mut tree.command(&["--roots-timeout", "1m"]));
        talk(&mut client);
        let status = client.close(Duration::from_secs(2));
        assert!(status.success(), "{when}: {status}: {:?}", client.process.stderr.all());
    }
}

#[test]
fn requests_are_answered_during_a_walk_and_cancelling_stops_it() {
    let tree = Tree::new();
    for of_modern in [false, true] {
        let mut client = counting(&tree, of_modern);
        let begun = Instant::now();
        if of_modern {
            assert!(client.request("tools/list", modern(json!({}), json!({})))["result"]["tools"].is_array());
        } else {
            client.ping();
            assert!(client.request("tools/list", json!({}))["result"]["tools"].is_array());
        }
        assert!(begun.elapsed() < Duration::from_secs(2), "{:?}", begun.elapsed());
        assert!(!client.has_response_to(1));

        client.send(&cancelled(1));
        #[cfg(target_os = "linux")]
        client.process.is_idle_within(AT_ONCE, "cancelled");
        client.expect_silence(Duration::from_millis(50));
        assert!(client.process.events().iter().all(|event| event["event"] != "counted"));
    }
}

/// More calls than walks at a time: each is cancelled, the next one has its turn.
#[test]
fn walks_that_wait_for_their_turn_can_be_cancelled() {
    let tree = Tree::new();
    let mut client = counting(&tree, false);
    let calls: Vec<_> = (2..=20).map(|id| request(id, "tools/call", tool("count_lines", json!({})))).collect();
    client.send_together(&calls);
    client.ping();
    let cancels: Vec<_> = (1..=20).map(cancelled).collect();
    client.send_together(&cancels);
    #[cfg(target_os = "linux")]
    client.process.is_idle_within(AT_ONCE, "cancelled");
    client.send(&request(21, "tools/call", tool("count_lines", json!({"subdir": "absent"}))));
    assert_eq!(client.response_to(21)["result"]["isError"], true);
    client.expect_silence(Duration::from_millis(50));
}

#[test]
fn cancelling_what_is_not_there_does_nothing() {
    let tree = Tree::new();
    let mut client = Client::legacy(&tree, &[], Answer::Result(tree.roots(&["alpha"])));
    for id in [json!(1), json!("x"), json!(-5), Value::Null, json!({})] {
        client.send(&cancelled(id));
    }
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled"}));
    client.send(&json!({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": []}));
    assert_eq!(counted(&client.count()).0, 4);
    client.expect_silence(Duration::from_millis(50));
}

/// The server waits for such a client, and gives it everything when it reads at last.
#[test]
fn a_client_may_read_late() {
    const REQUESTS: usize = 2_000;
    let tree = Tree::new();
    let mut process = Process::start(&mut tree.command(&[]));
    let mut input = process.child.stdin.take().expect("a pipe");
    let mut output = process.child.stdout.take().expect("a pipe");
    let mut lines = request(0, "initialize", message::handshake(LEGACY, json!({}))).to_string();
    for id in 1..=REQUESTS {
        lines += &format!("\n{}", request(id, "tools/list", json!({})));
    }
    lines += "\n";
    // The answers are far more than a pipe holds.
    let writing = thread::spawn(move || {
        let written = input.write_all(lines.as_bytes());
        (written, input)
    });
    thread::sleep(Duration::from_millis(300));
    assert!(process.is_running());

    let reading = thread::spawn(move || {
        let mut text = String::new();
        output.read_to_string(&mut text).expect("UTF-8");
        text
    });
    let (written, input) = writing.join().expect("a thread that ends");
    written.expect("everything is read");
    // The end of the input stops calls, so everything has to be there by then.
    thread::sleep(Duration::from_millis(1_000));
    drop(input);
    assert!(process.ends_within(PATIENCE).success());
    let text = reading.join().expect("a thread that ends");
    let mut ids: Vec<_> = text
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("a message")["id"].as_u64().expect("a number"))
        .collect();
    ids.sort_unstable();
    assert!(ids.iter().copied().eq(0..=REQUESTS as u64), "{} of {REQUESTS} answers", ids.len());
}

#[test]
fn a_client_that_never_reads_does_not_keep_the_process() {
    let tree = Tree::new();
    let mut process = Process::start(&mut tree.command(&[]));
    let mut input = process.child.stdin.take().expect("a pipe");
    let mut lines = request(0, "initialize", message::handshake(LEGACY, json!({}))).to_string();
    for id in 1..=500 {
        lines += &format!("\n{}", request(id, "tools/list", json!({})));
    }
    input.write_all((lines + "\n").as_bytes()).expect("500 requests are taken without an answer read");
    thread::sleep(Duration::from_millis(300));
    assert!(process.is_running());
    drop(input);
    // Its output is still open and full.
    process.ends_within(Duration::from_secs(10));
}

#[test]
fn a_client_that_closes_its_output_ends_the_process() {
    let tree = Tree::new();
    let mut process = Process::start(&mut tree.command(&[]));
    let mut input = process.child.stdin.take().expect("a pipe");
    drop(process.child.stdout.take());
    let begun = Instant::now();
    let initialize = format!("{}\n", request(0, "initialize", message::handshake(LEGACY, json!({}))));
    while process.is_running() && begun.elapsed() < Duration::from_secs(5) {
        // Whoever reads no answer may go on asking; what matters is that it does no harm.
        let _ = input.write_all(initialize.as_bytes());
        thread::sleep(Duration::from_millis(20));
    }
    process.event("negotiated", |_| true);
    drop(input);
    process.ends_within(Duration::from_secs(10));
    assert!(process.stderr.all().iter().all(|line| !line.contains("a fault of this tool")));
}

/// Hosts have been seen to never read a server's standard error.
#[test]
fn nobody_has_to_read_the_events() {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::process::{Command, Stdio};

    let folder = tempfile::tempdir().expect("a folder");
    let mut server = Command::new(env!("CARGO_BIN_EXE_mcp-roots-lint"))
        .args(["serve", "--mode", "config", "--allow-dir", "."])
        .current_dir(folder.path())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        // Never read, so that it is full after some hundred calls.
        .stderr(Stdio::piped())
        .spawn()
        .expect("serve starts");
    let mut input = server.stdin.take().expect("stdin");
    let mut answers = BufReader::new(server.stdout.take().expect("stdout")).lines();
    let hello = r#"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}"#;
    writeln!(input, "{hello}").expect("said");
    answers.next().expect("an answer").expect("a line");
    for id in 1..=2000 {
        let call = r#""method":"tools/call","params":{"name":"count_lines"}"#;
        writeln!(input, r#"{{"jsonrpc":"2.0","id":{id},{call}}}"#).expect("said");
        let answer = answers.next().expect("an answer").expect("a line");
        assert!(answer.contains("structuredContent"), "{answer}");
    }
    drop(input);
    assert!(server.wait().expect("ended").success());
}
