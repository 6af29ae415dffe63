//! Bencher Metric Format: JSON of benchmarks with their measures. It holds only the results of B of a
//! comparison, because the service keeps the history and has its own thresholds.

use super::{ComparisonReport, list_cases};
use serde_json::{Map, Value, json};

/// Writes the median of B for each figure, with the lowest and the highest run.
pub fn bencher(told: &ComparisonReport) -> Vec<u8> {
    let mut benchmarks = Map::new();
    for case in list_cases(told) {
        let mut measures = Map::new();
        for metric in case.span.into_iter().flat_map(|span| &span.metrics) {
            let Some([_, other]) = &metric.sides else { continue };
            let lowest = other.values.iter().copied().fold(f64::INFINITY, f64::min);
            let highest = other.values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let measure = json!({
                "value": other.median,
                "lower_value": lowest,
                "upper_value": highest,
            });
            measures.insert(slug(&metric.metric), measure);
        }
        if !measures.is_empty() {
            benchmarks.insert(format!("{}: {}", told.title, case.name), Value::Object(measures));
        }
    }
    format!("{:#}\n", Value::Object(benchmarks)).into_bytes()
}

/// Returns the name of a measure in lower case, with digits and dashes.
fn slug(name: &str) -> String {
    name.chars().map(|c| if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }).collect()
}
