//! Verdicts on a rate over time.

use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SteadyVerdict {
    Steady,
    /// Inconclusive, because the variation is too large to show a relevant change.
    Unclear,
    /// The figure rose from the start.
    Rising,
    /// The figure fell from the start.
    Falling,
    /// The figure changed abruptly, once or several times.
    Changed,
    /// The rate left its level once or repeatedly, by an amount that makes the overall mean differ from the
    /// level.
    Interrupted,
    /// I/O stopped repeatedly, for less than an interval of a second shows.
    Stalling,
    /// The figure rose and fell periodically.
    Periodic,
    Uneven,
}
