//! Fields of capabilities objects, of an SDK or written by hand.

use semver::Version;

use super::{FileView, Hit, ItemMatch};
use crate::analyze::rust::facts::{Access, Fact, Receiver};
use crate::analyze::rust::names::Resolved;
use crate::knowledge::protocol::Construct;
use crate::knowledge::sdk::{FieldItem, Sdk};
use crate::usage::Confidence;

impl FileView<'_, '_> {
    pub(super) fn is_capabilities(&self, name: &str) -> bool {
        let parents = &self.knowledge.wire.json.capability_parents;
        parents.iter().any(|parent| parent == name) || name.ends_with("capabilities")
    }

    pub(super) fn field(&self, fact: &Fact, field: &String, base: &Receiver, access: Access) -> Option<Hit> {
        if access == Access::Cleared {
            return None;
        }
        let json = &self.knowledge.wire.json;
        let is_capability = *field == json.capability;
        let named = match base.names.as_slice() {
            [.., last] if is_capability => self.is_capabilities(last),
            [.., parent, last] => *last == json.capability && self.is_capabilities(parent),
            _ => false,
        };
        for candidate in &self.candidates {
            for item in candidate.sdk.fields.iter().filter(|item| item.names.contains(field)) {
                let typed = base.ty.as_ref().map(|ty| self.full_type(ty, fact));
                let fits = typed.as_ref().is_some_and(|ty| ty.path.last().is_some_and(|last| item.of.contains(last)));
                let is_flag = item.written == Construct::ListChangedFlag;
                if fits || (named && is_flag != is_capability) {
                    let construct = if access == Access::Written { item.written } else { item.read };
                    let found = ItemMatch {
                        construct,
                        confidence: Confidence::Certain,
                        sdk: candidate.sdk,
                        version: candidate.version.clone(),
                        rustc: item.rustc.as_ref(),
                    };
                    return Some(self.sdk_hit(fact, found));
                }
            }
        }
        (named && self.speaks_mcp()).then(|| {
            let construct = match (is_capability, access) {
                (true, Access::Written) => Construct::Capability,
                (false, Access::Written) => Construct::ListChangedFlag,
                _ => Construct::CapabilityCheck,
            };
            self.wire_hit(fact, construct, Confidence::Likely)
        })
    }

    pub(super) fn struct_field(&self, fact: &Fact, path: &[String], field: &String, access: Access) -> Option<Hit> {
        if access == Access::Cleared {
            return None;
        }
        let resolved = self.world.resolve(self.unit, self.file, fact.scope, path);
        let sdks: Vec<(&Sdk, Option<Version>)> = match &resolved {
            Resolved::Sdk { sdk, version, .. } => vec![(&self.knowledge.rust_sdks[*sdk], version.clone())],
            Resolved::Unknown => {
                let in_file = self.candidates.iter().filter(|candidate| candidate.in_file);
                in_file.map(|candidate| (candidate.sdk, candidate.version.clone())).collect()
            }
            Resolved::Own | Resolved::Other => Vec::new(),
        };
        let name = match &resolved {
            Resolved::Sdk { path, .. } => path.last()?,
            _ => path.last()?,
        };
        for (sdk, version) in sdks {
            let fits = |item: &&FieldItem| item.of.contains(name) && item.names.contains(field);
            if let Some(item) = sdk.fields.iter().find(fits) {
                let construct = if access == Access::Written { item.written } else { item.read };
                let version = version.or_else(|| self.version_of(sdk));
                let (confidence, rustc) = (Confidence::Certain, item.rustc.as_ref());
                let sdk = &self.knowledge.rust_sdks[self.index_of(sdk)];
                return Some(self.sdk_hit(fact, ItemMatch { construct, confidence, sdk, version, rustc }));
            }
        }
        if resolved == Resolved::Other {
            return None;
        }
        // A type of the same name that the crate wrote itself.
        let construct = self.knowledge.wire.hand_rolled.named(name).find(|own| own.fields.contains(field))?.construct;
        let json = &self.knowledge.wire.json;
        let construct = match (json.flags.contains(field), access) {
            (true, Access::Written) => Construct::ListChangedFlag,
            (_, Access::Read) => Construct::CapabilityCheck,
            _ => construct,
        };
        let is_value = matches!(construct, Construct::WireType | Construct::WireTypeListChanged);
        (!is_value && self.speaks_mcp()).then(|| self.wire_hit(fact, construct, Confidence::Likely))
    }
}
