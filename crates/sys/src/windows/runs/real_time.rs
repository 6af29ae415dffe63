//! Threads that go before others: all are alike here, as DISKSPD has them.

use std::io;

#[derive(Debug)]
pub struct Precedence;

/// Lets the calling thread run before workers.
pub fn take_precedence() -> Precedence {
    Precedence
}

/// Lets the calling thread run behind those that lead it.
///
/// # Errors
/// None.
pub fn give_way() -> io::Result<Precedence> {
    Ok(Precedence)
}
