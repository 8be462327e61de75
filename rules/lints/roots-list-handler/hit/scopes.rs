//! A handler in a nested module, one in a test, and variants behind renamed imports.

mod client {
    use rmcp::model as m;
    use rmcp::service::{RequestContext, RoleClient};

    pub struct Workspace;

    impl rmcp::ClientHandler for Workspace {
        async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<m::ListRootsResult, m::ErrorData> { //~ roots-list-handler deprecated
            Err(m::ErrorData::method_not_found::<m::ListRootsRequestMethod>())
        }
    }
}

fn refused(request: &rmcp::model::ServerRequest) -> bool {
    use rmcp::model::ServerRequest as Asked;

    if let Asked::ListRootsRequest(_) = request { //~ roots-list-handler deprecated
        return true;
    }
    false
}

#[cfg(test)]
mod tests {
    use rmcp::ClientHandler;
    use rmcp::model::*;
    use rmcp::service::{RequestContext, RoleClient};

    struct Scripted(Vec<Root>);

    impl ClientHandler for Scripted {
        async fn list_roots(&self, _: RequestContext<RoleClient>) -> Result<ListRootsResult, ErrorData> { //~ roots-list-handler deprecated
            Ok(ListRootsResult::new(self.0.clone()))
        }
    }
}
