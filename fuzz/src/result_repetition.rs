//! Any bytes as the file of a repetition (`--repeat`).

use diskspd::record::repetition;

pub fn check(data: &[u8]) {
    if let Ok(read) = repetition::read(data) {
        let again = repetition::read(read.json().as_bytes());
        assert_eq!(again.map(|again| again.runs.len()), Ok(read.runs.len()));
        let _ = (read.text(), read.csv(), read.summaries("r.json"));
    }
}
