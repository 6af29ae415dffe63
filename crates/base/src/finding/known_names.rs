//! Names of findings read from records, each stored once for the rest of the process.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

/// Maximum number of names, more than any version of the program has, so that a manipulated record cannot
/// fill the memory.
const MAX_NAMES: usize = 512;
const MAX_NAME_LENGTH: usize = 64;

static KNOWN_NAMES: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());

/// Returns the name as a static text; empty if it is not a possible name.
pub fn known_name(name: &str) -> &'static str {
    let possible = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    let mut known = KNOWN_NAMES.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(name) = known.get(name) {
        return name;
    }
    if name.len() > MAX_NAME_LENGTH || known.len() >= MAX_NAMES || !name.bytes().all(possible) {
        return "";
    }
    let kept: &'static str = Box::leak(name.to_owned().into_boxed_str());
    known.insert(kept);
    kept
}

#[cfg(test)]
mod tests {
    use super::known_name;

    #[test]
    fn finding_names_are_interned_and_unknown_is_empty() {
        let (first, second) = (known_name("too-crowded"), known_name(&["too", "crowded"].join("-")));
        assert!(first == "too-crowded" && std::ptr::eq(first, second));
        assert_eq!([known_name("a b"), known_name(&"a".repeat(65)), known_name("\x1b[")], [""; 3]);
    }
}
