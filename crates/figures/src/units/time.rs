//! Times in human-readable and machine-readable units. All conversions from clock ticks are here.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A time in milliseconds: every latency that a report shows.
///
/// It prints itself with three decimals, as DISKSPD does, and [`in_full`](Millis::in_full) with six, to the
/// nanosecond, for programs. Inside are milliseconds, because that is what records and documents hold:
/// nanoseconds would change their last digits whenever one is read and written again.
#[derive(Debug, Clone, Copy, Default, PartialEq, PartialOrd, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Millis(f64);

impl Millis {
    pub const fn new(ms: f64) -> Millis {
        Millis(ms)
    }

    pub const fn of_ns(nanos: u64) -> Millis {
        Millis::of_mean_ns(nanos as f64)
    }

    pub const fn of_mean_ns(nanos: f64) -> Millis {
        Millis(nanos / 1e6)
    }

    /// Converts ns through single precision, as DISKSPD stores single latencies. This determines the
    /// rounding of halves: 19.5 us is shown as 0.020 ms, not as 0.019.
    pub fn of_ns_as_diskspd(nanos: u64) -> Millis {
        let micros = (nanos as f64 / 1000.0) as f32;
        Millis(f64::from(micros / 1000.0))
    }

    pub const fn ms(self) -> f64 {
        self.0
    }

    pub fn seconds(self) -> f64 {
        self.0 / 1e3
    }

    /// Formats the whole time with nanoseconds.
    pub fn in_full(self) -> String {
        format!("{:.6}", self.0)
    }

    /// Formats the time in a suitable unit: `84.2 µs`, `1.32 ms`, `2.40 s`.
    pub fn readable(self) -> String {
        let (value, unit) = match self.0.abs() {
            size if size < 0.000_999_5 => (self.0 * 1e6, "ns"),
            size if size < 0.999_5 => (self.0 * 1e3, "µs"),
            size if size < 999.5 => (self.0, "ms"),
            _ => (self.seconds(), "s"),
        };
        let digits = match value.abs() {
            size if size < 9.995 => 2,
            size if size < 99.95 => 1,
            _ => 0,
        };
        format!("{value:.digits$} {unit}")
    }

    pub fn in_a_sentence(self) -> String {
        match self.0 {
            1000.0.. => format!("{:.2} s", self.seconds()),
            10.0.. => format!("{:.0} ms", self.0),
            _ => format!("{self} ms"),
        }
    }

    /// Limits the time to the range from `shortest` to `longest`.
    #[must_use]
    pub fn clamp_to(self, shortest: Millis, longest: Millis) -> Millis {
        Millis(self.0.clamp(shortest.0, longest.0))
    }

    #[must_use]
    pub fn max(self, other: Millis) -> Millis {
        Millis(self.0.max(other.0))
    }

    #[must_use]
    pub fn min(self, other: Millis) -> Millis {
        Millis(self.0.min(other.0))
    }
}

impl fmt::Display for Millis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match f.width() {
            None => write!(f, "{:.3}", self.0),
            Some(width) => write!(f, "{:>width$.3}", self.0),
        }
    }
}

pub fn seconds_of_ns(nanos: impl Into<i128>) -> f64 {
    nanos.into() as f64 / 1e9
}

pub fn seconds_of_us(micros: impl Into<i128>) -> f64 {
    micros.into() as f64 / 1e6
}

pub fn seconds_of_ms(millis: impl Into<i128>) -> f64 {
    millis.into() as f64 / 1e3
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn time_has_one_text_form() {
        let time = Millis::of_ns(84_215);
        assert_eq!([time.to_string(), time.in_full(), time.readable()], ["0.084", "0.084215", "84.2 µs"]);
        assert_eq!(format!("{time:8}|{time:>10}|"), "   0.084|     0.084|");
        assert_eq!(Millis::of_ns_as_diskspd(19_500).to_string(), "0.020");
    }

    #[test]
    fn readable_times_use_a_suitable_unit() {
        let table = [
            (0.000_084, "84.0 ns"),
            (0.0842, "84.2 µs"),
            (0.9996, "1.00 ms"),
            (1.316, "1.32 ms"),
            (123.4, "123 ms"),
            (2400.0, "2.40 s"),
        ];
        for (ms, expected) in table {
            assert_eq!(Millis::new(ms).readable(), expected);
        }
    }

    #[test]
    fn times_are_stored_in_milliseconds() {
        assert_eq!(serde_json::to_string(&Millis::of_ns(1_500_000)).unwrap(), "1.5");
        assert_eq!(serde_json::from_str::<Millis>("0.1").unwrap().ms(), 0.1);
    }
}
