//! What stands in braces in scenario files and commands.

use std::path::Path;

use serde_json::{Map, Value};

/// What stands in braces in a scenario file.
#[derive(Clone, Debug)]
pub struct Places {
    /// `{dir}`: the tree.
    pub dir: String,
    /// `{self}`: this program.
    pub program: String,
}

impl Places {
    /// A text with its places filled in: `{dir}`, `{dir_uri}` (the `file:` URI of the tree) and `{self}`.
    #[must_use]
    pub fn fill(&self, text: &str) -> String {
        let uri = || crate::compat::uri::uri_of(Path::new(&self.dir));
        let text = if text.contains("{dir_uri}") { text.replace("{dir_uri}", &uri()) } else { text.to_owned() };
        text.replace("{dir}", &self.dir).replace("{self}", &self.program)
    }

    /// A value with the places in its texts filled in.
    #[must_use]
    pub fn fill_value(&self, value: &Value) -> Value {
        match value {
            Value::String(text) => Value::String(self.fill(text)),
            Value::Array(items) => items.iter().map(|item| self.fill_value(item)).collect(),
            Value::Object(members) => Value::Object(self.fill_members(members)),
            other => other.clone(),
        }
    }

    /// The same for the members of an object.
    #[must_use]
    pub fn fill_members(&self, members: &Map<String, Value>) -> Map<String, Value> {
        members.iter().map(|(name, value)| (name.clone(), self.fill_value(value))).collect()
    }
}
