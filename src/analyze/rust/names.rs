//! Resolves paths over all files of all packages: imports, aliases, globs, re-exports, renamed dependencies.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Component, Path};
use std::sync::Arc;

use semver::Version;

use super::facts::{FileFacts, Import, ScopeId};
use crate::knowledge::sdk::Sdk;
use crate::project::manifest::Package;

/// The way of one look-up: scopes whose globs were already tried for a name, and hops left over aliases and
/// re-exports. Globs may go in circles, and two in each module would be tried in every order.
struct Way {
    tried: HashSet<(usize, usize, ScopeId, String)>,
    hops: usize,
}

/// More hops than any code has.
const MAX_HOPS: usize = 64;

/// What a path names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Resolved {
    /// An item of an SDK.
    Sdk {
        /// Index into the knowledge's SDKs.
        sdk: usize,
        /// The version behind the crate name, if a manifest tells.
        version: Option<Version>,
        /// The path inside the SDK's crate.
        path: Vec<String>,
    },
    /// Something that the crate, or another one of the tree, defines itself.
    Own,
    /// Something of another crate.
    Other,
    /// No telling.
    Unknown,
}

/// The files of one package (or one file without a package) and where their modules are.
pub(super) struct Unit {
    /// The package, if a manifest was found.
    pub package: Option<Arc<Package>>,
    /// Its files that have facts.
    pub files: Vec<FileFacts>,
    roots: Vec<Vec<String>>,
    modules: HashMap<Vec<String>, (usize, ScopeId)>,
}

impl Unit {
    pub(super) fn new(package: Option<Arc<Package>>, files: Vec<FileFacts>) -> Self {
        let root = package.as_ref().map(|package| package.root.clone());
        let roots: Vec<Vec<String>> = files.iter().map(|file| module_of(file.source.path(), root.as_deref())).collect();
        let mut modules = HashMap::new();
        for (index, file) in files.iter().enumerate() {
            for (id, scope) in file.scopes.iter().enumerate().filter(|(_, scope)| scope.is_module) {
                let mut path = roots[index].clone();
                path.extend(scope.module.iter().cloned());
                modules.entry(path).or_insert((index, id));
            }
        }
        Self { package, files, roots, modules }
    }

    fn module(&self, file: usize, scope: ScopeId) -> Vec<String> {
        let mut path = self.roots[file].clone();
        path.extend(self.files[file].scopes[scope].module.iter().cloned());
        path
    }
}

/// All units, and the crate names under which they see each other and the SDKs.
pub(super) struct World<'k> {
    sdks: &'k [Sdk],
    pub(super) units: Vec<Unit>,
    by_crate: BTreeMap<String, usize>,
    /// Crate names that an SDK has where no manifest says otherwise.
    default_names: BTreeMap<String, usize>,
}

impl<'k> World<'k> {
    pub(super) fn new(sdks: &'k [Sdk], units: Vec<Unit>) -> Self {
        let mut by_crate = BTreeMap::new();
        for (index, unit) in units.iter().enumerate() {
            if let Some(package) = &unit.package {
                by_crate.entry(package.crate_name()).or_insert(index);
            }
        }
        let names = |(index, sdk): (usize, &Sdk)| sdk.crate_names().map(move |name| (name, index)).collect::<Vec<_>>();
        let unambiguous = sdks.iter().enumerate().filter(|(_, sdk)| !sdk.ambiguous);
        Self { sdks, units, by_crate, default_names: unambiguous.flat_map(names).collect() }
    }

    /// What a path names where it stands.
    pub(super) fn resolve(&self, unit: usize, file: usize, scope: ScopeId, path: &[String]) -> Resolved {
        let mut way = Way { tried: HashSet::new(), hops: MAX_HOPS };
        self.lookup(unit, file, scope, path, true, &mut way)
    }

    /// The SDK that a crate name means in a unit.
    pub(super) fn sdk_named(&self, unit: usize, name: &str) -> Option<(usize, Option<Version>)> {
        let package = self.units[unit].package.as_ref();
        let declared = package.and_then(|package| package.sdks.iter().find(|dependency| dependency.crate_name == name));
        match declared {
            Some(dependency) => Some((dependency.sdk, dependency.version.clone())),
            None => self.default_names.get(name).map(|sdk| (*sdk, None)),
        }
    }

    fn lookup(
        &self,
        unit: usize,
        file: usize,
        scope: ScopeId,
        path: &[String],
        globs: bool,
        way: &mut Way,
    ) -> Resolved {
        let [first, rest @ ..] = path else { return Resolved::Unknown };
        way.hops = way.hops.saturating_sub(1);
        if way.hops == 0 {
            return Resolved::Unknown;
        }
        let module = self.units[unit].module(file, scope);
        match first.as_str() {
            "crate" | "$crate" => return self.absolute(unit, &[&module[..1], rest].concat(), way),
            "self" => return self.absolute(unit, &[&module[..], rest].concat(), way),
            "Self" => return Resolved::Own,
            "super" => {
                let above = &module[..module.len().saturating_sub(1).max(1)];
                let mut path = above.to_vec();
                let mut rest = rest;
                while let ["super", ..] = rest.iter().map(String::as_str).collect::<Vec<_>>()[..] {
                    path.truncate(path.len().saturating_sub(1).max(1));
                    rest = &rest[1..];
                }
                path.extend(rest.iter().cloned());
                return self.absolute(unit, &path, way);
            }
            _ => {}
        }
        let mut current = Some(scope);
        while let Some(id) = current {
            match self.in_scope(unit, file, id, path, globs, way) {
                Resolved::Unknown => {}
                found => return found,
            }
            let scope = &self.units[unit].files[file].scopes[id];
            current = if scope.is_module { None } else { scope.parent };
        }
        self.external(unit, path, way)
    }

