//! Classification of a read sector: correct, or the kind of error.

use super::stamp::SectorStamp;
use diskspd_results::SectorState;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Expected {
    /// Run that wrote the sector; `None` = any run that stamped the target.
    pub run: Option<u64>,
    pub target: u32,
    /// Byte offset of the sector.
    pub offset: u64,
    /// Oldest possible version; 0 includes content from before the run.
    pub oldest: u64,
    pub newest: u64,
    /// Whether the sector may contain several versions.
    pub may_be_mixed: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum SectorVerdict {
    Verified,
    Unknown,
    /// The sector contains several versions, which is permitted.
    Undecided,
    Failed(SectorState),
}

use SectorVerdict::{Failed, Undecided, Unknown, Verified};

/// Judges a single sector; `intact` = valid checksum. Torn writes require its neighbours: [`is_torn`].
pub(crate) fn judge(expected: &Expected, sector: &[u8], intact: bool) -> SectorVerdict {
    let stamp = SectorStamp::read_from(sector);
    let Some(run) = expected.run else { return judge_any_run(expected, stamp, intact) };
    let ours = stamp.filter(|stamp| stamp.run == run);
    let Expected { target, offset, oldest, newest, .. } = *expected;
    match ours {
        Some(stamp) if intact && (stamp.target, stamp.offset) != (target, offset) => {
            Failed(SectorState::Misplaced)
        }
        Some(stamp) if intact => match stamp.generation {
            there if there > newest => Failed(SectorState::Foreign),
            there if there >= oldest => Verified,
            there if there + 1 == oldest => Failed(SectorState::Lost),
            _ => Failed(SectorState::Stale),
        },
        _ if oldest == 0 => Unknown,
        Some(stamp) => judge_broken(expected, &stamp, sector),
        None if sector.iter().all(|byte| *byte == 0) => Failed(SectorState::Unwritten),
        // The content from before the first write is still there.
        None if oldest == 1 => Failed(SectorState::Lost),
        None => Failed(SectorState::Foreign),
    }
}

/// Judges a stamp of this run with an invalid checksum. Versions of a place differ in all words, but share
/// run, target and place, so a mixture and its versions can be identified.
fn judge_broken(expected: &Expected, stamp: &SectorStamp, sector: &[u8]) -> SectorVerdict {
    let Expected { target, offset, oldest, newest, may_be_mixed, .. } = *expected;
    let is_here = (stamp.target, stamp.offset) == (target, offset);
    match stamp.versions_in(sector).filter(|(_, last)| is_here && *last <= newest) {
        Some((first, _)) if may_be_mixed && first >= oldest => Undecided,
        // Parts of versions that can't be there together.
        Some((first, last)) if first < last => Failed(SectorState::Torn),
        _ => Failed(SectorState::Corrupt),
    }
}

/// Judges a sector of a read-only target: a stamped sector must be intact and in its place.
fn judge_any_run(expected: &Expected, stamp: Option<SectorStamp>, intact: bool) -> SectorVerdict {
    match stamp {
        None => Unknown,
        Some(_) if !intact => Failed(SectorState::Corrupt),
        Some(stamp) if (stamp.target, stamp.offset) != (expected.target, expected.offset) => {
            Failed(SectorState::Misplaced)
        }
        Some(_) => Verified,
    }
}

/// Whether a failed sector is a missing part of a write with other sectors present. `neighbours` are
/// stamps of correct intact sectors. `held`: the stamp of the sector.
pub(crate) fn is_torn(
    fault: SectorState,
    offset: u64,
    held: Option<SectorStamp>,
    mut neighbours: impl Iterator<Item = SectorStamp>,
    sector: u64,
) -> bool {
    use SectorState::{Foreign, Lost, Stale, Unwritten};
    let version = |stamp: &SectorStamp| (stamp.run, stamp.writer, stamp.write);
    let own = held.as_ref().map(version);
    matches!(fault, Lost | Stale | Unwritten | Foreign)
        && neighbours.any(|there| there.write_covers(offset, sector) && Some(version(&there)) != own)
}

#[cfg(test)]
mod tests {
    use super::super::stamp::SectorChecksums;
    use super::*;

    const RUN: u64 = 77;

    fn stamped_sector(stamp: SectorStamp) -> Vec<u8> {
        let mut bytes = vec![0; 512];
        stamp.fill(&mut bytes);
        SectorChecksums::new(512).seal(&stamp, &mut bytes);
        bytes
    }

    fn sample_stamp(generation: u64) -> SectorStamp {
        let (run, offset, target) = (RUN, 1024, 3);
        SectorStamp { run, offset, generation, target, writer: 0, write: generation, index: 0, sectors: 1 }
    }

    fn judge_sector(oldest: u64, may_be_mixed: bool, bytes: &[u8]) -> SectorVerdict {
        let newest = 20;
        let expected = Expected { run: Some(RUN), target: 3, offset: 1024, oldest, newest, may_be_mixed };
        let mut fits = Vec::new();
        SectorChecksums::new(512).intact(bytes, &mut fits);
        judge(&expected, bytes, fits[0])
    }

    #[test]
    fn each_fault_has_its_name() {
        let elsewhere = SectorStamp { offset: 512, ..sample_stamp(9) };
        let of_another_target = SectorStamp { target: 1, ..sample_stamp(9) };
        let of_another_run = SectorStamp { run: 1, ..sample_stamp(9) };
        let mut flipped = stamped_sector(sample_stamp(9));
        flipped[300] ^= 4;
        for (oldest, bytes, verdict) in [
            (9, stamped_sector(sample_stamp(9)), Verified),
            (9, stamped_sector(sample_stamp(10)), Verified),
            (9, stamped_sector(sample_stamp(21)), Failed(SectorState::Foreign)),
            (0, stamped_sector(sample_stamp(21)), Failed(SectorState::Foreign)),
            (9, stamped_sector(sample_stamp(8)), Failed(SectorState::Lost)),
            (9, stamped_sector(sample_stamp(7)), Failed(SectorState::Stale)),
            (9, stamped_sector(elsewhere), Failed(SectorState::Misplaced)),
            (9, stamped_sector(of_another_target), Failed(SectorState::Misplaced)),
            (9, stamped_sector(of_another_run), Failed(SectorState::Foreign)),
            (9, flipped.clone(), Failed(SectorState::Corrupt)),
            (9, vec![0; 512], Failed(SectorState::Unwritten)),
            (9, vec![7; 512], Failed(SectorState::Foreign)),
            (1, vec![7; 512], Failed(SectorState::Lost)),
            (1, stamped_sector(of_another_run), Failed(SectorState::Lost)),
            (0, vec![7; 512], Unknown),
            (0, flipped, Unknown),
            (0, stamped_sector(of_another_run), Unknown),
            (0, stamped_sector(sample_stamp(1)), Verified),
            (0, stamped_sector(elsewhere), Failed(SectorState::Misplaced)),
        ] {
            assert_eq!(
                judge_sector(oldest, false, &bytes),
                verdict,
                "{oldest} {:?}",
                SectorStamp::read_from(&bytes)
            );
        }
    }

    #[test]
    fn overlapping_writes_may_mix_but_not_revert() {
        let mut mixed = stamped_sector(sample_stamp(9));
        mixed[256..].copy_from_slice(&stamped_sector(sample_stamp(10))[256..]);
        assert_eq!(judge_sector(9, true, &mixed), Undecided);
        assert_eq!(judge_sector(9, false, &mixed), Failed(SectorState::Torn));
        assert_eq!(judge_sector(10, true, &mixed), Failed(SectorState::Torn), "one of them cannot be there");
        // Neither zeros nor anything else is a part of a mixture.
        for other in [0, 7] {
            let mut broken = stamped_sector(sample_stamp(9));
            broken[256..].fill(other);
            assert_eq!(judge_sector(9, true, &broken), Failed(SectorState::Corrupt));
        }
        assert_eq!(judge_sector(9, true, &[0; 512]), Failed(SectorState::Unwritten));
        assert_eq!(judge_sector(9, true, &[7; 512]), Failed(SectorState::Foreign));
        // Of two versions that were never written.
        let mut mixed = stamped_sector(sample_stamp(20));
        mixed[256..].copy_from_slice(&stamped_sector(sample_stamp(21))[256..]);
        assert_eq!(judge_sector(9, true, &mixed), Failed(SectorState::Corrupt));
        assert_eq!(judge_sector(9, true, &stamped_sector(sample_stamp(7))), Failed(SectorState::Stale));
    }

    #[test]
    fn read_only_target_is_judged_by_stamps() {
        let (oldest, newest, may_be_mixed) = (0, 0, false);
        let expected = Expected { run: None, target: 3, offset: 1024, oldest, newest, may_be_mixed };
        let verdict = |bytes: &[u8], intact| judge(&expected, bytes, intact);
        assert_eq!(verdict(&stamped_sector(sample_stamp(5)), true), Verified);
        assert_eq!(verdict(&stamped_sector(sample_stamp(5)), false), Failed(SectorState::Corrupt));
        let elsewhere = stamped_sector(SectorStamp { offset: 0, ..sample_stamp(5) });
        assert_eq!(verdict(&elsewhere, true), Failed(SectorState::Misplaced));
        let of_another = stamped_sector(SectorStamp { target: 1, ..sample_stamp(5) });
        assert_eq!(verdict(&of_another, true), Failed(SectorState::Misplaced));
        assert_eq!(verdict(&[1; 512], false), Unknown);
    }

    #[test]
    fn lost_sector_write_makes_block_torn() {
        let write = SectorStamp { offset: 512, index: 0, sectors: 4, ..sample_stamp(9) };
        let torn =
            |fault, held, there: Option<SectorStamp>| is_torn(fault, 1024, held, there.into_iter(), 512);
        assert!(torn(SectorState::Lost, Some(sample_stamp(8)), Some(write)));
        assert!(torn(SectorState::Unwritten, None, Some(write)));
        assert!(!torn(SectorState::Lost, Some(sample_stamp(8)), None));
        assert!(!torn(SectorState::Corrupt, None, Some(write)));
        assert!(!torn(SectorState::Lost, Some(sample_stamp(8)), Some(SectorStamp { sectors: 1, ..write })));
        assert!(!torn(SectorState::Lost, Some(SectorStamp { offset: 1024, index: 1, ..write }), Some(write)));
    }
}
