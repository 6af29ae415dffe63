//! Tests of `--distribution`: the I/O positions of a run.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::in_process::profile_and_options as parse;
use crate::common::io_log;
use diskspd::profile::validate::validate;

/// Returns second and offset of the I/Os of a simulated run in an area of 100 MiB.
fn ios(line: &str) -> Vec<(u64, u64)> {
    let ios = io_log::of_run(&format!("--engine sim -c100M -b4K -W0 {line} a.dat"));
    ios.iter().map(|io| (io.start_ns / 1_000_000_000, io.offset)).collect()
}

/// Returns the number of I/Os that begin in this part of the area, in percent of it.
fn within(ios: &[(u64, u64)], percent: std::ops::Range<u64>) -> f64 {
    let inside = |offset: &u64| percent.contains(&(offset * 100 / (100 << 20)));
    ios.iter().filter(|(_, offset)| inside(offset)).count() as f64 / ios.len() as f64
}

#[test]
fn hot_spot_moves_with_run_time_for_all_threads() {
    for line in ["-o2 -t2", "-o1", "-o4 -L -g2000i", "-o2 -w50 -Zr", "-rs80 -o2"] {
        let all = ios(&format!("{line} -r -d3 --distribution hot:10%/90%,moves=1s"));
        for second in 0..3 {
            let then: Vec<_> = all.iter().copied().filter(|(at, _)| *at == second).collect();
            let share = within(&then, second * 10..second * 10 + 10);
            // Of 20 % sequential I/O, some go on beyond the spot.
            assert!(then.len() > 500 && (0.85..0.95).contains(&share), "{line}: {share} of {}", then.len());
        }
    }
}

#[test]
fn same_seed_gives_same_addresses() {
    for spread in ["zipf:0.9", "normal:5%", "hot:20%/80%"] {
        let line = |seed: u32| format!("-o4 -r -d1 -z{seed} --distribution {spread}");
        assert_eq!(ios(&line(1)), ios(&line(1)), "{spread}");
        assert_ne!(ios(&line(1)), ios(&line(2)), "{spread}");
    }
    let normal = ios("-o8 -r -d1 --distribution normal:5%");
    assert!(within(&normal, 40..60) > 0.94 && within(&normal, 45..55) < 0.72);
}

#[test]
fn options_incompatible_with_distributions_are_refused() {
    for (line, rules) in [
        ("--distribution zipf:1 -r", &[] as &[&str]),
        ("--distribution zipf:1 -rs1", &[]),
        ("--distribution zipf:1", &["V36"]),
        ("--distribution zipf:1 -r -rdpct10/10", &["V37"]),
    ] {
        let (profile, _) = parse(&format!("{line} f.dat"));
        let found = validate(&profile, false);
        assert_eq!(found.iter().map(|found| found.name).collect::<Vec<_>>(), rules, "{line}");
    }
}
