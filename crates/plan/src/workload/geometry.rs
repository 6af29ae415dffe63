//! The bytes of a target that a thread may access, and the possible start positions of I/Os.

/// Parameters of the bytes that one thread accesses, in the user's terms. Sizes are per target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Placement {
    pub size: u64,
    /// `-B`: first accessible byte.
    pub base: u64,
    /// `-f`, `-B<base>:<length>`: exclusive end of the accessible bytes; 0 = end of the target.
    pub max_offset: u64,
    /// `-b`, in bytes.
    pub block_size: u32,
    /// Zero-based index of the thread among the threads of the target.
    pub thread: u32,
    /// `-T`: distance between the starting positions of threads in bytes.
    pub thread_stride: u64,
}

/// Bytes that one thread may access.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Region {
    /// Offset of the first byte in the target.
    pub base: u64,
    /// Bytes from `base` on; at least `first` + block size.
    pub length: u64,
    /// Start of the thread in bytes from `base`.
    pub first: u64,
}

/// Reason why a thread's first I/O does not fit. The text omits the target's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PlacementError {
    #[error(
        "the base offset (-B) of {} bytes is at or beyond the end of the area, {end} bytes ({}): lower -B or \
         use a larger target", .placement.base, Values(.placement)
    )]
    BaseBeyondEnd {
        placement: Placement,
        /// Smaller of target size and maximum offset in bytes.
        end: u64,
    },
    #[error(
        "a block of {} bytes (-b) does not fit into the area of {region} bytes ({}): lower -b or -B, raise \
         -f or use a larger target", .placement.block_size, Values(.placement)
    )]
    BlockExceedsRegion {
        placement: Placement,
        /// Accessible bytes.
        region: u64,
    },
    /// The starting position of the thread is too far into the target.
    #[error(
        "thread {} of the target does not fit: it needs {needed} bytes (thread number x stride + block) of \
         an area of {region} bytes ({}): lower -T or -t or use a larger target",
        .placement.thread, Values(.placement)
    )]
    StartBeyondRegion {
        placement: Placement,
        /// Accessible bytes.
        region: u64,
        /// Minimum size in bytes for the first I/O.
        needed: u128,
    },
}

struct Values<'a>(&'a Placement);

impl std::fmt::Display for Values<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let p = self.0;
        write!(f, "target size {}, base offset {}, maximum offset ", p.size, p.base)?;
        match p.max_offset {
            0 => f.write_str("none")?,
            offset => write!(f, "{offset}")?,
        }
        write!(f, ", thread {}, thread stride {}, block size {}", p.thread, p.thread_stride, p.block_size)
    }
}

impl Placement {
    /// Returns the bytes that the thread may access: from the base offset to the maximum offset or the end
    /// of the target, the smaller of the two.
    ///
    /// # Errors
    /// Fails if the thread's first I/O does not fit. DISKSPD checks only the last case, and its first two
    /// overflow.
    pub fn region(&self) -> Result<Region, PlacementError> {
        let placement = *self;
        let end = if self.max_offset == 0 { self.size } else { self.size.min(self.max_offset) };
        if self.base >= end {
            return Err(PlacementError::BaseBeyondEnd { placement, end });
        }
        let region = end - self.base;
        if region < u64::from(self.block_size) {
            return Err(PlacementError::BlockExceedsRegion { placement, region });
        }
        let first = u128::from(self.thread) * u128::from(self.thread_stride);
        let needed = first + u128::from(self.block_size);
        if needed > u128::from(region) {
            return Err(PlacementError::StartBeyondRegion { placement, region, needed });
        }
        Ok(Region { base: self.base, length: region, first: first as u64 })
    }
}

/// The positions at which an I/O may start: the multiples of the stride from which a block still fits into
/// the region.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Grid {
    /// Accessible bytes; at least `block_size`.
    pub region: u64,
    pub block_size: u32,
    /// Distance between positions, bytes; at least 1. May be smaller or larger than a block and need not
    /// divide anything.
    pub stride: u64,
}

impl Grid {
    /// Returns the last byte at which an I/O may start, on the grid or not.
    pub fn limit(&self) -> u64 {
        self.region.saturating_sub(u64::from(self.block_size))
    }

    /// Returns the number of positions; at least 1.
    pub fn positions(&self) -> u64 {
        // Saturating, for the one-byte stride of an impossible region of 2^64 bytes.
        (self.limit() / self.stride.max(1)).saturating_add(1)
    }

    /// Bytes from the first position to where the one after the last would be. Files end below 2^63 bytes,
    /// so this fits.
    pub fn aligned_size(&self) -> u64 {
        self.positions().saturating_mul(self.stride.max(1))
    }

    pub fn round_down(&self, x: u64) -> u64 {
        x - x % self.stride.max(1)
    }
}
