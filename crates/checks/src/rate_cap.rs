//! Configured rate limits, recognized by constant round rates.

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Plateau {
    /// Number with its unit: `3000 IOPS`.
    pub number: String,
    /// Standard deviation of the intervals, as a share of their mean.
    pub variation: f64,
}

/// Maximum variation of the intervals of a limited device.
const MAX_FLAT_VARIATION: f64 = 0.02;
/// Maximum relative distance from a round number, the accuracy of limits.
const ROUND_TOLERANCE: f64 = 0.005;
const ROUND_IOPS: [f64; 6] = [1.0, 2.0, 3.0, 4.0, 5.0, 8.0];
/// Bytes per second that are sold, in MiB (or MB) per second, up to a power of two or ten.
const ROUND_BYTES: [f64; 11] =
    [100.0, 125.0, 128.0, 250.0, 256.0, 500.0, 512.0, 1000.0, 1024.0, 2000.0, 2048.0];

/// The limit that these rates (I/Os of `size` bytes per second) look like; `None` = like none.
pub(crate) fn detect(rates: &[f64], size: f64) -> Option<Plateau> {
    let n = rates.len().max(1) as f64;
    let mean = rates.iter().sum::<f64>() / n;
    let variation = (rates.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n).sqrt() / mean;
    if variation.is_nan() || variation > MAX_FLAT_VARIATION {
        return None;
    }
    let bytes = mean * size;
    let number = round_iops(mean)
        .map(|iops| format!("{iops:.0} IOPS"))
        .or_else(|| round_bytes(bytes / 1_048_576.0).map(|mib| format!("{mib:.0} MiB/s")))
        .or_else(|| round_bytes(bytes / 1e6).map(|mb| format!("{mb:.0} MB/s")))?;
    Some(Plateau { number, variation })
}

fn is_near(value: f64, number: f64) -> bool {
    (value - number).abs() <= ROUND_TOLERANCE * number
}

/// Returns the nearest round number: 100, 200, 300, .. times a power of ten, or 16,000 or 64,000, the limits
/// of products.
fn round_iops(iops: f64) -> Option<f64> {
    let sold = [16_000.0, 64_000.0].into_iter();
    let round = (2..7).flat_map(|power| ROUND_IOPS.map(|digit| digit * 10f64.powi(power)));
    sold.chain(round).find(|number| is_near(iops, *number))
}

fn round_bytes(per_second: f64) -> Option<f64> {
    ROUND_BYTES.into_iter().find(|number| is_near(per_second, *number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flat_rates_at_round_numbers_look_like_limits() {
        let number = |rates: &[f64], size| detect(rates, size).map(|plateau| plateau.number);
        assert_eq!(number(&[3000.0, 3005.0, 2995.0], 4096.0).as_deref(), Some("3000 IOPS"));
        assert_eq!(number(&[16_001.0; 4], 4096.0).as_deref(), Some("16000 IOPS"));
        assert_eq!(number(&[128.1; 4], 1_048_576.0).as_deref(), Some("128 MiB/s"));
        assert_eq!(number(&[249.0; 4], 1e6).as_deref(), Some("250 MB/s"));
        for (rates, size) in [
            // Round on average only; flat only; nothing.
            (&[2000.0, 4000.0, 3000.0][..], 4096.0),
            (&[3370.0, 3371.0], 4096.0),
            (&[0.0, 0.0], 4096.0),
            (&[], 4096.0),
        ] {
            assert_eq!(number(rates, size), None, "{rates:?}");
        }
    }
}
