//! The message types, written out by hand.

use serde::{Deserialize, Serialize};

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ClientCapabilities {
    pub sampling: Option<serde_json::Value>,
    pub roots: Option<RootsCapability>, //~ roots-wire-method deprecated
}

#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct RootsCapability { //~ roots-wire-method deprecated
    pub list_changed: Option<bool>,
}

#[derive(Debug, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct InitializeParams {
    pub protocol_version: String,
    pub capabilities: ClientCapabilities,
}

#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Root { //~ roots-wire-method deprecated
    pub uri: String,
    pub name: Option<String>,
}

#[derive(Debug, Serialize, Deserialize)]
pub struct ListRootsResult { //~ roots-wire-method deprecated
    pub roots: Vec<Root>,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct ListRootsRequest {} //~ roots-wire-method deprecated

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct RootsListChangedNotification {} //~ roots-wire-method removed
