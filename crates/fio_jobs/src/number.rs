//! Numbers in fio's syntax: sizes, times, and arithmetic in parentheses.

use std::num::ParseIntError;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FioSize {
    Bytes(u64),
    /// Percent of the file or device.
    Percent(u64),
}

impl FioSize {
    /// Returns the bytes for a file of `whole` bytes; `None` = unknown.
    pub(crate) fn share_of(self, whole: Option<u64>) -> Option<u64> {
        match self {
            FioSize::Bytes(bytes) => Some(bytes),
            FioSize::Percent(percent) => {
                u64::try_from(u128::from(whole?) * u128::from(percent.min(100)) / 100).ok()
            }
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum NumberError {
    #[error("the value is missing")]
    Missing,
    #[error("this is not a number")]
    NotANumber,
    #[error(
        "'{0}' is not a unit: sizes take k, m, g, t, p with or without b or ib, times us, ms, s, m, h, d"
    )]
    Unit(String),
    #[error(
        "of how many bytes a zone (z) is, the job does not say: give zonemode=zbd and zonesize, or \
        bytes"
    )]
    Zones,
    #[error("the number is out of range")]
    TooLarge,
    #[error("the expression cannot be computed: numbers, + - * / % ^, parentheses and units are possible")]
    Expression,
}

impl From<ParseIntError> for NumberError {
    fn from(_: ParseIntError) -> NumberError {
        NumberError::TooLarge
    }
}

#[derive(Clone, Copy)]
enum Units {
    /// Bytes, with this value of k.
    Bytes(u64),
    Micros(u64),
}

impl Units {
    fn unit_factor(self, unit: &str) -> Option<u64> {
        let unit = unit.to_ascii_lowercase();
        match self {
            Units::Bytes(base) => {
                // With a base of 1024 "kb" is 1024 and "kib" 1000, and the reverse: fio's history.
                let opposite = if base == 1024 { 1000 } else { 1024 };
                let (letter, base) = match unit.as_str() {
                    "" | "b" => return Some(1),
                    unit => match (unit.strip_suffix("ib"), unit.strip_suffix('b')) {
                        (Some(letter), _) => (letter, opposite),
                        (None, Some(letter)) => (letter, base),
                        (None, None) => (unit, base),
                    },
                };
                let power = ["k", "m", "g", "t", "p"].iter().position(|known| *known == letter)?;
                base.checked_pow(u32::try_from(power).ok()? + 1)
            }
            Units::Micros(without) => Some(match unit.as_str() {
                "" => without,
                "us" | "usec" => 1,
                "ms" | "msec" => 1000,
                "s" => 1_000_000,
                "m" => 60_000_000,
                "h" => 3_600_000_000,
                "d" => 86_400_000_000,
                _ => return None,
            }),
        }
    }
}

/// Reads a size; `kb_base` is the value of the suffix k.
///
/// # Errors
/// Fails if the text is not a size.
pub(crate) fn size(text: &str, kb_base: u64) -> Result<FioSize, NumberError> {
    // Fio takes 100%% for 100%.
    match text.trim_end_matches('%') {
        percent if percent != text => {
            Ok(FioSize::Percent(parse_plain(percent.trim(), Units::Bytes(kb_base))?))
        }
        _ => bytes(text, kb_base).map(FioSize::Bytes),
    }
}

/// Returns the number of zones of a size in zones; `None` = another kind of size.
pub(crate) fn zones(text: &str) -> Option<u64> {
    text.trim().strip_suffix(['z', 'Z'])?.parse().ok()
}

/// Parses a number of bytes.
///
/// # Errors
/// Fails if the text is not a number of bytes.
pub(crate) fn bytes(text: &str, kb_base: u64) -> Result<u64, NumberError> {
    parse_number(text, Units::Bytes(kb_base))
}

/// Reads a time in us; `without_unit` is the unit of a bare number.
///
/// # Errors
/// Fails if the text is not a time.
pub(crate) fn micros(text: &str, without_unit: u64) -> Result<u64, NumberError> {
    parse_number(text, Units::Micros(without_unit))
}

