//! Roots of rmcp clients with the wrong scheme, and with none.

use rmcp::model::{ErrorData, ListRootsResult, Root};
use rmcp::service::{RequestContext, RoleClient};
use rmcp::{ClientHandler, model as m};

struct Editor;

impl ClientHandler for Editor {
    async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> {
        Ok(ListRootsResult::new(vec![
            Root::new("file:///srv/app"),
            Root::new("https://example.com/repository.git"), //~ root-uri-scheme
            Root::new("/home/me/project").with_name("project"), //~ root-uri-scheme
        ]))
    }
}

fn remote() -> Root {
    Root::new("vscode-remote://wsl%2Bubuntu/home/me".to_owned()) //~ root-uri-scheme
}

fn literal() -> m::Root {
    m::Root {
        uri: "untitled:Untitled-1".to_string(), //~ root-uri-scheme
        name: Some("https://example.com is a name here".into()),
    }
}

mod windows {
    use rmcp::model::Root as ClientRoot;

    pub fn bare_path() -> ClientRoot {
        ClientRoot::new(r"C:\projects\app") //~ root-uri-scheme
    }
}
