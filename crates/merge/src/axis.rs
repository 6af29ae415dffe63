//! A common time axis for the windows of all hosts.
//!
//! A host's intervals count from its own start. Ranks of one job start together on a shared clock. Hosts
//! started by other means begin at different times, according to their own clocks. Intervals are shifted
//! by whole intervals, so each keeps its exact contents with an error of at most half an interval. If any
//! host is shifted, or measured fewer intervals than others, only intervals measured by all hosts are
//! kept. Sums at the edges would otherwise miss hosts.

use diskspd_figures::units::seconds_of_ns;
use diskspd_figures::units::start_time::date_and_time;
use diskspd_results::{Alignment, Host, HostWindow, SpanResults};

const SECOND: i64 = 1_000_000_000;
const MS: i64 = 1_000_000;

/// Divisor of the interval width that gives the tolerance for a complete last interval. Windows that end
/// together differ by nanoseconds.
const TOLERANCE_DIVISOR: u64 = 20;

/// Measured time of a host in ns since 1970.
#[derive(Debug, Clone, Copy)]
pub(crate) struct HostTimes {
    begin: i64,
    end: i64,
    /// Possible error relative to the other hosts; `None` = unknown.
    uncertainty: Option<u64>,
}

/// Returns the time of a host's measurement of a time span (from 0); `None` without a measurement, or if
/// unknown.
pub(crate) fn window(host: &Host, index: usize, results: &SpanResults) -> Option<HostTimes> {
    if !results.was_measured() {
        return None;
    }
    let common = host.clock.as_ref().and_then(|clock| Some((clock, (*clock.windows.get(index)?)?)));
    if let Some((clock, window)) = common {
        // Measured before and after the run; the larger value holds for both ends.
        let uncertainty = Some(clock.uncertainty_ns.max(clock.uncertainty_after_ns.unwrap_or(0)));
        return Some(HostTimes { begin: window.start_ns, end: window.end_ns, uncertainty });
    }
    let to_the_ms = || results.started_at.map(|at| at.saturating_mul(MS));
    let begin = results.start.map(|began| began.measuring_utc_ns).or_else(to_the_ms)?;
    let end = begin.saturating_add(i64::try_from(results.measured).unwrap_or(i64::MAX));
    Some(HostTimes { begin, end, uncertainty: None })
}

/// Measured windows of a time span so far.
#[derive(Debug, Default)]
pub(crate) struct TimeAxis {
    first: Option<HostTimes>,
    edges: Option<Edges>,
    unknown: bool,
    /// Two largest uncertainties; `None` = unknown for a host.
    uncertainty: ClockUncertainty,
    /// Width of the intervals in ns; 0 = no intervals.
    pub width: u64,
    common: Option<(i64, i64)>,
    shifted: bool,
    /// Minimum and maximum number of intervals of a host.
    counts: Option<(u64, u64)>,
    /// Maximum displacement of an interval in ns, to earlier and later times.
    displaced: (i64, i64),
}

#[derive(Debug, Clone, Copy)]
struct Edges {
    first_begin: i64,
    last_begin: i64,
    first_end: i64,
    last_end: i64,
}

#[derive(Debug, Default)]
struct ClockUncertainty {
    largest: u64,
    next: u64,
    unknown: bool,
}

/// Intervals in which all hosts measured: the first, counted from the start of the first host, and how many.
pub(crate) type CommonIntervals = (i64, u64);

/// Window of a host that does not overlap the others.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "they overlap by {:.1} s, at least {:.1} s are required (half of the shorter run); it ran from {} to {}, \
     the others together from {} to {}",
    seconds_of_ns(*.overlap_ns), seconds_of_ns(*.required_ns), .own[0], .own[1], .others[0], .others[1]
)]
pub struct DisjointWindows {
    pub overlap_ns: i64,
    pub required_ns: i64,
    pub own: [String; 2],
    pub others: [String; 2],
}

impl TimeAxis {
    /// Checks that a host's known window overlaps the other windows by at least half.
    ///
    /// # Errors
    /// Fails with the times of the windows in words.
    pub(crate) fn admits(&self, window: Option<HostTimes>) -> Result<(), DisjointWindows> {
        let (Some(edges), Some(window)) = (self.edges, window) else { return Ok(()) };
        let overlap = edges.first_end.min(window.end).saturating_sub(edges.last_begin.max(window.begin));
        let length = window.end.saturating_sub(window.begin);
        let shorter = edges.first_end.saturating_sub(edges.first_begin).min(length);
        if overlap > 0 && overlap >= shorter - overlap {
            return Ok(());
        }
        let (overlap_ns, required_ns) = (overlap.max(0), shorter / 2);
        let at = |ns: i64| date_and_time(ns.div_euclid(SECOND)).unwrap_or_else(|| format!("{ns} ns"));
        let (begun, ended) = (at(edges.last_begin), at(edges.first_end));
        Err(DisjointWindows {
            overlap_ns,
            required_ns,
            own: [at(window.begin), at(window.end)],
            others: [begun, ended],
        })
    }

