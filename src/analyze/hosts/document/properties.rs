//! Java properties: one flat map whose keys have literal dots.

use java_properties::{LineContent, PropertiesIter};

use super::{Malformed, Node, Property, Value};

pub(super) fn parse(text: &str) -> Result<Value, Malformed> {
    let starts: Vec<usize> = std::iter::once(0).chain(text.match_indices('\n').map(|(at, _)| at + 1)).collect();
    let mut properties = Vec::new();
    for line in PropertiesIter::new(text.as_bytes()) {
        let line = line.map_err(|error| {
            let at = error.line_number().and_then(|number| starts.get(number.saturating_sub(1)));
            Malformed::new(at.copied().unwrap_or_default(), "not a line of a properties file")
        })?;
        let start = starts.get(line.line_number().saturating_sub(1)).copied().unwrap_or_default();
        if let LineContent::KVPair(key, value) = line.consume_content() {
            let written = text[start..].split('\n').next().unwrap_or_default();
            let indent = written.len() - written.trim_start().len();
            // A key with escapes is longer in the file than here; its line is still the right one.
            let key_span = start + indent..(start + indent + key.len()).min(start + written.len());
            let end = start + written.trim_end().len();
            let span = key_span.end.min(end)..end;
            properties.push(Property { key, key_span, value: Value { node: Node::Text(value), span } });
        }
    }
    Ok(Value { node: Node::Map(properties), span: 0..text.len() })
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
