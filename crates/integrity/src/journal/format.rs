//! The format of a journal: pieces, each with its length and checksum (docs/reference/integrity.md).
//!
//! A journal only grows. A power cut leaves whole pieces and possibly a broken last one, which is ignored. A
//! broken piece before other pieces is damage.

use super::encoding::ATOMIC;
pub use super::encoding::{Acknowledged, JournalPiece, JournalTarget, Mixing};
use super::layout::{
    ACK_LENGTH, ACKS, END_PIECE, FORGOTTEN, MAGIC, MAX_SECTOR_BYTES, MAX_UNIT_BYTES, RUN, TARGET,
};
use super::pieces::{JournalItem, Pieces};
use diskspd_profile::RawText;
use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Read};

#[derive(Debug, Clone, Default, PartialEq)]
pub struct JournalContent {
    pub run: u64,
    /// Start time in ms since 1970-01-01 00:00 UTC.
    pub began_ms: i64,
    /// Boot ID of the kernel; empty = unknown, in journals of earlier versions.
    pub boot: String,
    pub targets: BTreeMap<u32, JournalTarget>,
    /// Latest durable version of each unit, by target and offset.
    pub acknowledged: BTreeMap<(u32, u64), Acknowledged>,
    /// Whether the run ended normally, without being killed or a power loss.
    pub has_ended: bool,
    /// Bytes of an incomplete last piece.
    pub broken: u64,
    pub damage: JournalDamage,
}

/// Damaged pieces of a journal before intact ones.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct JournalDamage {
    pub bytes: u64,
    /// Maximum number of acknowledgements in the lost pieces.
    pub lost: u64,
    /// Unverifiable units by target and offset, because a missing piece may have revoked an acknowledgement.
    pub doubtful: BTreeSet<(u32, u64)>,
}

#[derive(Debug, thiserror::Error)]
pub enum JournalReadError {
    #[error("it cannot be read: {0}")]
    Unreadable(#[from] io::Error),
    #[error("it is empty: the run that should have written it probably failed; see its messages")]
    Empty,
    /// Another kind of file, or a journal with an incomplete beginning.
    #[error("it is not a journal of --verify (unknown first {} bytes)", MAGIC.len() + 9)]
    Other,
}

/// Reads a journal to the end of its last whole piece. Broken pieces before that are left out.
///
/// # Errors
/// Fails if it cannot be read, or is not a journal.
pub fn read(from: impl Read) -> Result<JournalContent, JournalReadError> {
    let mut pieces = Pieces::new(from);
    let mut content = begin(&mut pieces)?;
    // Bytes since the last piece that was understood, and whether another one follows them.
    let (mut missing, mut is_inside) = (0, false);
    loop {
        match pieces.next()? {
            JournalItem::Piece(length) => {
                is_inside |= missing > 0;
                if content.take(pieces.take(length), false).is_none() {
                    missing += 8 + length as u64;
                } else if missing > 0 {
                    content.damage.add(std::mem::take(&mut missing));
                    is_inside = false;
                }
            }
            JournalItem::Bad => {
                let gap = pieces.skip()?;
                missing += gap.bytes;
                is_inside |= gap.is_inside;
                if gap.may_forget {
                    content.doubt_acks();
                }
            }
            JournalItem::End if is_inside => {
                content.damage.add(missing);
                return Ok(content);
            }
            JournalItem::End => {
                content.broken = missing;
                return Ok(content);
            }
        }
    }
}

/// Returns the start time of a journal, in ms since 1970-01-01 00:00 UTC. `None` if it is not a journal,
/// or its first piece is incomplete.
pub fn began_ms(from: impl Read) -> Option<i64> {
    begin(&mut Pieces::new(from)).ok().map(|content| content.began_ms)
}

/// Reads the first piece; `None` = not a journal.
fn begin(pieces: &mut Pieces<impl Read>) -> Result<JournalContent, JournalReadError> {
    let mut content = JournalContent::default();
    match pieces.next()? {
        JournalItem::Piece(length) => {
            content.take(pieces.take(length), true).map(|()| content).ok_or(JournalReadError::Other)
        }
        JournalItem::End => Err(JournalReadError::Empty),
        JournalItem::Bad => Err(JournalReadError::Other),
    }
}

/// Parser of numbers from the front of bytes.
struct Numbers<'a>(&'a [u8]);

