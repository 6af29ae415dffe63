//! Request of `event`.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventAction {
    /// Wait until it's set.
    Wait,
    Set,
    Reset,
}
