//! The streams of a rank that another process has started: a socket as standard input, and the terminal of
//! its launcher.

use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::{self, IsTerminal};
use std::os::fd::OwnedFd;
pub use std::os::unix::net::UnixStream as RankSocket;
use std::path::Path;
use std::process::Stdio;

/// Returns the own end of a new socket, and the end that is a rank's standard input.
pub fn socket_pair() -> io::Result<(RankSocket, Stdio)> {
    let (own, of_rank) = RankSocket::pair()?;
    Ok((own, OwnedFd::from(of_rank).into()))
}

/// Takes the socket away from standard input, so that no other code and no child reads from it. Reads and
/// writes do not wait.
///
/// # Errors
/// Fails if standard input is not a socket.
pub fn take_standard_input() -> io::Result<RankSocket> {
    let socket = RankSocket::from(rustix::io::fcntl_dupfd_cloexec(std::io::stdin(), 3)?);
    socket.local_addr()?;
    socket.set_nonblocking(true)?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    Ok(socket)
}

/// Opens a terminal, which does not become the terminal of this process. `None` = it is not a terminal, or
/// belongs to another user.
pub fn open_terminal(path: &Path) -> Option<File> {
    let flags = OFlags::RDONLY | OFlags::NOCTTY | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let opened = rustix::fs::open(path, flags, Mode::empty());
    opened.ok().map(File::from).filter(File::is_terminal)
}
