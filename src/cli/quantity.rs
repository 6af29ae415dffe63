//! Units after a lenient integer. DISKSPD reads integers as C's `atoi` does and drops the unit, so `-d1m`
//! measures for one second.

use crate::units::{behind_lenient_integer, parse_lenient_integer};

/// Quantity of a lenient integer, which decides the units that would change the value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Quantity {
    Seconds,
    Milliseconds,
    Count,
    Plain,
}

const TIME_UNITS: [(&[&str], u64); 8] = [
    (&["ns"], 1),
    (&["us", "\u{b5}s", "\u{3bc}s"], 1_000),
    (&["ms", "msec", "msecs"], 1_000_000),
    (&["s", "sec", "secs", "second", "seconds"], 1_000_000_000),
    (&["m", "min", "mins", "minute", "minutes"], 60_000_000_000),
    (&["h", "hr", "hour", "hours"], 3_600_000_000_000),
    (&["d", "day", "days"], 86_400_000_000_000),
    (&["w", "week", "weeks"], 604_800_000_000_000),
];

/// Units of amounts, multiples of 1024 as in DISKSPD's sizes.
const AMOUNTS: [(&[&str], u64); 4] = [
    (&["k", "ki", "kb", "kib"], 1 << 10),
    (&["m", "mi", "mb", "mib"], 1 << 20),
    (&["g", "gi", "gb", "gib"], 1 << 30),
    (&["t", "ti", "tb", "tib"], 1 << 40),
];