fn parse_number(text: &str, units: Units) -> Result<u64, NumberError> {
    match text.trim() {
        "" => Err(NumberError::Missing),
        // The unit of a number without one is that of the whole expression.
        expression if expression.starts_with('(') => {
            let whole = value(expression, units)?;
            let factor = match units {
                Units::Micros(without) if !expression.contains(|c: char| c.is_ascii_alphabetic()) => without,
                _ => 1,
            };
            whole.checked_mul(factor).ok_or(NumberError::TooLarge)
        }
        text => parse_plain(text, units),
    }
}

fn parse_plain(text: &str, units: Units) -> Result<u64, NumberError> {
    let (digits, rest, radix) = match text.strip_prefix("0x").or_else(|| text.strip_prefix("0X")) {
        Some(hex) => (hex, hex.trim_start_matches(|c: char| c.is_ascii_hexdigit()), 16),
        None => (text, text.trim_start_matches(|c: char| c.is_ascii_digit()), 10),
    };
    let digits = &digits[..digits.len() - rest.len()];
    match (digits.is_empty(), rest) {
        (true, _) => return Err(NumberError::NotANumber),
        (false, "z" | "Z") => return Err(NumberError::Zones),
        _ => {}
    }
    let number = u64::from_str_radix(digits, radix)?;
    let factor = units.unit_factor(rest.trim()).ok_or_else(|| NumberError::Unit(rest.to_owned()))?;
    number.checked_mul(factor).ok_or(NumberError::TooLarge)
}

/// The value of an expression, cut to an integer: with its parentheses, or as `bc` is given it.
pub(crate) fn computed(text: &str, kb_base: u64) -> Result<u64, NumberError> {
    value(text, Units::Bytes(kb_base))
}

fn value(text: &str, units: Units) -> Result<u64, NumberError> {
    let mut reader = Expression { rest: text, units, depth: 0 };
    let value = reader.sum()?;
    match reader.rest.trim().is_empty() {
        true if value.is_finite() && (0.0..9.2e18).contains(&value) => Ok(value as u64),
        true => Err(NumberError::TooLarge),
        false => Err(NumberError::Expression),
    }
}

/// Parser of an expression.
struct Expression<'a> {
    rest: &'a str,
    units: Units,
    depth: u32,
}

/// Maximum depth of parentheses.
const MAX_PARENTHESES: u32 = 50;

