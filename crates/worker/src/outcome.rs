//! Outcome of a run and of its time spans.

use diskspd_results::{Results, SpanResults};

#[derive(Debug, Default)]
pub struct Outcome {
    /// Results by time span; failed or unreached ones are empty.
    pub results: Results,
    /// Causes of the failure; empty = success. An interrupted run did not fail.
    pub failures: Vec<String>,
    /// Problems in addition to the valid figures: I/Os that never completed, an incomplete log, lost data.
    /// The exit code reports a failed run.
    pub troubles: Vec<String>,
    /// Whether the run failed before any change, so that no time span has begun.
    pub refused: bool,
}

#[derive(Debug, Default, Clone)]
pub struct SpanOutcome {
    pub results: SpanResults,
    /// Causes of the failure; empty = success.
    pub failures: Vec<String>,
    pub troubles: Vec<String>,
    /// Whether the run failed before any change.
    pub refused: bool,
}

impl Outcome {
    pub fn last_span(&self) -> SpanOutcome {
        let results = self.results.time_spans.last().cloned().unwrap_or_default();
        SpanOutcome {
            results,
            failures: self.failures.clone(),
            troubles: self.troubles.clone(),
            refused: self.refused,
        }
    }
}

impl SpanOutcome {
    pub fn failed(failures: Vec<String>) -> SpanOutcome {
        SpanOutcome { failures, ..SpanOutcome::default() }
    }

    pub fn from_failures(failures: Vec<String>) -> SpanOutcome {
        SpanOutcome { failures, refused: true, ..SpanOutcome::default() }
    }
}
