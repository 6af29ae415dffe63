//! Reduction of long series to the points of a chart, without losing a peak.

/// Adjacent values combined in one point: minimum, time-weighted mean, and maximum.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Band {
    pub min: f64,
    /// Mean, weighted by the lengths of the intervals.
    pub mean: f64,
    pub max: f64,
}

/// Returns the number of neighbors to merge into a point, for at most `most` (at least 1) points.
pub(crate) fn factor(count: usize, most: usize) -> usize {
    count.div_ceil(most.max(1)).max(1)
}

/// Returns the band of values with the lengths of their intervals; `None` = no values.
pub(crate) fn span(values: impl IntoIterator<Item = (f64, f64)>) -> Option<Band> {
    let (mut all, mut sum, mut time) = (None, 0.0, 0.0);
    for (value, length) in values {
        let (low, high) = all.unwrap_or((value, value));
        all = Some((value.min(low), value.max(high)));
        (sum, time) = (sum + value * length, time + length);
    }
    let (min, max) = all?;
    // A mean lies between the two, whatever rounding made of it.
    let mean = if time > 0.0 { (sum / time).clamp(min, max) } else { min };
    Some(Band { min, mean, max })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn downsampling_limits_number_of_points() {
        for (count, most, expected) in [(0, 240, 1), (240, 240, 1), (241, 240, 2), (3600, 240, 15), (5, 0, 5)]
        {
            assert_eq!(factor(count, most), expected, "{count} in {most}");
            assert!(count.div_ceil(factor(count, most)) <= most.max(1));
        }
    }

    #[test]
    fn downsampling_keeps_peaks_and_weights_by_time() {
        let found = span([(10.0, 1.0), (100.0, 1.0), (0.0, 0.5)]);
        assert_eq!(found, Some(Band { min: 0.0, mean: 44.0, max: 100.0 }));
        assert_eq!(span([]), None);
        assert_eq!(span([(7.1, 0.3), (7.1, 0.1)]), Some(Band { min: 7.1, mean: 7.1, max: 7.1 }));
    }
}
