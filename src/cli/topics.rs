//! Topics of the help.

/// What `--help` takes a word for: each group, what is said of targets and of commands, and everything.
pub const TOPICS: &[&str] = &[
    "all", "targets", "area", "access", "writing", "shape", "threads", "caching", "time", "output",
    "profiles", "replay", "save", "verify", "hosts", "linux", "commands",
];
