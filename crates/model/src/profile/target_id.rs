//! Which target of a run: a number, so that nothing has to be found by its path.

use super::{Profile, RawText, TimeSpan};
use serde::de::{self, Deserializer, MapAccess, Visitor, value::MapAccessDeserializer};
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::collections::HashMap;
use std::fmt;

/// A target: the place of its path among all paths of the profile, each counted once, in order of first
/// appearance. The same path in several time spans, or twice in one, is the same target.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
#[serde(transparent)]
pub struct TargetId(pub u32);

impl TargetId {
    /// As an index into what has an entry for each target.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// The paths of targets with their ids.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TargetIds {
    paths: Vec<RawText>,
    ids: HashMap<RawText, TargetId>,
}

impl TargetIds {
    /// Those of a profile.
    pub fn of(profile: &Profile) -> TargetIds {
        let mut ids = TargetIds::default();
        ids.add(profile);
        ids
    }

    /// While paths are read: those of this profile get the next numbers.
    pub fn number(profile: &Profile) {
        BY_PATH.with(|ids| ids.borrow_mut().iter_mut().for_each(|ids| ids.add(profile)));
    }

    fn add(&mut self, profile: &Profile) {
        for target in profile.time_spans.iter().flat_map(|span| &span.targets) {
            self.known_or_next(&target.path);
        }
    }

    /// The id of a path; `None` = no target has it.
    pub fn get(&self, path: &RawText) -> Option<TargetId> {
        self.ids.get(path).copied()
    }

    /// The ids of the targets of one of the profile's time spans, in their order.
    pub fn of_span(&self, span: &TimeSpan) -> Vec<TargetId> {
        span.targets.iter().map(|target| self.get(&target.path).unwrap_or_default()).collect()
    }

    /// The paths, each once, by id.
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

thread_local! {
    /// What paths stand for while a record of version 1 is read. serde has no way to tell it to the reader
    /// of a field.
    static BY_PATH: RefCell<Option<TargetIds>> = const { RefCell::new(None) };
}

/// While this reads, targets may be named by their paths, as records of version 1 do: a new one gets the
/// next number. Returns what was read, and all paths.
pub fn reading_paths<T>(read: impl FnOnce() -> T) -> (T, TargetIds) {
    BY_PATH.with(|ids| *ids.borrow_mut() = Some(TargetIds::default()));
    let answer = read();
    (answer, BY_PATH.with(RefCell::take).unwrap_or_default())
}

impl<'de> Deserialize<'de> for TargetId {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(IdOrPath)
    }
}

struct IdOrPath;

impl IdOrPath {
    fn by_path<E: de::Error>(self, path: RawText) -> Result<TargetId, E> {
        let id = BY_PATH.with(|ids| Some(ids.borrow_mut().as_mut()?.known_or_next(&path)));
        id.ok_or_else(|| E::invalid_type(de::Unexpected::Other("a path"), &self))
    }
}

impl<'de> Visitor<'de> for IdOrPath {
    type Value = TargetId;

    fn expecting(&self, text: &mut fmt::Formatter) -> fmt::Result {
        text.write_str("the id of a target")
    }

    fn visit_u64<E: de::Error>(self, id: u64) -> Result<TargetId, E> {
        let id = u32::try_from(id).map_err(|_| E::invalid_value(de::Unexpected::Unsigned(id), &self))?;
        Ok(TargetId(id))
    }

    fn visit_str<E: de::Error>(self, path: &str) -> Result<TargetId, E> {
        self.by_path(path.into())
    }

    fn visit_map<A: MapAccess<'de>>(self, bytes: A) -> Result<TargetId, A::Error> {
        let path = RawText::deserialize(MapAccessDeserializer::new(bytes))?;
        self.by_path(path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile::Target;

    fn profile(paths: &[&[&str]]) -> Profile {
        let target = |path: &&str| Target { path: (*path).into(), ..Target::default() };
        let span =
            |paths: &&[&str]| TimeSpan { targets: paths.iter().map(target).collect(), ..TimeSpan::default() };
        Profile { time_spans: paths.iter().map(span).collect(), ..Profile::default() }
    }

    #[test]
    fn the_same_path_is_the_same_target_wherever_it_stands() {
        let ids = TargetIds::of(&profile(&[&["b", "a", "b"], &["c", "a"]]));
        assert_eq!(ids.paths(), ["b", "a", "c"].map(RawText::from));
        assert_eq!(
            ["b", "a", "c", "d"].map(|path| ids.get(&path.into()).map(|id| id.0)),
            [Some(0), Some(1), Some(2), None]
        );
    }

    #[test]
    fn paths_are_read_as_ids_only_where_that_was_asked_for() {
        let stored = r#"["a",1,{"bytes":[255]},"new","new"]"#;
        let (read, all) = reading_paths(|| {
            TargetIds::number(&profile(&[&["z", "a"]]));
            serde_json::from_str::<Vec<TargetId>>(stored)
        });
        assert_eq!(read.unwrap(), [1, 1, 2, 3, 3].map(TargetId));
        assert_eq!(all.paths().len(), 4);
        let refused = serde_json::from_str::<TargetId>("\"a\"").unwrap_err().to_string();
        assert!(refused.contains("expected the id of a target"), "{refused}");
    }
}
