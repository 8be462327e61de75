//! What a call came to, and whether two outcomes are what a scenario expects.

use serde_json::{Map, Value, json};

use super::places::Places;
use super::scenario::{Difference, Expect, Named, Stated};
use crate::observe::client::{Call, Reply};

/// What a call came to, without what is only packaging.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// The structured content; or what the text holds as JSON; or the content.
    Result(Value),
    /// `isError`, with its text.
    Refused(String),
    /// A JSON-RPC error.
    Error {
        /// Its code.
        code: i64,
        /// Its message.
        message: String,
    },
    /// No answer; why.
    Silent(String),
}

impl Outcome {
    /// The outcome of a finished call.
    #[must_use]
    pub fn of(call: &Call) -> Self {
        match &call.reply {
            Reply::Result(result) => of_result(result),
            Reply::Error { code, message } => Self::Error { code: *code, message: message.clone() },
            Reply::Silent(fault) => Self::Silent(fault.to_string()),
        }
    }

    /// Whether the call gave what it was asked for.
    #[must_use]
    pub fn is_result(&self) -> bool {
        matches!(self, Self::Result(_))
    }

    /// As the JSON report has it.
    #[must_use]
    pub fn to_json(&self) -> Value {
        match self {
            Self::Result(value) => json!({"result": value}),
            Self::Refused(text) => json!({"refused": text}),
            Self::Error { code, message } => json!({"error": {"code": code, "message": message}}),
            Self::Silent(why) => json!({"silent": why}),
        }
    }

    fn is_same_error(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Refused(_), Self::Refused(_)) | (Self::Silent(_), Self::Silent(_)) => true,
            (Self::Error { code, .. }, Self::Error { code: other, .. }) => code == other,
            _ => false,
        }
    }

    fn without(&self, ignored: &[String]) -> Self {
        match self {
            Self::Result(value) => Self::Result(without(value, ignored)),
            other => other.clone(),
        }
    }

    fn is_as_stated(&self, stated: &Stated, ignored: &[String], places: &Places) -> bool {
        match (self, stated) {
            (Self::Result(value), Stated::Result { result }) => {
                let stated = places.fill_value(result);
                without_nulls(&without(value, ignored)) == without_nulls(&without(&stated, ignored))
            }
            (Self::Refused(text), Stated::Refused { refused }) => text.contains(&places.fill(refused)),
            (Self::Error { code, .. }, Stated::Error { error }) => code == error,
            (Self::Silent(_), Stated::Silent { silent }) => *silent,
            _ => false,
        }
    }
}

fn of_result(result: &Value) -> Outcome {
    let texts = |key: &str| -> Vec<&str> {
        let blocks = result.get(key).and_then(Value::as_array);
        blocks.into_iter().flatten().filter_map(|block| block.get("text").and_then(Value::as_str)).collect()
    };
    if result.get("isError").and_then(Value::as_bool) == Some(true) {
        return Outcome::Refused(texts("content").join("\n"));
    }
    if let Some(structured) = result.get("structuredContent") {
        return Outcome::Result(structured.clone());
    }
    let key = if result.get("contents").is_some() { "contents" } else { "content" };
    // One text that is JSON says the same as structured content.
    if let [text] = texts(key).as_slice()
        && let Ok(value @ (Value::Object(_) | Value::Array(_))) = serde_json::from_str(text)
    {
        return Outcome::Result(value);
    }
    Outcome::Result(result.get(key).cloned().unwrap_or_else(|| result.clone()))
}

/// Whether a step went as it should.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The same result, or the same kind of error, as expected.
    Same,
    /// Different in the way that the scenario states.
    Expected(String),
    /// Different; what was not as expected.
    Differs(String),
    /// It gave a result before, and after it does not.
    OnlyBefore,
    /// It gives a result after, and before it did not.
    OnlyAfter,
}

impl Verdict {
    /// Whether this makes the comparison fail.
    #[must_use]
    pub fn is_unexpected(&self) -> bool {
        !matches!(self, Self::Same | Self::Expected(_))
    }

    /// The words of the table.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Self::Same => "same",
            Self::Expected(_) => "expected difference",
            Self::Differs(_) => "differs",
            Self::OnlyBefore => "only before",
            Self::OnlyAfter => "only after",
        }
    }

    /// How bad, to name the worst of several.
    #[must_use]
    pub fn rank(&self) -> u8 {
        match self {
            Self::Same => 0,
            Self::Expected(_) => 1,
            Self::Differs(_) => 2,
            Self::OnlyAfter => 3,
            Self::OnlyBefore => 4,
        }
    }
}

