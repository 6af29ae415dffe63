//! Effective distributions: ranges of `-rd` laid out on a target.

use super::command::{Command, distribution, size};
use diskspd::workload::{Grid, effective_ranges};

/// Distribution, target size, `span@start-end` of each effective range in KiB. Blocks and alignment are 4 KiB.
#[rustfmt::skip]
const PERCENT: &[(&str, &str, &str)] = &[
    ("10/10:10/10:0/10", "100K", "10@0-8 10@8-20 80@28-100"),
    ("10/10:10/10:0/10", "1M", "10@0-100 10@100-204 80@304-1024"),
    ("10/10:10/10:10/1", "100K", "10@0-8 10@8-20 10@20-24 70@24-100"),
    ("10/96:10/3:80/1", "100K", "10@0-96 90@96-100"),
    ("10/5:10/1:80/94", "100K", "20@0-4 80@4-100"),
    ("10/1:10/1", "100K", "20@0-4 80@4-100"),
    ("10/1:10/1:10/1:10/1", "100K", "40@0-4 60@4-100"),
    ("10/1:10/1:10/1:10/1:10/1", "100K", "40@0-4 10@4-8 50@8-100"),
    ("90/10:0/10:5/20", "100K", "90@0-8 5@20-40 5@40-100"),
    ("90/10:0/10:5/20", "1G", "90@0-104856 5@209712-419428 5@419428-1048576"),
    // I/O points of several ranges without a position in a row add up.
    ("10/5:10/1:10/1:70/93", "100K", "30@0-4 70@4-100"),
    // A range that ends where it starts, and a hole after it.
    ("10/1:0/49:90/50", "100K", "10@0-4 90@48-100"),
    // A hole first, and then a range without a position.
    ("0/49:10/1:90/50", "100K", "100@48-100"),
    ("0/49:100/1:0/50", "100K", "100@48-52"),
    // One position for all.
    ("50/50:50/50", "4K", "100@0-4"),
];

/// Distribution, target size, blocks and alignment, ranges in KiB.
#[rustfmt::skip]
const ABSOLUTE: &[(&str, &str, &str, &str)] = &[
    ("10/1G:10/1G:0/100G", "200G", "4K", "10@0-1048576 10@1048576-2097152 80@106954752-209715200"),
    ("10/1G:10/1G:0/100G:80/1T", "200G", "4K", "10@0-1048576 10@1048576-2097152 80@106954752-209715200"),
    ("10/100G:10/100G", "200G", "4K", "10@0-104857600 10@104857600-209715200"),
    ("10/100G:10/200G", "200G", "4K", "10@0-104857600 10@104857600-209715200"),
    ("10/98K", "100K", "3K", "10@0-98"),
    ("10/96K", "100K", "3K", "10@0-96 90@96-100"),
    ("10/50K:20/10K:30/1G", "100K", "4K", "10@0-50 20@50-60 30@60-100"),
    ("0/200K:100/10K", "100K", "4K", ""),
];

fn effective(ranges: &str, target: &str, block: &str) -> String {
    let grid = Grid { region: size(target), block_size: size(block) as u32, stride: size(block) };
    let mut points = 0;
    let show = |range: &diskspd::results::EffectiveRange| {
        assert_eq!(range.io_base, points, "{ranges} on {target}");
        points += range.io_span;
        let end = range.start + range.length;
        assert_eq!((range.start % 1024, end % 1024), (0, 0), "{ranges} on {target}");
        format!("{}@{}-{}", range.io_span, range.start >> 10, end >> 10)
    };
    let effective = effective_ranges(&distribution(ranges), &grid);
    effective.iter().map(show).collect::<Vec<_>>().join(" ")
}

#[test]
fn percent_distribution_matches_vectors() {
    for (ranges, target, expected) in PERCENT {
        assert_eq!(effective(&format!("pct{ranges}"), target, "4K"), *expected, "{ranges} on {target}");
    }
}

#[test]
fn absolute_distribution_matches_vectors() {
    for (ranges, target, block, expected) in ABSOLUTE {
        assert_eq!(effective(&format!("abs{ranges}"), target, block), *expected, "{ranges} on {target}");
    }
}

#[test]
fn thread_prints_its_effective_ranges() {
    let threads = Command::parse("-c100K -b4K -r -rdpct10/10:10/10:0/10").threads();
    let spans = |ranges: &[diskspd::results::EffectiveRange]| {
        ranges.iter().map(|r| (r.io_base, r.io_span, r.start, r.length)).collect::<Vec<_>>()
    };
    assert_eq!(
        spans(threads[0].workload.effective(0)),
        [(0, 10, 0, 8 << 10), (10, 10, 8 << 10, 12 << 10), (20, 80, 28 << 10, 72 << 10)]
    );
    assert_eq!(spans(Command::parse("-c100K -b4K -r").threads()[0].workload.effective(0)), []);
}

/// All ranges are beyond the end, so that the target is uniform.
#[test]
fn distribution_outside_target_is_empty() {
    let ranges = Command::parse("-c100K -b4K -r -rdabs0/200K:100/10K").ios(0, 1000);
    assert_eq!(ranges, Command::parse("-c100K -b4K -r").ios(0, 1000));
}

/// With 10 of 100 points left, all I/O goes to the first range. If the end is not on the grid, no I/O crosses
/// it.
#[test]
fn the_last_absolute_range_is_clamped() {
    let offsets = Command::parse("-c100K -b8K -r1K -rdabs10/90K:90/9K -B512").offsets(0, 20_000);
    let last: Vec<u64> = offsets.into_iter().map(|offset| offset - 512).filter(|&o| o >= 90 << 10).collect();
    assert!(!last.is_empty());
    // 99.5 KiB - 8 KiB = 91.5 KiB: 90 and 91 KiB remain.
    assert!(last.iter().all(|&offset| offset == 90 << 10 || offset == 91 << 10), "{:?}", &last[..10]);
}
