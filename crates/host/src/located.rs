//! A target that is located once, so that all later checks and opens use the same object.

use crate::root::Root;
use crate::stack;
use crate::target;
use diskspd_machine::stack::Stack;
use diskspd_machine::target::{DirectRequirements, TargetFacts};
use diskspd_sys::anchor::{Location, TargetHandle};
use diskspd_sys::files;
use diskspd_sys::target_error::{TargetError, TargetErrorKind};
use std::collections::HashMap;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

#[derive(Debug, Clone)]
pub struct ResolvedTarget {
    root: Root,
    anchor: TargetHandle,
    learned: Arc<CachedFacts>,
}

#[derive(Debug, Default)]
struct CachedFacts {
    direct: OnceLock<Option<DirectRequirements>>,
    read: OnceLock<Stack>,
    written: OnceLock<Stack>,
}

#[derive(Debug)]
pub struct InspectionHandle {
    /// Open file; `None` = not possible.
    pub file: Option<File>,
    pub stack: Stack,
}

impl ResolvedTarget {
    fn resolve_path(root: &Root, path: &Path) -> Result<Option<ResolvedTarget>, TargetError> {
        match TargetHandle::at(path) {
            Ok(anchor) => Ok(Some(ResolvedTarget { root: root.clone(), anchor, learned: Arc::default() })),
            Err(TargetError { problem: TargetErrorKind::Missing, .. }) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Returns the machine at the time when the targets were located.
    pub fn root(&self) -> &Root {
        &self.root
    }

    /// Returns the current kind and size: [`target::probe`].
    pub fn facts(&self) -> Result<TargetFacts, TargetError> {
        target::facts(&self.anchor, &self.root.leases(), |find_out| {
            *self.learned.direct.get_or_init(find_out)
        })
    }

    /// Returns the requirements of `O_DIRECT`; `None` = unknown.
    pub fn direct(&self) -> Option<DirectRequirements> {
        match self.learned.direct.get() {
            Some(known) => *known,
            None => self.facts().ok()?.direct,
        }
    }

    /// Opens the target for inspection, and returns its storage stack.
    ///
    /// A `written` target is opened for writing, because an overlay then moves it to its writable layer.
    pub fn opened(&self, written: bool) -> InspectionHandle {
        let stack = if written { &self.learned.written } else { &self.learned.read };
        let file = files::open_to_locate(&self.anchor, written).ok();
        let stack = stack.get_or_init(|| match &file {
            Some(file) => stack::of_open(&self.root, file, self.anchor.name()),
            None => stack::stack(self.anchor.access_path()),
        });
        InspectionHandle { stack: stack.clone(), file }
    }
}

impl Location for ResolvedTarget {
    fn name(&self) -> &Path {
        self.anchor.name()
    }

    fn access_path(&self) -> &Path {
        self.anchor.access_path()
    }
}

/// The targets of a run, each located once. Missing targets are located again, because `-c` may have
/// created them.
#[derive(Debug)]
pub struct ResolvedTargets {
    root: Root,
    known: HashMap<PathBuf, ResolvedTarget>,
}

impl Default for ResolvedTargets {
    fn default() -> ResolvedTargets {
        ResolvedTargets { root: Root::live_system().remembering(), known: HashMap::new() }
    }
}

impl ResolvedTargets {
    /// Clears the cache, after files were created or time has passed.
    pub fn refresh(&mut self) {
        *self = ResolvedTargets::default();
    }

    /// Returns the target at a path; `None` if it does not exist.
    ///
    /// # Errors
    /// Fails for missing permissions, too long names, link loops, and dangling links.
    pub fn resolve(&mut self, path: &Path) -> Result<Option<ResolvedTarget>, TargetError> {
        if let Some(known) = self.known.get(path) {
            return Ok(Some(known.clone()));
        }
        let found = ResolvedTarget::resolve_path(&self.root, path)?;
        self.known.extend(found.iter().map(|found| (path.to_owned(), found.clone())));
        Ok(found)
    }
}
