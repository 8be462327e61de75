//! The protocol written by hand: strings, JSON keys and own types.

use super::{FileView, Hit};
use crate::analyze::rust::facts::{Access, Fact, TextPlace};
use crate::analyze::rust::words::any_word;
use crate::knowledge::protocol::Construct;
use crate::knowledge::wire::{Anchor, WireMethod};
use crate::usage::{Confidence, Remark};

impl FileView<'_, '_> {
    pub(super) fn definition(
        &self,
        fact: &Fact,
        name: &str,
        fields: &[(String, String, std::ops::Range<usize>)],
    ) -> Option<Hit> {
        if !self.facts().speaks_mcp {
            return None;
        }
        let own = self.knowledge.wire.hand_rolled.named(name).find_map(|own| {
            let field = fields.iter().find(|(wire, rust, _)| own.fields.contains(wire) || own.fields.contains(rust));
            (own.fields.is_empty() || field.is_some()).then_some((own, field))
        });
        let (own, field) = own?;
        let mut hit = self.wire_hit(fact, own.construct, Confidence::Likely);
        if let (Anchor::Field, Some((_, rust, span))) = (own.anchor, field) {
            hit.span = span.clone();
            hit.quote = format!("{name}.{rust}");
        }
        Some(hit)
    }

    pub(super) fn text(&self, fact: &Fact, method: &WireMethod, place: &TextPlace) -> Option<Hit> {
        let wire = &self.knowledge.wire;
        let direction = |names: &[String]| {
            if any_word(names, &wire.direction.veto) {
                None
            } else if any_word(names, &wire.direction.received) {
                Some(method.received)
            } else if any_word(names, &wire.direction.sent) {
                Some(method.sent)
            } else {
                Some(method.unknown)
            }
        };
        let mut confidence = Confidence::Likely;
        let mut construct = match place {
            TextPlace::Argument(callee) => direction(callee)?,
            TextPlace::Json(path) if path.last() == Some(&wire.json.method) => {
                confidence = Confidence::Certain;
                method.sent
            }
            TextPlace::Json(path) => direction(path)?,
            TextPlace::Field(names, field) => {
                if any_word(std::slice::from_ref(field), &wire.direction.veto) {
                    return None;
                }
                direction(names).unwrap_or(method.unknown)
            }
            TextPlace::Dispatched => method.received,
            TextPlace::Bound(name) => {
                let found = direction(std::slice::from_ref(name))?;
                // `const ROOTS_LIST_REQUEST` names the method and sends nothing.
                if found == method.sent { method.unknown } else { found }
            }
            TextPlace::Renamed | TextPlace::Other => method.unknown,
        };
        if fact.around.in_input {
            construct = method.input;
        }
        let mut hit = self.wire_hit(fact, construct, confidence);
        if construct == method.received && *place == TextPlace::Dispatched && construct == Construct::ListHandler {
            hit.remarks.push(Remark::HandWrittenDispatch);
        }
        Some(hit)
    }

    pub(super) fn json_key(&self, fact: &Fact, path: &[String], access: Access, binding: Option<&str>) -> Option<Hit> {
        if access == Access::Cleared {
            return None;
        }
        let json = &self.knowledge.wire.json;
        let (key, above) = path.split_last()?;
        let is_flag = json.flags.contains(key);
        let parents = if is_flag {
            let (roots, above) = above.split_last()?;
            if *roots != json.capability {
                return None;
            }
            above
        } else {
            above
        };
        let confidence = match parents.last() {
            Some(parent) if json.capability_parents.contains(parent) => Confidence::Certain,
            Some(parent)
                if self.is_capabilities(parent) || self.knowledge.wire.hand_rolled.named(parent).next().is_some() =>
            {
                Confidence::Likely
            }
            None if binding.is_some_and(|name| name.to_lowercase().contains(&json.binding_word)) => Confidence::Likely,
            _ => return None,
        };
        let confidence = if self.speaks_mcp() { confidence } else { Confidence::Possible };
        let construct = match (is_flag, access) {
            (true, Access::Written) => Construct::ListChangedFlag,
            (false, Access::Written) => Construct::Capability,
            _ => Construct::CapabilityCheck,
        };
        Some(self.wire_hit(fact, construct, confidence))
    }
}
