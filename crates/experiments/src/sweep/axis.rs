//! Values of an option in a sweep: `1..64` (doubling), `1..16+1` (steps), `1,2,4` (a list, whose parts may be
//! ranges).

use super::error::AxisError;

/// Maximum number of values of an axis.
const MAX_VALUES: usize = 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ValueForm {
    /// Prefixes that may appear once before all values and apply to each: the letter in `-rs0,50`.
    pub heads: &'static [&'static str],
    /// Suffix of a value that applies to all of them.
    pub tail: &'static str,
    /// Suffixes that may appear once after all values and apply to each: `,poisson`.
    pub endings: &'static [&'static str],
    /// Value of the suffix K; M is its square.
    pub kilo: u64,
}

impl ValueForm {
    pub const SIZE: ValueForm = ValueForm { heads: &[], tail: "", endings: &[], kilo: 1024 };

    pub fn head(&self, text: &str) -> &'static str {
        self.heads.iter().find(|head| text.starts_with(**head)).copied().unwrap_or_default()
    }
}

pub fn is_range(text: &str) -> bool {
    let number = |text: &str| parse_amount(text, 1).is_some();
    text.split_once("..").is_some_and(|(from, to)| number(from) && to.split('+').all(number))
}

/// Returns the values of an axis as texts in command-line form, without the prefix. `None` for an ordinary
/// value. A range includes its last value even if no step reaches it. Sizes may have suffixes: `4K..1M`.
///
/// # Errors
/// Fails for an invalid axis.
pub fn values(text: &str, form: ValueForm) -> Result<Option<Vec<String>>, AxisError> {
    let ending = form.endings.iter().find(|ending| text.ends_with(**ending)).copied().unwrap_or_default();
    let text = &text[form.head(text).len()..text.len() - ending.len()];
    if !text.contains("..") && !text.contains(',') {
        return Ok(None);
    }
    let mut all = Vec::new();
    for part in text.split(',') {
        match part.split_once("..") {
            Some((from, behind)) => expand_range(from, behind, form, &mut all)?,
            None if part.is_empty() => return Err(AxisError::Missing),
            None => all.push(part.to_owned()),
        }
        if all.len() > MAX_VALUES {
            return Err(AxisError::ManyValues(MAX_VALUES));
        }
    }
    match all.iter().enumerate().find(|(at, value)| all[..*at].contains(value)) {
        Some((_, value)) => Err(AxisError::Twice(value.clone())),
        None => Ok(Some(all.into_iter().map(|value| value + ending).collect())),
    }
}

fn expand_range(from: &str, behind: &str, form: ValueForm, all: &mut Vec<String>) -> Result<(), AxisError> {
    let (to, step) = match behind.split_once('+') {
        Some((to, step)) => (to, Some(step)),
        None => (behind, None),
    };
    let tail = form.tail;
    let parts = [Some(from), Some(to), step];
    let has_tail = !tail.is_empty() && parts.iter().flatten().any(|part| part.ends_with(tail));
    let number = |text: &str| {
        let digits = text.strip_suffix(tail).unwrap_or(text);
        parse_amount(digits, form.kilo).ok_or_else(|| AxisError::NoNumber(text.to_owned()))
    };
    let (first, last) = (number(from)?, number(to)?);
    let step = step.map(number).transpose()?;
    if first.0 > last.0 {
        return Err(AxisError::Descending { from: from.to_owned(), to: to.to_owned() });
    }
    if step.is_some_and(|step| step.0 == 0) {
        return Err(AxisError::NoStep);
    }
    if step.is_none() && first.0 == 0 {
        return Err(AxisError::FromZero { from: from.to_owned(), to: to.to_owned() });
    }
    let with_unit = first.1 || last.1;
    let mut put = |value: u64| {
        all.push(format!("{}{}", value_text(value, with_unit, form.kilo), if has_tail { tail } else { "" }));
        all.len() <= MAX_VALUES
    };
    let mut value = first.0;
    while value < last.0 && put(value) {
        value = match step {
            Some((step, _)) => value.saturating_add(step),
            None => value.saturating_mul(2),
        };
    }
    put(last.0);
    Ok(())
}

