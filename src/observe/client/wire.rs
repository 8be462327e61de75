//! The one face of both transports: JSON values out, and in what came.

use serde_json::Value;

use super::http::Http;
use super::stdio::Stdio;

/// What came.
#[derive(Debug)]
pub(super) enum Incoming {
    /// A JSON object.
    Message(Value),
    /// A message could not be sent: the request with this identifier has no answer.
    Failed { id: Option<Value>, reason: String },
    /// Nothing will come any more.
    Closed(Option<String>),
    /// Too much that is no message.
    Flood(String),
}

pub(super) enum Wire {
    Stdio(Box<Stdio>),
    Http(Box<Http>),
}

impl Wire {
    /// Can wait for a server that does not read.
    pub(super) async fn send(&self, message: &Value) {
        match self {
            Self::Stdio(stdio) => stdio.send(message).await,
            Self::Http(http) => http.send(message).await,
        }
    }

    /// Can be dropped while it waits: nothing is lost.
    pub(super) async fn receive(&mut self) -> Incoming {
        match self {
            Self::Stdio(stdio) => stdio.receive().await,
            Self::Http(http) => http.receive().await,
        }
    }
}
