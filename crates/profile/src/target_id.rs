//! Number of a target in a run, which avoids lookups by path.

use super::{Profile, RawText, TimeSpan};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// A target: the place of its path among all paths of the profile, each counted once, in order of first
/// appearance. The same path in several time spans, or twice in one, is the same target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct TargetId(pub u32);

impl TargetId {
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TargetIds {
    paths: Vec<RawText>,
    ids: HashMap<RawText, TargetId>,
}

impl TargetIds {
    pub fn from_profile(profile: &Profile) -> TargetIds {
        let mut ids = TargetIds::default();
        ids.add(profile);
        ids
    }

    fn add(&mut self, profile: &Profile) {
        for target in profile.time_spans.iter().flat_map(|span| &span.targets) {
            self.known_or_next(&target.path);
        }
    }

    /// Returns the id of a path; `None` = not a target.
    pub fn get(&self, path: &RawText) -> Option<TargetId> {
        self.ids.get(path).copied()
    }

    /// Returns the ids of the targets of a time span, in order.
    pub fn of_span(&self, span: &TimeSpan) -> Vec<TargetId> {
        span.targets.iter().map(|target| self.get(&target.path).unwrap_or_default()).collect()
    }

    pub fn paths(&self) -> &[RawText] {
        &self.paths
    }

    fn known_or_next(&mut self, path: &RawText) -> TargetId {
        self.get(path).unwrap_or_else(|| {
            let id = TargetId(u32::try_from(self.paths.len()).unwrap_or(u32::MAX));
            self.paths.push(path.clone());
            self.ids.insert(path.clone(), id);
            id
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Target;

    fn sample_profile(paths: &[&[&str]]) -> Profile {
        let target = |path: &&str| Target { path: (*path).into(), ..Target::default() };
        let span =
            |paths: &&[&str]| TimeSpan { targets: paths.iter().map(target).collect(), ..TimeSpan::default() };
        Profile { time_spans: paths.iter().map(span).collect(), ..Profile::default() }
    }

    #[test]
    fn equal_paths_are_one_target() {
        let ids = TargetIds::from_profile(&sample_profile(&[&["b", "a", "b"], &["c", "a"]]));
        assert_eq!(ids.paths(), ["b", "a", "c"].map(RawText::from));
        assert_eq!(
            ["b", "a", "c", "d"].map(|path| ids.get(&path.into()).map(|id| id.0)),
            [Some(0), Some(1), Some(2), None]
        );
    }
}
