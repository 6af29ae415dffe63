//! Topics of the help.

/// Topics of `--help`, which are the groups, targets, commands, and everything.
pub(super) const TOPICS: &[&str] = &[
    "all", "targets", "area", "access", "writing", "shape", "threads", "caching", "time", "output",
    "profiles", "replay", "save", "verify", "hosts", "linux", "commands",
];
