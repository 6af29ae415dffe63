//! Settings of a sweep other than its points.

use super::objective::Objective;
use crate::repeat::{Repeat, share};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SweepOrder {
    /// In passes over all points, neighbours far apart in time, with a reference point at begin, middle and
    /// end.
    #[default]
    Interleaved,
    /// All repetitions of a point before the next point.
    Given,
    /// Passes over all points, each in another reproducible random order.
    Random,
}

impl SweepOrder {
    /// Parses the name of an order.
    ///
    /// # Errors
    /// Fails with the expected values.
    pub fn parse(text: &str) -> Result<SweepOrder, &'static str> {
        match text {
            "interleaved" => Ok(SweepOrder::Interleaved),
            "given" => Ok(SweepOrder::Given),
            "random" => Ok(SweepOrder::Random),
            _ => Err("interleaved, given or random"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, serde::Serialize, serde::Deserialize)]
pub struct Settings {
    pub order: SweepOrder,
    pub repeat: Repeat,
    pub diagonal: bool,
    pub adaptive: bool,
    /// `--curve`: shares of the maximum, ascending; empty = no curve.
    pub curve: Vec<f64>,
    pub objective: Option<Objective>,
    /// `--until-sure`: whether points are repeated until the answer is certain.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub until_sure: bool,
    /// Whether the sweep chooses the length and the number of its runs, because no option states them.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub slices: bool,
    pub budget_s: Option<f64>,
    pub settle_s: f64,
}

impl Default for Settings {
    fn default() -> Settings {
        Settings {
            order: SweepOrder::default(),
            repeat: Repeat::Times(1),
            diagonal: false,
            adaptive: false,
            curve: Vec::new(),
            objective: None,
            until_sure: false,
            slices: false,
            budget_s: None,
            settle_s: 0.0,
        }
    }
}

/// Parses a time in seconds: `5s`, `30m`, `2h`; the default unit is seconds.
///
/// # Errors
/// Fails with the expected values.
pub fn seconds(text: &str) -> Result<f64, &'static str> {
    let (digits, unit) = match text.as_bytes().last() {
        Some(b's') => (&text[..text.len() - 1], 1.0),
        Some(b'm') => (&text[..text.len() - 1], 60.0),
        Some(b'h') => (&text[..text.len() - 1], 3600.0),
        _ => (text, 1.0),
    };
    let number: Option<f64> = digits.parse().ok().filter(|n: &f64| (0.0..=1e6).contains(n));
    number.map(|number| number * unit).ok_or("a time as in 5s, 30m or 2h")
}

/// Default step of a curve.
const STEP: f64 = 0.1;

/// Parses rising shares of the maximum: `10%..100%` in steps of 10 %, `20%..90%+5%`, or a list
/// `50%,80%,90%`.
///
/// # Errors
/// Fails with the expected values.
pub fn curve(text: &str) -> Result<Vec<f64>, &'static str> {
    let expected = "parts of the maximum up to 200 %, as in 10%..100%, 20%..90%+5% or 50%,80%,90%";
    let part = |text: &str| share(text).filter(|share| *share <= 2.0).ok_or(expected);
    let mut parts = match text.split_once("..") {
        None => text.split(',').map(part).collect::<Result<Vec<f64>, _>>()?,
        Some((from, behind)) => {
            let (to, step) = behind.split_once('+').map_or((behind, None), |(to, step)| (to, Some(step)));
            let (from, to) = (part(from)?, part(to)?);
            let step = step.map_or(Ok(STEP), part)?;
            let count = (to - from) / step;
            if !(0.0..=1000.0).contains(&count) {
                return Err(expected);
            }
            // The small amount takes in a last step that rounding would miss.
            let steps = (0..).map(|n| from + f64::from(n) * step).take_while(|share| *share < to - 1e-9);
            steps.chain([to]).collect()
        }
    };
    parts.sort_by(f64::total_cmp);
    parts.dedup();
    Ok(parts)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curve_reaches_its_end_in_steps() {
        for (text, count, first, last) in [
            ("10%..100%", 10, 0.1, 1.0),
            ("20%..90%+5%", 15, 0.2, 0.9),
            ("10%..95%", 10, 0.1, 0.95),
            ("80%,50%,90%", 3, 0.5, 0.9),
            ("100%", 1, 1.0, 1.0),
        ] {
            let parts = curve(text).unwrap();
            assert_eq!(parts.len(), count, "{text}: {parts:?}");
            assert!((parts[0] - first).abs() < 1e-9 && (parts[count - 1] - last).abs() < 1e-9, "{text}");
        }
        for text in ["", "10..100", "0%..100%", "90%..10%", "10%..300%", "1%..100%+0.001%"] {
            assert!(curve(text).is_err(), "{text}");
        }
    }

    #[test]
    fn times_have_units() {
        for (text, expected) in [("5s", 5.0), ("30m", 1800.0), ("2h", 7200.0), ("0", 0.0), ("1.5m", 90.0)] {
            assert_eq!(seconds(text), Ok(expected), "{text}");
        }
        for text in ["", "s", "-5s", "5d", "inf", "1e9h"] {
            assert!(seconds(text).is_err(), "{text}");
        }
    }
}