impl Numbers<'_> {
    fn take<const N: usize>(&mut self) -> Option<[u8; N]> {
        let (number, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(*number)
    }

    fn take_half(&mut self) -> Option<u32> {
        self.take().map(u32::from_le_bytes)
    }

    fn take_word(&mut self) -> Option<u64> {
        self.take().map(u64::from_le_bytes)
    }

    fn ack(&mut self) -> Option<Acknowledged> {
        let (target, writer) = (self.take_half()?, self.take_half()?);
        let (offset, oldest, write) = (self.take_word()?, self.take_word()?, self.take_word()?);
        let (write_offset, at_us, write_length) = (self.take_word()?, self.take_word()?, self.take_half()?);
        let overlapped = self.take_half()? != 0;
        Some(Acknowledged {
            target,
            writer,
            offset,
            oldest,
            write,
            write_offset,
            write_length,
            overlapped,
            at_us,
        })
    }
}

impl JournalDamage {
    fn add(&mut self, bytes: u64) {
        self.bytes += bytes;
        self.lost += (bytes / ACK_LENGTH as u64).max(1);
    }
}

impl JournalContent {
    /// Number of units with an acknowledged version in the readable pieces.
    pub fn units(&self) -> u64 {
        (self.acknowledged.len() + self.damage.doubtful.len()) as u64
    }

    /// Marks all acknowledgements so far as doubtful, because a missing piece may have revoked them.
    fn doubt_acks(&mut self) {
        self.damage.doubtful.extend(std::mem::take(&mut self.acknowledged).into_keys());
    }

    fn take(&mut self, body: &[u8], is_first: bool) -> Option<()> {
        let (kind, rest) = body.split_first()?;
        let mut numbers = Numbers(rest);
        match (*kind, is_first) {
            (RUN, true) => {
                let mut numbers = Numbers(rest.strip_prefix(MAGIC)?);
                self.run = numbers.take_word()?;
                self.began_ms = i64::from_le_bytes(numbers.take()?);
                self.boot = String::from_utf8_lossy(numbers.0).into_owned();
            }
            (TARGET, false) => {
                let (id, sector, unit) = (numbers.take_half()?, numbers.take_half()?, numbers.take_word()?);
                let [mixing] = numbers.take()?;
                let atomic = mixing & ATOMIC != 0;
                let mixing = *Mixing::ALL.get(usize::from(mixing & !ATOMIC))?;
                let path = RawText::from(numbers.0.to_vec());
                let possible = sector.is_power_of_two() && (512..=MAX_SECTOR_BYTES).contains(&sector);
                let possible = possible && (1..=MAX_UNIT_BYTES).contains(&unit);
                (possible && unit.is_multiple_of(u64::from(sector))).then_some(())?;
                let target = JournalTarget { id, sector, unit, mixing, atomic, path };
                // A contradictory repetition would invalidate earlier entries.
                (*self.targets.entry(id).or_insert_with(|| target.clone()) == target).then_some(())?;
            }
            (ACKS, false) => {
                let acks = rest.chunks(ACK_LENGTH).map(|ack| self.possible_ack(Numbers(ack).ack()?));
                // All of a piece, or nothing.
                acks.collect::<Option<Vec<_>>>()?.into_iter().for_each(|ack| self.apply_ack(ack));
            }
            (FORGOTTEN, false) => {
                let gone = numbers.take_half()?;
                self.acknowledged.retain(|(target, _), _| *target != gone);
                self.damage.doubtful.retain(|(target, _)| *target != gone);
            }
            (END_PIECE, false) => self.has_ended = true,
            _ => return None,
        }
        Some(())
    }

    /// Checks an acknowledgement: the target has the unit, and the write covers it.
    fn possible_ack(&self, ack: Acknowledged) -> Option<Acknowledged> {
        let target = self.targets.get(&ack.target)?;
        let end = ack.offset.checked_add(target.unit)?;
        let end_of_write = ack.write_offset.checked_add(ack.write_length.into())?;
        let is_covered = ack.write_offset <= ack.offset && end <= end_of_write;
        let is_unit = ack.offset.is_multiple_of(target.unit) && i64::try_from(end_of_write).is_ok();
        (is_unit && is_covered).then_some(ack)
    }

