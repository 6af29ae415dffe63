//! Combined figures of several runs. Amounts and rates add up, means and deviations follow from them with
//! the number of I/Os, and the extremes cover all.

use super::DirectionSummary;
use diskspd_figures::units::Millis;

impl DirectionSummary {
    /// Returns the combined figures. They must cover the same time, because rates add up.
    pub fn of_all(all: &[&DirectionSummary]) -> DirectionSummary {
        let each = |of: fn(&DirectionSummary) -> Option<f64>| all.iter().map(move |figures| of(figures));
        let busy = || all.iter().filter(|figures| figures.ios != Some(0));
        let amount = |of: fn(&DirectionSummary) -> Option<u64>| {
            all.iter().try_fold(0_u64, |sum, figures| Some(sum.saturating_add(of(figures)?)))
        };
        let ios = amount(|figures| figures.ios);
        // (I/Os, mean, deviation) of those that did any; of one alone how many doesn't matter.
        let uncounted = (busy().count() == 1).then_some(1);
        let parts: Option<Vec<(f64, f64, f64)>> = busy()
            .map(|of| Some((of.ios.or(uncounted)? as f64, of.mean_ms?.ms(), of.std_dev_ms?.ms())))
            .collect();
        let moments = parts.filter(|parts| !parts.is_empty()).map(|parts| {
            let count: f64 = parts.iter().map(|(ios, ..)| ios).sum();
            let mean = parts.iter().map(|(ios, mean, _)| ios * mean).sum::<f64>() / count;
            let squares =
                parts.iter().map(|(ios, own, deviation)| ios * (deviation.powi(2) + (own - mean).powi(2)));
            (mean, (squares.sum::<f64>() / count).sqrt())
        });
        let extreme = |of: fn(&DirectionSummary) -> Option<Millis>, choose: fn(Millis, Millis) -> Millis| {
            let known: Option<Vec<Millis>> = busy().map(|figures| of(figures)).collect();
            known?.into_iter().reduce(choose)
        };
        DirectionSummary {
            ios,
            bytes: amount(|figures| figures.bytes),
            iops: each(|figures| figures.iops).sum(),
            mib_per_s: each(|figures| figures.mib_per_s).sum(),
            mean_ms: moments.map(|(mean, _)| Millis::new(mean)),
            std_dev_ms: moments.map(|(_, deviation)| Millis::new(deviation)),
            min_ms: extreme(|figures| figures.min_ms, Millis::min),
            max_ms: extreme(|figures| figures.max_ms, Millis::max),
            iops_std_dev: None,
            nowait_misses: amount(|figures| figures.nowait_misses),
            device_iops: None,
            device_mib_per_s: None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_have_mean_and_deviation_of_all_ios() {
        let of = |ios, mean, deviation, min, max| DirectionSummary {
            ios: Some(ios),
            mean_ms: Some(Millis::new(mean)),
            std_dev_ms: Some(Millis::new(deviation)),
            min_ms: Some(Millis::new(min)),
            max_ms: Some(Millis::new(max)),
            iops: Some(7.0),
            ..DirectionSummary::default()
        };
        let idle = DirectionSummary { ios: Some(0), iops: Some(0.0), ..DirectionSummary::default() };
        let both = DirectionSummary::of_all(&[&of(2, 2.0, 1.0, 1.0, 3.0), &of(2, 5.0, 0.0, 5.0, 5.0), &idle]);
        assert_eq!((both.ios, both.iops, both.bytes), (Some(4), Some(14.0), None));
        assert_eq!([both.mean_ms, both.min_ms, both.max_ms], [3.5, 1.0, 5.0].map(|ms| Some(Millis::new(ms))));
        let squares = [1.0_f64, 3.0, 5.0, 5.0].map(|ms| (ms - 3.5).powi(2)).iter().sum::<f64>();
        assert!((both.std_dev_ms.unwrap().ms() - (squares / 4.0).sqrt()).abs() < 1e-12);
        let unknown = DirectionSummary { ios: Some(1), ..DirectionSummary::default() };
        assert_eq!(DirectionSummary::of_all(&[&unknown, &of(1, 1.0, 0.0, 1.0, 1.0)]).mean_ms, None);
        let uncounted = DirectionSummary { ios: None, ..of(0, 2.0, 1.0, 1.0, 3.0) };
        assert_eq!(DirectionSummary::of_all(&[&uncounted, &idle]).mean_ms, Some(Millis::new(2.0)));
        assert_eq!(DirectionSummary::of_all(&[&uncounted, &uncounted]).mean_ms, None);
    }
}
