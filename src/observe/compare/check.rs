//! Whether the parts of a scenario file fit each other. Whether they are there is serde's business.

use std::collections::HashSet;
use std::path::{Component, Path};

use super::scenario::{Expect, File, FileError, Node, Scenario, Side, Step};

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
        for side in self.after.iter().chain(&self.before) {
            if side.command.is_empty() {
                return wrong(format!("`{}`: the command is empty", side.name));
            }
            if let Some(path) = side.allowed.iter().chain([&side.cwd]).find(|path| !path.is_empty() && !is_inside(path))
            {
                return wrong(format!("`{}`: `{path}` is not a path of the tree", side.name));
            }
        }
        let mut seen = HashSet::new();
        for scenario in &self.scenarios {
            if !seen.insert(scenario.name.as_str()) {
                return wrong(format!("there are two scenarios `{}`", scenario.name));
            }
            scenario.check().map_err(|what| FileError::Scenario { scenario: scenario.name.clone(), what })?;
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
                    return wrong(format!(
                        "step {}: there is no call for the server `{}`, only for {}",
                        at + 1,
                        side.name,
                        step.after_in.keys().cloned().collect::<Vec<_>>().join(", ")
                    ));
                }
            }
        }
        Ok(())
    }
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

/// Whether it is a path of the tree, in the one spelling that it has: no `.`, no `//`.
fn is_inside(path: &str) -> bool {
    !path.is_empty()
        && path.split('/').all(|part| {
            let mut components = Path::new(part).components();
            matches!((components.next(), components.next()), (Some(Component::Normal(name)), None) if name == part)
        })
}