    pub(crate) fn add(&mut self, results: &SpanResults, window: Option<HostTimes>) -> HostWindow {
        let measured = results.measured;
        let mut placed = HostWindow { start_ns: window.map(|known| known.begin), measured, shift: 0 };
        if !results.was_measured() {
            return placed;
        }
        let rows = results.threads.iter().flat_map(|thread| &thread.targets);
        let mut series = rows.flat_map(|row| [&row.read.series, &row.write.series]).flatten();
        self.width = self.width.max(series.next().map_or(0, |series| series.width()));
        let Some(window) = window else {
            self.unknown = true;
            self.cover_window(0, measured);
            return placed;
        };
        self.note_window(window);
        let first = self.first.get_or_insert(window).begin;
        if self.width > 0 {
            let later = window.begin.saturating_sub(first);
            placed.shift = (later as f64 / self.width as f64).round() as i64;
            let place = placed.shift.saturating_mul(i64::try_from(self.width).unwrap_or(i64::MAX));
            let off = later.saturating_sub(place);
            self.displaced = (self.displaced.0.min(off), self.displaced.1.max(off));
        }
        self.shifted |= placed.shift != 0;
        self.cover_window(placed.shift, measured);
        placed
    }

    fn note_window(&mut self, HostTimes { begin, end, uncertainty }: HostTimes) {
        let edges = self.edges.get_or_insert(Edges {
            first_begin: begin,
            last_begin: begin,
            first_end: end,
            last_end: end,
        });
        edges.first_begin = edges.first_begin.min(begin);
        edges.last_begin = edges.last_begin.max(begin);
        edges.first_end = edges.first_end.min(end);
        edges.last_end = edges.last_end.max(end);
        let known = &mut self.uncertainty;
        match uncertainty {
            None => known.unknown = true,
            Some(own) if own > known.largest => {
                known.next = known.largest;
                known.largest = own;
            }
            Some(own) => known.next = known.next.max(own),
        }
    }

    fn cover_window(&mut self, shift: i64, measured: u64) {
        let allowed = measured.saturating_add(self.width / TOLERANCE_DIVISOR);
        let whole = allowed.checked_div(self.width).unwrap_or(0);
        self.counts =
            Some(self.counts.map_or((whole, whole), |(few, most)| (few.min(whole), most.max(whole))));
        let end = shift.saturating_add(i64::try_from(whole).unwrap_or(i64::MAX));
        self.common = Some(self.common.map_or((shift, end), |known| (known.0.max(shift), known.1.min(end))));
    }

    /// Whether the intervals of the hosts differ.
    fn is_uneven(&self) -> bool {
        self.shifted || self.counts.is_some_and(|(few, most)| few != most)
    }

    /// Returns the intervals of all hosts together; `None` = all intervals.
    pub(crate) fn common(&self) -> Option<CommonIntervals> {
        let (begin, end) = self.common.filter(|_| self.is_uneven())?;
        Some((begin, end.saturating_sub(begin).max(0).unsigned_abs()))
    }

    /// Returns the start of the intervals in ms since 1970; `None` = unknown.
    pub(crate) fn started_at(&self) -> Option<i64> {
        let first = self.first?.begin;
        let begin = self.common().map_or(0, |(begin, _)| begin);
        let later = begin.saturating_mul(i64::try_from(self.width).unwrap_or(0));
        Some(first.saturating_add(later).div_euclid(MS))
    }

    pub(crate) fn alignment(&self) -> Alignment {
        let known = self.edges.filter(|_| !self.unknown);
        let between = |from: i64, to: i64| to.saturating_sub(from).max(0).unsigned_abs();
        let ClockUncertainty { largest, next, unknown } = self.uncertainty;
        Alignment {
            start_skew_ns: known.map(|edges| between(edges.first_begin, edges.last_begin)),
            stop_skew_ns: known.map(|edges| between(edges.first_end, edges.last_end)),
            common_ns: known.map(|edges| between(edges.last_begin, edges.first_end)),
            shifted: self.shifted,
            truncated: self.common().is_some() && self.width > 0,
            clock_uncertainty_ns: known.filter(|_| !unknown).map(|_| largest.saturating_add(next)),
            intervals_apart_ns: known
                .filter(|_| self.width > 0)
                .map(|_| between(self.displaced.0, self.displaced.1)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn overlap_below_half_of_shorter_run_is_refused() {
        let window = |begin: i64, end: i64| {
            let at = |s: i64| s * SECOND;
            HostTimes { begin: at(begin), end: at(end), uncertainty: None }
        };
        let mut axis = TimeAxis::default();
        axis.note_window(window(100, 120));
        for (begin, end, overlap, required) in
            [(115, 135, 5, 10), (120, 140, 0, 10), (150, 170, 0, 10), (117, 125, 3, 4), (60, 101, 1, 10)]
        {
            let refused = axis.admits(Some(window(begin, end))).unwrap_err();
            assert_eq!((refused.overlap_ns, refused.required_ns), (overlap * SECOND, required * SECOND));
        }
        for (begin, end) in [(110, 130), (90, 110), (100, 120), (116, 124), (0, 300)] {
            assert_eq!(axis.admits(Some(window(begin, end))), Ok(()), "{begin}-{end}");
        }
        assert_eq!(axis.admits(None), Ok(()));
    }
}