    /// A path whose first segment is a name of this scope.
    fn in_scope(&self, unit: usize, file: usize, id: ScopeId, path: &[String], globs: bool, way: &mut Way) -> Resolved {
        let scope = &self.units[unit].files[file].scopes[id];
        let first = &path[0];
        if let Some(import) = scope.by_name.get(first).map(|index| &scope.imports[*index]) {
            return self.through(unit, file, id, import, &path[1..], way);
        }
        if scope.defined.contains(first) {
            let mut own = self.units[unit].module(file, id);
            own.extend(path.iter().cloned());
            return match self.known_module(unit, &own) {
                Some(length) if length < own.len() && path.len() > 1 => self.absolute(unit, &own, way),
                _ => Resolved::Own,
            };
        }
        if !globs || way.hops == 0 || !way.tried.insert((unit, file, id, first.clone())) {
            return Resolved::Unknown;
        }
        for import in scope.imports.iter().filter(|import| import.name.is_none()) {
            match self.through(unit, file, id, import, path, way) {
                // A glob of an SDK brings in only what the SDK has.
                Resolved::Sdk { sdk, path, .. } if !self.has_item(sdk, &path) => {}
                Resolved::Unknown | Resolved::Other => {}
                found => return found,
            }
        }
        Resolved::Unknown
    }

    fn has_item(&self, sdk: usize, path: &[String]) -> bool {
        let known = |name: &str| path.iter().any(|segment| segment == name);
        let sdk = &self.sdks[sdk];
        let enums = sdk.variants.iter().flat_map(|item| &item.of);
        let structs = sdk.fields.iter().flat_map(|item| &item.of);
        let traits = sdk.overrides.iter().flat_map(|item| &item.traits);
        sdk.names().any(known) || enums.chain(structs).chain(traits).chain(&sdk.context_types).any(|name| known(name))
    }

    fn through(
        &self,
        unit: usize,
        file: usize,
        scope: ScopeId,
        import: &Import,
        rest: &[String],
        way: &mut Way,
    ) -> Resolved {
        let path = [&import.path[..], rest].concat();
        // `use rmcp;` and `use rmcp::…` where something here is also called `rmcp`: the crate is meant.
        let is_crate = import.name.as_ref() == import.path.first();
        if is_crate {
            return self.external(unit, &path, way);
        }
        // The path of an import is not looked for in the globs beside it.
        self.lookup(unit, file, scope, &path, false, way)
    }

    /// A path inside a unit, from its root.
    fn absolute(&self, unit: usize, path: &[String], way: &mut Way) -> Resolved {
        way.hops = way.hops.saturating_sub(1);
        if way.hops == 0 {
            return Resolved::Unknown;
        }
        let Some(length) = self.known_module(unit, path) else { return Resolved::Unknown };
        if length == path.len() {
            return Resolved::Own;
        }
        let (file, scope) = self.units[unit].modules[&path[..length]];
        self.in_scope(unit, file, scope, &path[length..], true, way)
    }

    /// Length of the longest beginning of a path that is a module with facts.
    fn known_module(&self, unit: usize, path: &[String]) -> Option<usize> {
        (1..=path.len()).rev().find(|length| self.units[unit].modules.contains_key(&path[..*length]))
    }

    /// A path that begins with the name of a crate.
    fn external(&self, unit: usize, path: &[String], way: &mut Way) -> Resolved {
        let [first, rest @ ..] = path else { return Resolved::Unknown };
        if let Some((sdk, version)) = self.sdk_named(unit, first) {
            return Resolved::Sdk { sdk, version, path: rest.to_vec() };
        }
        if let Some(other) = self.by_crate.get(first) {
            let inside = [&[LIBRARY.to_owned()][..], rest].concat();
            return match self.absolute(*other, &inside, way) {
                Resolved::Unknown => Resolved::Other,
                found => found,
            };
        }
        let is_crate = rest.is_empty() || first.chars().next().is_some_and(char::is_uppercase);
        if is_crate { Resolved::Unknown } else { Resolved::Other }
    }
}

/// The root of a package's library and main binary, which share their modules in practice.
const LIBRARY: &str = "";

/// The module that a file is, by its place in the package; the first segment names the crate's root.
fn module_of(file: &Path, package: Option<&Path>) -> Vec<String> {
    let absolute = std::path::absolute(file).unwrap_or_else(|_| file.to_owned());
    let relative = package.and_then(|root| absolute.strip_prefix(root).ok()).unwrap_or(&absolute);
    let mut parts: Vec<String> = relative
        .components()
        .filter_map(|part| match part {
            Component::Normal(name) => Some(name.to_string_lossy().into_owned()),
            _ => None,
        })
        .collect();
    let stem = relative.file_stem().map(|stem| stem.to_string_lossy().into_owned()).unwrap_or_default();
    let source_folder = parts.iter().position(|part| part == "src");
    match source_folder {
        Some(at) => {
            parts.drain(..=at);
            parts.pop();
            if parts.first().is_some_and(|part| part == "bin") {
                return vec![relative.to_string_lossy().into_owned()];
            }
            parts.insert(0, LIBRARY.to_owned());
            let is_root = parts.len() == 1 && (stem == "lib" || stem == "main");
            if !is_root && stem != "mod" {
                parts.push(stem);
            }
            parts
        }
        // Tests, examples and loose files are crates of their own.
        None => vec![relative.to_string_lossy().into_owned()],
    }
}