    /// Records an acknowledgement. Workers report in any order, so a unit keeps the newest version and its
    /// first time.
    fn apply_ack(&mut self, ack: Acknowledged) {
        self.damage.doubtful.remove(&(ack.target, ack.offset));
        let known = self.acknowledged.entry((ack.target, ack.offset)).or_insert(ack);
        if ack.oldest > known.oldest {
            *known = ack;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::MAX_PIECE_ENTRIES;
    use super::*;

    fn target_piece(id: u32) -> JournalPiece<'static> {
        let (sector, unit, mixing) = (512, 4096, Mixing::WhenCut);
        JournalPiece::Target(JournalTarget {
            id,
            sector,
            unit,
            mixing,
            atomic: id == 2,
            path: format!("t{id}").as_str().into(),
        })
    }

    const fn ack(offset: u64, oldest: u64) -> Acknowledged {
        Acknowledged {
            target: 1,
            writer: 3,
            offset,
            oldest,
            write: 40 + oldest,
            write_offset: offset,
            write_length: 4096,
            overlapped: oldest == 5,
            at_us: 1000 * oldest,
        }
    }

    fn journal_bytes(pieces: &[JournalPiece]) -> Vec<u8> {
        let mut bytes = Vec::new();
        pieces.iter().for_each(|piece| piece.append_to(&mut bytes));
        bytes
    }

    #[test]
    fn damaged_journal_piece_is_ignored() {
        let JournalPiece::Target(other) = target_piece(1) else { unreachable!() };
        let other = JournalPiece::Target(JournalTarget { unit: 8192, ..other });
        let begin = || vec![JournalPiece::Run(7, -5, "boot"), target_piece(1), JournalPiece::Acks(&[])];
        let before = journal_bytes(&begin());
        // The first of its acknowledgements is possible, the second lies on no unit.
        let half = [ack(0, 2), ack(100, 3)];
        for piece in [JournalPiece::Acks(&half), other] {
            let mut bytes = before.clone();
            piece.append_to(&mut bytes);
            let content = read(&bytes[..]).unwrap();
            let broken = (bytes.len() - before.len()) as u64;
            assert_eq!(content, JournalContent { broken, ..read(&before[..]).unwrap() });
        }
    }

    #[test]
    fn latest_version_applies_in_any_order() {
        let acks = [ack(0, 2), ack(4096, 5), ack(0, 9), ack(0, 3), ack(0, 9)];
        let bytes = journal_bytes(&[
            JournalPiece::Run(7, -5, "boot"),
            target_piece(1),
            target_piece(2),
            JournalPiece::Acks(&acks),
            JournalPiece::End,
        ]);
        let content = read(&bytes[..]).unwrap();
        assert_eq!((content.run, content.began_ms, content.has_ended, content.broken), (7, -5, true, 0));
        assert_eq!(content.boot, "boot");
        assert_eq!(content.targets[&2].path, "t2".into());
        assert_eq!([1, 2].map(|id| content.targets[&id].atomic), [false, true]);
        let known: Vec<Acknowledged> = content.acknowledged.into_values().collect();
        assert_eq!(known, [ack(0, 9), ack(4096, 5)]);
    }

    #[test]
    fn cut_journal_yields_its_complete_pieces() {
        let (first, second) = ([ack(0, 1)], [ack(0, 2)]);
        let head = journal_bytes(&[JournalPiece::Run(7, 0, "boot"), target_piece(1)]);
        let one = [&head[..], &journal_bytes(&[JournalPiece::Acks(&first)])].concat();
        let all = [&one[..], &journal_bytes(&[JournalPiece::Acks(&second), JournalPiece::End])].concat();
        for length in head.len()..all.len() {
            let content = read(&all[..length]).unwrap();
            let known = content.acknowledged.values().next().map_or(0, |ack| ack.oldest);
            let expected = if length < one.len() { 0 } else { 1 + u64::from(length >= all.len() - 9) };
            assert_eq!((known, content.has_ended), (expected, false), "{length}");
        }
        for at in one.len()..all.len() {
            let mut broken = all.clone();
            broken[at] ^= 0x10;
            let content = read(&broken[..]).unwrap();
            let is_end = at >= all.len() - 9;
            assert_eq!((content.broken > 0, content.damage.bytes > 0), (is_end, !is_end), "{at}");
            assert_eq!(content.units(), 1, "{at}");
        }
        let zeros = [&one[..], &[0; 4096]].concat();
        assert_eq!(read(&zeros[..]).unwrap().broken, 4096);
    }

    #[test]
    fn forgotten_writes_are_dropped_and_other_files_refused() {
        let (before, after) = ([ack(0, 4), ack(4096, 1)], [ack(4096, 6)]);
        let acks = |acks| JournalPiece::Acks(acks);
        let bytes = journal_bytes(&[
            JournalPiece::Run(7, 0, "boot"),
            target_piece(1),
            acks(&before),
            JournalPiece::Forgotten(1),
            acks(&after),
        ]);
        assert_eq!(read(&bytes[..]).unwrap().acknowledged.into_values().collect::<Vec<_>>(), after);
        assert!(matches!(read(&b""[..]), Err(JournalReadError::Empty)));
        for other in [&b"text"[..], &[0; 100], &bytes[1..], &bytes[..20], &journal_bytes(&[target_piece(1)])]
        {
            assert!(matches!(read(other), Err(JournalReadError::Other)), "{other:?}");
        }
    }

    #[test]
    fn invalid_piece_ends_the_journal() {
        let strange = [
            JournalPiece::Acks(&[Acknowledged { target: 9, ..ack(0, 1) }]).to_owned_bytes(),
            JournalPiece::Acks(&[ack(1, 1)]).to_owned_bytes(),
            JournalPiece::Acks(&[ack(u64::MAX - 4095, 1)]).to_owned_bytes(),
            JournalPiece::Run(1, 1, "boot").to_owned_bytes(),
        ];
        for piece in strange {
            let bytes = [
                journal_bytes(&[JournalPiece::Run(7, 0, "boot"), target_piece(1)]),
                piece,
                journal_bytes(&[JournalPiece::End]),
            ]
            .concat();
            let content = read(&bytes[..]).unwrap();
            assert!(content.damage.bytes > 0 && content.has_ended && content.acknowledged.is_empty());
            let cut = read(&bytes[..bytes.len() - 9]).unwrap();
            assert!(cut.broken > 0 && cut.damage.bytes == 0 && cut.acknowledged.is_empty());
        }
    }

    /// Returns two targets, several pieces, and a re-created file with new versions.
    fn long_journal() -> Vec<JournalPiece<'static>> {
        const FIRST: [Acknowledged; 3] = [ack(0, 4), ack(4096, 3), ack(8192, 1)];
        const SECOND: [Acknowledged; 2] = [of_second(0, 7), of_second(4096, 7)];
        const THIRD: [Acknowledged; 2] = [ack(0, 9), of_second(0, 1)];
        const FOURTH: [Acknowledged; 1] = [ack(12288, 2)];
        vec![
            JournalPiece::Run(7, 0, "boot"),
            target_piece(1),
            target_piece(2),
            JournalPiece::Acks(&FIRST),
            JournalPiece::Acks(&SECOND),
            JournalPiece::Forgotten(2),
            JournalPiece::Acks(&THIRD),
            JournalPiece::Acks(&FOURTH),
            JournalPiece::End,
        ]
    }

