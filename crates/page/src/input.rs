//! The input of a page, and places on it.

use diskspd_checks::JudgedRecord;
use diskspd_results::RunSummary;

/// Run as input of a page.
#[derive(Debug, Clone)]
pub struct Run<'a> {
    pub known: RunSummary,
    /// Further data; `None` = there is no record.
    pub judged: Option<&'a JudgedRecord<'a>>,
}

/// Points of a chart over time, if there is one such chart for each figure on the page.
const POINTS: usize = 240;

#[derive(Debug, Clone)]
pub(crate) struct PageSection {
    /// Prefix of its ids.
    pub prefix: String,
    pub level: u8,
    /// Maximum number of points of a time chart; 0 = no charts.
    pub points: usize,
}

impl PageSection {
    pub(crate) fn single_page() -> PageSection {
        PageSection { prefix: "run".into(), level: 2, points: POINTS }
    }

    /// Returns the section of run `number` (from 0); the first `with_charts` runs have charts.
    pub(crate) fn among(number: usize, with_charts: usize) -> PageSection {
        let points = (2 * POINTS).checked_div(with_charts).map_or(0, |points| points.clamp(40, POINTS));
        PageSection { prefix: format!("run{}", number + 1), level: 3, points }
    }
}
