//! Keys that the user types at the terminal: none are read on Windows.

/// Returns the keys typed since the last call; `None` = keys cannot be read.
pub fn read_keys() -> Option<Vec<u8>> {
    None
}

pub fn restore() {}
