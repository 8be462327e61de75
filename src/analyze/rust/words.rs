//! Names taken apart into words: `send_request`, `sendRequest` and `SEND_REQUEST` are the same two.

/// The lower-case words of a name.
pub(super) fn words(name: &str) -> Vec<String> {
    let mut words: Vec<String> = Vec::new();
    let mut previous_lower = false;
    for c in name.chars() {
        if !c.is_alphanumeric() {
            previous_lower = false;
            words.push(String::new());
            continue;
        }
        if c.is_uppercase() && previous_lower {
            words.push(String::new());
        }
        previous_lower = c.is_lowercase() || c.is_numeric();
        match words.last_mut() {
            Some(word) => word.extend(c.to_lowercase()),
            None => words.push(c.to_lowercase().collect()),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// Whether one of the names has one of the words; a listed word of several words matches as a whole.
pub(super) fn any_word(names: &[impl AsRef<str>], listed: &[String]) -> bool {
    names.iter().any(|name| {
        let joined = format!("_{}_", words(name.as_ref()).join("_"));
        listed.iter().any(|word| joined.contains(&format!("_{word}_")))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_apart_at_case_and_underscores() {
        assert_eq!(words("sendRequest"), ["send", "request"]);
        assert_eq!(words("SEND_REQUEST"), ["send", "request"]);
        assert_eq!(words("JsonRpcRequest"), ["json", "rpc", "request"]);
    }

    #[test]
    fn words_match_whole() {
        let listed = ["peer".to_owned(), "method_not_found".to_owned()];
        assert!(any_word(&["server_peer"], &listed));
        assert!(any_word(&["method_not_found"], &listed));
        assert!(!any_word(&["peering"], &listed));
    }
}
