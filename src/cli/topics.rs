//! Topics of the help.

/// Topics of `--help`: the groups of options, and more.
pub(super) const TOPICS: &[&str] = &[
    "all", "targets", "area", "access", "writing", "shape", "threads", "caching", "time", "output",
    "profiles", "replay", "save", "verify", "hosts", "linux", "commands",
];
