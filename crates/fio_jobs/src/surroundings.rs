//! What a conversion has to ask for beyond the text of the job file.

use std::io;

/// What is known of the machine that the jobs are to run on, and of the files beside the job file.
pub trait JobSurroundings {
    /// The value of an environment variable; `None` = it isn't set.
    fn variable(&self, name: &str) -> Option<String>;

    /// Whether messages must not quote the job file itself, because another file names it.
    fn is_secret(&self) -> bool {
        false
    }

    /// The text of a file that a job file includes, by the name that stands there.
    ///
    /// # Errors
    /// It can't be read.
    fn included(&self, name: &str) -> io::Result<Vec<u8>>;

    /// The text of a job file on a command line. Names in it are relative to its folder from then on.
    ///
    /// # Errors
    /// It can't be read.
    fn job_file(&self, name: &str) -> io::Result<Vec<u8>> {
        self.included(name)
    }

    fn existing(&self, path: &str) -> Existing;

    /// The CPUs of a NUMA node that this process may use, ascending; empty = there is no such node.
    fn cpus_of_node(&self, node: u32) -> Vec<u32>;

    /// What `$pagesize`, `$mb_memory` and `$ncpus` stand for: bytes, MiB, CPUs; `None` = not known.
    fn keyword(&self, keyword: Keyword) -> Option<u64>;
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    Nothing,
    File(u64),
    Device(u64),
    /// Something else: a folder, a character device, a pipe.
    Other,
}

/// A word of fio's for something of the machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keyword {
    /// `$pagesize`: bytes.
    PageSize,
    /// `$mb_memory`: memory, MiB.
    Memory,
    /// `$ncpus`: CPUs that are online.
    Cpus,
}

impl Keyword {
    pub(super) const ALL: [(&'static str, Keyword); 3] =
        [("$pagesize", Keyword::PageSize), ("$mb_memory", Keyword::Memory), ("$ncpus", Keyword::Cpus)];
}
