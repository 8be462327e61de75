//! Whether the parts of a scenario file fit each other. Whether they are there is serde's business.

use std::collections::HashSet;
use std::path::{Component, Path};

use serde_json::Value;

use super::scenario::{Call, Expect, File, FileError, Named, Node, Root, Scenario, Side, Step};

impl File {
    pub(super) fn check(&self) -> Result<(), FileError> {
        let wrong = |what: String| Err(FileError::File(what));
        if self.scenarios.is_empty() {
            return wrong("there is no [[scenario]]".into());
        }
        for path in self.tree.keys() {
            if !is_inside(path) {
                return wrong(format!("[tree]: `{path}` is not a relative path without `..`"));
            }
        }
        // What stands in a link, or in a file, would be written elsewhere, or not at all.
        let is_directory = |path: &Path| {
            let node = path.to_str().and_then(|path| self.tree.get(path));
            node.is_none_or(|node| matches!(node, Node::Directory { .. }))
        };
        for path in self.tree.keys() {
            if let Some(parent) = Path::new(path).ancestors().skip(1).find(|parent| !is_directory(parent)) {
                return wrong(format!("[tree]: `{path}` is in `{}`, which is no directory", parent.display()));
            }
        }
        for pointer in &self.ignore {
            if !pointer.starts_with('/') {
                return wrong(format!("ignore: `{pointer}` is not a JSON Pointer: it begins with `/`"));
            }
        }
        let mut names = HashSet::new();
        for side in &self.after {
            if side.name.is_empty() || !names.insert(side.name.as_str()) {
                return wrong(format!("[[after]]: each server needs a name of its own (`{}`)", side.name));
            }
        }
        let names =
            self.after.iter().map(|side| &side.name).chain(self.scenarios.iter().map(|scenario| &scenario.name));
        if let Some(name) = names.into_iter().find(|name| !is_name(name)) {
            return wrong(format!("`{name}`: a name is made of letters, digits, `-`, `_` and `.`"));
        }
        for side in self.after.iter().chain(&self.before) {
            if side.command.is_empty() {
                return wrong(format!("`{}`: the command is empty", side.name));
            }
            if let Some(path) = side.allowed.iter().chain([&side.cwd]).find(|path| !path.is_empty() && !is_inside(path))
            {
                return wrong(format!("`{}`: `{path}` is not a path of the tree", side.name));
            }
        }
        for side in self.after.iter().chain(&self.before) {
            if let Some(path) = side.allowed.iter().find(|path| !self.has(path)) {
                return wrong(format!("`{}`: allowed: `{path}` is not in [tree]", side.name));
            }
        }
        if let Some(unknown) = self.texts().find_map(unknown_place) {
            return wrong(format!("`{unknown}` is none of the places {{dir}}, {{dir_uri}} and {{self}}"));
        }
        let mut seen = HashSet::new();
        for scenario in &self.scenarios {
            scenario.check().map_err(|what| FileError::Scenario { scenario: scenario.name.clone(), what })?;
            if let Some(path) = self.missing(scenario) {
                let what = format!(
                    "`{path}` is not in [tree]; only a call that is expected to fail may read what is not there"
                );
                return Err(FileError::Scenario { scenario: scenario.name.clone(), what });
            }
            if !seen.insert(scenario.name.as_str()) {
                return wrong(format!("there are two scenarios `{}`", scenario.name));
            }
        }
        Ok(())
    }

    /// Checks that every call and expectation is for one of these servers.
    ///
    /// # Errors
    ///
    /// Names the first that is not, and the server without a call.
    pub fn check_sides(&self, after: &[Side]) -> Result<(), FileError> {
        let known = |name: &str| after.iter().chain(&self.after).any(|side| side.name == name);
        for scenario in &self.scenarios {
            let wrong = |what: String| Err(FileError::Scenario { scenario: scenario.name.clone(), what });
            for (at, step) in scenario.steps.iter().enumerate() {
                let mut named = step.after_in.keys().chain(step.expect_in.keys()).chain(step.reads_in.keys());
                if let Some(name) = named.find(|name| !known(name)) {
                    return wrong(format!("step {}: there is no server `{name}`", at + 1));
                }
                if step.before.is_some()
                    && let Some(side) = after.iter().find(|side| step.after(&side.name).is_none())
                {
                    let others: Vec<_> = step.after_in.keys().cloned().collect();
                    let only = match others.as_slice() {
                        [] => ": add `after`".to_owned(),
                        others => {
                            format!(", only for {}: name the server so, or write a scenario file", others.join(", "))
                        }
                    };
                    return wrong(format!("step {}: there is no call for the server `{}`{only}", at + 1, side.name));
                }
            }
        }
        Ok(())
    }
}

