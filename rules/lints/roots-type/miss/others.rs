//! Types called `Root` and `ListRootsRequest` that come from elsewhere.

use rusoto_organizations::{ListRootsRequest, ListRootsResponse};
use rustls::RootCertStore;
use surrealdb::opt::auth::Root;

use rmcp::model::Tool;

struct Connection {
    tools: Vec<Tool>,
    certificates: RootCertStore,
}

async fn sign_in(database: &surrealdb::Surreal<surrealdb::engine::any::Any>) -> surrealdb::Result<()> {
    database
        .signin(Root { username: "root".into(), password: "root".into() })
        .await?;
    Ok(())
}

fn accounts(next: Option<String>) -> ListRootsRequest {
    ListRootsRequest { max_results: Some(20), next_token: next }
}

fn ids(response: ListRootsResponse) -> usize {
    response.roots.map_or(0, |roots| roots.len())
}

fn other_root() -> tangram_client::Root {
    use tangram_client::Root;

    Root::new("file:///srv/app")
}

mod merkle {
    pub struct Root(pub [u8; 32]);

    pub struct ListRootsResult {
        pub hashes: Vec<Root>,
    }
}

/// `Root::new(uri)` of rmcp in a doc comment is text.
fn top(tree: &merkle::ListRootsResult) -> Option<&merkle::Root> {
    tree.hashes.last()
}
