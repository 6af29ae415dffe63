//! The socket to the process that started this one as a rank: its standard input.

use std::fs::File;
use std::io;
use std::os::unix::net::UnixStream;

/// Takes the socket away from standard input, so that no other code and no child reads from it. Reads and
/// writes do not wait.
///
/// # Errors
/// Fails if standard input is not a socket.
pub fn take_standard_input() -> io::Result<UnixStream> {
    let socket = UnixStream::from(rustix::io::fcntl_dupfd_cloexec(std::io::stdin(), 3)?);
    socket.local_addr()?;
    socket.set_nonblocking(true)?;
    rustix::stdio::dup2_stdin(File::open("/dev/null")?)?;
    Ok(socket)
}
