//! The multi round-trip form in rmcp: built, inserted, renamed, imported in place, in a macro and in a test.

use rmcp::model::{CallToolResponse, InputRequest, InputRequests, InputRequiredResult, ListRootsRequest};
use rmcp::service::{RequestContext, RoleServer};

fn ask(context: &RequestContext<RoleServer>) -> Option<CallToolResponse> {
    let capabilities = context.client_capabilities()?;
    capabilities.roots.as_ref()?;
    let request = InputRequest::ListRoots(ListRootsRequest::default()); //~ roots-input-request deprecated
    let requests = InputRequests::from([("folders".to_owned(), request)]);
    Some(InputRequiredResult::new(Some(requests), None).into())
}

fn add_to(requests: &mut InputRequests) {
    requests.insert(
        "folders".to_owned(),
        InputRequest::ListRoots(Default::default()), //~ roots-input-request deprecated
    );
}

fn renamed() -> rmcp::model::InputRequest {
    use rmcp::model::InputRequest as Ask;

    Ask::ListRoots(Default::default()) //~ roots-input-request deprecated
}

fn in_a_macro() -> Vec<(&'static str, InputRequest)> {
    vec![(
        "folders",
        InputRequest::ListRoots(ListRootsRequest::default()), //~ roots-input-request deprecated
    )]
}

mod fallback {
    use rmcp::model as m;

    pub fn request() -> m::InputRequest {
        m::InputRequest::ListRoots(m::ListRootsRequest::default()) //~ roots-input-request deprecated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serializes() {
        let text = serde_json::to_string(&InputRequest::ListRoots(Default::default())); //~ roots-input-request deprecated
        assert!(text.is_ok());
    }
}
