//! Errors that callers only print.

/// An error whose users only print it. An error that decides what happens next has a type with kinds.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct MessageError(String);

impl From<String> for MessageError {
    fn from(message: String) -> MessageError {
        MessageError(message)
    }
}

impl From<&str> for MessageError {
    fn from(message: &str) -> MessageError {
        MessageError(message.to_owned())
    }
}

impl From<MessageError> for String {
    fn from(error: MessageError) -> String {
        error.0
    }
}
