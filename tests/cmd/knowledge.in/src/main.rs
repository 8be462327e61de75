//! Asks for roots through the wrapper that a company wrote around its SDK.

use acme_mcp::Session;

pub async fn folders(session: &Session) -> Vec<String> {
    session.workspace_folders().await
}
