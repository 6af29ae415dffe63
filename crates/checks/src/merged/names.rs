//! Names of hosts in a sentence.

/// Hosts that are named one by one in a message.
pub(super) const FEW: usize = 4;

/// `a, b, c and 61 more`
pub(super) fn names(hosts: &[&str]) -> String {
    match hosts.len().saturating_sub(FEW) {
        0 | 1 => hosts.join(", "),
        more => format!("{} and {more} more", hosts[..FEW].join(", ")),
    }
}