impl File {
    /// Whether the tree has this path. What is behind a link is not known here.
    fn has(&self, path: &str) -> bool {
        let is_link =
            |path: &Path| path.to_str().is_some_and(|path| matches!(self.tree.get(path), Some(Node::Link { .. })));
        self.tree.keys().any(|key| Path::new(key).starts_with(path)) || Path::new(path).ancestors().any(is_link)
    }

    /// The first path of a scenario that should be in the tree and is not.
    fn missing<'s>(&self, scenario: &'s Scenario) -> Option<&'s str> {
        let roots =
            scenario.client.roots.iter().chain(scenario.steps.iter().flat_map(|step| step.roots.iter().flatten()));
        let roots = roots.filter_map(|root| match root {
            Root::Path(path) => Some(path.as_str()),
            Root::Uri { .. } => None,
        });
        // Servers that only the command line names are under no name here.
        let mut sides: Vec<_> = self.after.iter().map(|side| side.name.as_str()).collect();
        if sides.is_empty() {
            sides.push("");
        }
        let reads = scenario.steps.iter().flat_map(move |step| {
            let succeeds = |side: &&str| matches!(step.expect(side), Expect::Same | Expect::Named(Named::Same));
            let paths: Vec<_> = sides.iter().copied().filter(succeeds).filter_map(|side| step.reads(side)).collect();
            paths
        });
        roots.chain(reads).find(|path| !self.has(path))
    }

    /// The texts in which places are filled in, but for those of arguments, which may hold braces of their own.
    fn texts(&self) -> impl Iterator<Item = &str> {
        let commands = self.after.iter().chain(&self.before).flat_map(|side| side.command.iter().map(String::as_str));
        let calls = self.scenarios.iter().flat_map(|scenario| &scenario.steps);
        let calls = calls.flat_map(|step| step.before.iter().chain(&step.after).chain(step.after_in.values()));
        let texts = calls.flat_map(|call| match call {
            Call::Read { read } => vec![read.as_str()],
            Call::Tool { arguments, .. } => arguments.values().filter_map(Value::as_str).collect(),
        });
        commands.chain(texts)
    }
}

/// A place that is nearly one of ours. Other words in braces are left alone.
fn unknown_place(text: &str) -> Option<&str> {
    let known = ["{dir}", "{dir_uri}", "{self}"];
    text.match_indices('{').find_map(|(at, _)| {
        let end = at + text[at..].find('}')? + 1;
        let word = &text[at..end];
        let near = known.iter().any(|known| strsim::damerau_levenshtein(known, word) <= 2);
        (near && !known.contains(&word)).then_some(word)
    })
}

impl Scenario {
    fn check(&self) -> Result<(), String> {
        if self.steps.is_empty() || self.eras.is_empty() {
            return Err("it needs at least one era and one step".into());
        }
        let client = &self.client;
        let ways = usize::from(!client.declares)
            + usize::from(client.error.is_some())
            + usize::from(client.never)
            + usize::from(client.late_ms.is_some());
        if ways > 1 {
            return Err("the client can do only one of declares = false, error, never and late_ms".into());
        }
        for (at, step) in self.steps.iter().enumerate() {
            step.check().map_err(|what| format!("step {}: {what}", at + 1))?;
        }
        Ok(())
    }
}

impl Step {
    fn check(&self) -> Result<(), String> {
        let calls = self.before.is_some();
        let kinds = usize::from(calls) + usize::from(self.roots.is_some()) + usize::from(self.settle);
        if kinds != 1 {
            return Err(
                "a step is one of: a call (`before` and `after`), a change (`roots`), or a pause (`settle`)".into()
            );
        }
        let about_calls = self.after.is_some()
            || !self.after_in.is_empty()
            || !self.expect_in.is_empty()
            || self.expect != Expect::Same
            || self.reads.is_some()
            || !self.reads_in.is_empty();
        if !calls && about_calls {
            return Err("`after`, `expect` and `reads` belong to a call".into());
        }
        if let Some(path) = self.reads.iter().chain(self.reads_in.values()).find(|path| !is_inside(path)) {
            return Err(format!("reads: `{path}` is not a path of the tree"));
        }
        for expect in self.expect_in.values().chain([&self.expect]) {
            if let Expect::Differs(difference) = expect {
                if difference.reason.trim().is_empty() {
                    return Err("an expected difference needs a reason".into());
                }
                if difference.before == difference.after {
                    return Err("an expected difference states two different outcomes".into());
                }
            }
        }
        Ok(())
    }
}

fn is_name(name: &str) -> bool {
    let is_part = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_' | '.');
    !name.is_empty() && name.chars().all(is_part)
}

/// Whether it is a path of the tree, in the one spelling that it has: no `.`, no `//`, and nothing that a report could not
/// show.
fn is_inside(path: &str) -> bool {
    !path.is_empty()
        && !path.contains(|c: char| c.is_control() || c == '`')
        && path.split('/').all(|part| {
            let mut components = Path::new(part).components();
            matches!((components.next(), components.next()), (Some(Component::Normal(name)), None) if name == part)
        })
}
