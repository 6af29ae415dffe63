//! Any bytes as a baseline: refused with a reason, or the same when it is written and read again.

use diskspd::store::Baseline;

pub fn check(data: &[u8]) {
    match Baseline::parse(data) {
        Ok(baseline) => {
            let stored = serde_json::json!({"format": {"name": "diskspd-baseline", "version": 1}});
            let mut stored = stored.as_object().cloned().unwrap_or_default();
            let notes = serde_json::to_value(&baseline).unwrap();
            stored.extend(notes.as_object().cloned().unwrap_or_default());
            assert_eq!(Baseline::parse(&serde_json::to_vec(&stored).unwrap()).unwrap(), baseline);
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
