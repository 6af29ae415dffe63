//! Command lines quoted for the shell.

use std::ffi::OsString;

/// Quotes arguments for a shell.
pub fn quoted(arguments: &[OsString]) -> String {
    let plain = |text: &str| {
        !text.is_empty() && text.chars().all(|c| c.is_ascii_alphanumeric() || "-_=./,:%+@".contains(c))
    };
    let word = |argument: &OsString| {
        let text = argument.to_string_lossy();
        if plain(&text) { text.into_owned() } else { format!("'{}'", text.replace('\'', "'\\''")) }
    };
    arguments.iter().map(word).collect::<Vec<_>>().join(" ")
}
