//! A system on which no run is made, so that no device is written to: what is asked before a report is written.

/// Nothing is claimed, and no file is known to be in use: the system itself refuses to replace one that
/// another program has open.
pub mod claims {
    use super::refusal::Refusal;
    use std::fs::File;
    use std::path::Path;

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
    use diskspd_model::path::path;
    use std::path::PathBuf;

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
