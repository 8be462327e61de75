//! Reads of the capability in rmcp servers.

use rmcp::model::{CallToolResult, ClientCapabilities, ClientInfo, ErrorData};
use rmcp::service::{Peer, RequestContext, RoleServer};

fn handshake(peer: &Peer<RoleServer>) -> bool {
    peer.peer_info().is_some_and(|info| info.capabilities.roots.is_some()) //~ roots-capability-check deprecated
}

fn of_the_request(context: &RequestContext<RoleServer>) -> bool {
    context
        .client_capabilities()
        .is_some_and(|capabilities| capabilities.roots.is_some()) //~ roots-capability-check deprecated
}

fn early_return(info: &ClientInfo) -> Result<(), ErrorData> {
    if info.capabilities.roots.is_none() { //~ roots-capability-check deprecated
        return Err(ErrorData::invalid_request("the client declares no roots", None));
    }
    Ok(())
}

fn annotated(caps: &ClientCapabilities) -> bool {
    caps.roots.is_some() //~ roots-capability-check deprecated
}

fn by_pattern(capabilities: &ClientCapabilities) -> &'static str {
    match capabilities {
        ClientCapabilities { roots: Some(_), .. } => "folders of the client", //~ roots-capability-check deprecated
        _ => "folders of the operator",
    }
}

fn taken_apart(info: ClientInfo) -> bool {
    let ClientCapabilities { roots, .. } = info.capabilities; //~ roots-capability-check deprecated
    roots.is_some()
}

async fn describe(peer: Peer<RoleServer>) -> Option<CallToolResult> {
    let info = peer.peer_info()?;
    let announced = info.capabilities.roots.as_ref()?; //~ roots-capability-check deprecated
    Some(CallToolResult::structured(serde_json::to_value(announced).ok()?))
}
