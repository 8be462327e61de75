//! JSON with comments and trailing commas, and nothing looser.

use jsonc_parser::ParseOptions;
use jsonc_parser::ast::{ObjectPropName, Value as Json};
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::ParseErrorKind;

use super::{MAX_DEPTH, Malformed, Node, Property, Value};

pub(super) fn parse(text: &str) -> Result<Option<Value>, Malformed> {
    let options = ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    };
    let parsed = jsonc_parser::parse_to_ast(text, &Default::default(), &options).map_err(|error| {
        let at = error.range().start;
        match error.kind() {
            ParseErrorKind::NestingDepthExceeded => Malformed::too_deep(at),
            kind => Malformed::new(at, kind.to_string().to_lowercase()),
        }
    })?;
    parsed.value.map(|value| convert(value, 0)).transpose()
}

fn convert(value: Json<'_>, depth: usize) -> Result<Value, Malformed> {
    let range = value.range();
    let span = range.start..range.end;
    if depth > MAX_DEPTH {
        return Err(Malformed::too_deep(span.start));
    }
    let node = match value {
        Json::Object(object) => {
            let mut properties = Vec::with_capacity(object.properties.len());
            for property in object.properties {
                let range = property.name.range();
                let key_span = range.start..range.end;
                let key = match property.name {
                    ObjectPropName::String(name) => name.value.into_owned(),
                    ObjectPropName::Word(name) => name.value.to_owned(),
                };
                properties.push(Property { key, key_span, value: convert(property.value, depth + 1)? });
            }
            Node::Map(properties)
        }
        Json::Array(array) => {
            let items: Result<_, _> = array.elements.into_iter().map(|item| convert(item, depth + 1)).collect();
            Node::List(items?)
        }
        Json::StringLit(text) => Node::Text(text.value.into_owned()),
        Json::NumberLit(number) => Node::Plain(number.value.to_owned()),
        Json::BooleanLit(boolean) => Node::Plain(boolean.value.to_string()),
        Json::NullKeyword(_) => Node::Null,
    };
    Ok(Value { node, span })
}
