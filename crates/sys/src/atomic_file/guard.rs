//! Permission to replace a file.

use std::fs::File;
use std::io;

/// Check for files that must not be replaced.
pub trait Guard: std::fmt::Debug + Send + Sync {
    /// Permits a new file to replace this one.
    ///
    /// # Errors
    /// Fails with the reason why the earlier file must stay.
    fn permit(&self, earlier: &File) -> io::Result<()>;
}
