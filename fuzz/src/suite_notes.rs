//! Any bytes as the notes of a suite next to its runs: refused with a reason, or read.

use diskspd::store::SuiteNotes;

pub fn check(data: &[u8]) {
    if let Err(error) = SuiteNotes::parse(data) {
        assert!(!error.to_string().is_empty());
    }
}
