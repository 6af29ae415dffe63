//! Histogram, moments and series against their definitions: worked examples and random data.

use diskspd::stats::{Histogram, Moments, Series};
use proptest::prelude::*;

fn histogram(latencies: &[u64]) -> Histogram {
    let mut histogram = Histogram::new();
    latencies.iter().for_each(|&nanos| histogram.record(nanos));
    histogram
}

fn moments(latencies: &[u64]) -> Moments {
    *histogram(latencies).moments()
}

#[test]
fn percentiles_of_small_sets_are_exact() {
    let once: Vec<u64> = (1..=99).collect();
    let lower_half_twice: Vec<u64> = (1..=49).chain(1..=99).collect();
    assert_eq!(lower_half_twice.len(), 148);
    let table: [(&[u64], f64, u64); 18] = [
        (&[1, 2, 3], 0.0, 1),
        (&[1, 2, 3], 0.5, 2),
        (&[1, 2, 3], 1.0, 3),
        (&once, 0.5, 50),
        (&once, 0.6, 60),
        (&once, 0.1, 10),
        (&lower_half_twice, 0.5, 37),
        (&lower_half_twice, 0.6, 45),
        (&lower_half_twice, 0.1, 8),
        (&lower_half_twice, 1.0, 99),
        // The high nines of a small set are its maximum.
        (&once, 0.99, 99),
        (&once, 0.9999999, 99),
        (&[7], 0.0, 7),
        (&[7], 0.25, 7),
        // Outside [0, 1] and not a number: the nearest end.
        (&[1, 2, 3], -1.0, 1),
        (&[1, 2, 3], 2.0, 3),
        (&[1, 2, 3], f64::NAN, 3),
        // The middle of a wide bucket is never outside of what was recorded.
        (&[1 << 40], 0.5, 1 << 40),
    ];
    for (latencies, p, expected) in table {
        assert_eq!(histogram(latencies).percentile(p), Some(expected), "p = {p} of {latencies:?}");
    }
}

#[test]
fn empty_set_has_no_figures() {
    for empty in [Histogram::new(), Histogram::default()] {
        assert_eq!(empty.percentile(0.5), None);
        let m = empty.moments();
        assert_eq!((m.count(), m.min(), m.max(), m.mean(), m.std_dev()), (0, None, None, None, None));
        assert_eq!(empty.distinct(), 0);
        assert_eq!(empty, Histogram::default());
    }
}

#[test]
fn minimum_and_maximum_are_exact() {
    assert_eq!(
        histogram(&[5, 1 << 41, 1 << 42]).percentile(0.5),
        Some(1 << 42),
        "18 minutes and more read as the maximum"
    );
    let h = histogram(&[0, u64::MAX]);
    assert_eq!((h.percentile(0.0), h.percentile(0.5), h.percentile(1.0)), (Some(0), Some(0), Some(u64::MAX)));
}

#[test]
fn a_small_deviation_of_long_latencies_keeps_its_digits() {
    let hour = 3_600_000_000_000;
    assert_eq!(moments(&[hour - 1, hour, hour + 1]).std_dev(), Some((2.0f64 / 3.0).sqrt()));
    assert_eq!(moments(&[hour, hour + 1]).std_dev(), Some(0.5));
    assert_eq!(moments(&[hour; 5]).std_dev(), Some(0.0));
}

/// Returns the series of these (completion, latency) in ms, with `width` in ms and `duration` in s.
fn series(width: u32, duration: u32, completions: &[(u64, u64)]) -> Series {
    let mut series = Series::new(width, duration);
    completions.iter().for_each(|&(at, latency)| series.record(at * 1_000_000, latency * 1_000_000));
    series
}

