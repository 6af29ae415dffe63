//! Error for invalid values of a setting.

/// Error for an invalid value, with a description of the expected values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct InvalidValueError(pub &'static str);

impl From<InvalidValueError> for String {
    fn from(expected: InvalidValueError) -> String {
        expected.0.to_owned()
    }
}
