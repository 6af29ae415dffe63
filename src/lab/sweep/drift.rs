//! Drift: what the reference point did at begin, middle and end.

use super::{Ran, Sweep, What};

/// More than this share between two references is told as a warning.
const MUCH: f64 = 0.05;

/// What the reference point did in the course of the sweep.
#[derive(Debug, Clone, PartialEq, serde::Serialize)]
pub struct Drift {
    /// The point.
    pub reference: String,
    /// I/Os per second of each reference run, in their order; at least two.
    pub iops: Vec<f64>,
    /// The largest distance of one from the first one, as a share of that.
    pub largest: f64,
}

impl Drift {
    /// `None` = there are fewer than two reference runs.
    pub fn of(sweep: &Sweep, history: &[Ran]) -> Option<Drift> {
        let references = history.iter().filter_map(|ran| match ran.what {
            What::Reference(point) => Some((point, ran.line.as_ref()?.iops)),
            _ => None,
        });
        let references: Vec<(usize, f64)> = references.collect();
        let (point, first) = references.first().copied().filter(|(_, iops)| *iops > 0.0)?;
        let iops: Vec<f64> = references.iter().map(|(_, iops)| *iops).collect();
        let largest =
            iops.iter().map(|iops| iops / first - 1.0).max_by(|a, b| a.abs().total_cmp(&b.abs()))?;
        let reference = sweep.points.get(point).map(super::SweepPoint::label).unwrap_or_default();
        (iops.len() > 1).then_some(Drift { reference, iops, largest })
    }

    /// Whether points that were run at different times can hardly be compared.
    pub fn is_much(&self) -> bool {
        self.largest.abs() > MUCH
    }

    /// A line for people.
    pub fn text(&self) -> String {
        let iops: Vec<String> = self.iops.iter().map(|iops| format!("{iops:.0}")).collect();
        let name = if self.reference.is_empty() { "the command line" } else { &self.reference };
        let much = match self.is_much() {
            true => {
                "; the device changed while it was measured: warm up longer (-W, --until-steady) and \
                 repeat points (--repeat)"
            }
            false => "",
        };
        format!(
            "drift: {name} did {} IOPS from begin to end: {:+.1} %{much}",
            iops.join(", "),
            100.0 * self.largest
        )
    }
}
