//! Verdicts on a rate over time.

use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SteadyVerdict {
    Steady,
    /// Inconclusive, because the seconds vary too much to show a relevant change.
    Unclear,
    /// The figure rose from the beginning.
    Rising,
    /// The figure fell from the beginning.
    Falling,
    /// The figure changed abruptly, once or a few times.
    Changed,
    /// It left its level for a while, or again and again, by so much that the mean of all isn't the level.
    Interrupted,
    /// I/O stopped repeatedly, for less than a one-second interval shows.
    Stalling,
    /// It went up and down in turns, again and again the same way.
    Periodic,
    Uneven,
}
