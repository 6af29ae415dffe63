//! Conversion of figures to positions on an axis, and its round labels.

/// Scale of an axis. Positions are shares of its length, 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum AxisScale {
    Linear {
        /// Value at position 0.
        from: f64,
        /// Value at position 1.
        to: f64,
    },
    /// Logarithmic scale; both values are greater than 0.
    Log {
        /// Value at position 0.
        from: f64,
        /// Value at position 1.
        to: f64,
    },
}

impl AxisScale {
    /// Returns a scale from 0 to a round figure at or above `highest`.
    pub fn from_zero(highest: f64) -> AxisScale {
        let highest = if highest.is_finite() && highest > 0.0 { highest } else { 1.0 };
        let step = round_step(highest, 4.0);
        AxisScale::Linear { from: 0.0, to: (highest / step).ceil() * step }
    }

    /// Returns a scale from a round figure at or below the lowest to one at or above the highest.
    pub fn to_round(figures: impl IntoIterator<Item = f64>) -> AxisScale {
        let (low, high) = figure_ends(figures).filter(|(low, high)| low < high).unwrap_or((-1.0, 1.0));
        let step = round_step(high - low, 4.0);
        // A figure that is round but for its rounding is its own end.
        AxisScale::Linear { from: (low / step + 1e-9).floor() * step, to: (high / step - 1e-9).ceil() * step }
    }

    /// Returns a scale of the figures' range, which are greater than 0. It covers at least a tenth of
    /// them, so that noise does not fill the axis.
    pub fn scale_near(figures: impl IntoIterator<Item = f64>) -> AxisScale {
        let (low, high) =
            figure_ends(figures.into_iter().filter(|figure| *figure > 0.0)).unwrap_or((0.5, 1.5));
        let middle = (low + high) / 2.0;
        let half = ((high - low) / 2.0 * 1.1).max(middle / 20.0);
        AxisScale::Linear { from: (middle - half).max(0.0), to: middle + half }
    }

    /// Returns a logarithmic scale of the figures' range, which are greater than 0. It covers at least a
    /// factor of two, so that noise does not dominate.
    pub fn log(figures: impl IntoIterator<Item = f64>) -> AxisScale {
        let (low, high) =
            figure_ends(figures.into_iter().filter(|figure| *figure > 0.0)).unwrap_or((0.1, 10.0));
        let (low, high) = if high / low < 2.0 { (low / 1.5, high * 1.5) } else { (low / 1.1, high * 1.1) };
        AxisScale::Log { from: low, to: high }
    }

    /// Returns the position of a figure; outside of the axis it is below 0 or above 1.
    pub fn place(self, figure: f64) -> f64 {
        match self {
            AxisScale::Linear { from, to } => (figure - from) / (to - from),
            AxisScale::Log { from, to } => (figure.max(f64::MIN_POSITIVE) / from).ln() / (to / from).ln(),
        }
    }

    /// Returns about `wanted` round figures of the scale, ascending; common decimal steps on a logarithmic
    /// scale.
    pub fn round_figures(self, wanted: f64) -> Vec<f64> {
        match self {
            AxisScale::Linear { from, to } => {
                let step = round_step(to - from, wanted);
                let first = (from / step).ceil() as i64;
                let last = (to / step + 1e-9).floor() as i64;
                (first..=last.min(first + 100)).map(|number| number as f64 * step).collect()
            }
            AxisScale::Log { from, to } => {
                let decades = (to / from).log10();
                let steps: &[f64] = match decades {
                    d if d < 1.0 => &[1.0, 1.5, 2.0, 3.0, 5.0, 7.0],
                    d if d < 2.0 => &[1.0, 2.0, 5.0],
                    d if d < 3.0 => &[1.0, 3.0],
                    _ => &[1.0],
                };
                let powers = from.log10().floor() as i32..=to.log10().ceil() as i32;
                let all = powers.flat_map(|power| steps.iter().map(move |step| step * 10f64.powi(power)));
                all.filter(|figure| (from..=to).contains(figure)).collect()
            }
        }
    }
}

fn figure_ends(figures: impl IntoIterator<Item = f64>) -> Option<(f64, f64)> {
    let known = figures.into_iter().filter(|figure| figure.is_finite());
    known.fold(None, |ends: Option<(f64, f64)>, figure| {
        let (low, high) = ends.unwrap_or((figure, figure));
        Some((low.min(figure), high.max(figure)))
    })
}

