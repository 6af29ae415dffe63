//! Formatting of numbers as by the standard library, but ten times as fast: an hour of intervals of many
//! threads and targets has 700 million numbers.

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Number {
    Integer(u64),
    Rounded(f64),
    Thousandths(f64),
}

impl Number {
    pub(super) fn write(self, out: &mut Vec<u8>) {
        match self {
            Number::Integer(number) => write_digits(out, number, 1),
            Number::Rounded(value) => match round_product(value) {
                Some(number) => write_digits(out, number, 1),
                None => put!(out, "{value:.0}"),
            },
            Number::Thousandths(value) => match round_product(value * 1000.0) {
                Some(number) if value.is_sign_positive() => {
                    write_digits(out, number, 4);
                    out.insert(out.len() - 3, b'.');
                }
                _ => put!(out, "{value:.3}"),
            },
        }
    }
}

/// Returns the product rounded to an integer, if rounding the exact product gives the same integer. It
/// must be more than 2^-21 (half the last digit of a double below 2^32) from the middle between two
/// integers. `None` = exact arithmetic is necessary.
fn round_product(product: f64) -> Option<u64> {
    if product.is_sign_negative() || !(0.0..4_294_967_296.0).contains(&product) {
        return None;
    }
    let whole = product as u64;
    let fraction = product - whole as f64;
    ((fraction - 0.5).abs() > 1e-6).then_some(whole + u64::from(fraction > 0.5))
}

fn write_digits(out: &mut Vec<u8>, mut number: u64, least: usize) {
    let mut digits = [b'0'; 20];
    let mut first = digits.len();
    while number > 0 {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
    }
    out.extend_from_slice(&digits[first.min(digits.len() - least)..]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn write_number(number: Number) -> String {
        let mut out = Vec::new();
        number.write(&mut out);
        String::from_utf8(out).unwrap_or_default()
    }

    fn as_the_standard_library(value: f64) {
        assert_eq!(write_number(Number::Rounded(value)), format!("{value:.0}"));
        assert_eq!(write_number(Number::Thousandths(value)), format!("{value:.3}"));
    }

    #[test]
    fn numbers_print_as_in_the_c_library() {
        let odd = [
            0.0,
            -0.0,
            -1.5,
            f64::NAN,
            f64::INFINITY,
            f64::NEG_INFINITY,
            1e300,
            4294967295.9999,
            4294967.2955,
        ];
        let halves = (0..10_000).flat_map(|n| [f64::from(n) / 2000.0, f64::from(n) / 2.0]);
        for value in halves.chain(odd) {
            for value in [value, value.next_up(), value.next_down()] {
                as_the_standard_library(value);
            }
        }
    }

    proptest! {
        #[test]
        fn numbers_print_like_standard_library(
            bits: u64, integer: u64, whole in 0..10_000_000_000u64, over in 1..10_000u32,
        ) {
            prop_assert_eq!(write_number(Number::Integer(integer)), integer.to_string());
            as_the_standard_library(f64::from_bits(bits));
            as_the_standard_library(whole as f64 / f64::from(over));
        }
    }
}
