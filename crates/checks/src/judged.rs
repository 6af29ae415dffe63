//! A record with its conclusions, the input of every report.

use super::{Judgement, judge};
use diskspd_results::{Record, Summary, summarize};

#[derive(Debug, Clone)]
pub struct JudgedRecord<'a> {
    pub record: &'a Record,
    pub summary: Summary,
    pub judgement: Judgement,
}

impl<'a> JudgedRecord<'a> {
    pub fn new(record: &'a Record) -> JudgedRecord<'a> {
        let summary = summarize(record);
        let judgement = judge(record, &summary);
        JudgedRecord { record, summary, judgement }
    }
}
