//! Names of hosts in a sentence.

/// Maximum number of hosts listed in a message.
pub(super) const MAX_NAMED_HOSTS: usize = 4;

/// Formats `a, b, c and 61 more`.
pub(super) fn names(hosts: &[&str]) -> String {
    match hosts.len().saturating_sub(MAX_NAMED_HOSTS) {
        0 | 1 => hosts.join(", "),
        more => format!("{} and {more} more", hosts[..MAX_NAMED_HOSTS].join(", ")),
    }
}
