//! What is asked of the kernel about the pages of a buffer.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HugePages {
    /// It is: a buffer of 64 KiB or more lies in them where some are free.
    AskedFor,
    /// It isn't: memory as programs usually have it. With `always` in `transparent_hugepage/enabled` the
    /// kernel may give some all the same, as it does to any program.
    NotAskedFor,
}
