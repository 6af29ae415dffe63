//! A system on which no device is written to, as only simulated runs are made: what is asked before one is
//! planned, a report is written or a job file is converted. What is read of the machine is in `windows`.

/// Where Linux tells of the machine.
pub mod root {
    /// There is no such directory.
    #[derive(Debug, Clone)]
    pub struct Root;

    impl Root {
        /// This machine.
        pub fn live() -> Root {
            Root
        }

        /// A file's text: none.
        pub fn text(&self, _: impl AsRef<std::path::Path>) -> Option<String> {
            None
        }
    }
}

/// Nothing is claimed, and no file is known to be in use: the system itself refuses to replace one that
/// another program has open.
pub mod claims {
    use super::refusal::Refusal;
    use std::fs::File;
    use std::path::Path;

    /// Who would claim devices.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum Claimant {
        /// This process.
        #[default]
        Alone,
    }

    /// Whether a report may be written there.
    ///
    /// # Errors
    /// None is known.
    pub fn spare<'a>(_: impl IntoIterator<Item = &'a Path>) -> Result<(), Refusal> {
        Ok(())
    }

    /// The same of what is open.
    ///
    /// # Errors
    /// None is known.
    pub fn permit_output(_: &Path, _: &File) -> Result<(), Refusal> {
        Ok(())
    }
}

/// Why something isn't written to.
pub mod refusal {
    /// There is no reason yet.
    #[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
    pub enum Refusal {}
}

/// Where targets are.
pub mod target {
    use diskspd_model::machine::target::{TargetFacts, TargetKind};
    use diskspd_model::path::path;
    use std::io;
    use std::path::{Path, PathBuf};

    /// Looks at a target without the right to write to it; nothing there is a finding too.
    ///
    /// # Errors
    /// What keeps us from looking.
    pub fn probe(path: &Path) -> io::Result<TargetFacts> {
        let facts = TargetFacts { location: path.to_owned(), ..TargetFacts::default() };
        match std::fs::metadata(path) {
            Ok(found) if found.is_dir() => Ok(TargetFacts { kind: TargetKind::Directory, ..facts }),
            Ok(found) => Ok(TargetFacts { kind: TargetKind::File, size: found.len(), ..facts }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(facts),
            Err(error) => Err(error),
        }
    }

    /// A target isn't found.
    #[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
    pub enum NotLocated {}

    /// The path of a target: as it was given.
    ///
    /// # Errors
    /// None is known.
    pub fn locate(target: &[u8]) -> Result<PathBuf, NotLocated> {
        Ok(path(target).into_owned())
    }
}
