//! Numbers that stand for machines.

pub const CONTAINER: &str = "container-";

pub fn is_container(number: &str) -> bool {
    number.starts_with(CONTAINER)
}
