//! Any bytes as the file of a sweep (`sweep --json`).

use diskspd::experiments::sweep::SweepResult;
use diskspd::formats::answers;
use diskspd::page::{SweepPage, write_sweep};

pub fn check(data: &[u8]) {
    if let Ok(read) = answers::read::<SweepResult>(data) {
        let again = answers::read::<SweepResult>(read.json().as_bytes());
        assert_eq!(again.map(|again| again.points.len()), Ok(read.points.len()));
        let _ = (read.text(80), read.csv(), read.summaries("s.json"));
        let _ = write_sweep(&SweepPage { sweep: &read, run: None }, &mut Vec::new());
    }
}