impl Expression<'_> {
    fn next_is(&mut self, character: char) -> bool {
        let rest = self.rest.trim_start();
        let behind = rest.strip_prefix(character);
        self.rest = behind.unwrap_or(rest);
        behind.is_some()
    }

    fn sum(&mut self) -> Result<f64, NumberError> {
        let mut value = self.parse_product()?;
        loop {
            match () {
                () if self.next_is('+') => value += self.parse_product()?,
                () if self.next_is('-') => value -= self.parse_product()?,
                () => return Ok(value),
            }
        }
    }

    fn parse_product(&mut self) -> Result<f64, NumberError> {
        let mut value = self.parse_power()?;
        loop {
            match () {
                () if self.next_is('*') => value *= self.parse_power()?,
                () if self.next_is('/') => value /= self.parse_power()?,
                () if self.next_is('%') => value %= self.parse_power()?,
                () => return Ok(value),
            }
        }
    }

    fn parse_power(&mut self) -> Result<f64, NumberError> {
        let base = self.parse_single()?;
        self.depth += 1;
        let value = match self.next_is('^') {
            true if self.depth < MAX_PARENTHESES => base.powf(self.parse_power()?),
            true => return Err(NumberError::Expression),
            false => base,
        };
        self.depth -= 1;
        Ok(value)
    }

    fn parse_single(&mut self) -> Result<f64, NumberError> {
        self.depth += 1;
        if self.depth > MAX_PARENTHESES {
            return Err(NumberError::Expression);
        }
        let value = match () {
            () if self.next_is('-') => -self.parse_single()?,
            () if self.next_is('(') => {
                let value = self.sum()?;
                if !self.next_is(')') {
                    return Err(NumberError::Expression);
                }
                value * self.parse_unit()?
            }
            () => {
                let rest = self.rest.trim_start();
                let behind = rest.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
                let digits = &rest[..rest.len() - behind.len()];
                let number: f64 = digits.parse().map_err(|_| NumberError::Expression)?;
                self.rest = behind;
                number * self.parse_unit()?
            }
        };
        self.depth -= 1;
        Ok(value)
    }

    fn parse_unit(&mut self) -> Result<f64, NumberError> {
        let behind = self.rest.trim_start_matches(|c: char| c.is_ascii_alphabetic());
        let unit = &self.rest[..self.rest.len() - behind.len()];
        self.rest = behind;
        match (unit.is_empty(), self.units.unit_factor(unit)) {
            (true, _) => Ok(1.0),
            (false, Some(factor)) => Ok(factor as f64),
            (false, None) => Err(NumberError::Unit(unit.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_fios_units() {
        for (text, kb_base, expected) in [
            ("0", 1024, 0),
            ("4096", 1024, 4096),
            ("4k", 1024, 4096),
            ("4K", 1000, 4000),
            ("4kb", 1024, 4096),
            ("4KiB", 1024, 4000),
            ("4KiB", 1000, 4096),
            ("1m", 1024, 1 << 20),
            ("2G", 1024, 2 << 30),
            ("1t", 1024, 1 << 40),
            ("1p", 1024, 1 << 50),
            ("512b", 1024, 512),
            ("0x1000", 1024, 4096),
            ("(1024*1024)", 1024, 1 << 20),
            ("(4k*(2+3))", 1024, 20480),
            ("(7/2)", 1024, 3),
            ("(2^10 - 24)", 1024, 1000),
            ("(10%4)", 1024, 2),
            ("((1+1)k)", 1024, 2048),
            ("(-1+2)", 1024, 1),
        ] {
            assert_eq!(bytes(text, kb_base), Ok(expected), "{text}");
        }
        assert_eq!(size("30%", 1024), Ok(FioSize::Percent(30)));
        assert_eq!(size("100%%", 1024), Ok(FioSize::Percent(100)));
        assert_eq!(FioSize::Percent(30).share_of(Some(u64::MAX)), Some(5_534_023_222_112_865_484));
        assert_eq!(FioSize::Percent(30).share_of(None), None);
    }

    #[test]
    fn invalid_sizes_are_rejected() {
        for (text, expected) in [
            ("", NumberError::Missing),
            ("k", NumberError::NotANumber),
            ("-1", NumberError::NotANumber),
            ("%", NumberError::NotANumber),
            ("4x", NumberError::Unit("x".into())),
            ("1.5g", NumberError::Unit(".5g".into())),
            ("128z", NumberError::Zones),
            ("99999999999999999999", NumberError::TooLarge),
            ("18446744073709551615k", NumberError::TooLarge),
            ("(", NumberError::Expression),
            ("(1+)", NumberError::Expression),
            ("(1) 2", NumberError::Expression),
            ("(1/0)", NumberError::TooLarge),
            ("(0-1)", NumberError::TooLarge),
            ("(1furlong)", NumberError::Unit("furlong".into())),
        ] {
            assert_eq!(size(text, 1024), Err(expected), "{text}");
        }
        for deep in ["(".repeat(10_000), "(-".repeat(5000), format!("({})", "1^".repeat(5000))] {
            assert_eq!(size(&deep, 1024), Err(NumberError::Expression));
        }
    }

    #[test]
    fn times_are_seconds_or_microseconds_without_a_unit() {
        for (text, without_unit, expected) in [
            ("5", 1_000_000, 5_000_000),
            ("5", 1, 5),
            ("5s", 1, 5_000_000),
            ("100ms", 1_000_000, 100_000),
            ("2m", 1_000_000, 120_000_000),
            ("1h", 1, 3_600_000_000),
            ("1d", 1, 86_400_000_000),
            ("(2*3)", 1_000_000, 6_000_000),
            ("(1m+5s)", 1, 65_000_000),
        ] {
            assert_eq!(micros(text, without_unit), Ok(expected), "{text}");
        }
        assert_eq!(micros("5x", 1), Err(NumberError::Unit("x".into())));
    }

    proptest::proptest! {
        #[test]
        fn arbitrary_text_is_judged_without_panic(text: String) {
            let _ = (size(&text, 1024), micros(&text, 1), computed(&text, 1024));
        }
    }
}
