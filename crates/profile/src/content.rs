//! Write content beyond DISKSPD's options.

use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ContentShape {
    /// `--compress`: compressible share of each unit in percent, at most [`ContentShape::MAX_SHARE`].
    pub compress: u32,
    /// `--dedupe`: share of units that repeat another unit of the thread in percent, at most
    /// [`ContentShape::MAX_SHARE`].
    pub dedupe: u32,
}

impl ContentShape {
    /// Maximum share in percent.
    pub const MAX_SHARE: u32 = 99;
    /// Bytes of a unit, of which the content is the same as another's or is not. Shorter at the end of a
    /// write.
    pub const UNIT: usize = 4096;
    /// Minimum block in bytes with unique content.
    pub const MIN_BLOCK: u32 = 512;
}

impl fmt::Display for ContentShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}% compressible, {}% duplicates", self.compress, self.dedupe)
    }
}
