//! TOML with spans.

use std::ops::Range;

use toml_edit::{Document, Item, Key, TableLike, Value as Toml};

use super::{MAX_DEPTH, Malformed, Node, Property, Value};

pub(super) fn parse(text: &str) -> Result<Value, Malformed> {
    let document = Document::parse(text).map_err(|error| {
        let at = error.span().map_or(0, |span| span.start);
        // The first line says what is wrong; the rest may quote.
        Malformed::new(at, error.message().lines().next().unwrap_or_default())
    })?;
    Ok(Value { node: table(document.as_table(), 0)?, span: 0..text.len() })
}

fn table(table: &dyn TableLike, depth: usize) -> Result<Node, Malformed> {
    let mut properties = Vec::new();
    for (name, item) in table.iter() {
        let key_span = table.key(name).and_then(Key::span).unwrap_or_default();
        let value = self::item(item, key_span.clone(), depth + 1)?;
        properties.push(Property { key: name.to_owned(), key_span, value });
    }
    Ok(Node::Map(properties))
}

/// An item; what has no span of its own (a table that only its children name) stands at its key.
fn item(item: &Item, key: Range<usize>, depth: usize) -> Result<Value, Malformed> {
    let span = item.span().unwrap_or(key.clone());
    if depth > MAX_DEPTH {
        return Err(Malformed::too_deep(span.start));
    }
    let node = match item {
        Item::None => Node::Null,
        Item::Table(inner) => table(inner, depth)?,
        Item::ArrayOfTables(tables) => {
            let each = |inner: &toml_edit::Table| {
                let span = inner.span().unwrap_or(key.clone());
                table(inner, depth + 1).map(|node| Value { node, span })
            };
            Node::List(tables.iter().map(each).collect::<Result<_, _>>()?)
        }
        Item::Value(inner) => value(inner, depth)?,
    };
    Ok(Value { node, span })
}

fn value(value: &Toml, depth: usize) -> Result<Node, Malformed> {
    Ok(match value {
        Toml::String(text) => Node::Text(text.value().clone()),
        Toml::Array(array) => {
            let each = |inner: &Toml| {
                let span = inner.span().unwrap_or_default();
                if depth > MAX_DEPTH {
                    return Err(Malformed::too_deep(span.start));
                }
                self::value(inner, depth + 1).map(|node| Value { node, span })
            };
            Node::List(array.iter().map(each).collect::<Result<_, _>>()?)
        }
        Toml::InlineTable(inner) => table(inner, depth)?,
        Toml::Integer(number) => Node::Plain(number.value().to_string()),
        Toml::Float(number) => Node::Plain(number.value().to_string()),
        Toml::Boolean(boolean) => Node::Plain(boolean.value().to_string()),
        Toml::Datetime(date) => Node::Plain(date.value().to_string()),
    })
}
