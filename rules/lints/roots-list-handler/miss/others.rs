//! Functions called `list_roots` that answer nobody's `roots/list`: inherent, other traits, a tool, a subcommand.

use clap::Subcommand;
use rmcp::model::{CallToolResult, Content};
use rmcp::{ErrorData, ServerHandler, tool, tool_router};
use rusoto_organizations::{ListRootsError, ListRootsRequest, ListRootsResponse, Organizations};

#[derive(Subcommand)]
enum Commands {
    ListRoots,
    Index,
}

struct Server {
    folders: Vec<String>,
}

#[tool_router]
impl Server {
    #[tool(description = "List the configured directories")]
    async fn list_roots(&self) -> Result<CallToolResult, ErrorData> {
        Ok(CallToolResult::success(vec![Content::text(self.folders.join("\n"))]))
    }
}

impl ServerHandler for Server {}

struct MockAccounts;

#[async_trait::async_trait]
impl Organizations for MockAccounts {
    async fn list_roots(&self, _: ListRootsRequest) -> Result<ListRootsResponse, rusoto_core::RusotoError<ListRootsError>> {
        Ok(ListRootsResponse::default())
    }
}

#[tonic::async_trait]
impl workspace_server::Workspace for Server {
    async fn list_roots(&self, _: tonic::Request<()>) -> Result<tonic::Response<Listing>, tonic::Status> {
        Ok(tonic::Response::new(Listing { roots: self.folders.clone() }))
    }
}

fn run(command: &Commands, server: &Server) -> usize {
    match command {
        Commands::ListRoots => server.folders.len(),
        Commands::Index => 0,
    }
}
