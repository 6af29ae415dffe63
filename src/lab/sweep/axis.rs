//! Values of an option that a sweep goes through: `1..64` (doubling), `1..16+1` (steps), `1,2,4` (a list,
//! whose parts may be ranges).

/// More values than this on one axis are a mistake.
const MOST: usize = 4096;

/// The values of an axis as texts, each as it would stand in an ordinary command line; `None` = it is no
/// axis but an ordinary value. A range ends with its last value also where no step comes to it. Sizes may
/// have suffixes: `4K..1M`. `tail` is what a value may end with beside: it goes behind all of them.
///
/// # Errors
/// What is wrong, as a message.
pub fn values(text: &str, tail: &str) -> Result<Option<Vec<String>>, String> {
    if !text.contains("..") && !text.contains(',') {
        return Ok(None);
    }
    let mut all = Vec::new();
    for part in text.split(',') {
        match part.split_once("..") {
            Some((from, behind)) => range(from, behind, tail, &mut all)?,
            None if part.is_empty() => return Err("a value between the commas is missing".into()),
            None => all.push(part.to_owned()),
        }
        if all.len() > MOST {
            return Err(format!("these are more than {MOST} values"));
        }
    }
    match all.iter().enumerate().find(|(at, value)| all[..*at].contains(value)) {
        Some((_, value)) => Err(format!("the value {value} comes twice")),
        None => Ok(Some(all)),
    }
}

fn range(from: &str, behind: &str, tail: &str, all: &mut Vec<String>) -> Result<(), String> {
    let (to, step) = match behind.split_once('+') {
        Some((to, step)) => (to, Some(step)),
        None => (behind, None),
    };
    let parts = [Some(from), Some(to), step];
    let has_tail = !tail.is_empty() && parts.iter().flatten().any(|part| part.ends_with(tail));
    let number = |text: &str| {
        let digits = text.strip_suffix(tail).unwrap_or(text);
        amount(digits).ok_or_else(|| {
            format!("'{text}' is no number; a range is written 1..64 (doubling) or 1..16+1 (steps)")
        })
    };
    let (first, last) = (number(from)?, number(to)?);
    let step = step.map(number).transpose()?;
    if first.0 > last.0 {
        return Err(format!("{from}..{to} goes down; write the smaller value first"));
    }
    if step.is_some_and(|step| step.0 == 0) {
        return Err("a step of 0 comes to no end".into());
    }
    if step.is_none() && first.0 == 0 {
        return Err(format!("0 can't be doubled; give steps, as in {from}..{to}+10"));
    }
    let with_unit = first.1 || last.1;
    let mut put = |value: u64| {
        all.push(format!("{}{}", shown(value, with_unit), if has_tail { tail } else { "" }));
        all.len() <= MOST
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

const UNITS: [(char, u32); 4] = [('T', 40), ('G', 30), ('M', 20), ('K', 10)];

/// A number with an optional suffix, and whether it has one.
fn amount(text: &str) -> Option<(u64, bool)> {
    let last = text.chars().last()?.to_ascii_uppercase();
    let unit = UNITS.iter().find(|(letter, _)| *letter == last);
    let digits = if unit.is_some() { &text[..text.len() - 1] } else { text };
    if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    let number: u64 = digits.parse().ok()?;
    let value = unit.map_or(Some(number), |(_, bits)| number.checked_mul(1 << bits))?;
    Some((value, unit.is_some()))
}

fn shown(value: u64, with_unit: bool) -> String {
    let unit = UNITS.iter().find(|(_, bits)| value > 0 && value.is_multiple_of(1 << bits));
    match unit.filter(|_| with_unit) {
        Some((letter, bits)) => format!("{}{letter}", value >> bits),
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
            let values = values(text, tail).unwrap().unwrap();
            assert_eq!(values.join(" "), expected, "{text}");
        }
    }

    #[test]
    fn an_ordinary_value_is_no_axis() {
        for text in ["8", "", "64K", "1000i", "auto"] {
            assert_eq!(values(text, "i"), Ok(None), "{text}");
        }
    }

    #[test]
    fn what_makes_no_axis_is_explained() {
        for (text, why) in [
            ("64..1", "goes down"),
            ("1..8+0", "no end"),
            ("0..8", "doubled"),
            ("1,,2", "missing"),
            ("1,2,1", "twice"),
            ("a..b", "no number"),
            ("..8", "no number"),
            ("1..9999+1", "more than"),
            ("1..99999999999999999999", "no number"),
        ] {
            let message = values(text, "").unwrap_err();
            assert!(message.contains(why), "{text}: {message}");
        }
    }
}
