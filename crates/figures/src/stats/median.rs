//! The median.

/// Returns the median; the mean of the two middle values, or 0 without values.
pub fn median(values: impl IntoIterator<Item = f64>) -> f64 {
    let mut values: Vec<f64> = values.into_iter().collect();
    values.sort_by(f64::total_cmp);
    let middle = values.len() / 2;
    match values.len() {
        0 => 0.0,
        count if count % 2 == 1 => values[middle],
        _ => f64::midpoint(values[middle - 1], values[middle]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_of_unsorted_values_is_middle() {
        for (values, expected) in
            [(&[][..], 0.0), (&[3.0], 3.0), (&[3.0, 1.0, 2.0], 2.0), (&[4.0, 1.0, 2.0, 3.0], 2.5)]
        {
            assert_eq!(median(values.iter().copied()), expected, "{values:?}");
        }
    }
}
