//! Any bytes as result XML: refused with a reason, or runs whose figures are possible.

use diskspd::formats::result_xml::read;

pub fn check(data: &[u8]) {
    match read(data, "fuzz.xml") {
        Ok(runs) => {
            assert!(!runs.is_empty());
            for span in runs.iter().flat_map(|run| run.time_spans.iter().flatten()) {
                let figures = [span.read, span.write, span.total];
                let known = figures.iter().flat_map(|f| [f.mean_ms, f.std_dev_ms, f.min_ms, f.max_ms]);
                assert!(known.flatten().all(|time| time.ms().is_finite() && time.ms() >= 0.0));
                assert!(span.percentiles.iter().all(|row| row.percent > 0.0));
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}