    const fn of_second(offset: u64, oldest: u64) -> Acknowledged {
        Acknowledged { target: 2, ..ack(offset, oldest) }
    }

    /// Returns the size of the last piece in bytes.
    fn last_piece_size(pieces: &[JournalPiece]) -> usize {
        journal_bytes(&pieces[pieces.len() - 1..]).len()
    }

    #[test]
    fn cut_journal_is_never_damaged() {
        let bytes = journal_bytes(&long_journal());
        for length in 0..bytes.len() {
            let Ok(content) = read(&bytes[..length]) else { continue };
            assert_eq!(content.damage, JournalDamage::default(), "{length}");
        }
    }

    #[test]
    fn flipped_bit_is_detected_without_false_alarm() {
        let pieces = long_journal();
        let bytes = journal_bytes(&pieces);
        let truth = read(&bytes[..]).unwrap();
        for bit in 0..8 * bytes.len() {
            let mut flipped = bytes.clone();
            flipped[bit / 8] ^= 1 << (bit % 8);
            let Ok(content) = read(&flipped[..]) else {
                assert!(bit / 8 < last_piece_size(&pieces[..1]), "{bit}");
                continue;
            };
            let is_last = bit / 8 >= bytes.len() - last_piece_size(&pieces);
            assert_eq!((content.damage.bytes == 0, content.broken > 0), (is_last, is_last), "{bit}");
            for (unit, ack) in &content.acknowledged {
                let newest = truth.acknowledged.get(unit).map_or(0, |ack| ack.oldest);
                assert!(ack.oldest <= newest, "{bit}: {unit:?}");
            }
            let most = content.units() + content.damage.lost;
            assert!(most >= truth.units(), "{bit}: {most}");
        }
    }

