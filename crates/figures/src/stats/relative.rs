//! The relative change of a figure.

/// Maximum meaningful ratio; larger ones mean a first figure near zero.
const MAX_RATIO: f64 = 100.0;

/// The change from one figure to another, share of the first; `None` = the first is near zero, compared with
/// the second.
pub fn relative_change(from: f64, to: f64) -> Option<f64> {
    let is_known = from > 0.0 && from.is_finite() && to.is_finite() && to <= MAX_RATIO * from;
    is_known.then(|| to / from - 1.0)
}

/// Formats the change for parentheses after both figures: ` (-60 %)`; empty if meaningless.
pub fn change_in_parentheses(from: f64, to: f64) -> String {
    relative_change(from, to).map_or(String::new(), |change| format!(" ({:+.0} %)", change * 100.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_to_figures_near_zero_are_unknown() {
        for (from, to, expected) in [
            (1000.0, 400.0, " (-60 %)"),
            (1000.0, 0.0, " (-100 %)"),
            (4.0, 400.0, " (+9900 %)"),
            (4.0, 401.0, ""),
            (0.0, 4.0, ""),
            (0.0, 0.0, ""),
            (1e-9, 0.4, ""),
            (f64::NAN, 4.0, ""),
            (4.0, f64::NAN, ""),
            (f64::INFINITY, 4.0, ""),
            (4.0, f64::INFINITY, ""),
        ] {
            assert_eq!(change_in_parentheses(from, to), expected, "{from} to {to}");
            assert_eq!(relative_change(from, to).is_none(), expected.is_empty(), "{from} to {to}");
        }
    }
}
