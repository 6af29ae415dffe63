//! Each example of the library runs, and prints its result.

#![allow(clippy::unwrap_used)]

#[allow(dead_code)]
#[path = "../../examples/library/main.rs"]
mod library;

use library::EXAMPLES;
use std::collections::BTreeMap;

#[test]
fn examples_of_library_print_results() {
    let outputs: BTreeMap<&str, String> = EXAMPLES
        .iter()
        .map(|(name, _, run)| {
            let mut output = Vec::new();
            run(&mut output).unwrap();
            (*name, String::from_utf8(output).unwrap())
        })
        .collect();
    assert!(outputs["profile"].contains(" reads, 99 % of them within "), "{outputs:?}");
    assert!(outputs["progress"].contains("IOPS"), "{outputs:?}");
    assert_eq!(outputs["sweep"].lines().count(), 8, "{outputs:?}");
    assert!(outputs["read"].starts_with("time span 1: "), "{outputs:?}");
    assert_eq!(outputs["engine"], "10 of 100 reads failed\n");
    assert!(outputs["compare"].ends_with(", Better\n"), "{outputs:?}");
}
