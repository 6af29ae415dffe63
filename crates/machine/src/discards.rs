//! Support of a target for discards (`--trim`).

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Discards {
    /// Minimum discarded unit and its alignment in bytes; 0 = unknown.
    pub unit: u64,
    /// Name in `/sys` of a block device without discard support.
    pub impossible: Option<String>,
    /// Kernel error for discards of a block device by io_uring, if not supported.
    pub not_by_uring: Option<String>,
}
