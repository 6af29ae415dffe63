//! Figures in readable form. The exact value is next to each headline figure, in `<data value>`.

use diskspd_figures::units::Millis;
use maud::{Markup, html};

pub const NONE: &str = "–";

/// Formats about three significant digits with groups of thousands: `126,948`, `84.2`, `0.031`.
pub fn number(value: f64) -> String {
    match value.abs() {
        _ if !value.is_finite() => NONE.into(),
        size if size >= 999.95 => grouped(value),
        size if size >= 99.995 => format!("{value:.1}"),
        size if size >= 9.9995 => format!("{value:.2}"),
        0.0 => "0".into(),
        size if size < 0.0005 => format!("{value:.1e}"),
        _ => format!("{value:.3}"),
    }
}

/// Formats a number for a sentence, without trailing zeros.
pub fn plain(value: f64) -> String {
    let text = number(value);
    match text.contains('.') && !text.contains('e') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text,
    }
}

/// Formats a whole number with commas between groups of three digits.
pub fn grouped(value: f64) -> String {
    let digits = format!("{:.0}", value.abs());
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    if value <= -0.5 { format!("-{text}") } else { text }
}

/// A latency of a chart, given in ms, in the unit that suits it: `84.2 µs`, `1.32 ms`, `2.40 s`.
pub fn latency(ms: f64) -> String {
    Millis::new(ms).readable()
}

/// Formats a time with three decimals of ms; `missing` if unknown.
pub fn time_or(missing: &str, time: Option<Millis>) -> String {
    time.map_or_else(|| missing.to_owned(), |time| time.to_string())
}

/// Formats the time for a table of a page.
pub fn in_ms(time: Option<Millis>) -> String {
    time_or(NONE, time)
}

pub fn cell(value: Option<f64>) -> String {
    value.map_or(NONE.into(), number)
}

/// Formats a figure for an axis: `0`, `250`, `20k`, `1.5M`.
pub fn short(value: f64) -> String {
    let (scaled, unit) = match value.abs() {
        size if size >= 1e9 => (value / 1e9, "G"),
        size if size >= 1e6 => (value / 1e6, "M"),
        size if size >= 1e3 => (value / 1e3, "k"),
        _ => (value, ""),
    };
    let text = format!("{scaled:.3}");
    let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
    format!("{text}{unit}")
}

/// A time given in s: `45`, `12:30`, `1:05:00`. Below two minutes (`whole`: how long the axis is, s) seconds.
pub fn clock(seconds: f64, whole: f64) -> String {
    if whole <= 120.0 {
        return short(seconds);
    }
    let all = seconds.round() as u64;
    let (hours, minutes, seconds) = (all / 3600, all / 60 % 60, all % 60);
    match hours {
        0 => format!("{minutes}:{seconds:02}"),
        _ => format!("{hours}:{minutes:02}:{seconds:02}"),
    }
}

/// Formats a time in a suitable unit, with the exact value for programs.
pub fn exact_time(time: Option<Millis>) -> Markup {
    render_exact(time.map(Millis::ms), latency)
}

/// Formats a figure with the exact value for programs.
pub fn render_exact(value: Option<f64>, text: fn(f64) -> String) -> Markup {
    html! {
        @match value {
            Some(value) => data value=(value) { (text(value)) },
            None => span.none title="not measured, or no I/O" { (NONE) },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_have_three_significant_digits() {
        let table = [
            (0.0, "0"),
            (0.031_26, "0.031"),
            (9.9996, "10.00"),
            (84.234, "84.23"),
            (999.96, "1,000"),
            (126_948.4, "126,948"),
            (-1234.0, "-1,234"),
            (f64::NAN, NONE),
        ];
        for (value, expected) in table {
            assert_eq!(number(value), expected);
        }
    }

    #[test]
    fn figures_in_sentences_drop_trailing_zeros() {
        assert_eq!([6.0, 32.0, 100.0, 1200.0, 0.25].map(plain), ["6", "32", "100", "1,200", "0.25"]);
    }

    #[test]
    fn axis_figures_are_abbreviated() {
        let table = [(0.0, "0"), (250.0, "250"), (20_000.0, "20k"), (1.5e6, "1.5M"), (0.2, "0.2")];
        for (value, expected) in table {
            assert_eq!(short(value), expected);
        }
        assert_eq!(
            [clock(45.0, 60.0), clock(750.0, 900.0), clock(3900.0, 4000.0)],
            ["45", "12:30", "1:05:00"]
        );
    }
}
