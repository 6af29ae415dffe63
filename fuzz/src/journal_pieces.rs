//! Fuzz target: a journal of pieces with any values, then damage at some places. Every complete journal is
//! readable; a damaged one yields only content of the complete one.

use arbitrary::{Arbitrary, Result, Unstructured};
use diskspd::integrity::journal::format::{self, JournalPiece};
use diskspd::integrity::journal::{Acknowledged, JournalTarget, Mixing};
use std::collections::BTreeMap;

/// Pieces, and where bits are flipped.
#[derive(Debug)]
struct Journal {
    bytes: Vec<u8>,
    flips: Vec<(u16, u8)>,
}

impl<'a> Arbitrary<'a> for Journal {
    fn arbitrary(input: &mut Unstructured<'a>) -> Result<Journal> {
        let mut bytes = Vec::new();
        JournalPiece::Run(input.arbitrary()?, input.arbitrary()?, input.arbitrary()?).append_to(&mut bytes);
        for _ in 0..input.int_in_range(0..=24)? {
            append(input, &mut bytes)?;
        }
        let flips = if input.arbitrary()? { input.arbitrary()? } else { Vec::new() };
        Ok(Journal { bytes, flips })
    }
}

fn size(input: &mut Unstructured) -> Result<u64> {
    match input.int_in_range(0..=7)? {
        0 => input.arbitrary(),
        shift => Ok(512 << shift),
    }
}

fn append(input: &mut Unstructured, bytes: &mut Vec<u8>) -> Result<()> {
    let target = input.int_in_range(0..=2)?;
    match input.int_in_range(0..=9)? {
        0 | 1 => {
            let mixing =
                *input.choose(&[Mixing::Never, Mixing::WhenCut, Mixing::WhenKilled, Mixing::Always])?;
            let (sector, unit) = (size(input)? as u32, size(input)?);
            let path = input.arbitrary::<&str>()?.into();
            let target = JournalTarget { id: target, sector, unit, mixing, atomic: input.arbitrary()?, path };
            JournalPiece::Target(target).append_to(bytes);
        }
        2 => JournalPiece::Forgotten(target).append_to(bytes),
        3 => JournalPiece::End.append_to(bytes),
        _ => {
            let mut acks = Vec::new();
            for _ in 0..input.int_in_range(0..=5)? {
                acks.push(ack(input, target)?);
            }
            JournalPiece::Acks(&acks).append_to(bytes);
        }
    }
    Ok(())
}

fn ack(input: &mut Unstructured, target: u32) -> Result<Acknowledged> {
    let offset = input.int_in_range(0..=7)? * size(input)?.min(1 << 40);
    let (write_offset, write_length) =
        if input.ratio(7, 8)? { (offset, 1 << 16) } else { (size(input)?, input.arbitrary()?) };
    Ok(Acknowledged {
        target,
        writer: input.arbitrary()?,
        offset,
        oldest: input.int_in_range(1..=9)?,
        write: input.arbitrary()?,
        write_offset,
        write_length,
        overlapped: input.arbitrary()?,
        at_us: input.arbitrary()?,
    })
}

pub fn check(data: &[u8]) {
    let Ok(Journal { mut bytes, flips }) = Journal::arbitrary(&mut Unstructured::new(data)) else { return };
    let whole = format::read(&bytes[..]).expect("its first piece is whole");
    let head = 8 + u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]) as usize;
    if flips.is_empty() {
        return;
    }
    for (at, bit) in flips {
        if let Some(byte) = bytes.get_mut(head + usize::from(at)) {
            *byte ^= 1 << (bit % 8);
        }
    }
    let damaged = format::read(&bytes[..]).expect("its first piece is whole");
    assert_eq!(damaged.run, whole.run);
    let known: BTreeMap<u32, _> = whole.targets.iter().map(|(id, target)| (*id, target.unit)).collect();
    for ack in damaged.acknowledged.values() {
        let unit = damaged.targets[&ack.target].unit;
        assert!(ack.offset % unit == 0 && unit <= u64::from(u32::MAX));
        // A target may be read that another one hid before it was damaged.
        let _ = known.get(&ack.target);
    }
    assert!(damaged.broken + damaged.damage.bytes <= bytes.len() as u64);
}
