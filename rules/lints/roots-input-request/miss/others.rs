//! Other input requests, the client's side of this one, and enums that only look alike.

use rmcp::model::{ElicitRequest, InputRequest, InputRequests};

#[derive(Debug)]
enum Commands {
    ListRoots { verbose: bool },
    AddRoot(std::path::PathBuf),
}

#[derive(Debug)]
enum PromptInput {
    ListRoots(String),
    Text(String),
}

fn elicit(request: ElicitRequest) -> InputRequests {
    InputRequests::from([("confirm".to_owned(), InputRequest::Elicitation(request))])
}

fn client_side(request: InputRequest) -> &'static str {
    match request {
        InputRequest::ListRoots(_) => "folders",
        InputRequest::Elicitation(_) => "form",
        _ => "other",
    }
}

fn own_enums(verbose: bool) -> (Commands, PromptInput) {
    (Commands::ListRoots { verbose }, PromptInput::ListRoots("all".into()))
}

/// `InputRequest::ListRoots(ListRootsRequest::default())` in a doc comment is text.
fn folder(arguments: &serde_json::Map<String, serde_json::Value>) -> Option<&str> {
    arguments.get("directory")?.as_str()
}
