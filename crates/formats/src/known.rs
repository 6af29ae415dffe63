//! Run summaries of records, for lists, tables and comparisons.

use super::figures;
use super::index::Index;
use diskspd_checks::JudgedRecord;
use diskspd_results::{Origin, RunSummary};

/// Returns the summary of a record's run with all its percentiles; `name` = display name.
pub fn run(judged: &JudgedRecord, name: &str) -> RunSummary {
    let mut known = of_index(Index::from_record(judged), name);
    let spans = known.time_spans.iter_mut().zip(&judged.summary.time_spans);
    for (known, measured) in spans.filter_map(|(known, measured)| known.as_mut().zip(measured.as_ref())) {
        known.percentiles = figures::all_percentiles(measured);
    }
    known.origin = Origin::Record { version: judged.record.format.version };
    known
}

/// Returns the summary from the record's index alone, with the percentiles of the text report.
pub fn of_index(index: Index, name: &str) -> RunSummary {
    RunSummary { name: name.to_owned(), ..index.0 }
}
