//! A record with all that follows from it: what every report is made of.

use super::{Judgement, judge};
use diskspd_model::results::{Record, Summary, summarize};

/// A record, its figures and what was found about them, each derived once.
#[derive(Debug, Clone)]
pub struct Judged<'a> {
    pub record: &'a Record,
    /// Every figure that reports show.
    pub summary: Summary,
    pub judgement: Judgement,
}

impl<'a> Judged<'a> {
    pub fn new(record: &'a Record) -> Judged<'a> {
        let summary = summarize(record);
        let judgement = judge(record, &summary);
        Judged { record, summary, judgement }
    }
}
