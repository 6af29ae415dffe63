//! Request of `hosts`.

use std::ffi::OsString;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostsRequest {
    Start(HostsStart),
    /// Serves as the remote end on a host.
    Serve,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HostsStart {
    pub hosts: Vec<String>,
    /// Whether to use ssh in any case.
    pub ssh: bool,
    /// Path of the program on the hosts; `None` = the local path.
    pub program: Option<String>,
    /// Command line of each rank, without the program.
    pub words: Vec<OsString>,
}
