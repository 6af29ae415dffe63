//! What a target makes of discards (`--trim`).

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Discards {
    /// The smallest part that is given back, and its grid, bytes; 0 = not known.
    pub unit: u64,
    /// Of a block device: its name in `/sys`, if it can't discard.
    pub impossible: Option<String>,
    /// Of a block device: the kernel's answer, if its io_uring takes no discards of it.
    pub not_by_uring: Option<String>,
}