#[test]
fn series_has_exact_counts_and_deviation() {
    // Two intervals count; the completion at the end of the second is outside.
    let s = series(500, 1, &[(0, 1), (500, 1), (550, 1), (1000, 1)]);
    assert_eq!(s.valid().map(|m| m.count()).collect::<Vec<_>>(), [1, 2]);
    assert_eq!(s.iops_std_dev() * 0.5, 0.5);

    let s = series(250, 1, &[(125, 1), (200, 2), (375, 3), (450, 5), (1125, 4)]);
    let in_ms = |nanos: Option<f64>| nanos.map(|n| n / 1e6);
    let got: Vec<_> =
        s.valid().map(|m| (m.count(), m.min(), m.max(), in_ms(m.mean()), in_ms(m.std_dev()))).collect();
    let empty = (0, None, None, None, None);
    assert_eq!(
        got,
        [
            (2, Some(1_000_000), Some(2_000_000), Some(1.5), Some(0.5)),
            (2, Some(3_000_000), Some(5_000_000), Some(4.0), Some(1.0)),
            empty,
            empty,
        ]
    );
}

#[test]
fn only_intervals_up_to_the_latest_completion_count() {
    assert_eq!(series(1000, 10, &[]).valid_count(), 0);
    assert_eq!(series(1000, 10, &[]).iops_std_dev(), 0.0);
    assert_eq!(series(1000, 10, &[(3500, 1)]).valid_count(), 4);
    // ceil(1000 / 300) = 4
    assert_eq!(series(300, 1, &[(1199, 1)]).valid_count(), 4);
    assert_eq!(series(300, 1, &[(5000, 1)]).valid_count(), 4);
    assert_eq!(series(300, 1, &[(5000, 1)]).iops_std_dev(), 0.0);
}

#[test]
fn merging_ignores_the_extremes_of_empty_intervals() {
    let mut s = series(1000, 2, &[(0, 5), (1000, 7)]);
    s.merge(&series(1000, 2, &[(1500, 9)]));
    assert_eq!(s.valid().map(|m| m.min()).collect::<Vec<_>>(), [Some(5_000_000), Some(7_000_000)]);
}

#[test]
fn an_endless_series_takes_no_memory() {
    let mut s = Series::new(1, u32::MAX);
    s.record(3_000_000, 1);
    assert_eq!(s.valid_count(), 4);
}

fn resolved() -> impl Strategy<Value = u64> {
    prop_oneof![
        0..5_000u64,
        0..100_000_000u64,
        (0..40u32).prop_map(|shift| 1 << shift),
        0..(1u64 << 40) - (1 << 30)
    ]
}

/// Returns realistic latencies and arbitrary ones.
fn latency() -> impl Strategy<Value = u64> {
    prop_oneof![0..5_000u64, 0..100_000_000u64, (0..64u32).prop_map(|shift| 1 << shift), any::<u64>()]
}

fn latencies() -> impl Strategy<Value = Vec<u64>> {
    prop::collection::vec(latency(), 1..200)
}

fn completions() -> impl Strategy<Value = Vec<(u64, u64)>> {
    prop::collection::vec((0..2_500_000_000u64, latency()), 0..100)
}

fn recorded(completions: &[(u64, u64)]) -> Series {
    let mut series = Series::new(100, 2);
    completions.iter().for_each(|&(at, latency)| series.record(at, latency));
    series
}

