//! The 2026-07-28 module of rust-mcp-schema calls the variant after the request.

use rust_mcp_schema::{InputRequest, ListRootsRequest};

fn first_round(request: ListRootsRequest) -> Vec<(String, InputRequest)> {
    let mut rounds = Vec::with_capacity(1);
    rounds.push((
        String::from("folders"),
        InputRequest::ListRootsRequest(request), //~ roots-input-request deprecated
    ));
    rounds
}

fn key(round: usize) -> String {
    format!("folders-{round}")
}
