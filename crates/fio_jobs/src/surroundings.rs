//! External information for a conversion, in addition to the text of the job file.

use std::io;

/// Information about the machine that will run the jobs, and about the files next to the job file.
pub trait HostContext {
    /// Returns the value of an environment variable; `None` = not set.
    fn variable(&self, name: &str) -> Option<String>;

    /// Whether messages must not quote the job file, because another file includes it.
    fn is_secret(&self) -> bool {
        false
    }

    /// Returns the text of an included job file.
    fn included(&self, name: &str) -> io::Result<Vec<u8>>;

    /// The text of a job file on a command line. Names in it are relative to its folder from then on.
    fn job_file(&self, name: &str) -> io::Result<Vec<u8>> {
        self.included(name)
    }

    fn existing(&self, path: &str) -> Existing;

    /// The CPUs of a NUMA node that this process may use, ascending; empty = there is no such node.
    fn cpus_of_node(&self, node: u32) -> Vec<u32>;

    /// Returns the value of `$pagesize` (bytes), `$mb_memory` (MiB) or `$ncpus`; `None` = unknown.
    fn keyword(&self, keyword: Keyword) -> Option<u64>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    Nothing,
    File(u64),
    Device(u64),
    /// Folder, character device, pipe or similar.
    Other,
}

/// Keyword of fio for a property of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keyword {
    /// `$pagesize`: page size in bytes.
    PageSize,
    /// `$mb_memory`: memory in MiB.
    Memory,
    /// `$ncpus`: number of online CPUs.
    Cpus,
}

impl Keyword {
    pub(super) const ALL: [(&'static str, Keyword); 3] =
        [("$pagesize", Keyword::PageSize), ("$mb_memory", Keyword::Memory), ("$ncpus", Keyword::Cpus)];
}
