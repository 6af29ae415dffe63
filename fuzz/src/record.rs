//! Fuzz target: any bytes as a record are rejected with a reason, or printed; the printed record reads
//! back unchanged.

use diskspd::formats::json;
use diskspd::report::text;

pub fn check(data: &[u8]) {
    match json::read(data) {
        Ok(record) => {
            let report = text::text(&record);
            let again = json::read(&json::bytes(&record)).expect("what was written can be read");
            assert!(report == text::text(&again));
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
