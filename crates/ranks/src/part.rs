//! One rank's part of the whole: its paths, its seed, its part of a shared target.

use diskspd_profile::{Profile, RawText};
use serde::{Deserialize, Serialize};

/// Expands `%r` (the rank) and `%h` (the host's name) in a path. `%%` is a percent sign, and any other `%`
/// is unchanged.
pub fn fill_in(path: &RawText, rank: usize, host: &str) -> RawText {
    let mut filled = Vec::new();
    let mut rest = path.as_bytes();
    while let Some((&first, behind)) = rest.split_first() {
        rest = behind;
        match (first, behind.first()) {
            (b'%', Some(b'r')) => filled.extend(rank.to_string().bytes()),
            (b'%', Some(b'h')) => filled.extend(host.bytes()),
            (b'%', Some(b'%')) => filled.push(b'%'),
            _ => {
                filled.push(first);
                continue;
            }
        }
        rest = &behind[1..];
    }
    RawText::from(filled)
}

/// The profile of a rank: its seeds, and paths with its rank and host. Threads of all ranks are numbered
/// consecutively, so the seed of a time span rises by its number of threads with each rank.
pub fn of_rank(profile: &Profile, rank: usize, (data, host): (usize, &str)) -> Profile {
    let mut own = profile.clone();
    for span in &mut own.time_spans {
        let before = span.threads().wrapping_mul(rank as u64);
        span.rand_seed = span.rand_seed.wrapping_add(before as u32);
        for target in &mut span.targets {
            target.path = fill_in(&target.path, data, host);
        }
    }
    own
}

/// Returns the rank whose data a rank accesses.
pub fn shifted(rank: usize, shift: u32, size: usize) -> usize {
    let size = size.max(1);
    (rank + size - shift as usize % size) % size
}

/// One of several equal parts of a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TargetPart {
    /// Zero-based index of the part.
    pub part: u64,
    pub of: u64,
}

/// A target is too small to be divided.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "--split: '{path}' has {area} bytes for {ranks} ranks, less than a block each: make it larger, or leave \
     out --split"
)]
pub struct SplitError {
    pub path: RawText,
    pub area: u64,
    pub ranks: u64,
}

/// Assigns the rank its part of a target in every time span (`--split`). The divided area is between `-B`
/// and `-f`, or the end of the target, whose size in bytes is `size`. Parts begin on multiples of block
/// size and 4 KiB from `-B`; the remainder at the end is unused.
///
/// # Errors
/// Fails if a part would be smaller than a block.
pub fn split(profile: &mut Profile, path: &RawText, size: u64, split: TargetPart) -> Result<(), SplitError> {
    let targets = profile.time_spans.iter_mut().flat_map(|span| &mut span.targets);
    for target in targets.filter(|target| target.path == *path) {
        let end = match (target.max_file_size, target.file_size) {
            (0, Some(made)) if made > 0 => made,
            (0, _) => size,
            (end, _) => end,
        };
        let area = end.saturating_sub(target.base_file_offset);
        let unit = common_multiple(u64::from(target.block_size).max(1), 4096);
        let each = area / split.of.max(1) / unit * unit;
        if each < u64::from(target.block_size) || each == 0 {
            return Err(SplitError { path: path.clone(), area, ranks: split.of });
        }
        target.base_file_offset += split.part * each;
        target.max_file_size = target.base_file_offset + each;
    }
    Ok(())
}

fn common_multiple(a: u64, b: u64) -> u64 {
    let (mut x, mut y) = (a, b);
    while y > 0 {
        (x, y) = (y, x % y);
    }
    a / x * b
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_profile::{Target, TimeSpan};

    #[test]
    fn rank_and_host_are_filled_into_paths() {
        let cases =
            [("/x/%h/%r.dat", "/x/node/12.dat"), ("%%r", "%r"), ("50%", "50%"), ("%d%r", "%d12"), ("", "")];
        for (path, expected) in cases {
            assert_eq!(fill_in(&path.into(), 12, "node"), expected.into());
        }
    }

    fn sample_profile(target: Target) -> Profile {
        let span = TimeSpan { targets: vec![target], rand_seed: 7, ..TimeSpan::default() };
        Profile { time_spans: vec![span], ..Profile::default() }
    }

    #[test]
    fn seeds_continue_over_threads_of_ranks() {
        let asked = sample_profile(Target { threads_per_file: 3, ..Target::default() });
        let seeds: Vec<u32> =
            (0..3).map(|rank| of_rank(&asked, rank, (rank, "h")).time_spans[0].rand_seed).collect();
        assert_eq!(seeds, [7, 10, 13]);
    }

    #[test]
    fn thread_parts_are_disjoint_and_aligned() {
        for (block_size, base, end, of) in
            [(4096, 0, 0, 4), (65536, 1 << 20, 0, 3), (12288, 0, 1 << 20, 7), (512, 512, 0, 2)]
        {
            let target = Target {
                path: "x".into(),
                block_size,
                base_file_offset: base,
                max_file_size: end,
                ..Target::default()
            };
            let size = 1 << 21;
            let mut before = base;
            for part in 0..of {
                let mut own = sample_profile(target.clone());
                split(&mut own, &"x".into(), size, TargetPart { part, of }).unwrap();
                let own = &own.time_spans[0].targets[0];
                assert!(own.base_file_offset >= before && own.max_file_size > own.base_file_offset);
                assert_eq!((own.base_file_offset - base) % u64::from(block_size), 0);
                assert_eq!((own.base_file_offset - base) % 4096, 0);
                before = own.max_file_size;
            }
            assert!(before <= if end > 0 { end } else { size });
        }
        let mut small = sample_profile(Target { path: "x".into(), ..Target::default() });
        assert!(split(&mut small, &"x".into(), 65536, TargetPart { part: 0, of: 2 }).is_err());
    }
}
