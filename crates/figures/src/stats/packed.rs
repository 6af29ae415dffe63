//! Numbers and moments in a compact byte encoding. They are stored for the report and read once from start
//! to end.

use super::Moments;

/// Appends a number, seven bits per byte, the lowest bits first.
pub(super) fn push(log: &mut Vec<u8>, mut number: u64) {
    while number >= 128 {
        log.push(number as u8 | 128);
        number >>= 7;
    }
    log.push(number as u8);
}

/// Returns the next number; `None` at the end.
#[inline]
pub(super) fn pop(log: &mut std::slice::Iter<u8>) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let byte = *log.next()?;
        number |= u64::from(byte & 127) << shift;
        if byte < 128 {
            break;
        }
    }
    Some(number)
}

/// Format of equal latencies: count and latency follow.
const UNIFORM: u64 = 0;
/// Format of different latencies: count, minimum, range, sum and squares follow.
const NARROW: u64 = 1;
/// Format flag: the upper 64 bits of both sums follow.
const WIDE_SUMS: u64 = 2;

/// Adds an interval `distance` (below 2^62) intervals after the previous one. The distance is first, with
/// the format in its lowest two bits. A few I/Os around 100 us take about 18 bytes, one I/O takes 5.
pub(crate) fn push_moments(log: &mut Vec<u8>, distance: u64, moments: &Moments) {
    let Moments { count, min, max, sum, squares } = *moments;
    let n = u128::from(count);
    let square = u128::from(min) * u128::from(min);
    let uniform =
        min == max && Some(sum) == n.checked_mul(min.into()) && Some(squares) == n.checked_mul(square);
    let narrow = u64::try_from(sum).is_ok() && u64::try_from(squares).is_ok();
    let form = if uniform {
        UNIFORM
    } else if narrow {
        NARROW
    } else {
        WIDE_SUMS
    };
    [distance << 2 | form, count, min].into_iter().for_each(|number| push(log, number));
    if form != UNIFORM {
        [max.wrapping_sub(min), sum as u64, squares as u64].into_iter().for_each(|number| push(log, number));
    }
    if form == WIDE_SUMS {
        [(sum >> 64) as u64, (squares >> 64) as u64].into_iter().for_each(|number| push(log, number));
    }
}

/// Returns the next interval with its distance; `None` = the end.
#[inline]
pub(crate) fn pop_moments(log: &mut std::slice::Iter<u8>) -> Option<(u64, Moments)> {
    let head = pop(log)?;
    let (count, min) = (pop(log)?, pop(log)?);
    let moments = match head & 3 {
        UNIFORM => {
            let (n, latency) = (u128::from(count), u128::from(min));
            // Of a damaged record they may be too large; it is checked by whoever reads it.
            let sum = n.wrapping_mul(latency);
            Moments { count, min, max: min, sum, squares: sum.wrapping_mul(latency) }
        }
        form => {
            let (range, sum, squares) = (pop(log)?, u128::from(pop(log)?), u128::from(pop(log)?));
            let mut upper = || Some(if form == WIDE_SUMS { u128::from(pop(log)?) << 64 } else { 0 });
            Moments {
                count,
                min,
                max: min.wrapping_add(range),
                sum: sum | upper()?,
                squares: squares | upper()?,
            }
        }
    };
    Some((head >> 2, moments))
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest::proptest! {
        #[test]
        fn packed_series_round_trips(
            latencies: Vec<u64>, shift in 0..64u32, squares: u128, distance in 0..1u64 << 62,
        ) {
            let mut one = Moments::default();
            latencies.iter().for_each(|latency| one.record(latency >> shift));
            let mut same = Moments::default();
            (0..latencies.len()).for_each(|_| same.record(u64::MAX >> shift));
            let full = Moments { count: u64::MAX, sum: u128::MAX, squares, ..one };
            let all = [one, same, full, Moments::default()];
            let mut log = Vec::new();
            all.iter().for_each(|moments| push_moments(&mut log, distance, moments));
            let mut log = log.iter();
            for moments in all {
                proptest::prop_assert_eq!(pop_moments(&mut log), Some((distance, moments)));
            }
            proptest::prop_assert_eq!(pop_moments(&mut log), None);
        }
    }
}
