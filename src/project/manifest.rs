//! Cargo manifests and lock files: which package a file belongs to, and which SDKs it can name.

use std::collections::{BTreeMap, HashMap};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use semver::{Version, VersionReq};
use serde::Deserialize;

use super::walk::read_text;
use crate::knowledge::sdk::Sdk;

/// An SDK among a package's dependencies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SdkDependency {
    /// Index into the knowledge's SDKs.
    pub sdk: usize,
    /// The crate name that code writes, after a rename.
    pub crate_name: String,
    /// The locked version, else the lowest that the requirement allows.
    pub version: Option<Version>,
}

/// One Cargo package.
#[derive(Debug)]
pub struct Package {
    /// Its name.
    pub name: String,
    /// The folder of its manifest.
    pub root: PathBuf,
    /// The SDKs it depends on.
    pub sdks: Vec<SdkDependency>,
    /// It is an SDK: index into the knowledge's SDKs.
    pub is_sdk: Option<usize>,
    /// Its manifest cannot be read: it may depend on anything.
    pub is_broken: bool,
}

impl Package {
    /// The name that other crates write in paths.
    #[must_use]
    pub fn crate_name(&self) -> String {
        self.name.replace('-', "_")
    }
}

/// Looks packages up by folder and remembers them. Cargo itself reports manifests that do not parse; names alone still
/// tell most of what the analyzer needs.
pub struct Manifests<'k> {
    sdks: &'k [Sdk],
    packages: Mutex<HashMap<PathBuf, Option<Arc<Package>>>>,
    locks: Mutex<HashMap<PathBuf, Arc<Locked>>>,
}

/// Package name → its locked versions.
type Locked = BTreeMap<String, Vec<Version>>;

#[derive(Deserialize)]
struct RawLock {
    #[serde(default)]
    package: Vec<RawLocked>,
}

#[derive(Deserialize)]
struct RawLocked {
    name: String,
    version: Version,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "kebab-case", default)]
struct RawManifest {
    package: Option<RawPackage>,
    workspace: Option<RawWorkspace>,
    #[serde(flatten)]
    tables: RawTables,
    target: BTreeMap<String, RawTables>,
}

#[derive(Deserialize)]
struct RawPackage {
    name: String,
    workspace: Option<PathBuf>,
}

#[derive(Deserialize, Default)]
#[serde(default)]
struct RawWorkspace {
    dependencies: RawDependencies,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "kebab-case", default)]
struct RawTables {
    dependencies: RawDependencies,
    dev_dependencies: RawDependencies,
    build_dependencies: RawDependencies,
}

#[derive(Clone, Deserialize)]
#[serde(untagged)]
enum RawDependency {
    Version(String),
    Table {
        version: Option<String>,
        package: Option<String>,
        #[serde(default)]
        workspace: bool,
        path: Option<PathBuf>,
    },
    /// Whatever else stands there: one odd entry does not lose the others.
    Other(serde::de::IgnoredAny),
}

type RawDependencies = BTreeMap<String, RawDependency>;

impl RawTables {
    fn all(&self) -> impl Iterator<Item = (&String, &RawDependency)> {
        self.dependencies.iter().chain(&self.dev_dependencies).chain(&self.build_dependencies)
    }
}

impl<'k> Manifests<'k> {
    /// A fresh memory for these SDKs.
    #[must_use]
    pub fn new(sdks: &'k [Sdk]) -> Self {
        Self { sdks, packages: Mutex::default(), locks: Mutex::default() }
    }

    /// The package that a file belongs to: the one of the nearest manifest above it that has a `[package]`.
    #[must_use]
    pub fn package_of(&self, file: &Path) -> Option<Arc<Package>> {
        let file = std::path::absolute(file).ok()?;
        self.package_in(file.parent()?)
    }

    fn package_in(&self, folder: &Path) -> Option<Arc<Package>> {
        let remembered = self.packages.lock().unwrap_or_else(PoisonError::into_inner).get(folder).cloned();
        if let Some(package) = remembered {
            return package;
        }
        let found = match read_manifest(folder) {
            Some(manifest) if manifest.package.is_some() => self.package(folder, &manifest).map(Arc::new),
            _ => folder.parent().and_then(|parent| self.package_in(parent)),
        };
        let mut packages = self.packages.lock().unwrap_or_else(PoisonError::into_inner);
        packages.entry(folder.to_owned()).or_insert(found).clone()
    }

