//! How discards are done (`--trim`).

/// How a part of a target is given back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TrimWay {
    /// The device is told to forget it: `BLKDISCARD`, or the same as a command of io_uring (Linux 6.12).
    Discard,
    /// A hole is punched into the file, whose size stays: `fallocate` with `FALLOC_FL_PUNCH_HOLE`.
    Punch,
}
