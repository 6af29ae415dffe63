//! Tests of throughput limits and think time, with a simulated clock.

use diskspd::workload::pace::{Limit, Pace};
use proptest::prelude::*;

const MS: u64 = 1_000_000;
const SECOND: u64 = 1_000_000_000;

fn schedule(limit: Limit, start: u64, count: usize) -> Vec<u64> {
    let mut pace = Pace::new(limit, start);
    let mut now = start;
    let mut times = Vec::new();
    while times.len() < count {
        match pace.ask(now) {
            Ok(()) => times.push(now),
            Err(u64::MAX) => pace.submitted(now),
            Err(due) => {
                assert!(due > now, "whoever asks again when told to gets on");
                now = due;
            }
        }
    }
    times
}

#[test]
fn first_io_waits_block_over_rate() {
    for (limit, expected) in [
        (Limit::iops(1), [SECOND, 2 * SECOND, 3 * SECOND, 4 * SECOND]),
        (Limit::iops(100), [10 * MS, 20 * MS, 30 * MS, 40 * MS]),
        // A third of a second is no whole number of ns: never early, and right again at the second.
        (Limit::iops(3), [333_333_334, 666_666_667, SECOND, SECOND + 333_333_334]),
        (Limit::iops(u32::MAX >> 1), [1, 1, 2, 2]),
        // 1 byte per ms in blocks of 512: DISKSPD's tables take this for no limit.
        (Limit::bytes_per_millisecond(1, 512), [512 * MS, 1024 * MS, 1536 * MS, 2048 * MS]),
        (Limit::bytes_per_millisecond(1024, 65536), [64 * MS, 128 * MS, 192 * MS, 256 * MS]),
        (Limit::bytes_per_millisecond(3, 4), [1_333_334, 2_666_667, 4 * MS, 5_333_334]),
        // Beyond 4 GiB/s, where 32 bits wrap.
        (Limit::bytes_per_millisecond(6_553_600, 65536), [10_000, 20_000, 30_000, 40_000]),
        (Limit::bytes_per_millisecond(1, u32::MAX), [1, 2, 3, 4].map(|k| k * u64::from(u32::MAX) * MS)),
    ] {
        assert_eq!(schedule(limit, 0, 4), expected, "{limit:?}");
        assert_eq!(schedule(limit, 77, 4), expected.map(|time| time + 77), "{limit:?}, started later");
    }
}

#[test]
fn parts_of_an_even_rate_alternate_and_sum_up() {
    for (ios_per_s, of) in [(1000, 1), (1000, 3), (7, 5), (3, 10)] {
        let parts = (0..of).map(|turn| schedule(Limit::InTurn { ios_per_s, turn, of }, 5, 20));
        let mut all: Vec<u64> = parts.flatten().collect();
        all.sort_unstable();
        let even: Vec<u64> =
            (1..=20 * u64::from(of)).map(|io| 5 + (io * SECOND).div_ceil(ios_per_s)).collect();
        assert_eq!(all, even, "{ios_per_s} I/Os per s in {of} parts");
    }
}

#[test]
fn random_arrivals_are_a_poisson_process() {
    let limit = |seed| Limit::Poisson { ios_per_s: 30_000, of: 3, seed };
    let times = schedule(limit(1), 0, 100_000);
    let mut last = 0;
    let gaps: Vec<f64> =
        times.iter().map(|&time| (time - std::mem::replace(&mut last, time)) as f64).collect();
    let mean = gaps.iter().sum::<f64>() / 1e5;
    let variance = gaps.iter().map(|gap| (gap - mean).powi(2)).sum::<f64>() / 1e5;
    // Of an exponential distribution deviation and mean are the same, and a share of 1/e exceeds it.
    assert!((mean / 1e5 - 1.0).abs() < 0.02, "{mean}");
    assert!((variance.sqrt() / mean - 1.0).abs() < 0.02, "{} {mean}", variance.sqrt());
    let longer = gaps.iter().filter(|gap| **gap > mean).count() as f64 / 1e5;
    assert!((longer - (-1f64).exp()).abs() < 0.01, "{longer}");
    assert_ne!(times[..9], schedule(limit(2), 0, 9));
    // Of what nobody asked for yet there is as much as in such a time on average.
    let pace = Pace::new(limit(1), 0);
    let (ios, since) = pace.overdue(SECOND).unwrap();
    assert!((9_998..=10_001).contains(&ios) && since == SECOND - times[0], "{ios} {since}");
    assert_eq!(pace.overdue(times[0] - 1), None);
}

#[test]
fn late_thread_catches_up_to_schedule() {
    let mut pace = Pace::new(Limit::iops(1000), 0);
    assert_eq!(pace.ask(0), Err(MS), "nothing goes at the start");
    let late = 10 * MS + 1;
    for k in 0..10 {
        assert_eq!(pace.ask(late), Ok(()), "{k}");
    }
    assert_eq!(pace.ask(late), Err(11 * MS));
}