    fn package(&self, folder: &Path, manifest: &RawManifest) -> Option<Package> {
        let raw = manifest.package.as_ref()?;
        let workspace: OnceLock<BTreeMap<String, RawDependency>> = OnceLock::new();
        let inherited = || workspace.get_or_init(|| workspace_dependencies(folder, manifest));
        let tables = std::iter::once(&manifest.tables).chain(manifest.target.values());
        let mut sdks = Vec::new();
        for (key, dependency) in tables.flat_map(RawTables::all) {
            let (dependency, own_package) = match dependency {
                RawDependency::Table { workspace: true, package, .. } => match inherited().get(key) {
                    Some(resolved) => (resolved, package.as_deref()),
                    None => (dependency, package.as_deref()),
                },
                own => (own, None),
            };
            let (version, package, path) = match dependency {
                RawDependency::Version(version) => (Some(version.as_str()), None, None),
                RawDependency::Table { version, package, path, .. } => {
                    (version.as_deref(), package.as_deref(), path.as_deref())
                }
                RawDependency::Other(_) => (None, None, None),
            };
            let package = own_package.or(package).unwrap_or(key);
            let Some(sdk) = self.sdks.iter().position(|sdk| sdk.packages.iter().any(|name| name == package)) else {
                continue;
            };
            if self.sdks[sdk].ambiguous && path.is_some() {
                continue;
            }
            let requirement = version.and_then(|text| VersionReq::parse(text).ok());
            let version =
                self.locked(folder, package, requirement.as_ref()).or_else(|| requirement.as_ref().and_then(lowest));
            let crate_name = key.replace('-', "_");
            sdks.push(SdkDependency { sdk, crate_name, version });
        }
        let is_sdk = self.sdks.iter().position(|sdk| !sdk.ambiguous && sdk.packages.contains(&raw.name));
        let is_broken = raw.name.is_empty();
        Some(Package { name: raw.name.clone(), root: folder.to_owned(), sdks, is_sdk, is_broken })
    }

    /// The version of `package` in the nearest lock file; of several the one that the requirement asks for.
    fn locked(&self, folder: &Path, package: &str, requirement: Option<&VersionReq>) -> Option<Version> {
        let path = folder.ancestors().map(|folder| folder.join("Cargo.lock")).find(|path| path.is_file())?;
        let remembered = self.locks.lock().unwrap_or_else(PoisonError::into_inner).get(&path).cloned();
        let locked = remembered.unwrap_or_else(|| {
            let locked = Arc::new(read_lock(&path));
            self.locks.lock().unwrap_or_else(PoisonError::into_inner).insert(path, Arc::clone(&locked));
            locked
        });
        let versions = locked.get(package)?;
        let asked = |version: &&Version| requirement.is_none_or(|requirement| requirement.matches(version));
        versions.iter().rev().find(asked).or(versions.last()).cloned()
    }
}

/// A manifest; a broken one is there but says nothing.
fn read_manifest(folder: &Path) -> Option<RawManifest> {
    let path = folder.join("Cargo.toml");
    fs::symlink_metadata(&path).ok()?;
    let parsed = read_text(&path).ok().and_then(|text| toml::from_str(&text).ok());
    Some(parsed.unwrap_or_else(|| RawManifest {
        package: Some(RawPackage { name: String::new(), workspace: None }),
        ..RawManifest::default()
    }))
}

fn read_lock(path: &Path) -> Locked {
    let mut locked = Locked::new();
    let raw = read_text(path).ok().and_then(|text| toml::from_str::<RawLock>(&text).ok());
    for package in raw.map(|raw| raw.package).unwrap_or_default() {
        locked.entry(package.name).or_default().push(package.version);
    }
    for versions in locked.values_mut() {
        versions.sort();
    }
    locked
}

/// `[workspace.dependencies]` of the workspace that the manifest in `folder` belongs to.
fn workspace_dependencies(folder: &Path, manifest: &RawManifest) -> BTreeMap<String, RawDependency> {
    if let Some(workspace) = &manifest.workspace {
        return workspace.dependencies.clone();
    }
    let named = manifest.package.as_ref().and_then(|package| package.workspace.as_ref());
    let root = match named {
        Some(named) => read_manifest(&folder.join(named)),
        None => folder.ancestors().skip(1).filter_map(read_manifest).find(|found| found.workspace.is_some()),
    };
    root.and_then(|root| root.workspace).map(|workspace| workspace.dependencies).unwrap_or_default()
}

/// The lowest version that a requirement allows, by its first comparator.
fn lowest(requirement: &VersionReq) -> Option<Version> {
    let first = requirement.comparators.first()?;
    let mut version = Version::new(first.major, first.minor.unwrap_or(0), first.patch.unwrap_or(0));
    version.pre = first.pre.clone();
    Some(version)
}
