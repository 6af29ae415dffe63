//! The written areas of a file, from its allocated ranges and their valid parts.

use super::fields::Fields;
use diskspd_machine::content::ContentShares;

pub(super) type Range = (u64, u64);

pub(super) fn allocated(answer: &[u8]) -> Vec<Range> {
    let all = Fields(answer).array(0, 16, usize::MAX);
    all.map_while(|each| read_range(each, each.u64(0)?)).collect()
}

/// Parses the ranges of `FILE_REGION_OUTPUT`, and whether there are more.
pub(super) fn valid(answer: &[u8]) -> Option<(Vec<Range>, bool)> {
    let found = Fields(answer);
    let (all, here) = (found.u32(4)?, found.u32(8)?);
    let regions = found.array(16, 24, usize::try_from(here).ok()?);
    Some((regions.map_while(|each| read_range(each, each.u64(0)?)).collect(), all > here))
}

fn read_range(found: Fields, from: u64) -> Option<Range> {
    let length = found.u64(8).filter(|length| *length > 0)?;
    Some((from, from.checked_add(length)?))
}

/// Merges ranges to disjoint ascending ones between `from` and `to`.
fn join_ranges(ranges: &[Range], from: u64, to: u64) -> Vec<Range> {
    let within = |(first, last): &Range| ((*first).clamp(from, to), (*last).clamp(from, to));
    let mut sorted: Vec<Range> = ranges.iter().map(within).filter(|(first, last)| first < last).collect();
    sorted.sort_unstable();
    let mut joined: Vec<Range> = Vec::new();
    for (first, last) in sorted {
        match joined.last_mut().filter(|before| before.1 >= first) {
            Some(before) => before.1 = before.1.max(last),
            None => joined.push((first, last)),
        }
    }
    joined
}

/// Returns the composition of a part of a file. Allocated areas are not holes. Invalid allocated areas
/// were never written, and are read as zeros without disk access.
pub(super) fn space(from: u64, to: u64, allocated: &[Range], valid: &[Range]) -> ContentShares {
    let length = |ranges: &[Range]| ranges.iter().map(|(first, last)| last - first).sum::<u64>();
    let (allocated, valid) = (join_ranges(allocated, from, to), join_ranges(valid, from, to));
    let written = |(first, last): &Range| {
        let both = valid.iter().map(|(a, b)| (*a.max(first), *b.min(last)));
        both.filter(|(a, b)| a < b).map(|(a, b)| b - a).sum::<u64>()
    };
    let written: u64 = allocated.iter().map(written).sum();
    let (known, taken) = (to.saturating_sub(from), length(&allocated));
    ContentShares {
        examined: known,
        holes: known - taken,
        unwritten: taken - written,
        ..ContentShares::default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn number_bytes(numbers: &[u64]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    #[test]
    fn implausible_range_ends_the_list() {
        assert_eq!(allocated(&number_bytes(&[0, 10, 20, 5])), [(0, 10), (20, 25)]);
        assert_eq!(allocated(&number_bytes(&[0, 10, 20])), [(0, 10)]);
        assert_eq!(allocated(&number_bytes(&[5, 0, 20, 5])), []);
        assert_eq!(allocated(&number_bytes(&[u64::MAX, 2])), []);
        let regions = |all: u64, here: u64| number_bytes(&[all << 32, here, 0, 10, 1, 30, 5, 1]);
        assert_eq!(valid(&regions(2, 2)), Some((vec![(0, 10), (30, 35)], false)));
        assert_eq!(valid(&regions(9, 1)), Some((vec![(0, 10)], true)));
        assert_eq!(valid(&[0; 11]), None);
    }

    #[test]
    fn allocated_invalid_ranges_are_unwritten() {
        for (allocated, valid, expected) in [
            (&[(0, 100)][..], &[(0, 40)][..], (100, 0, 60)),
            (&[(0, 10), (50, 60)], &[(0, 100)], (100, 80, 0)),
            (&[(0, 10), (5, 20), (200, 300)], &[(0, 15)], (100, 80, 5)),
            (&[], &[(0, 100)], (100, 100, 0)),
            (&[(0, 100)], &[(0, 100)], (100, 0, 0)),
        ] {
            let found = space(0, 100, allocated, valid);
            assert_eq!((found.examined, found.holes, found.unwritten), expected, "{allocated:?}");
        }
        let part = space(10, 20, &[(0, 15)], &[(0, 12)]);
        assert_eq!((part.examined, part.holes, part.unwritten), (10, 5, 3));
        assert_eq!(space(20, 20, &[(0, 100)], &[]), ContentShares::default());
    }

    proptest! {
        #[test]
        fn parts_never_exceed_the_whole(
            bytes in prop::collection::vec(any::<u8>(), 0..160),
            ends in prop::collection::vec((0..300_u64, 0..300_u64), 0..9),
        ) {
            let found = allocated(&bytes);
            let good = valid(&bytes).map(|found| found.0).unwrap_or_default();
            for (allocated, valid) in [(&found, &good), (&ends, &found), (&ends, &ends)] {
                let space = space(10, 200, allocated, valid);
                prop_assert!(space.holes + space.unwritten <= space.examined && space.examined == 190);
            }
        }
    }
}
