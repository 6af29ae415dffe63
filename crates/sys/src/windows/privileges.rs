//! Privileges of this process beyond its user's rights.

/// Whether the program's file grants more rights than its user has: not possible on Windows.
pub fn are_above_users() -> bool {
    false
}