/// Judges the outcomes of a step.
#[must_use]
pub fn judge(before: &Outcome, after: &Outcome, expect: &Expect, ignored: &[String], places: &Places) -> Verdict {
    match expect {
        Expect::Same | Expect::Named(Named::Same) => {
            if before.without(ignored) == after.without(ignored) {
                Verdict::Same
            } else {
                unexpected(before, after, "expected to be the same")
            }
        }
        Expect::Named(Named::SameError) => {
            if before.is_same_error(after) {
                Verdict::Same
            } else {
                unexpected(before, after, "expected to be errors of the same kind")
            }
        }
        Expect::Differs(difference) => {
            let is_before = before.is_as_stated(&difference.before, ignored, places);
            let is_after = after.is_as_stated(&difference.after, ignored, places);
            match (is_before, is_after) {
                (true, true) => Verdict::Expected(difference.reason.trim().to_owned()),
                (false, true) => unexpected(before, after, "before is not as the scenario states it"),
                (true, false) => unexpected(before, after, "after is not as the scenario states it"),
                (false, false) => unexpected(before, after, "neither is as the scenario states it"),
            }
        }
    }
}

/// Where outcomes differ from what a scenario states of them, as [`difference`] has it: what is stated stands in the place
/// of before, what came in that of after.
#[must_use]
pub fn against_stated(
    before: &Outcome,
    after: &Outcome,
    stated: &Difference,
    ignored: &[String],
    places: &Places,
) -> Vec<(String, Value, Value)> {
    let mut parts = Vec::new();
    for (name, outcome, stated) in [("before", before, &stated.before), ("after", after, &stated.after)] {
        if outcome.is_as_stated(stated, ignored, places) {
            continue;
        }
        let place = format!("{name}, stated and real");
        match (outcome.without(ignored), stated) {
            (Outcome::Result(real), Stated::Result { result }) => {
                let stated = without_nulls(&without(&places.fill_value(result), ignored));
                parts_of(place, &stated, &without_nulls(&real), &mut parts);
            }
            (real, stated) => parts.push((place, stated.to_json(), real.to_json())),
        }
    }
    parts
}

fn unexpected(before: &Outcome, after: &Outcome, what: &str) -> Verdict {
    match (before.is_result(), after.is_result()) {
        (true, false) => Verdict::OnlyBefore,
        (false, true) => Verdict::OnlyAfter,
        _ => Verdict::Differs(what.to_owned()),
    }
}

/// The parts of two outcomes that differ, as `(where, before, after)`; `where` is a JSON Pointer in results.
#[must_use]
pub fn difference(before: &Outcome, after: &Outcome, ignored: &[String]) -> Vec<(String, Value, Value)> {
    let (before, after) = (before.without(ignored), after.without(ignored));
    let mut parts = Vec::new();
    match (&before, &after) {
        (Outcome::Result(before), Outcome::Result(after)) => parts_of(String::new(), before, after, &mut parts),
        _ if before != after => parts.push((String::new(), before.to_json(), after.to_json())),
        _ => {}
    }
    parts
}

fn parts_of(place: String, before: &Value, after: &Value, parts: &mut Vec<(String, Value, Value)>) {
    match (before, after) {
        (Value::Object(before), Value::Object(after)) => {
            let mut names: Vec<_> = before.keys().chain(after.keys()).collect();
            names.sort();
            names.dedup();
            for name in names {
                let part = |members: &Map<String, Value>| members.get(name).cloned().unwrap_or(Value::Null);
                let name = name.replace('~', "~0").replace('/', "~1");
                parts_of(format!("{place}/{name}"), &part(before), &part(after), parts);
            }
        }
        (Value::Array(before), Value::Array(after)) if before.len() == after.len() => {
            for (index, (before, after)) in before.iter().zip(after).enumerate() {
                parts_of(format!("{place}/{index}"), before, after, parts);
            }
        }
        _ if before != after => parts.push((place, before.clone(), after.clone())),
        _ => {}
    }
}

/// A value without the members that JSON Pointers name; `*` stands for any member or index.
fn without(value: &Value, pointers: &[String]) -> Value {
    let mut value = value.clone();
    for pointer in pointers {
        let tokens: Vec<_> =
            pointer.split('/').skip(1).map(|token| token.replace("~1", "/").replace("~0", "~")).collect();
        remove(&mut value, &tokens);
    }
    value
}

