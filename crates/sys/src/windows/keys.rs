//! Keys that the user types at the terminal: none are read on Windows.

/// Returns the keys since the last call; `None` = no key can be read.
pub fn read_keys() -> Option<Vec<u8>> {
    None
}

/// Restores the mode of the terminal.
pub fn restore() {}
