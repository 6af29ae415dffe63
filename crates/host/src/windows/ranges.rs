//! What of a file was written: from its allocated ranges, and what of them is valid.

use super::fields::Fields;
use diskspd_model::machine::content::Space;

/// A part of a file: first byte, and behind the last one.
pub(super) type Range = (u64, u64);

/// `FILE_ALLOCATED_RANGE_BUFFER`s, one behind the other. What makes no sense ends them.
pub(super) fn allocated(answer: &[u8]) -> Vec<Range> {
    let all = Fields(answer).array(0, 16, usize::MAX);
    all.map_while(|each| range(each, each.u64(0)?)).collect()
}

/// The ranges of `FILE_REGION_OUTPUT`, and whether there are more of them.
pub(super) fn valid(answer: &[u8]) -> Option<(Vec<Range>, bool)> {
    let found = Fields(answer);
    let (all, here) = (found.u32(4)?, found.u32(8)?);
    let regions = found.array(16, 24, usize::try_from(here).ok()?);
    Some((regions.map_while(|each| range(each, each.u64(0)?)).collect(), all > here))
}

/// Of a structure that has a length behind its beginning.
fn range(found: Fields, from: u64) -> Option<Range> {
    let length = found.u64(8).filter(|length| *length > 0)?;
    Some((from, from.checked_add(length)?))
}

/// Both as ranges that don't meet, ascending, within `from` and `to`.
fn joined(ranges: &[Range], from: u64, to: u64) -> Vec<Range> {
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

/// What a part of a file consists of. Allocated is what isn't a hole; what of that isn't valid was never
/// written, and is read as zeros without asking the disk.
pub(super) fn space(from: u64, to: u64, allocated: &[Range], valid: &[Range]) -> Space {
    let length = |ranges: &[Range]| ranges.iter().map(|(first, last)| last - first).sum::<u64>();
    let (allocated, valid) = (joined(allocated, from, to), joined(valid, from, to));
    let written = |(first, last): &Range| {
        let both = valid.iter().map(|(a, b)| (*a.max(first), *b.min(last)));
        both.filter(|(a, b)| a < b).map(|(a, b)| b - a).sum::<u64>()
    };
    let written: u64 = allocated.iter().map(written).sum();
    let (known, taken) = (to.saturating_sub(from), length(&allocated));
    Space { known, holes: known - taken, unwritten: taken - written, ..Space::default() }
}

/// It isn't known what of a file was written.
#[cfg(windows)]
#[derive(Debug, thiserror::Error)]
#[error("it isn't known what of it was written: {what}: {source}")]
pub struct NotTold {
    /// What was asked for.
    pub what: &'static str,
    /// What the system says.
    pub source: std::io::Error,
}

/// What the part of a file from `from` to `to` consists of, as far as can be found out until a time.
///
/// # Errors
/// The file can't be opened, or its file system doesn't tell: FAT and shares don't.
#[cfg(windows)]
pub fn written(
    path: &std::path::Path,
    from: u64,
    to: u64,
    until: diskspd_sys::clock::Nanos,
) -> Result<Space, NotTold> {
    use diskspd_sys::clock;
    use diskspd_sys::storage_answers::{Question, ask, open_for_ranges};
    let not = |what| move |source| NotTold { what, source };
    let file = open_for_ranges(path).map_err(not("it can't be opened"))?;
    let to = to.min(file.metadata().map_err(not("its size"))?.len()).max(from);
    let (mut found, mut good) = (Vec::new(), Vec::new());
    let mut at = from;
    // Where there are more than fit in an answer, it is known as far as these go.
    let reached = |ranges: &[Range], more: bool, all: u64| match (more, ranges.last()) {
        (true, last) => last.map_or(0, |last| last.1.min(all)),
        (false, _) => all,
    };
    while at < to {
        let question = Question::AllocatedRanges { from: at, length: to - at };
        let answer = ask(&file, question).map_err(not("its allocated ranges"))?;
        let some = allocated(&answer.bytes);
        let end = reached(&some, answer.more, to);
        found.extend(some);
        let ahead = end > at;
        at = end.max(at);
        if !ahead || clock::monotonic() >= until {
            break;
        }
    }
    let mut valid_to = from;
    while valid_to < at {
        let question = Question::ValidRegions { from: valid_to, length: at - valid_to };
        let answer = ask(&file, question).map_err(not("its valid data"))?;
        let Some((some, more)) = valid(&answer.bytes) else { break };
        let end = reached(&some, more || answer.more, at);
        good.extend(some);
        let ahead = end > valid_to;
        valid_to = end.max(valid_to);
        if !ahead || clock::monotonic() >= until {
            break;
        }
    }
    Ok(space(from, valid_to, &found, &good))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn long(numbers: &[u64]) -> Vec<u8> {
        numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
    }

    #[test]
    fn ranges_are_read_until_they_make_no_sense() {
        assert_eq!(allocated(&long(&[0, 10, 20, 5])), [(0, 10), (20, 25)]);
        assert_eq!(allocated(&long(&[0, 10, 20])), [(0, 10)]);
        assert_eq!(allocated(&long(&[5, 0, 20, 5])), []);
        assert_eq!(allocated(&long(&[u64::MAX, 2])), []);
        let regions = |all: u64, here: u64| long(&[all << 32, here, 0, 10, 1, 30, 5, 1]);
        assert_eq!(valid(&regions(2, 2)), Some((vec![(0, 10), (30, 35)], false)));
        assert_eq!(valid(&regions(9, 1)), Some((vec![(0, 10)], true)));
        assert_eq!(valid(&[0; 11]), None);
    }

    #[test]
    fn what_is_allocated_but_not_valid_was_never_written() {
        for (allocated, valid, expected) in [
            (&[(0, 100)][..], &[(0, 40)][..], (100, 0, 60)),
            (&[(0, 10), (50, 60)], &[(0, 100)], (100, 80, 0)),
            (&[(0, 10), (5, 20), (200, 300)], &[(0, 15)], (100, 80, 5)),
            (&[], &[(0, 100)], (100, 100, 0)),
            (&[(0, 100)], &[(0, 100)], (100, 0, 0)),
        ] {
            let found = space(0, 100, allocated, valid);
            assert_eq!((found.known, found.holes, found.unwritten), expected, "{allocated:?}");
        }
        let part = space(10, 20, &[(0, 15)], &[(0, 12)]);
        assert_eq!((part.known, part.holes, part.unwritten), (10, 5, 3));
        assert_eq!(space(20, 20, &[(0, 100)], &[]), Space::default());
    }

    #[cfg(windows)]
    #[test]
    fn a_file_tells_what_of_it_was_written_or_why_not() {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), vec![1; 65536]).unwrap();
        let until = diskspd_sys::clock::monotonic() + 1_000_000_000;
        match written(file.path(), 4096, 1 << 30, until) {
            // Nothing lies behind its end.
            Ok(space) => assert_eq!((space.known, space.holes, space.unwritten), (61440, 0, 0)),
            Err(why) => assert!(why.to_string().contains("its allocated ranges: "), "{why}"),
        }
        let missing = written(&file.path().join("none"), 0, 1, until).unwrap_err();
        assert_eq!(missing.what, "it can't be opened");
        assert_eq!(written(file.path(), 7, 7, until).unwrap(), Space::default());
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
                prop_assert!(space.holes + space.unwritten <= space.known && space.known == 190);
            }
        }
    }
}
