//! YAML by its events: unknown tags are ignored, several documents are read, aliases are filled in within bounds.

use std::collections::HashMap;
use std::ops::Range;

use saphyr_parser::{Event, Parser, ScalarStyle, Span};

use super::{MAX_DEPTH, Malformed, Node, Property, Value};

/// Values of all documents together, aliases filled in: an end for alias bombs.
const MAX_VALUES: usize = 2_000_000;
/// Bytes of text that aliases may copy.
const MAX_COPIED: usize = 64 * 1024 * 1024;

/// A collection that is still open.
enum Open {
    List(Vec<Value>),
    Map(Vec<Property>, Option<(String, Range<usize>)>),
}

struct Frame {
    open: Open,
    start: usize,
    anchor: usize,
}

pub(super) fn parse(text: &str) -> Result<Vec<Value>, Malformed> {
    let offsets = Offsets::new(text);
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        let (event, span) =
            event.map_err(|error| Malformed::new(offsets.byte(error.marker().index()), error.info().to_owned()))?;
        let span = offsets.bytes(span);
        match event {
            Event::SequenceStart(anchor, _) => builder.open(Open::List(Vec::new()), span.start, anchor)?,
            Event::MappingStart(anchor, _) => builder.open(Open::Map(Vec::new(), None), span.start, anchor)?,
            Event::SequenceEnd | Event::MappingEnd => builder.close(span.end)?,
            Event::Scalar(value, style, anchor, _) => {
                let node = match style {
                    ScalarStyle::Plain => plain(&value),
                    _ => Node::Text(value.into_owned()),
                };
                builder.add(Value { node, span }, anchor)?;
            }
            Event::Alias(anchor) => builder.alias(anchor, span)?,
            _ => {}
        }
    }
    Ok(builder.documents)
}

/// An unquoted scalar: a string unless it is one of the words and numbers of the core schema.
fn plain(value: &str) -> Node {
    match value {
        "" | "~" | "null" | "Null" | "NULL" => Node::Null,
        "true" | "True" | "TRUE" => Node::Plain("true".to_owned()),
        "false" | "False" | "FALSE" => Node::Plain("false".to_owned()),
        number if number.parse::<f64>().is_ok() => Node::Plain(number.to_owned()),
        text => Node::Text(text.to_owned()),
    }
}

/// An anchored value and what a copy of it costs.
struct Anchor {
    value: Value,
    size: Size,
}

/// The size of a value with all that is in it.
#[derive(Clone, Copy, Default)]
struct Size {
    values: usize,
    height: usize,
    bytes: usize,
}

impl Size {
    fn of(value: &Value) -> Self {
        let parts = value.items().iter().chain(value.properties().iter().map(|property| &property.value));
        let mut size = Self { values: 1, height: 0, bytes: value.scalar().map_or(0, str::len) };
        for part in parts.map(Self::of) {
            size.values += part.values;
            size.bytes += part.bytes;
            size.height = size.height.max(part.height + 1);
        }
        size
    }
}

#[derive(Default)]
struct Builder {
    frames: Vec<Frame>,
    anchors: HashMap<usize, Anchor>,
    documents: Vec<Value>,
    values: usize,
    copied: usize,
}

impl Builder {
    fn alias(&mut self, anchor: usize, span: Range<usize>) -> Result<(), Malformed> {
        let Some(known) = self.anchors.get(&anchor) else {
            return self.add(Value { node: Node::Null, span }, 0);
        };
        self.values += known.size.values;
        self.copied += known.size.bytes;
        if self.values > MAX_VALUES || self.copied > MAX_COPIED {
            return Err(Malformed::new(span.start, "aliases make the document too large"));
        }
        if self.frames.len() + known.size.height >= MAX_DEPTH {
            return Err(Malformed::too_deep(span.start));
        }
        let node = known.value.node.clone();
        self.add(Value { node, span }, 0)
    }

    fn open(&mut self, open: Open, start: usize, anchor: usize) -> Result<(), Malformed> {
        if self.frames.len() >= MAX_DEPTH {
            return Err(Malformed::too_deep(start));
        }
        self.frames.push(Frame { open, start, anchor });
        Ok(())
    }

    fn close(&mut self, end: usize) -> Result<(), Malformed> {
        let Some(Frame { open, start, anchor }) = self.frames.pop() else { return Ok(()) };
        let node = match open {
            Open::List(items) => Node::List(items),
            Open::Map(properties, _) => Node::Map(properties),
        };
        self.add(Value { node, span: start..end.max(start) }, anchor)
    }

    fn add(&mut self, value: Value, anchor: usize) -> Result<(), Malformed> {
        if anchor != 0 {
            let size = Size::of(&value);
            self.anchors.insert(anchor, Anchor { value: value.clone(), size });
        }
        match self.frames.last_mut().map(|frame| &mut frame.open) {
            None => self.documents.push(value),
            Some(Open::List(items)) => items.push(value),
            Some(Open::Map(properties, key)) => match key.take() {
                Some((key, key_span)) => properties.push(Property { key, key_span, value }),
                // A key that is no scalar has no name, and what is in it is a value.
                None => {
                    let name = value.scalar().map(str::to_owned);
                    let span = if name.is_some() { value.span } else { value.span.start..value.span.start };
                    *key = Some((name.unwrap_or_default(), span));
                }
            },
        }
        Ok(())
    }
}

/// The parser counts characters; everything else here counts bytes.
struct Offsets {
    /// Byte of each character, where the text has any that is longer than one byte.
    bytes: Option<Vec<usize>>,
    length: usize,
}

impl Offsets {
    fn new(text: &str) -> Self {
        let bytes = (!text.is_ascii()).then(|| text.char_indices().map(|(at, _)| at).collect());
        Self { bytes, length: text.len() }
    }

    fn byte(&self, character: usize) -> usize {
        match &self.bytes {
            Some(bytes) => bytes.get(character).copied().unwrap_or(self.length),
            None => character.min(self.length),
        }
    }

    fn bytes(&self, span: Span) -> Range<usize> {
        let start = self.byte(span.start.index());
        start..self.byte(span.end.index()).max(start)
    }
}
