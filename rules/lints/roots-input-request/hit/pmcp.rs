//! pmcp names the variant without a payload.

use std::collections::BTreeMap;

use pmcp::types::mrtr::InputRequest;

fn folders_wanted(known: &[String]) -> BTreeMap<String, InputRequest> {
    let mut requests = BTreeMap::new();
    if known.is_empty() {
        requests.insert("roots".to_string(), InputRequest::ListRoots); //~ roots-input-request deprecated
    }
    requests
}

fn is_first_round(responses: &BTreeMap<String, serde_json::Value>) -> bool {
    !responses.contains_key("roots")
}
