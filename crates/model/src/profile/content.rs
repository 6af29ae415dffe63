//! What writes carry, beyond what DISKSPD has words for.

use serde::{Deserialize, Serialize};
use std::fmt;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct ContentShape {
    /// `--compress`: share of each unit that compresses to next to nothing, percent, at most
    /// [`ContentShape::MOST`].
    pub compress: u32,
    /// `--dedupe`: share of units that repeat one of the same thread, percent, at most
    /// [`ContentShape::MOST`].
    pub dedupe: u32,
}

impl ContentShape {
    /// The highest share, percent: beyond it nothing is left to write.
    pub const MOST: u32 = 99;
    /// Bytes of a unit, of which the content is the same as another's or is not. Shorter at the end of a
    /// write.
    pub const UNIT: usize = 4096;
    /// The smallest block that has room for content of its own, bytes.
    pub const SMALLEST_BLOCK: u32 = 512;
}

impl fmt::Display for ContentShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}% compressible, {}% duplicates", self.compress, self.dedupe)
    }
}
