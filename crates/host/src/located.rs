//! A target that was looked for once: what is checked, opened and judged from then on is the same object.

use crate::root::Root;
use crate::stack;
use crate::target;
use diskspd_model::machine::stack::Stack;
use diskspd_model::machine::target::{DirectRequirements, TargetFacts};
use diskspd_sys::anchor::{Anchor, Location};
use diskspd_sys::files;
use diskspd_sys::problem::{Problem, TargetError};
use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

/// What was found at a path. Copies know what the others have found out.
#[derive(Debug, Clone)]
pub struct Located {
    root: Root,
    anchor: Anchor,
    learned: Arc<Learned>,
}

#[derive(Debug, Default)]
struct Learned {
    direct: OnceLock<Option<DirectRequirements>>,
    read: OnceLock<Stack>,
    written: OnceLock<Stack>,
}

#[derive(Debug)]
pub struct OpenedToLook {
    /// `None` = it can't be opened.
    pub file: Option<File>,
    pub stack: Stack,
}

impl Located {
    fn at(root: &Root, path: &Path) -> Result<Option<Located>, TargetError> {
        match Anchor::at(path) {
            Ok(anchor) => Ok(Some(Located { root: root.clone(), anchor, learned: Arc::default() })),
            Err(TargetError { problem: Problem::Missing, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// The machine as it was seen when the targets were located.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// What it is now, and how large: [`target::probe`].
    ///
    /// # Errors
    /// As there.
    pub fn facts(&self) -> Result<TargetFacts, TargetError> {
        target::facts(&self.anchor, |find_out| *self.learned.direct.get_or_init(find_out))
    }

    /// Returns the requirements of `O_DIRECT`; `None` if they are unknown.
    pub fn direct(&self) -> Option<DirectRequirements> {
        match self.learned.direct.get() {
            Some(known) => *known,
            None => self.facts().ok()?.direct,
        }
    }

    /// Opens the target to look at it, and tells what it lies on.
    ///
    /// What is to be `written` is opened for that: an overlay moves it to where it is written to by then.
    pub fn opened(&self, written: bool) -> OpenedToLook {
        let stack = if written { &self.learned.written } else { &self.learned.read };
        let file = files::open_to_locate(&self.anchor, written).ok();
        let stack = stack.get_or_init(|| match &file {
            Some(file) => stack::of_open(&self.root, file, self.anchor.name()),
            None => stack::stack(self.anchor.way()),
        });
        OpenedToLook { stack: stack.clone(), file }
    }
}

impl Location for Located {
    fn name(&self) -> &Path {
        self.anchor.name()
    }

    fn way(&self) -> &Path {
        self.anchor.way()
    }
}

/// The targets of a run, each looked for once. What isn't there is looked for anew: `-c` may have made it.
#[derive(Debug)]
pub struct LocatedTargets {
    root: Root,
    known: HashMap<PathBuf, Located>,
}

impl Default for LocatedTargets {
    fn default() -> LocatedTargets {
        LocatedTargets { root: Root::live().remembering(), known: HashMap::new() }
    }
}

impl LocatedTargets {
    /// Files were made, or time has passed: whatever is looked for is found as it is now.
    pub fn look_anew(&mut self) {
        *self = LocatedTargets::default();
    }

    /// The target at a path; `None` = nothing is there.
    ///
    /// # Errors
    /// What keeps us from looking: permissions, too long names, link loops, a link that leads nowhere.
    pub fn at(&mut self, path: &Path) -> Result<Option<Located>, TargetError> {
        if let Some(known) = self.known.get(path) {
            return Ok(Some(known.clone()));
        }
        let found = Located::at(&self.root, path)?;
        self.known.extend(found.iter().map(|found| (path.to_owned(), found.clone())));
        Ok(found)
    }
}