    #[test]
    fn damage_of_any_length_is_detected() {
        let pieces = long_journal();
        let bytes = journal_bytes(&pieces);
        let head = last_piece_size(&pieces[..1]);
        for (from, to) in
            (head..bytes.len()).flat_map(|from| [from + 1, from + 30, from + 150].map(|to| (from, to)))
        {
            let mut holed = bytes.clone();
            let to = to.min(bytes.len());
            holed[from..to].fill(0xa5);
            let content = read(&holed[..]).unwrap();
            let is_end = to > bytes.len() - last_piece_size(&pieces);
            assert_eq!(content.damage.bytes > 0, !is_end, "{from}..{to}");
        }
    }

    #[test]
    fn impossible_sizes_are_refused() {
        let JournalPiece::Target(good) = target_piece(1) else { unreachable!() };
        for (sector, unit, expected) in [
            (512, 4096, true),
            (MAX_SECTOR_BYTES, MAX_SECTOR_BYTES.into(), true),
            (512, MAX_UNIT_BYTES / 512 * 512, true),
            (0, 4096, false),
            (256, 4096, false),
            (768, 768, false),
            (512, 0, false),
            (512, 700, false),
            (1 << 31, 1 << 31, false),
            (MAX_SECTOR_BYTES * 2, u64::from(MAX_SECTOR_BYTES) * 2, false),
            (512, 1 << 32, false),
            (512, 1 << 62, false),
        ] {
            let target = JournalPiece::Target(JournalTarget { sector, unit, ..good.clone() });
            let content = read(&journal_bytes(&[JournalPiece::Run(7, 0, ""), target])[..]).unwrap();
            assert_eq!(content.targets.len() == 1, expected, "{sector} {unit}");
        }
    }

    #[test]
    fn write_has_to_cover_its_unit() {
        let whole = ack(8192, 2);
        for (write_offset, write_length, expected) in [
            (8192, 4096, true),
            (0, 12288, true),
            (4096, 65536, true),
            (8193, 4096, false),
            (0, 4096, false),
            (12288, 4096, false),
            (u64::MAX, 4096, false),
            (i64::MAX as u64, 4096, false),
            (8192, 0, false),
        ] {
            let acks = [Acknowledged { write_offset, write_length, ..whole }];
            let bytes =
                journal_bytes(&[JournalPiece::Run(7, 0, ""), target_piece(1), JournalPiece::Acks(&acks)]);
            let content = read(&bytes[..]).unwrap();
            assert_eq!(content.acknowledged.len() == 1, expected, "{write_offset} {write_length}");
        }
    }

    /// Each byte could begin a piece of maximum size.
    #[test]
    fn search_for_the_next_piece_is_bounded() {
        let mut bytes =
            journal_bytes(&[JournalPiece::Run(7, 0, ""), target_piece(1), JournalPiece::Acks(&[ack(0, 1)])]);
        let length = (1 + MAX_PIECE_ENTRIES * ACK_LENGTH) as u32;
        let mut piece = [length.to_le_bytes(), [0; 4]].concat();
        piece.push(ACKS);
        bytes.extend(piece.repeat(200_000));
        let content = read(&bytes[..]).unwrap();
        assert!(content.damage.bytes > 1_000_000 && content.acknowledged.is_empty());
    }

    impl JournalPiece<'_> {
        fn to_owned_bytes(&self) -> Vec<u8> {
            journal_bytes(std::slice::from_ref(self))
        }
    }
}