fn remove(value: &mut Value, tokens: &[String]) {
    let Some((token, rest)) = tokens.split_first() else { return };
    match value {
        Value::Object(members) if rest.is_empty() => {
            if token == "*" {
                members.clear();
            } else {
                members.remove(token);
            }
        }
        Value::Object(members) => {
            let chosen = members.iter_mut().filter(|(name, _)| token == "*" || *name == token);
            chosen.for_each(|(_, member)| remove(member, rest));
        }
        Value::Array(items) => {
            let chosen = items.iter_mut().enumerate().filter(|(at, _)| token == "*" || at.to_string() == *token);
            // An index alone is not taken out: it would move the others.
            chosen.for_each(|(_, item)| if rest.is_empty() { *item = Value::Null } else { remove(item, rest) });
        }
        _ => {}
    }
}

fn without_nulls(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let kept = members.iter().filter(|(_, member)| !member.is_null());
            Value::Object(kept.map(|(name, member)| (name.clone(), without_nulls(member))).collect())
        }
        Value::Array(items) => items.iter().map(without_nulls).collect(),
        other => other.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pointers(all: &[&str]) -> Vec<String> {
        all.iter().map(|&pointer| pointer.to_owned()).collect()
    }

    #[test]
    fn ignored_members_are_taken_out_wherever_they_are() {
        let value = json!({"a": 1, "b": [{"t": 1, "x": 2}, {"t": 3}], "c/d": {"e": 1}});
        let left = without(&value, &pointers(&["/a", "/b/*/t", "/c~1d/e", "/none/of/it"]));
        assert_eq!(left, json!({"b": [{"x": 2}, {}], "c/d": {}}));
    }

    #[test]
    fn a_difference_is_cut_to_the_parts_that_differ() {
        let before = Outcome::Result(json!({"lines": 3, "files": [1, 2], "source": "roots", "same": {"x": 1}}));
        let after = Outcome::Result(json!({"lines": 4, "files": [1, 5], "source": "argument", "same": {"x": 1}}));
        let parts = difference(&before, &after, &pointers(&["/source"]));
        assert_eq!(parts, [("/files/1".into(), json!(2), json!(5)), ("/lines".into(), json!(3), json!(4))]);
    }

    #[test]
    fn texts_that_are_json_and_structured_content_say_the_same() {
        let text = json!({"contents": [{"uri": "x:y", "text": "{\"lines\": 3}"}]});
        let structured = json!({"content": [], "structuredContent": {"lines": 3}, "isError": false});
        assert_eq!(of_result(&text), of_result(&structured));
        let refused = json!({"content": [{"type": "text", "text": "no"}], "isError": true});
        assert_eq!(of_result(&refused), Outcome::Refused("no".into()));
    }

    #[test]
    fn only_what_is_expected_passes() {
        let places = Places { dir: "/d".into(), program: String::new() };
        let three = Outcome::Result(json!({"dir": "/d/a", "lines": 3, "cut": null}));
        let four = Outcome::Result(json!({"dir": "/d/a", "lines": 4}));
        let refused = Outcome::Refused("leads out".into());
        let error = |code| Outcome::Error { code, message: String::new() };
        let judged = |before: &Outcome, after: &Outcome, expect: &str| {
            #[derive(serde::Deserialize)]
            struct Line {
                expect: Expect,
            }
            let line: Line = toml::from_str(&format!("expect = {expect}")).expect(expect);
            judge(before, after, &line.expect, &[], &places).name()
        };
        assert_eq!(judged(&three, &three, "\"same\""), "same");
        assert_eq!(judged(&three, &four, "\"same\""), "differs");
        assert_eq!(judged(&three, &refused, "\"same\""), "only before");
        assert_eq!(judged(&error(1), &three, "\"same\""), "only after");
        assert_eq!(judged(&refused, &Outcome::Refused("other".into()), "\"same-error\""), "same");
        assert_eq!(judged(&refused, &error(-32602), "\"same-error\""), "differs");
        assert_eq!(judged(&error(1), &error(2), "\"same-error\""), "differs");
        assert_eq!(judged(&three, &three, "\"same-error\""), "differs");
        let stated = "{ before = { result = { dir = \"{dir}/a\", lines = 3 } }, after = { refused = \"leads\" }, reason = \"r\" }";
        assert_eq!(judged(&three, &refused, stated), "expected difference");
        assert_eq!(judged(&four, &refused, stated), "only before");
        assert_eq!(judged(&three, &Outcome::Refused("else".into()), stated), "only before");
        assert_eq!(judged(&three, &three, stated), "differs");
    }
}
