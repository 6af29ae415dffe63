//! Verdicts on a rate over time.

use serde::Serialize;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum SteadyVerdict {
    /// It stayed where it was.
    Steady,
    /// Inconclusive, because the seconds vary too much to show a relevant change.
    Unclear,
    /// It rose from the beginning on.
    Rising,
    /// It fell from the beginning on.
    Falling,
    /// It changed at once, once or a few times.
    Changed,
    /// It left its level for a while, or again and again, by so much that the mean of all isn't the level.
    Interrupted,
    /// It stopped again and again, each time for less than seconds show.
    Stalling,
    /// It went up and down in turns, again and again the same way.
    Periodic,
    /// It went up and down.
    Uneven,
}
