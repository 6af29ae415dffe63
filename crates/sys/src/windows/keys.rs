//! Keys that the user types at the terminal: none are read on Windows.

/// Whether keys can be read.
pub fn can_be_read() -> bool {
    false
}

/// Returns the keys since the last call.
pub fn typed() -> Vec<u8> {
    Vec::new()
}

/// Restores the mode of the terminal.
pub fn restore() {}

/// Interrupts this process.
pub fn interrupt() {}