impl Quantity {
    /// Returns the units of the value, and the nanoseconds or pieces of one step of the option.
    fn unit_table(self) -> (&'static [(&'static [&'static str], u64)], u64) {
        match self {
            Quantity::Seconds => (&TIME_UNITS, 1_000_000_000),
            Quantity::Milliseconds => (&TIME_UNITS, 1_000_000),
            Quantity::Count => (&AMOUNTS, 1),
            Quantity::Plain => (&[], 1),
        }
    }

    /// The intended number, rounded up, if units after the digits change the value, as in `1.5m` and `1h30m`.
    /// 0 has the same value in any unit.
    pub fn convert(self, value: &[u8]) -> Option<u128> {
        let whole = u128::try_from(parse_lenient_integer(value)).ok()?;
        let suffix = std::str::from_utf8(behind_lenient_integer(value)).ok()?.to_lowercase();
        let mut number = whole.to_string();
        let mut left = suffix.as_str();
        let (mut intended, step) = (0, u128::from(self.unit_table().1));
        while !left.is_empty() {
            let digits = left.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(left.len());
            number.push_str(&left[..digits]);
            let named = left[digits..].trim_start();
            let end = named.find(|c: char| c.is_ascii_digit()).unwrap_or(named.len());
            intended += self.count_steps(&number, named[..end].trim_end(), step)?;
            (number, left) = (String::new(), &named[end..]);
        }
        let one = PARTS * step;
        (!suffix.is_empty() && intended != whole * one).then(|| intended.div_ceil(one))
    }

    /// Converts a number such as `1.5` of a unit to parts of the smallest unit.
    fn count_steps(self, number: &str, unit: &str, step: u128) -> Option<u128> {
        let size = match self.unit_table().0.iter().find(|(names, _)| names.contains(&unit)) {
            Some((_, size)) => u128::from(*size),
            None => step * MULTIPLES.iter().find(|(name, _)| *name == unit && step > 1)?.1,
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let fraction = format!("{:0<9}", fraction.get(..9).unwrap_or(fraction));
        let parts = whole.parse::<u128>().ok()?.checked_mul(PARTS)? + fraction.parse::<u128>().ok()?;
        parts.checked_mul(size)
    }
}

/// Parts of one, for nine decimal places.
const PARTS: u128 = 1_000_000_000;

/// Multiples of a time step; the other letters are units of time.
const MULTIPLES: [(&str, u128); 2] = [("k", 1_000), ("g", 1_000_000_000)];

/// Bytes of an amount such as `4KiB` or `1.5G`. A fraction that is not whole bytes is rounded to the next
/// smaller unit (`0.3G` is 307 MiB); `None` for fractions of bytes and KiB.
pub(super) fn amount(text: &str) -> Option<u64> {
    let (number, unit) =
        text.split_at(text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len()));
    let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
    let size = match unit.to_lowercase().as_str() {
        "" => 1,
        unit => AMOUNTS.iter().find(|(names, _)| names.contains(&unit))?.1,
    };
    let scale = 10_u128.checked_pow(u32::try_from(fraction.len()).ok()?)?;
    let number = format!("{whole}{fraction}").parse::<u128>().ok()?;
    let bytes = number.checked_mul(u128::from(size))?;
    let step = u128::from(size) >> 10;
    let whole_bytes = match bytes % scale {
        0 => bytes / scale,
        _ if step > 1 => (bytes + scale * step / 2) / (scale * step) * step,
        _ => return None,
    };
    u64::try_from(whole_bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unit_that_changes_value_is_converted() {
        use Quantity::{Count, Milliseconds, Plain, Seconds};
        for (quantity, value, intended) in [
            (Seconds, "1m", Some(60)),
            (Seconds, "1M", Some(60)),
            (Seconds, "1.5 min", Some(90)),
            (Seconds, "2h", Some(7200)),
            (Seconds, "1d", Some(86_400)),
            (Seconds, "500ms", Some(1)),
            (Seconds, "1500ms", Some(2)),
            (Seconds, "1000us", Some(1)),
            (Seconds, "+3m", Some(180)),
            (Seconds, "2147483647w", Some(1298798109705600)),
            (Seconds, "1h30m", Some(5400)),
            (Seconds, "1m30s", Some(90)),
            (Seconds, "1 min 30 s", Some(90)),
            (Seconds, "1K", Some(1000)),
            (Milliseconds, "5K", Some(5000)),
            (Seconds, "30s500ms", Some(31)),
            (Seconds, "1h30", None),
            (Seconds, "1.2.3m", None),
            (Seconds, "30s", None),
            (Seconds, "1ms", Some(1)),
            (Seconds, "1\u{b5}s", Some(1)),
            (Seconds, "1000ms", Some(1)),
            (Seconds, "0m", None),
            (Seconds, "5x", None),
            (Seconds, "1e3", None),
            (Seconds, "0.5", None),
            (Seconds, "-1m", None),
            (Milliseconds, "1s", Some(1000)),
            (Milliseconds, "5ms", None),
            (Milliseconds, "5us", Some(1)),
            (Milliseconds, "1us", Some(1)),
            (Count, "4k", Some(4096)),
            (Count, "1.5K", Some(1536)),
            (Count, "1MiB", Some(1 << 20)),
            (Count, "4", None),
            (Count, "4s", None),
            (Plain, "30m", None),
        ] {
            assert_eq!(quantity.convert(value.as_bytes()), intended, "{quantity:?} {value}");
        }
    }

    #[test]
    fn amount_is_whole_bytes_or_rounded() {
        for (text, bytes) in [
            ("0", Some(0)),
            ("512", Some(512)),
            ("4k", Some(4096)),
            ("4KiB", Some(4096)),
            ("1.5G", Some(3 << 29)),
            (".5M", Some(1 << 19)),
            ("4Ki", Some(4096)),
            ("0.3G", Some(307 << 20)),
            ("1.0001T", Some(1024 << 30)),
            ("16777215T", Some(16_777_215 << 40)),
            ("16777216T", None),
            ("0.1K", None),
            ("1.2.3K", None),
            ("4Q", None),
            ("K", None),
            ("99999999999999999999999999999999999999999", None),
        ] {
            assert_eq!(amount(text), bytes, "{text}");
        }
    }
}
