//! Any bytes as the file of a repetition (`--repeat`).

use diskspd::experiments::repetition::Repetition;
use diskspd::formats::answers;

pub fn check(data: &[u8]) {
    if let Ok(read) = answers::read::<Repetition>(data) {
        let again = answers::read::<Repetition>(read.json().as_bytes());
        assert_eq!(again.map(|again| again.runs.len()), Ok(read.runs.len()));
        let _ = (read.text(80), read.csv(), read.summaries("r.json"));
    }
}
