//! The knee: the load at which I/Os per second over latency (Kleinrock's power) is greatest.

use super::levels::Levels;

/// Maximum difference in power of an equally good knee, as a share of the best.
pub(super) const EQUAL_POWER_SHARE: f64 = 0.05;

/// The knee of a group of loads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
pub struct Knee {
    pub place: usize,
    pub load: u64,
    /// 95 % interval of its load from the repetitions; `None` = unknown.
    pub between: Option<(u64, u64)>,
    pub told: KneeStatus,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum KneeStatus {
    Found,
    /// At or beyond the end of the range; no larger load was tested.
    AtEnd,
    /// At or below the start of the range; no smaller load was tested.
    AtBegin,
    /// Any load of the range.
    Anywhere,
    /// Unknown run-to-run variation, without repetitions.
    NotRepeated,
}

/// Returns the knee of loads in rising order; `None` if none of them has a power.
///
/// The interval contains all loads without significantly lower power than the best. If it reaches an end
/// of the range, the knee may be outside; only less than one outstanding I/O is impossible.
pub(super) fn knee(loads: &[u64], powers: &Levels) -> Option<Knee> {
    let place = powers.best()?;
    let left = powers.not_below();
    let ends = left.as_ref().and_then(|left| Some((loads[*left.first()?], loads[*left.last()?])));
    let (first, last) = (loads.first().copied()?, loads.last().copied()?);
    let told = match ends {
        None => KneeStatus::NotRepeated,
        Some((low, high)) if low == first && high == last => KneeStatus::Anywhere,
        Some((_, high)) if high == last => KneeStatus::AtEnd,
        Some((low, _)) if low == first && first > 1 => KneeStatus::AtBegin,
        Some(_) => KneeStatus::Found,
    };
    Some(Knee { place, load: loads[place], between: ends, told })
}

#[cfg(test)]
mod tests {
    use super::super::levels::Scatter;
    use super::*;

    fn find_sample_knee(loads: &[u64], powers: &[&[f64]]) -> Option<Knee> {
        let powers: Vec<Vec<f64>> = powers.iter().map(|values| values.to_vec()).collect();
        let scatter = Scatter::estimate(powers.iter().map(Vec::as_slice));
        knee(loads, &Levels::new(&powers, scatter, 1))
    }

    #[test]
    fn knee_is_point_of_greatest_power() {
        let powers: [&[f64]; 4] =
            [&[10.0, 10.2, 9.9], &[19.0, 19.3, 19.1], &[19.2, 19.0, 19.4], &[12.0, 12.1, 11.9]];
        let expected = Knee { place: 2, load: 4, between: Some((2, 4)), told: KneeStatus::Found };
        assert_eq!(find_sample_knee(&[1, 2, 4, 8], &powers), Some(expected));
        assert_eq!(find_sample_knee(&[2], &[&[]]), None);
    }

    #[test]
    fn range_end_is_not_a_knee_above_one_io() {
        let rising: [&[f64]; 3] = [&[1.0, 1.01], &[2.0, 2.01], &[4.0, 4.01]];
        let falling: [&[f64]; 3] = [&[4.0, 4.01], &[2.0, 2.01], &[1.0, 1.01]];
        let wild: [&[f64]; 3] = [&[1.0, 4.0], &[2.0, 3.0], &[4.0, 1.0]];
        let single: [&[f64]; 3] = [&[1.0], &[3.0], &[2.0]];
        for (loads, powers, told) in [
            ([1, 2, 4], rising, KneeStatus::AtEnd),
            ([1, 2, 4], falling, KneeStatus::Found),
            ([8, 16, 32], falling, KneeStatus::AtBegin),
            ([1, 2, 4], wild, KneeStatus::Anywhere),
            ([1, 2, 4], single, KneeStatus::NotRepeated),
        ] {
            assert_eq!(find_sample_knee(&loads, &powers).unwrap().told, told, "{powers:?}");
        }
    }
}
