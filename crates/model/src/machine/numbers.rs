//! Numbers that stand for machines.

/// What the number of a machine begins with that only a container tells.
pub const CONTAINER: &str = "container-";

/// Whether a machine's number was told by a container, whose name is another one each time.
pub fn is_container(number: &str) -> bool {
    number.starts_with(CONTAINER)
}
