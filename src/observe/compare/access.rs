//! The access boundary: which of the probed paths could be read before a migration, and which after.

use std::collections::BTreeMap;

/// One probed path in one play of a scenario.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Probe {
    /// It could be read before.
    pub before: bool,
    /// It can be read after.
    pub after: bool,
    /// It really is, links followed, in a directory that the operator named for the server after.
    pub named: bool,
}

/// How two boundaries compare. What the operator named is not held against the server after.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Boundary {
    /// The same paths.
    Equal,
    /// Some can no longer be read, none is new.
    Narrower,
    /// Some can be read that neither could before nor were named: always an error.
    Wider,
    /// Some are new, some can no longer be read: an error as well.
    Neither,
}

impl Boundary {
    /// The word for it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::Narrower => "narrower",
            Self::Wider => "wider",
            Self::Neither => "neither",
        }
    }

    /// Whether something can be read that must not be.
    #[must_use]
    pub fn is_wider(self) -> bool {
        matches!(self, Self::Wider | Self::Neither)
    }
}

/// The probes of a play, by path of the tree.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Access {
    /// What became of each path. A path that is probed more than once counts as readable when it was once.
    pub probes: BTreeMap<String, Probe>,
}

impl Access {
    /// Notes a probe of a path before (`after` is false) or after.
    pub fn note(&mut self, path: &str, after: bool, readable: bool) {
        let probe = self.probes.entry(path.to_owned()).or_default();
        if after {
            probe.after |= readable;
        } else {
            probe.before |= readable;
        }
    }

    /// How the boundaries compare.
    #[must_use]
    pub fn boundary(&self) -> Boundary {
        match (self.wider().next().is_some(), self.narrower().next().is_some()) {
            (false, false) => Boundary::Equal,
            (false, true) => Boundary::Narrower,
            (true, false) => Boundary::Wider,
            (true, true) => Boundary::Neither,
        }
    }

    /// Paths that can be read after, and neither could before nor were named.
    pub fn wider(&self) -> impl Iterator<Item = &str> {
        self.those(|probe| probe.after && !probe.before && !probe.named)
    }

    /// Paths that could be read before only.
    pub fn narrower(&self) -> impl Iterator<Item = &str> {
        self.those(|probe| probe.before && !probe.after)
    }

    /// Paths that can be read after only, since the operator named them.
    pub fn named(&self) -> impl Iterator<Item = &str> {
        self.those(|probe| probe.after && !probe.before && probe.named)
    }

    fn those(&self, which: impl Fn(&Probe) -> bool) -> impl Iterator<Item = &str> {
        self.probes.iter().filter(move |(_, probe)| which(probe)).map(|(path, _)| path.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn boundary(probes: &[(bool, bool, bool)]) -> Boundary {
        let mut access = Access::default();
        for (at, &(before, after, named)) in probes.iter().enumerate() {
            let path = at.to_string();
            access.note(&path, false, before);
            access.note(&path, true, after);
            access.probes.entry(path).or_default().named = named;
        }
        access.boundary()
    }

    #[test]
    fn wider_means_new_and_not_named() {
        assert_eq!(boundary(&[]), Boundary::Equal);
        assert_eq!(boundary(&[(true, true, false), (false, false, true)]), Boundary::Equal);
        assert_eq!(boundary(&[(false, true, true)]), Boundary::Equal);
        assert_eq!(boundary(&[(true, false, true), (false, true, true)]), Boundary::Narrower);
        assert_eq!(boundary(&[(true, true, true), (false, true, false)]), Boundary::Wider);
        assert_eq!(boundary(&[(true, false, false), (false, true, false)]), Boundary::Neither);
    }
}
