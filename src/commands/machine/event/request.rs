//! Request of `event`.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EventAction {
    /// Waits until the event is set.
    Wait,
    Set,
    Reset,
}