proptest! {
    #[test]
    fn equal_latencies_are_counted_in_bulk_like_singles(
        runs in prop::collection::vec((0..2_500_000_000u64, latency(), 1..40u64), 0..50)
    ) {
        let (mut together, mut together_in_time) = (Histogram::new(), Series::new(100, 2));
        let mut singles = vec![];
        for &(at, latency, count) in &runs {
            together.record_equal(latency, count);
            together_in_time.record_equal(at, latency, count);
            singles.extend((0..count).map(|_| (at, latency)));
        }
        let latencies: Vec<u64> = singles.iter().map(|single| single.1).collect();
        prop_assert_eq!(together, histogram(&latencies));
        prop_assert_eq!(together_in_time, recorded(&singles));
    }

    #[test]
    fn percentile_is_within_a_thousandth_of_sorted_latency(
        mut latencies in prop::collection::vec(resolved(), 1..200), p in 0.0..=1.0f64
    ) {
        let got = histogram(&latencies).percentile(p).unwrap() as f64;
        latencies.sort_unstable();
        let wanted = p * latencies.len() as f64;
        let rank = (1..latencies.len()).find(|&rank| rank as f64 >= wanted).unwrap_or(latencies.len());
        let exact = latencies[rank - 1] as f64;
        prop_assert!((got - exact).abs() <= exact * 0.001, "{got} instead of {exact}");
    }

    #[test]
    fn mean_and_deviation_match_two_pass_values(latencies in prop::collection::vec(0..1u64 << 40, 1..200)) {
        let n = latencies.len() as f64;
        let mean = latencies.iter().map(|&x| x as f64).sum::<f64>() / n;
        let variance = latencies.iter().map(|&x| (x as f64 - mean).powi(2)).sum::<f64>() / n;
        let got = moments(&latencies);
        prop_assert!((got.mean().unwrap() - mean).abs() <= mean * 1e-12);
        prop_assert!((got.std_dev().unwrap() - variance.sqrt()).abs() <= mean * 1e-12);
    }

    #[test]
    fn merging_histograms_is_recording_all_in_one(a in latencies(), b in latencies(), lazy: bool) {
        let mut merged = if lazy { Histogram::default() } else { Histogram::new() };
        merged.merge(&histogram(&a));
        merged.merge(&Histogram::default());
        merged.merge(&histogram(&b));
        prop_assert_eq!(merged, histogram(&[a, b].concat()));
    }

    #[test]
    fn merging_series_is_recording_all_in_one(a in completions(), b in completions()) {
        let mut merged = Series::default();
        merged.merge(&recorded(&a));
        merged.merge(&recorded(&b));
        prop_assert_eq!(merged, recorded(&[a, b].concat()));
    }

    #[test]
    fn stored_statistics_round_trip(latencies in prop::collection::vec(latency(), 0..50), completions in completions()) {
        let (h, s) = (histogram(&latencies), recorded(&completions));
        let stored = serde_json::to_string(&(&h, &s)).unwrap();
        prop_assert_eq!(serde_json::from_str::<(Histogram, Series)>(&stored).unwrap(), (h, s));
    }
}

#[test]
fn impossible_values_are_refused() {
    let moments = r#"{"count":1,"min":5,"max":5,"sum":"5","squares":"25"}"#;
    let histograms = [
        (moments.to_string(), "[[5,1]]", None),
        (moments.to_string(), "[[5,2]]", Some("hold 2 latencies, not 1")),
        (moments.to_string(), "[]", Some("hold 0 latencies, not 1")),
        ("null".into(), "[[5,1]]", Some("hold 1 latencies, not 0")),
        (moments.to_string(), "[[6,1]]", Some("first and last bucket")),
        (moments.to_string(), "[[5,0],[5,1]]", Some("empty or out of order")),
        (moments.to_string(), "[[99999999999,1]]", Some("no histogram bucket 99999999999")),
        (moments.to_string(), "[[5,18446744073709551615],[6,1]]", Some("too large")),
        (moments.replace("\"5\"", "\"6\""), "[[5,1]]", Some("contradict")),
        (moments.replace("\"25\"", "\"26\""), "[[5,1]]", Some("contradict")),
        (moments.replace("\"5\"", "\"five\""), "[[5,1]]", Some("not a whole number")),
        (moments.replace(":1,", ":0,"), "[]", Some("contradict")),
    ];
    for (moments, buckets, complaint) in histograms {
        let text = format!(r#"{{"moments":{moments},"buckets":{buckets}}}"#);
        let got = serde_json::from_str::<Histogram>(&text).map_err(|e| e.to_string());
        match complaint {
            None => assert!(got.is_ok(), "{text}: {got:?}"),
            Some(complaint) => assert!(got.as_ref().is_err_and(|e| e.contains(complaint)), "{text}: {got:?}"),
        }
    }
    let series = [
        (
            r#"{"width":1,"allocated":1000000000000000000,"last":1000000000000000000,"intervals":[]}"#,
            "lists 0",
        ),
        (r#"{"width":0,"allocated":1,"last":1,"intervals":[null]}"#, "no width"),
    ];
    for (text, complaint) in series {
        let error = serde_json::from_str::<Series>(text).unwrap_err().to_string();
        assert!(error.contains(complaint), "{text}: {error}");
    }
}
