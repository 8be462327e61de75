//! Messages over Streamable HTTP: rmcp's transport in a task of its own, spoken to in JSON values. Sessions, headers
//! and event streams are its business; the transcript holds the messages, not the HTTP around them.

use std::collections::HashMap;
use std::time::Duration;

use hyper::header::{HeaderName, HeaderValue};
use rmcp::model::{ClientJsonRpcMessage, ServerJsonRpcMessage};
use rmcp::transport::streamable_http_client::StreamableHttpClientTransportConfig;
use rmcp::transport::{StreamableHttpClientTransport, Transport as _};
use serde_json::Value;
use tokio::sync::mpsc;
use tokio::task::{JoinHandle, JoinSet};

use super::exchange::UrlTarget;
use super::transcript::{Direction, Transcript};
use super::wire::Incoming;

const QUEUE: usize = 64;
/// Closing a session is one more request, which has to end, too.
const CLOSING: Duration = Duration::from_secs(6);

pub(super) struct Http {
    /// Dropped to close the session.
    outgoing: Option<mpsc::Sender<Value>>,
    incoming: mpsc::Receiver<Incoming>,
    task: JoinHandle<()>,
    transcript: Transcript,
}

impl Http {
    /// # Errors
    /// When a header is none.
    pub(super) fn new(target: &UrlTarget, transcript: Transcript) -> Result<Self, String> {
        // Only the first of these in a process counts, and all are the same.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let mut headers = HashMap::new();
        for (name, value) in &target.headers {
            let known = HeaderName::from_bytes(name.as_bytes()).ok().zip(HeaderValue::from_str(value).ok());
            let (header, value) = known.ok_or_else(|| format!("header {name:?}: not a valid name or value"))?;
            headers.insert(header, value);
        }
        let config = StreamableHttpClientTransportConfig::with_uri(target.url.as_str()).custom_headers(headers);
        let (outgoing, queue) = mpsc::channel(QUEUE);
        let (sender, incoming) = mpsc::channel(QUEUE);
        let task = tokio::spawn(carry(config, queue, sender));
        Ok(Self { outgoing: Some(outgoing), incoming, task, transcript })
    }

    pub(super) async fn send(&self, message: &Value) {
        self.transcript.note(Direction::ToServer, message.to_string().as_bytes());
        if let Some(outgoing) = &self.outgoing {
            let _ = outgoing.send(message.clone()).await;
        }
    }

    pub(super) async fn receive(&mut self) -> Incoming {
        let incoming = self.incoming.recv().await.unwrap_or(Incoming::Closed(None));
        if let Incoming::Message(message) = &incoming {
            self.transcript.note(Direction::FromServer, message.to_string().as_bytes());
        }
        incoming
    }

    pub(super) async fn close(mut self) {
        self.outgoing = None;
        self.incoming.close();
        if tokio::time::timeout(CLOSING, &mut self.task).await.is_err() {
            self.task.abort();
        }
    }
}

async fn carry(
    config: StreamableHttpClientTransportConfig,
    mut queue: mpsc::Receiver<Value>,
    sender: mpsc::Sender<Incoming>,
) {
    let mut transport = StreamableHttpClientTransport::from_config(config);
    // Each in a task of its own: the answer to a question can be due before its POST has ended.
    let mut sends = JoinSet::new();
    loop {
        tokio::select! {
            outgoing = queue.recv() => {
                let Some(message) = outgoing else { break };
                let id = message.get("id").filter(|_| message.get("method").is_some()).cloned();
                match serde_json::from_value::<ClientJsonRpcMessage>(message) {
                    Ok(message) => {
                        let sent = transport.send(message);
                        let sender = sender.clone();
                        sends.spawn(async move {
                            if let Err(error) = sent.await {
                                let _ = sender.send(Incoming::Failed { id, reason: chain(&error) }).await;
                            }
                        });
                    }
                    Err(error) => {
                        let _ = sender.send(Incoming::Failed { id, reason: error.to_string() }).await;
                    }
                }
            }
            message = transport.receive() => match message {
                Some(message) => {
                    let message: ServerJsonRpcMessage = message;
                    let Ok(value) = serde_json::to_value(message) else { continue };
                    if sender.send(Incoming::Message(value)).await.is_err() {
                        break;
                    }
                }
                None => {
                    // What failed says more than that the connection is over.
                    let _ = tokio::time::timeout(Duration::from_millis(500), async {
                        while sends.join_next().await.is_some() {}
                    })
                    .await;
                    let _ = sender.send(Incoming::Closed(Some("the HTTP connection is over".to_owned()))).await;
                    break;
                }
            },
            Some(_) = sends.join_next() => {}
        }
    }
    let _ = transport.close().await;
}

/// An error with what caused it: HTTP libraries put the reason last.
fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(error) = source {
        let more = error.to_string();
        if !text.contains(&more) {
            text = format!("{text}: {more}");
        }
        source = error.source();
    }
    text
}
