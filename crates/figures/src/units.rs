//! Parsing and printing of sizes, integers and seeds.
//!
//! Grammars match DISKSPD: sizes are strict, most counts are *lenient integers* (C `atoi`), seeds follow C
//! `strtoul`. Text is bytes, because arguments need not be UTF-8; errors include the byte position.

pub mod mark;
pub mod near;
pub mod start_time;
pub mod table;
pub mod time;
pub mod visible;
pub mod wrapped;

pub use time::{Millis, seconds_of_ms, seconds_of_ns, seconds_of_us};

use std::fmt;

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{kind}")]
pub struct UnitError {
    /// Byte offset in the given text.
    pub position: usize,
    pub kind: UnitErrorKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum UnitErrorKind {
    #[error("the value is missing")]
    Missing,
    #[error("this is not a number")]
    NotANumber,
    /// Text after the end of the value.
    #[error("unexpected text after the value")]
    Trailing,
    /// The number, or its product with the suffix, exceeds 2^64 - 1.
    #[error("the value does not fit 64 bits")]
    TooLarge,
}

fn error<T>(position: usize, kind: UnitErrorKind) -> Result<T, UnitError> {
    Err(UnitError { position, kind })
}

/// Parses the decimal digits `text` begins with; returns the number and how many bytes it took.
/// No sign, no blank; at least one digit.
pub fn parse_digits(text: &[u8]) -> Result<(u64, usize), UnitError> {
    let digits = text.iter().take_while(|b| b.is_ascii_digit()).count();
    if digits == 0 {
        return error(0, if text.is_empty() { UnitErrorKind::Missing } else { UnitErrorKind::NotANumber });
    }
    let mut value = 0u64;
    for digit in &text[..digits] {
        value = match value.checked_mul(10).and_then(|v| v.checked_add(u64::from(digit - b'0'))) {
            Some(value) => value,
            None => return error(0, UnitErrorKind::TooLarge),
        };
    }
    Ok((value, digits))
}

/// Parses the size at the start of `text`: digits and at most one suffix, in either case. The suffix is K,
/// M, G, T (powers of 1024) or B (times `block_size` bytes). Returns the size in bytes and the number of
/// bytes consumed; the caller checks the rest.
pub fn parse_size_prefix(text: &[u8], block_size: u64) -> Result<(u64, usize), UnitError> {
    let (number, digits) = parse_digits(text)?;
    let multiplier = match text.get(digits).map(u8::to_ascii_lowercase) {
        Some(b'k') => 1 << 10,
        Some(b'm') => 1 << 20,
        Some(b'g') => 1 << 30,
        Some(b't') => 1 << 40,
        Some(b'b') => block_size,
        _ => return Ok((number, digits)),
    };
    match number.checked_mul(multiplier) {
        Some(size) => Ok((size, digits + 1)),
        None => error(0, UnitErrorKind::TooLarge),
    }
}

pub fn parse_size(text: &[u8], block_size: u64) -> Result<u64, UnitError> {
    let (size, taken) = parse_size_prefix(text, block_size)?;
    if taken < text.len() { error(taken, UnitErrorKind::Trailing) } else { Ok(size) }
}

/// Parses a count other than bytes: digits and at most one suffix K or M, in either case. The suffixes are
/// powers of 1000 here.
pub fn parse_count(text: &[u8]) -> Result<u64, UnitError> {
    let (number, digits) = parse_digits(text)?;
    let factor = match &text[digits..] {
        [] => 1,
        [b'k' | b'K'] => 1000,
        [b'm' | b'M'] => 1_000_000,
        [b'k' | b'K' | b'm' | b'M', ..] => return error(digits + 1, UnitErrorKind::Trailing),
        _ => return error(digits, UnitErrorKind::Trailing),
    };
    number.checked_mul(factor).map_or_else(|| error(0, UnitErrorKind::TooLarge), Ok)
}

/// Splits `text` into C white space, a sign (true = minus) and its leading digits, as `atoi` and `strtoul`
/// do.
fn split_c_integer(text: &[u8]) -> (bool, &[u8], usize) {
    let blanks = text.iter().take_while(|b| b.is_ascii_whitespace() || **b == 0x0b).count();
    let sign = matches!(text.get(blanks), Some(b'+' | b'-')) as usize;
    let start = blanks + sign;
    let digits = text[start..].iter().take_while(|b| b.is_ascii_digit()).count();
    let negative = sign == 1 && text[blanks] == b'-';
    (negative, &text[start..start + digits], start + digits)
}

/// C `atoi`: white space, a sign, digits; the rest is ignored, no digits read as 0, too large values clamp
/// to the 32-bit range.
pub fn parse_lenient_integer(text: &[u8]) -> i32 {
    let (negative, digits, _) = split_c_integer(text);
    let magnitude = digits.iter().fold(0i64, |v, d| (v * 10 + i64::from(d - b'0')).min(i64::from(u32::MAX)));
    let value = if negative { -magnitude } else { magnitude };
    value.clamp(i64::from(i32::MIN), i64::from(i32::MAX)) as i32
}

/// Returns the text that [`parse_lenient_integer`] ignores after the digits.
pub fn behind_lenient_integer(text: &[u8]) -> &[u8] {
    let (_, _, taken) = split_c_integer(text);
    &text[taken..]
}

/// Parses like C `strtoul` with 32 bits: white space, a sign, digits, and no further text. Too large
/// values clamp to 4294967295, a minus sign wraps (-1 = 4294967295).
pub fn parse_seed(text: &[u8]) -> Result<u32, UnitError> {
    let (negative, digits, taken) = split_c_integer(text);
    if digits.is_empty() {
        return error(0, if text.is_empty() { UnitErrorKind::Missing } else { UnitErrorKind::NotANumber });
    }
    if taken < text.len() {
        return error(taken, UnitErrorKind::Trailing);
    }
    let magnitude = digits.iter().try_fold(0u32, |v, d| v.checked_mul(10)?.checked_add(u32::from(d - b'0')));
    Ok(match magnitude {
        None => u32::MAX,
        Some(value) if negative => value.wrapping_neg(),
        Some(value) => value,
    })
}

/// Bytes, printed as in the text report, in the largest unit not above the value. Exact multiples are
/// integers (`64KiB`), others have two decimals (`1.50MiB`). Below 1024 it is a bare number, to which
/// `{:#}` adds a unit (`512 bytes`). A width (`{:6}`) pads the number, not the unit, and does not pad bare
/// numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size(pub u64);

impl fmt::Display for Size {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(u64, &str); 4] =
            [(1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
        let width = f.width().unwrap_or(0);
        match UNITS.iter().find(|(unit, _)| self.0 >= *unit) {
            None if f.alternate() => f.write_str(&count_of(self.0 as usize, "byte")),
            None => write!(f, "{}", self.0),
            Some((unit, name)) if self.0.is_multiple_of(*unit) => {
                write!(f, "{:>width$}{name}", self.0 / unit)
            }
            Some((unit, name)) => write!(f, "{:>width$.2}{name}", self.0 as f64 / *unit as f64),
        }
    }
}

/// Formats a count in words: `1 run`, `3 runs`. `of`: the singular of a word whose plural takes an s.
pub fn count_of(number: usize, of: &str) -> String {
    if number == 1 { format!("1 {of}") } else { format!("{number} {of}s") }
}

/// Formats bytes with at most one decimal: `12.3 GiB`, `4 KiB`, `0 bytes`.
pub fn amount(bytes: u64) -> String {
    const UNITS: [(&str, u32); 5] = [("PiB", 50), ("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)];
    match UNITS.iter().find(|(_, bits)| bytes >> bits > 0) {
        Some((unit, bits)) => {
            let value = format!("{:.1}", bytes as f64 / (1u64 << bits) as f64);
            format!("{} {unit}", value.trim_end_matches(".0"))
        }
        None => count_of(bytes as usize, "byte"),
    }
}

/// Bytes as DISKSPD 2.3 prints them: without zeros at the end (`1.5MiB`), up to PiB, and with a `B` below
/// 1024.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewestSize(pub u64);

impl fmt::Display for NewestSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const UNITS: [(u64, &str); 5] =
            [(1 << 50, "PiB"), (1 << 40, "TiB"), (1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
        let Some((unit, name)) = UNITS.iter().find(|(unit, _)| self.0 >= *unit) else {
            return write!(f, "{}B", self.0);
        };
        if self.0.is_multiple_of(*unit) {
            return write!(f, "{}{name}", self.0 / unit);
        }
        let number = format!("{:.2}", self.0 as f64 / *unit as f64);
        write!(f, "{}{name}", number.trim_end_matches('0').trim_end_matches('.'))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use UnitErrorKind::*;

    const BLOCK: u64 = 65536;

    #[test]
    fn sizes_in_sentences_have_a_unit() {
        for (bytes, bare, sentence) in
            [(0, "0", "0 bytes"), (1, "1", "1 byte"), (512, "512", "512 bytes"), (1024, "1KiB", "1KiB")]
        {
            assert_eq!([Size(bytes).to_string(), format!("{:#}", Size(bytes))], [bare, sentence]);
        }
    }

    #[test]
    fn sizes_are_parsed_with_units() {
        let cases: &[(&str, u64)] = &[
            ("0", 0),
            ("4096", 4096),
            ("007K", 7168),
            ("3B", 196_608),
            ("3b", 196_608),
            ("30K", 30720),
            ("4M", 4_194_304),
            ("6G", 6_442_450_944),
            ("70T", 76_965_813_944_320),
            ("18446744073709551615", u64::MAX),
            ("18014398509481983K", 18_014_398_509_481_983 * 1024),
            ("17592186044415m", 17_592_186_044_415 << 20),
            ("17179869183G", 17_179_869_183 << 30),
            ("16777215t", 16_777_215 << 40),
        ];
        for (text, size) in cases {
            assert_eq!(parse_size(text.as_bytes(), BLOCK), Ok(*size), "{text}");
        }
        assert_eq!(parse_size(b"18014398509481983b", 1024), Ok(18_014_398_509_481_983 * 1024));
    }

    #[test]
    fn invalid_sizes_are_rejected() {
        let cases: &[(&str, usize, UnitErrorKind)] = &[
            ("", 0, Missing),
            ("K", 0, NotANumber),
            ("-1", 0, NotANumber),
            ("+1", 0, NotANumber),
            (" 4K", 0, NotANumber),
            ("10a", 2, Trailing),
            ("30 b", 2, Trailing),
            ("30KB", 3, Trailing),
            ("70TB", 3, Trailing),
            ("4.5k", 1, Trailing),
            ("0x10", 1, Trailing),
            ("18446744073709551616", 0, TooLarge),
            ("30000000000000000000", 0, TooLarge),
            ("99999999999999999999", 0, TooLarge),
            ("18014398509481984K", 0, TooLarge),
            ("17592186044416M", 0, TooLarge),
            ("17179869184G", 0, TooLarge),
            ("16777216T", 0, TooLarge),
        ];
        for (text, position, kind) in cases {
            let expected = Err(UnitError { position: *position, kind: *kind });
            assert_eq!(parse_size(text.as_bytes(), BLOCK), expected, "{text}");
        }
    }

    #[test]
    fn size_prefix_is_parsed_before_other_text() {
        assert_eq!(parse_size_prefix(b"5m:1m", BLOCK), Ok((5 << 20, 2)));
        assert_eq!(parse_size_prefix(b"5:1m", BLOCK), Ok((5, 1)));
        assert_eq!(parse_size_prefix(b"5mm", BLOCK), Ok((5 << 20, 2)));
    }

    #[test]
    fn lenient_integers_parse_leading_digits() {
        let cases: &[(&str, i32)] = &[
            ("", 0),
            ("x", 0),
            ("-", 0),
            ("12", 12),
            ("+7", 7),
            (" \t8", 8),
            ("-5i", -5),
            ("5.9", 5),
            ("1e3", 1),
            ("0x10", 0),
            ("007", 7),
            ("2147483648", i32::MAX),
            ("99999999999999999999999", i32::MAX),
            ("-2147483649", i32::MIN),
        ];
        for (text, value) in cases {
            assert_eq!(parse_lenient_integer(text.as_bytes()), *value, "{text}");
        }
    }

    #[test]
    fn lenient_integer_drops_the_suffix() {
        let cases =
            [("", ""), ("12", ""), (" +7", ""), ("4k", "k"), ("0.5", ".5"), ("1,2,4", ",2,4"), ("x", "x")];
        for (text, dropped) in cases {
            assert_eq!(behind_lenient_integer(text.as_bytes()), dropped.as_bytes(), "{text}");
        }
    }

    #[test]
    fn seeds_are_parsed_in_all_bases() {
        type Seed = Result<u32, (usize, UnitErrorKind)>;
        let cases: &[(&str, Seed)] = &[
            ("0", Ok(0)),
            ("+5", Ok(5)),
            (" 7", Ok(7)),
            ("4294967295", Ok(u32::MAX)),
            ("4294967296", Ok(u32::MAX)),
            ("-1", Ok(u32::MAX)),
            ("-2", Ok(u32::MAX - 1)),
            ("", Err((0, Missing))),
            ("-", Err((0, NotANumber))),
            ("abc", Err((0, NotANumber))),
            ("12x", Err((2, Trailing))),
            ("1.5", Err((1, Trailing))),
        ];
        for (text, expected) in cases {
            let expected = expected.map_err(|(position, kind)| UnitError { position, kind });
            assert_eq!(parse_seed(text.as_bytes()), expected, "{text}");
        }
    }

    #[test]
    fn sizes_are_printed_in_largest_unit() {
        let cases: &[(u64, &str, &str)] = &[
            (0, "0", "0"),
            (512, "512", "512"),
            (1023, "1023", "1023"),
            (1024, "1KiB", "     1KiB"),
            (65536, "64KiB", "    64KiB"),
            (1536 << 10, "1.50MiB", "  1.50MiB"),
            (2_048_000, "1.95MiB", "  1.95MiB"),
            (1 << 30, "1GiB", "     1GiB"),
            (4_294_967_294, "4.00GiB", "  4.00GiB"),
            ((1 << 40) - 1, "1024.00GiB", "1024.00GiB"),
            (u64::MAX, "16777216.00TiB", "16777216.00TiB"),
        ];
        for (bytes, plain, padded) in cases {
            assert_eq!(Size(*bytes).to_string(), *plain);
            assert_eq!(format!("{:6}", Size(*bytes)), *padded);
        }
    }

    #[test]
    fn amounts_have_at_most_one_decimal() {
        for (bytes, expected) in [
            (0, "0 bytes"),
            (1, "1 byte"),
            (1023, "1023 bytes"),
            (4096, "4 KiB"),
            (1536, "1.5 KiB"),
            (1 << 20, "1 MiB"),
            (u64::MAX, "16384 PiB"),
        ] {
            assert_eq!(amount(bytes), expected);
        }
    }

    proptest::proptest! {
        #[test]
        fn whole_units_survive_printing_and_parsing(number in 1u64..1024, unit in 0u32..5) {
            let size = number << (10 * unit);
            let printed = Size(size).to_string();
            proptest::prop_assert_eq!(parse_size(printed.trim_end_matches("iB").as_bytes(), BLOCK), Ok(size));
        }

        #[test]
        fn byte_counts_round_trip(size: u64) {
            proptest::prop_assert_eq!(parse_size(size.to_string().as_bytes(), BLOCK), Ok(size));
        }

        #[test]
        fn arbitrary_text_is_judged_without_panic(text: Vec<u8>, block: u32) {
            let _ = parse_size(&text, block.into());
            let _ = parse_seed(&text);
            parse_lenient_integer(&text);
        }
    }

    #[test]
    fn sizes_of_version_2_3_omit_trailing_zeros() {
        let kib = 1024;
        let table = [
            (0, "0B"),
            (512, "512B"),
            (1023, "1023B"),
            (1024, "1KiB"),
            (1025, "1KiB"),
            (1536, "1.5KiB"),
            (2000 * kib, "1.95MiB"),
            (1280 * kib, "1.25MiB"),
            (1_048_575, "1024KiB"),
            (10 << 20, "10MiB"),
            (12_345_678, "11.77MiB"),
            (1536 << 20, "1.5GiB"),
            (1 << 50, "1PiB"),
            (1536 << 40, "1.5PiB"),
        ];
        for (bytes, expected) in table {
            assert_eq!(NewestSize(bytes).to_string(), expected);
        }
    }
}
