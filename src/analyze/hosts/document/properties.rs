//! Java properties: one flat map whose keys have literal dots.

use java_properties::{LineContent, PropertiesIter};

use super::{Malformed, Node, Property, Value};

pub(super) fn parse(text: &str) -> Result<Value, Malformed> {
    let starts = line_starts(text);
    let start_of = |number: usize| number.checked_sub(1).and_then(|index| starts.get(index)).copied();
    let mut properties = Vec::new();
    for line in PropertiesIter::new_with_encoding(text.as_bytes(), encoding_rs::UTF_8) {
        let line = line.map_err(|error| {
            let at = error.line_number().and_then(start_of).unwrap_or_default();
            Malformed::new(at, "not a line of a properties file")
        })?;
        let start = start_of(line.line_number()).unwrap_or(text.len());
        if let LineContent::KVPair(key, value) = line.consume_content() {
            let written = text[start..].split(['\n', '\r']).next().unwrap_or_default();
            let key_start = start + written.len() - written.trim_start().len();
            let key_end = key_start + key_length(written.trim_start());
            let span = key_end..(start + written.trim_end().len()).max(key_end);
            let value = Value { node: Node::Text(value), span };
            properties.push(Property { key, key_span: key_start..key_end, value });
        }
    }
    Ok(Value { node: Node::Map(properties), span: 0..text.len() })
}

/// Lines end in a line feed, a carriage return, or both.
fn line_starts(text: &str) -> Vec<usize> {
    let bytes = text.as_bytes();
    let ends = |at: &usize| bytes[*at] == b'\n' || (bytes[*at] == b'\r' && bytes.get(at + 1) != Some(&b'\n'));
    std::iter::once(0).chain((0..bytes.len()).filter(ends).map(|at| at + 1)).collect()
}

/// Bytes of the key as written: up to the first separator without a backslash before it.
fn key_length(written: &str) -> usize {
    let mut escaped = false;
    for (at, c) in written.char_indices() {
        if !escaped && (matches!(c, '=' | ':') || c.is_whitespace()) {
            return at;
        }
        escaped = c == '\\' && !escaped;
    }
    written.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_and_values_have_places() {
        let text = "# comment\r\n  a.b = c d\r\nx:y\r\n";
        let value = parse(text).unwrap_or_else(|error| panic!("{error:?}"));
        let [first, second] = value.properties() else { panic!("{value:?}") };
        assert_eq!((first.key.as_str(), first.value.text()), ("a.b", Some("c d")));
        assert_eq!(&text[first.key_span.clone()], "a.b");
        assert_eq!(&text[second.key_span.clone()], "x");
    }
}
