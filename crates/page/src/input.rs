//! The input of a page, and places on it.

use diskspd_checks::JudgedRecord;
use diskspd_results::RunSummary;

/// A run as the page sees it.
#[derive(Debug, Clone)]
pub struct Run<'a> {
    pub known: RunSummary,
    /// All the rest; `None` = there is no record of it.
    pub judged: Option<&'a JudgedRecord<'a>>,
}

/// Points of a chart over time, if there is one such chart for each figure on the page.
const POINTS: usize = 240;

#[derive(Debug, Clone)]
pub(crate) struct PageSection {
    /// Begins the ids of all that belongs to it.
    pub prefix: String,
    pub level: u8,
    /// Points that a chart over time may have; 0 = there is no room for charts.
    pub points: usize,
}

impl PageSection {
    pub(crate) fn single_page() -> PageSection {
        PageSection { prefix: "run".into(), level: 2, points: POINTS }
    }

    /// Returns the place of one of several (from 0), with the number of places with charts.
    pub(crate) fn among(number: usize, with_charts: usize) -> PageSection {
        let points = (2 * POINTS).checked_div(with_charts).map_or(0, |points| points.clamp(40, POINTS));
        PageSection { prefix: format!("run{}", number + 1), level: 3, points }
    }
}