#[test]
fn paced_io_is_due_regardless_of_earlier_ones() {
    let mut pace = Pace::new(Limit::iops(1000), 7);
    for k in 1..=5 {
        assert_eq!(pace.due(), Some(7 + k * MS), "{k}");
        assert_eq!(pace.ask(7 + 5 * MS), Ok(()), "{k}");
    }
    assert_eq!(pace.overdue(7 + 6 * MS - 1), None, "the next one is not due yet");
    assert_eq!(pace.overdue(7 + 6 * MS), Some((1, 0)));
    assert_eq!(pace.overdue(7 + 1005 * MS), Some((1000, 999 * MS)));
    // A third of a second: no whole number of ns.
    let thirds = Pace::new(Limit::iops(3), 0);
    assert_eq!(thirds.due(), Some(333_333_334));
    assert_eq!(thirds.overdue(10 * SECOND).map(|(ios, _)| ios), Some(30));
    let none = Pace::new(Limit::Rate { ios: u64::MAX, nanos: 0 }, 0);
    assert!(none.overdue(u64::MAX).is_some());
    // How long a burst takes decides when the next one begins.
    for limit in [Limit::None, Limit::bursts(3, 1, 5)] {
        let pace = Pace::new(limit, 0);
        assert_eq!((pace.due(), pace.overdue(SECOND)), (None, None), "{limit:?}");
    }
}

#[test]
fn pause_follows_each_burst_from_its_submission() {
    let mut pace = Pace::new(Limit::bursts(3, 1, 5), 100);
    for round in 0..3 {
        let begin = 100 + round * 10 * MS;
        for k in 0..3 {
            assert!(!pace.burst_ended());
            assert_eq!(pace.ask(begin + k), Ok(()), "I/Os of a burst do not wait");
        }
        assert!(pace.burst_ended());
        assert_eq!(pace.ask(begin + 3), Err(u64::MAX), "not known before the last one is submitted");
        pace.submitted(begin + 5 * MS);
        assert!(!pace.burst_ended());
        assert_eq!(pace.ask(begin + 10 * MS - 1), Err(begin + 10 * MS));
        pace.submitted(begin + 9 * MS);
        assert_eq!(pace.ask(begin + 9 * MS), Err(begin + 10 * MS), "a pause is not begun twice");
    }
}

#[test]
fn bursts_are_divided_among_threads_without_empty_ones() {
    for (count, threads, ios) in [(10, 1, 10), (10, 3, 3), (3, 4, 1), (0, 1, 1), (5, 0, 5)] {
        assert_eq!(Limit::bursts(count, threads, 7), Limit::Bursts { ios, pause: 7 * MS });
    }
}

#[test]
fn unlimited_ios_start_immediately() {
    assert_eq!(schedule(Limit::None, 5, 1000), [5; 1000]);
}

fn rates() -> impl Strategy<Value = Limit> {
    prop_oneof![
        (1u32..).prop_map(Limit::iops),
        (1u32..100).prop_map(Limit::iops),
        ((1u32..), (1u32..)).prop_map(|(rate, block)| Limit::bytes_per_millisecond(rate, block)),
    ]
}

proptest! {
    #[test]
    fn rate_is_exact_to_one_io(limit in rates(), start in 0u64..1 << 60, count in 1usize..5000) {
        let Limit::Rate { ios, nanos } = limit else { unreachable!() };
        for (k, time) in schedule(limit, start, count).into_iter().enumerate() {
            let (issued, elapsed) = (k as u128 + 1, u128::from(time - start));
            prop_assert!(issued * u128::from(nanos) <= elapsed * u128::from(ios), "{k} at {elapsed}");
            prop_assert!(issued * u128::from(nanos) > (elapsed - 1) * u128::from(ios), "{k} at {elapsed}");
        }
    }

    #[test]
    fn irregular_polling_keeps_the_rate(
        limit in rates(),
        gaps in prop::collection::vec(0u64..3 * SECOND, 1..50),
    ) {
        let Limit::Rate { ios, nanos } = limit else { unreachable!() };
        let mut pace = Pace::new(limit, 0);
        let (mut now, mut issued) = (0, 0u128);
        for gap in gaps {
            now += gap;
            let due = u128::from(now) * u128::from(ios) / u128::from(nanos);
            // Very high rates would take too long to play through.
            prop_assume!(due < 1_000_000);
            while pace.ask(now).is_ok() {
                issued += 1;
            }
            prop_assert_eq!(issued, due);
        }
    }

    /// The last I/O of a burst and the first of the next burst are separated by a pause.
    #[test]
    fn bursts_are_separated_by_pauses(count in 1u32..20, ms in 1u32..100, start in 0u64..1 << 40) {
        let limit = Limit::bursts(count, 1, ms);
        let times = schedule(limit, start, 5 * count as usize);
        for (round, burst) in times.chunks(count as usize).enumerate() {
            let expected = start + round as u64 * u64::from(ms) * MS;
            prop_assert!(burst.iter().all(|&time| time == expected));
        }
    }
}
