//! Text surgery on the URIs of rmcp's roots.

use std::path::PathBuf;

use rmcp::model as m;
use rmcp::model::{ListRootsResult, Root};

fn stripped(root: &Root) -> Option<PathBuf> {
    root.uri.strip_prefix("file://").map(PathBuf::from) //~ root-uri-string-surgery
}

fn trimmed(root: &Root) -> PathBuf {
    PathBuf::from(root.uri.trim_start_matches("file://")) //~ root-uri-string-surgery
}

fn sliced(root: &Root) -> PathBuf {
    PathBuf::from(&root.uri[7..]) //~ root-uri-string-surgery
}

fn replaced(answer: &ListRootsResult) -> Vec<PathBuf> {
    answer
        .roots
        .iter()
        .map(|root| PathBuf::from(root.uri.replace("file://", ""))) //~ root-uri-string-surgery
        .collect()
}

fn in_a_chain(roots: Vec<m::Root>) -> Vec<String> {
    let mut paths = Vec::new();
    for root in &roots {
        let path = root
            .uri
            .strip_prefix("file:///") //~ root-uri-string-surgery
            .or_else(|| root.uri.strip_prefix("file:")) //~ root-uri-string-surgery
            .unwrap_or(&root.uri);
        paths.push(path.to_owned());
    }
    paths
}

fn through_a_variable(root: &Root) -> Option<String> {
    let uri = root.uri.as_str();
    let path = uri.strip_prefix("file://")?; //~ root-uri-string-surgery
    Some(path.replace("%20", " "))
}
