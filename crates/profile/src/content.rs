//! Write content beyond DISKSPD's options.

use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ContentShape {
    /// `--compress`: share of each unit that compresses to next to nothing, percent, at most
    /// [`ContentShape::MAX_SHARE`].
    pub compress: u32,
    /// `--dedupe`: share of units that repeat one of the same thread, percent, at most
    /// [`ContentShape::MAX_SHARE`].
    pub dedupe: u32,
}

impl ContentShape {
    /// The highest share, percent: beyond it nothing is left to write.
    pub const MAX_SHARE: u32 = 99;
    /// Bytes of a unit, of which the content is the same as another's or is not. Shorter at the end of a
    /// write.
    pub const UNIT: usize = 4096;
    /// Smallest block in bytes with unique content.
    pub const MIN_BLOCK: u32 = 512;
}

impl fmt::Display for ContentShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}% compressible, {}% duplicates", self.compress, self.dedupe)
    }
}
