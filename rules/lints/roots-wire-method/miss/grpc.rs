//! Agents that announce themselves over gRPC; the generated types are named as in MCP.

use tonic::{Request, Response, Status};

use crate::pb::coordination_server::Coordination;
use crate::pb::{AnnounceRequest, AnnounceResponse, Capabilities, RootsCapability, SessionsCapability};

pub struct Runtime {
    allowed: Vec<String>,
}

#[tonic::async_trait]
impl Coordination for Runtime {
    async fn announce(&self, request: Request<AnnounceRequest>) -> Result<Response<AnnounceResponse>, Status> {
        let sender = request.into_inner().sender;
        if !self.allowed.contains(&sender) {
            return Err(Status::permission_denied(sender));
        }
        Ok(Response::new(AnnounceResponse {
            capabilities: Some(Capabilities {
                sessions: Some(SessionsCapability { stream: true }),
                roots: Some(RootsCapability { list_changed: true }),
            }),
        }))
    }
}
