//! What is wrong with a literal root URI, wherever it stands.

use crate::knowledge::rule::Advice;
use crate::knowledge::wire::Uri;

/// The faults of a URI as far as it is literal: a value that begins with a placeholder has no scheme to judge.
pub(super) fn faults(uri: &Uri, value: &str) -> Vec<Advice> {
    let mut faults = Vec::new();
    let is_literal = !value.is_empty() && !value.starts_with(['{', '$', '%']);
    if is_literal && !value.starts_with(&uri.scheme) {
        faults.push(Advice::RootUriScheme);
    }
    let decoded = value.to_ascii_lowercase().replace("%2e", ".").replace("%2f", "/").replace("%5c", "/");
    if decoded.split(['/', '\\']).any(|segment| segment == "..") {
        faults.push(Advice::RootUriTraversal);
    }
    faults
}
