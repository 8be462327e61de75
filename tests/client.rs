//! The client layer of `observe` on its own: what each policy makes a server see, and how calls end.
#![cfg(feature = "runtime")]

use std::time::Duration;

use mcp_roots_lint::observe::client::{
    Call, Client, Era, Fault, Launch, Moment, OpenError, Reply, Root, RootsAnswer, RootsPolicy, Session, StopReason,
    Target, Transcript,
};
use serde_json::Map;

const TIMEOUT: Duration = Duration::from_secs(2);

fn double(mode: &str) -> Target {
    let file = format!("double-server{}", std::env::consts::EXE_SUFFIX);
    let test = std::env::current_exe().expect("a path of this test");
    let found = test.ancestors().map(|directory| directory.join("examples").join(&file)).find(|path| path.is_file());
    let program = found.unwrap_or_else(|| panic!("{file} is not built; run `cargo build --examples` first"));
    Target::Command(Launch { program: program.into(), args: vec![mode.into()], env: Vec::new(), cwd: None })
}

async fn open(mode: &str, era: Era, roots: RootsPolicy) -> Session {
    let client = Client { era, roots, timeout: TIMEOUT };
    Session::open(&double(mode), client, &Transcript::default()).await.unwrap_or_else(|error| panic!("{mode}: {error}"))
}

fn root() -> Root {
    Root { uri: "file:///somewhere".to_owned(), name: None }
}

/// The text of a result.
fn text(call: &Call) -> &str {
    match &call.reply {
        Reply::Result(result) => result["content"][0]["text"].as_str().unwrap_or_default(),
        other => panic!("no result: {other:?}"),
    }
}

#[tokio::test]
async fn each_policy_inside_a_call() {
    let late = Duration::from_millis(300);
    for (roots, asked, answered) in [
        (RootsPolicy::Roots(vec![root()]), Some(RootsAnswer::Roots(1)), "file:///somewhere"),
        (RootsPolicy::Late(late, vec![root()]), Some(RootsAnswer::Late(late, 1)), "file:///somewhere"),
        (RootsPolicy::Empty, Some(RootsAnswer::Roots(0)), ""),
        (RootsPolicy::Error(-32603), Some(RootsAnswer::Error(-32603)), ""),
        (RootsPolicy::Undeclared, None, "the same"),
    ] {
        let mut session = open("in-call", Era::Legacy, roots.clone()).await;
        let call = session.call("where", &Map::new()).await;
        assert_eq!(text(&call), answered, "{roots:?}");
        let asks: Vec<_> = session.asks().iter().map(|ask| (ask.moment.clone(), ask.answer.clone())).collect();
        let expected = asked.map(|answer| (Moment::InsideCall("where".to_owned()), answer));
        assert_eq!(asks, expected.into_iter().collect::<Vec<_>>(), "{roots:?}");
        // The call and its answer, and the question and its answer.
        let messages = 1 + asks.len() as u64;
        assert_eq!((call.counts.sent, call.counts.received), (messages, messages), "{roots:?}");
        assert_eq!(session.close().await.ending.map(|ending| ending.reason), Some(StopReason::InputClosed));
    }
}

#[tokio::test]
async fn an_answer_that_never_comes_ends_the_call_in_time() {
    let mut session = open("in-call", Era::Legacy, RootsPolicy::Never).await;
    let call = session.call("where", &Map::new()).await;
    assert_eq!(call.reply, Reply::Silent(Fault::Timeout(TIMEOUT)));
    assert!(call.elapsed < TIMEOUT * 2);
    assert_eq!(session.asks()[0].answer, RootsAnswer::Nothing);
}

#[tokio::test]
async fn an_answer_after_the_deadline_serves_the_next_call() {
    let mut session = open("in-call", Era::Legacy, RootsPolicy::Late(TIMEOUT + TIMEOUT / 4, vec![root()])).await;
    let call = session.call("where", &Map::new()).await;
    assert_eq!(call.reply, Reply::Silent(Fault::Timeout(TIMEOUT)));
    session.settle().await;
    session.set_roots(RootsPolicy::Roots(vec![root()]));
    assert_eq!(text(&session.call("where", &Map::new()).await), "file:///somewhere");
}

#[tokio::test]
async fn a_change_of_roots() {
    let mut session = open("fallback", Era::Legacy, RootsPolicy::Roots(vec![root()])).await;
    session.settle().await;
    let other = Root { uri: "file:///other".to_owned(), name: Some("other".to_owned()) };
    session.set_roots(RootsPolicy::Roots(vec![root(), other]));
    session.notify_roots_changed().await;
    session.settle().await;
    assert_eq!(text(&session.call("where", &Map::new()).await), "file:///somewhere file:///other");
    let moments: Vec<_> = session.asks().iter().map(|ask| ask.moment.clone()).collect();
    assert_eq!(moments, [Moment::AfterInitialized, Moment::AfterListChanged]);
}

#[tokio::test]
async fn rounds_of_input() {
    let mut session = open("modern", Era::Modern, RootsPolicy::Roots(vec![root()])).await;
    let call = session.call("where", &Map::new()).await;
    assert_eq!((text(&call), call.rounds), (r#"[{"uri":"file:///somewhere"}]"#, 2));
    assert_eq!((call.counts.sent, call.counts.received), (2, 2));
    for roots in [RootsPolicy::Never, RootsPolicy::Error(-32603)] {
        session.set_roots(roots);
        let call = session.call("where", &Map::new()).await;
        assert!(matches!(call.reply, Reply::Silent(Fault::Input(_))), "{:?}", call.reply);
    }
    // Declared or not is said in each request.
    session.set_roots(RootsPolicy::Undeclared);
    assert_eq!(text(&session.call("where", &Map::new()).await), "no workspace");
}

#[tokio::test]
async fn servers_that_do_not_speak_the_era() {
    for (mode, era) in [("quiet", Era::Modern), ("modern", Era::Legacy)] {
        let client = Client { era, roots: RootsPolicy::Empty, timeout: TIMEOUT };
        let error = Session::open(&double(mode), client, &Transcript::default()).await.err();
        let refused = matches!(error, Some(OpenError::Handshake { reply: Reply::Error { code: -32601, .. }, .. }));
        assert!(refused, "{mode}: {error:?}");
    }
}