/// Returns the round step that divides a length into about `wanted` parts.
fn round_step(length: f64, wanted: f64) -> f64 {
    let rough = (length / wanted).max(f64::MIN_POSITIVE);
    let power = 10f64.powf(rough.log10().floor());
    let steps = [1.0, 2.0, 2.5, 5.0, 10.0];
    steps.iter().map(|step| step * power).find(|step| *step >= rough * 0.999).unwrap_or(10.0 * power)
}

/// Returns the step of a time axis of this length in seconds, round in seconds, minutes or hours.
pub fn time_step(seconds: f64) -> f64 {
    const SCALE_STEPS: [f64; 17] = [
        1.0, 2.0, 5.0, 10.0, 15.0, 20.0, 30.0, 60.0, 120.0, 300.0, 600.0, 900.0, 1800.0, 3600.0, 7200.0,
        21_600.0, 43_200.0,
    ];
    let rough = seconds / 6.0;
    match rough {
        _ if rough <= 1.0 => round_step(seconds, 6.0),
        _ => SCALE_STEPS.into_iter().find(|step| *step >= rough).unwrap_or_else(|| round_step(seconds, 6.0)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_from_zero_ends_at_a_round_figure() {
        for (highest, end) in [(97.0, 100.0), (100.0, 100.0), (101.0, 150.0), (0.0, 1.0), (f64::NAN, 1.0)] {
            assert_eq!(AxisScale::from_zero(highest), AxisScale::Linear { from: 0.0, to: end }, "{highest}");
        }
    }

    #[test]
    fn figures_have_distinct_offsets() {
        let linear = AxisScale::Linear { from: 0.0, to: 200.0 };
        assert_eq!([linear.place(0.0), linear.place(50.0), linear.place(200.0)], [0.0, 0.25, 1.0]);
        let log = AxisScale::Log { from: 0.1, to: 1000.0 };
        assert!((log.place(10.0) - 0.5).abs() < 1e-12);
        assert!(log.place(0.0).is_finite());
    }

    #[test]
    fn round_figures_are_round_and_within() {
        let hundred = AxisScale::Linear { from: 0.0, to: 100.0 };
        assert_eq!(hundred.round_figures(4.0), [0.0, 25.0, 50.0, 75.0, 100.0]);
        assert_eq!(AxisScale::Log { from: 0.5, to: 900.0 }.round_figures(4.0), [1.0, 10.0, 100.0]);
        assert_eq!(AxisScale::Log { from: 0.9, to: 4.0 }.round_figures(4.0), [1.0, 1.5, 2.0, 3.0]);
        for seconds in [0.4, 3.0, 10.0, 60.0, 600.0, 3600.0, 86_400.0, 1e7] {
            let count = seconds / time_step(seconds);
            assert!((2.0..=7.0).contains(&count), "{seconds}: {count}");
        }
    }

    #[test]
    fn axis_of_changes_ends_at_round_numbers() {
        for (changes, from, to) in [
            (&[-1.2, 0.0, 7.0][..], -2.5, 7.5),
            (&[0.0, 10.0], 0.0, 10.0),
            (&[f64::NAN], -1.0, 1.0),
            (&[0.0], -1.0, 1.0),
        ] {
            assert_eq!(AxisScale::to_round(changes.iter().copied()), AxisScale::Linear { from, to });
        }
        let noise = AxisScale::scale_near([1000.0, 1001.0]);
        assert!(noise.place(1000.0) > 0.45 && noise.place(1001.0) < 0.55, "{noise:?}");
        let AxisScale::Linear { from, to } = AxisScale::scale_near([10.0, 200.0]) else {
            panic!("not linear")
        };
        assert!((from - 0.5).abs() < 1e-9 && (to - 209.5).abs() < 1e-9, "{from} {to}");
    }

    #[test]
    fn noise_does_not_fill_a_logarithmic_axis() {
        let AxisScale::Log { from, to } = AxisScale::log([1.0, 1.01]) else { panic!("not logarithmic") };
        assert!(to / from > 2.0);
        assert_eq!(AxisScale::log([]), AxisScale::log([f64::NAN, 0.0]));
    }
}
