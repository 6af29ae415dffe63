//! `diskspd hosts a,b,c -- COMMAND LINE`: one rank on each host, started by an MPI launcher or over ssh.
//!
//! ```text
//! this process (hub)  ──ssh──▶  diskspd hosts --serve  ──▶  rank 0      on the first host
//!                     ──ssh──▶  diskspd hosts --serve  ──▶  rank 1      on the second host
//! ```
//!
//! The hub passes the messages between rank 0 and the other ranks, prints the output of rank 0, and ends with
//! its exit code. Ranks join by [`crate::ranks::relay`] in place of MPI, so every command works as under a
//! launcher. Command lines and folders are sent as data: no shell reads them.

mod greeting;
mod hub;
mod launch;
mod peer;
mod serve;

use crate::cli::{Exit, HostsRequest, HostsStart, is_plain_path};
use crate::commands::shared::command_error::CommandError;
use std::path::PathBuf;

/// Runs the command line on all hosts, or serves as one of them.
///
/// # Errors
/// Fails if a host cannot be reached, or has another version.
pub(crate) fn hosts(request: HostsRequest) -> Result<Exit, CommandError> {
    match request {
        HostsRequest::Serve => serve::serve(),
        HostsRequest::Start(start) => {
            let program = program(&start)?;
            if !start.ssh
                && let Some(launcher) = launch::find_launcher()
            {
                return launch::replace_process(&launcher, &start, &program);
            }
            hub::run(&start, &program)
        }
    }
}

fn program(start: &HostsStart) -> Result<String, CommandError> {
    if let Some(program) = &start.program {
        return Ok(program.clone());
    }
    let own: Option<PathBuf> = std::env::current_exe().ok();
    let own = own.and_then(|own| own.to_str().map(str::to_owned)).filter(|own| is_plain_path(own));
    own.ok_or_else(|| {
        CommandError::failed([
            "the path of this program has letters that a remote shell could change: name a plain path of \
             diskspd on the hosts with --program",
        ])
    })
}