/// Letters with their power of the kilo.
const UNITS: [(char, u32); 4] = [('T', 4), ('G', 3), ('M', 2), ('K', 1)];

/// Parses a number with an optional suffix; returns whether it has one.
fn parse_amount(text: &str, kilo: u64) -> Option<(u64, bool)> {
    let last = text.chars().last()?.to_ascii_uppercase();
    let unit = UNITS.iter().find(|(letter, _)| *letter == last);
    let digits = if unit.is_some() { &text[..text.len() - 1] } else { text };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: u64 = digits.parse().ok()?;
    let value = unit.map_or(Some(number), |(_, power)| number.checked_mul(kilo.pow(*power)))?;
    Some((value, unit.is_some()))
}

fn value_text(value: u64, with_unit: bool, kilo: u64) -> String {
    let unit = UNITS.iter().find(|(_, power)| value > 0 && value.is_multiple_of(kilo.pow(*power)));
    match unit.filter(|_| with_unit) {
        Some((letter, power)) => format!("{}{letter}", value / kilo.pow(*power)),
        None => value.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_double_step_or_are_listed() {
        for (text, tail, expected) in [
            ("1..64", "", "1 2 4 8 16 32 64"),
            ("1..6", "", "1 2 4 6"),
            ("1..16+5", "", "1 6 11 16"),
            ("1..4+1", "", "1 2 3 4"),
            ("0..100+25", "", "0 25 50 75 100"),
            ("1..10+4", "", "1 5 9 10"),
            ("1,2,4", "", "1 2 4"),
            ("1..4,16", "", "1 2 4 16"),
            ("4K..64K", "", "4K 8K 16K 32K 64K"),
            ("512K..2M", "", "512K 1M 2M"),
            ("512..4k", "", "512 1K 2K 4K"),
            ("100i..400i", "i", "100i 200i 400i"),
            ("100..400i", "i", "100i 200i 400i"),
            ("1000..3000+1000i", "i", "1000i 2000i 3000i"),
            ("sync,uring", "", "sync uring"),
            ("8..8", "", "8"),
        ] {
            let values = values(text, ValueForm { tail, ..ValueForm::SIZE }).unwrap().unwrap();
            assert_eq!(values.join(" "), expected, "{text}");
        }
    }

    #[test]
    fn rates_have_units_and_arrival_processes() {
        let form = ValueForm { endings: &[",poisson", ",uniform"], kilo: 1000, ..ValueForm::SIZE };
        for (text, expected) in [
            ("500..4K,poisson", "500,poisson 1K,poisson 2K,poisson 4K,poisson"),
            ("1K,3K,uniform", "1K,uniform 3K,uniform"),
            ("1K..3K+1K", "1K 2K 3K"),
        ] {
            assert_eq!(values(text, form).unwrap().unwrap().join(" "), expected, "{text}");
        }
        assert_eq!(values("1K,poisson", form), Ok(None));
        assert!(values("1K..4K,often", form).unwrap().unwrap().contains(&"often".to_owned()), "the parser's");
    }

    #[test]
    fn single_value_is_not_an_axis() {
        for text in ["8", "", "64K", "1000i", "auto"] {
            assert_eq!(values(text, ValueForm { tail: "i", ..ValueForm::SIZE }), Ok(None), "{text}");
        }
    }

    #[test]
    fn invalid_axis_has_reason() {
        for (text, why) in [
            ("64..1", "is descending"),
            ("1..8+0", "never ends"),
            ("0..8", "doubled"),
            ("1,,2", "missing"),
            ("1,2,1", "twice"),
            ("a..b", "not a number"),
            ("..8", "not a number"),
            ("1..9999+1", "more than"),
            ("1..99999999999999999999", "not a number"),
        ] {
            let message = values(text, ValueForm::SIZE).unwrap_err();
            assert!(message.to_string().contains(why), "{text}: {message}");
        }
    }
}
