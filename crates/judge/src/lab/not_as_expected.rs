//! What a value had to be.

/// A text is none of the values that can be: what is expected instead, in words.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct NotAsExpected(pub &'static str);

impl From<NotAsExpected> for String {
    fn from(expected: NotAsExpected) -> String {
        expected.0.to_owned()
    }
}
