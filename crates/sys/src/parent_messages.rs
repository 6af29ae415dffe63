//! Messages of the child of a divided process to its parent.

use std::os::fd::OwnedFd;
use std::sync::OnceLock;

/// Parent of a divided process ([`super::parent_process`]).
pub(super) static PARENT: OnceLock<WaitingParent> = OnceLock::new();

#[derive(Debug)]
pub(super) struct WaitingParent {
    pub parent: libc::c_int,
    pub pipe: OwnedFd,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Message {
    /// The child is about to end.
    Ends {
        code: u8,
        /// Maximum duration of the end in seconds.
        patience_s: u16,
    },
    /// The child stops with its parent.
    Follows,
    /// The child continues after such a stop.
    Continues,
}

impl Message {
    pub(crate) const LENGTH: usize = 4;

    pub(crate) fn read(bytes: [u8; Self::LENGTH]) -> Message {
        match bytes {
            [0, code, low, high] => Message::Ends { code, patience_s: u16::from_le_bytes([low, high]) },
            [1, ..] => Message::Follows,
            _ => Message::Continues,
        }
    }

    fn to_bytes(self) -> [u8; Self::LENGTH] {
        match self {
            Message::Ends { code, patience_s } => {
                let [low, high] = patience_s.to_le_bytes();
                [0, code, low, high]
            }
            Message::Follows => [1, 0, 0, 0],
            Message::Continues => [2, 0, 0, 0],
        }
    }
}

/// Reports the exit code to the parent, with the maximum duration of the end in seconds.
pub fn will_end(code: u8, patience_s: u16) {
    tell_parent(Message::Ends { code, patience_s });
}

pub(super) fn tell_parent(message: Message) {
    let Some(WaitingParent { parent, pipe }) = PARENT.get() else { return };
    let _ = rustix::io::write(pipe, &message.to_bytes());
    // SAFETY: the call takes numbers alone.
    unsafe { libc::kill(*parent, libc::SIGCHLD) };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_read_as_written() {
        for message in [
            Message::Ends { code: 0, patience_s: 0 },
            Message::Ends { code: 255, patience_s: 600 },
            Message::Follows,
            Message::Continues,
        ] {
            assert_eq!(Message::read(message.to_bytes()), message);
        }
    }
}
