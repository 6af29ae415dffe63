//! Thread priorities; all threads have the same priority here, as in DISKSPD.

use std::io;

#[derive(Debug)]
pub struct Precedence;

/// Lets the calling thread run before workers.
pub fn take_precedence() -> Precedence {
    Precedence
}

/// Gives the calling thread a priority below its leading thread.
pub fn give_way() -> io::Result<Precedence> {
    Ok(Precedence)
}
