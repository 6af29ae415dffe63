//! Any bytes as text reports: refused with a reason, or runs whose figures are possible, each readable alone.

use diskspd::formats::result_text::{parts, read};

pub fn check(data: &[u8]) {
    match read(data, "fuzz.txt") {
        Ok(runs) => {
            assert!(!runs.is_empty());
            assert_eq!(parts(data).len(), runs.len());
            for span in runs.iter().flat_map(|run| run.time_spans.iter().flatten()) {
                let figures = [span.read, span.write, span.total];
                let times = figures.iter().flat_map(|f| [f.mean_ms, f.std_dev_ms, f.min_ms, f.max_ms]);
                let times = times.flatten().map(|time| time.ms());
                let mut known = times.chain(figures.iter().filter_map(|f| f.iops));
                assert!(known.all(|figure| figure.is_finite() && figure >= 0.0));
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
