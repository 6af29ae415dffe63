//! Figures in the form shown to users.

pub(crate) use diskspd_figures::units::amount;

pub(super) fn size(bytes: u64, ios: u64) -> String {
    amount(bytes.checked_div(ios).unwrap_or(0))
}

/// Formats a ratio such as `1.00 x`.
pub(super) fn times(bytes: u64, of: u64) -> String {
    match (bytes, of) {
        (1.., 0) => "a multiple".into(),
        _ => format!("{:.2} x", bytes as f64 / of.max(1) as f64),
    }
}

/// Formats a number such as `123,456`.
pub(super) fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mean_size_is_printed_with_unit() {
        assert_eq!((size(0, 0).as_str(), size(12288, 2).as_str()), ("0 bytes", "6 KiB"));
    }

    #[test]
    fn counts_are_grouped_by_thousands() {
        for (number, expected) in [(0, "0"), (999, "999"), (1000, "1,000"), (1_234_567, "1,234,567")] {
            assert_eq!(count(number), expected);
        }
    }
}
