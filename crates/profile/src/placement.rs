//! Requested placement of written data in the device: placement handles of NVMe namespaces (`--fdp`),
//! write streams of block devices (`--write-stream`).

use diskspd_figures::units;
use serde::{Deserialize, Serialize};
use std::fmt;
use std::ops::RangeInclusive;

/// More of them no device has: a namespace has at most 128 placement handles, and the kernel counts write
/// streams in 8 bits.
const MAX_HANDLES: usize = 255;

/// Numbers of handles or streams. The threads of a target use them round-robin, one each. Empty = not set.
#[derive(Debug, Clone, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct PlacementList(pub Vec<u16>);

impl PlacementList {
    /// Possible indexes of placement handles.
    pub const HANDLES: RangeInclusive<u16> = 0..=127;
    pub const STREAMS: RangeInclusive<u16> = 1..=255;
    pub const FORM: &'static str = "numbers as in 0,1,2, or 0-2";

    /// Parses `0,1,2`, `0-2`, or a mix; each number must be within `range`.
    ///
    /// # Errors
    /// Fails with the position in the text and the error.
    pub fn parse(text: &[u8], range: RangeInclusive<u16>) -> Result<PlacementList, (usize, &'static str)> {
        let mut list = Vec::new();
        let mut position = 0;
        loop {
            let first = parse_number(text, &mut position, &range)?;
            let begin = position;
            let last = match text.get(position) {
                Some(b'-') => {
                    position += 1;
                    parse_number(text, &mut position, &range)?
                }
                _ => first,
            };
            if last < first {
                return Err((begin + 1, "a range ends at its beginning or after it"));
            }
            if list.len() + usize::from(last - first) >= MAX_HANDLES {
                return Err((begin, "too many numbers"));
            }
            list.extend(first..=last);
            match text.get(position) {
                None => return Ok(PlacementList(list)),
                Some(b',') => position += 1,
                Some(_) => return Err((position, "expected , and a further number, or the end")),
            }
        }
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number for a thread, by its index among the target's threads; `None` = not set.
    pub fn of_thread(&self, relative: u32) -> Option<u16> {
        let index = (relative as usize).checked_rem(self.0.len())?;
        self.0.get(index).copied()
    }
}

fn parse_number(
    text: &[u8],
    position: &mut usize,
    range: &RangeInclusive<u16>,
) -> Result<u16, (usize, &'static str)> {
    let digits = text.get(*position..).unwrap_or_default();
    let (found, taken) = units::parse_digits(digits).map_err(|_| (*position, "a number is missing here"))?;
    let found = u16::try_from(found).ok().filter(|found| range.contains(found));
    let found = found.ok_or((*position, "there is no such number"))?;
    *position += taken;
    Ok(found)
}

impl fmt::Display for PlacementList {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, number) in self.0.iter().enumerate() {
            write!(f, "{}{number}", if index == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placement_list_round_trips_and_is_shared() {
        for (text, expected, printed) in
            [("0", vec![0], "0"), ("2,0,2", vec![2, 0, 2], "2,0,2"), ("1-3,0", vec![1, 2, 3, 0], "1,2,3,0")]
        {
            let list = PlacementList::parse(text.as_bytes(), PlacementList::HANDLES).unwrap();
            assert_eq!((&list.0, list.to_string().as_str()), (&expected, printed));
            for thread in 0..5 {
                assert_eq!(list.of_thread(thread), Some(expected[thread as usize % expected.len()]));
            }
        }
        assert_eq!(PlacementList::default().of_thread(0), None);
        assert!(PlacementList::parse(b"1-255", PlacementList::STREAMS).is_ok());
    }

    #[test]
    fn invalid_list_names_its_position() {
        for (text, at, expected) in [
            ("", 0, "missing"),
            ("0,", 2, "missing"),
            ("0,x", 2, "missing"),
            ("-1", 0, "missing"),
            ("128", 0, "no such"),
            ("99999999999", 0, "no such"),
            ("3-1", 2, "ends at"),
            ("1;2", 1, "expected ,"),
            ("1 ", 1, "expected ,"),
            ("0-127,0-127", 7, "too many"),
        ] {
            let (position, what) = PlacementList::parse(text.as_bytes(), PlacementList::HANDLES).unwrap_err();
            assert!(what.contains(expected) && position == at, "{text}: {position} {what}");
        }
        assert!(PlacementList::parse(b"0", PlacementList::STREAMS).is_err());
    }
}
