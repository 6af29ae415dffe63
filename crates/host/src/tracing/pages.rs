//! Pages of recorded events in the format of the kernel's ring buffer, from `trace_pipe_raw`.
//!
//! A page has a header (`events/header_page` of tracefs lists its fields), followed by events. Each event
//! starts with a word in native byte order: 5 bits of kind or length, 27 bits of time since the previous
//! event (`events/header_event`, linux/ring_buffer.h).

use super::format::{Field, fields};

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PageLayout {
    /// Offset of the page's time stamp (8 bytes).
    time: usize,
    /// Number of bytes of events, with marks: 4 or 8 bytes.
    commit: Field,
    data: Field,
}

/// Bits of `commit`: events before this page were overwritten, ..
const MISSED_EVENTS: u32 = 1 << 31;
/// Flag: the number of missed events follows the events. The other bits are the number of bytes.
const MISSED_COUNT: u32 = 1 << 30;

impl PageLayout {
    /// Parses `events/header_page`; `None` = a field is missing, or has another length.
    pub fn parse(text: &str) -> Option<PageLayout> {
        let field = |wanted: &str| fields(text).find(|(name, _)| name == wanted).map(|(_, field)| field);
        Some(PageLayout {
            time: field("timestamp").filter(|time| time.size == 8)?.offset,
            commit: field("commit").filter(|commit| matches!(commit.size, 4 | 8))?,
            data: field("data")?,
        })
    }

    pub fn size(&self) -> usize {
        self.data.offset + self.data.size
    }

    /// Returns the page in these bytes; `None` = shorter than a header.
    pub fn page<'a>(&self, bytes: &'a [u8]) -> Option<Page<'a>> {
        let commit = match self.commit.size {
            4 => u32_at(bytes, self.commit.offset)?,
            _ => u64_at(bytes, self.commit.offset)? as u32,
        };
        let data = bytes.get(self.data.offset..)?;
        let length = (commit & !(MISSED_EVENTS | MISSED_COUNT)) as usize;
        let events =
            PageEvents { bytes: data.get(..length).unwrap_or(data), time: u64_at(bytes, self.time)? };
        Some(Page { missed: commit & MISSED_EVENTS != 0, events })
    }
}

#[derive(Debug, Clone)]
pub struct Page<'a> {
    /// Whether earlier events were overwritten.
    pub missed: bool,
    pub events: PageEvents<'a>,
}

/// Events of a page: time (ns of the buffer's clock), and fields in the layout of the tracepoint's format.
/// A few bytes may follow the fields. Damaged data ends the sequence.
#[derive(Debug, Clone)]
pub struct PageEvents<'a> {
    bytes: &'a [u8],
    time: u64,
}

/// Kinds that are not a length in words.
const LENGTH_FOLLOWS: u32 = 0;
const PADDING: u32 = 29;
const TIME_EXTEND: u32 = 30;
const TIME_STAMP: u32 = 31;
/// Number of bits of the time since the previous event.
const DELTA_BITS: u32 = 27;
const STAMP_BITS: u32 = DELTA_BITS + 32;
const WORD: usize = 4;

impl<'a> Iterator for PageEvents<'a> {
    type Item = (u64, &'a [u8]);

    fn next(&mut self) -> Option<(u64, &'a [u8])> {
        let event = self.take_event();
        if event.is_none() {
            self.bytes = &[];
        }
        event
    }
}

impl<'a> PageEvents<'a> {
    fn take_event(&mut self) -> Option<(u64, &'a [u8])> {
        loop {
            let head = u32_at(self.bytes, 0)?;
            // Of the 32 bits the first five: where those are depends on the machine's order, as with any
            // bit field of C.
            let (kind, delta) = if cfg!(target_endian = "little") {
                (head & 31, head >> 5)
            } else {
                (head >> DELTA_BITS, head & ((1 << DELTA_BITS) - 1))
            };
            let delta = u64::from(delta);
            let second = || u32_at(self.bytes, WORD);
            match kind {
                // Nothing but the rest of the page.
                PADDING if delta == 0 => return None,
                TIME_EXTEND => {
                    let more = (u64::from(second()?) << DELTA_BITS) + delta;
                    self.time = self.time.wrapping_add(more);
                    self.skip(2 * WORD)?;
                }
                TIME_STAMP => {
                    let stamp = (u64::from(second()?) << DELTA_BITS) | delta;
                    self.time = (self.time >> STAMP_BITS << STAMP_BITS) | stamp;
                    self.skip(2 * WORD)?;
                }
                // Its length counts the word that it is in.
                LENGTH_FOLLOWS | PADDING => {
                    let length = second()? as usize;
                    self.time = self.time.wrapping_add(delta);
                    let fields = self.skip(WORD.checked_add(length)?)?.get(2 * WORD..)?;
                    if kind == LENGTH_FOLLOWS {
                        return Some((self.time, fields));
                    }
                }
                words => {
                    self.time = self.time.wrapping_add(delta);
                    let fields = self.skip(WORD + WORD * words as usize)?.get(WORD..)?;
                    return Some((self.time, fields));
                }
            }
        }
    }

    fn skip(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.bytes.split_at_checked(length)?;
        self.bytes = rest;
        Some(taken)
    }
}

/// Two bytes of a page or of an event's fields, in the machine's order; `None` = it ends before.
pub fn u16_at(bytes: &[u8], offset: usize) -> Option<u16> {
    Some(u16::from_ne_bytes(bytes.get(offset..)?.first_chunk().copied()?))
}

/// Reads four bytes at `offset`.
pub fn u32_at(bytes: &[u8], offset: usize) -> Option<u32> {
    Some(u32::from_ne_bytes(bytes.get(offset..)?.first_chunk().copied()?))
}

/// Reads eight bytes at `offset`.
pub fn u64_at(bytes: &[u8], offset: usize) -> Option<u64> {
    Some(u64::from_ne_bytes(bytes.get(offset..)?.first_chunk().copied()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER_PAGE: &str = include_str!("../../../../tests/data/tracing/header_page-6.18");

    fn sample_layout() -> PageLayout {
        PageLayout::parse(HEADER_PAGE).expect("a layout")
    }

    /// Returns the word that begins an event.
    fn event_head(kind: u32, delta: u32) -> u32 {
        if cfg!(target_endian = "little") { kind | delta << 5 } else { kind << 27 | delta }
    }

    fn page(time: u64, marks: u64, words: &[u32]) -> Vec<u8> {
        let data: Vec<u8> = words.iter().flat_map(|word| word.to_ne_bytes()).collect();
        let mut page = [time.to_ne_bytes(), (data.len() as u64 | marks).to_ne_bytes()].concat();
        page.extend(data);
        page.resize(sample_layout().size(), 0);
        page
    }

    type Seen = (u64, Option<u32>, usize);

    fn parse_events(bytes: &[u8]) -> Vec<Seen> {
        let page = sample_layout().page(bytes).expect("a header");
        page.events.map(|(time, fields)| (time, u32_at(fields, 0), fields.len())).collect()
    }

    #[test]
    fn trace_page_layout_comes_from_kernel() {
        let expected = PageLayout {
            time: 0,
            commit: Field { offset: 8, size: 8 },
            data: Field { offset: 16, size: 4080 },
        };
        assert_eq!(PageLayout::parse(HEADER_PAGE), Some(expected));
        assert_eq!(sample_layout().size(), 4096);
        assert_eq!(PageLayout::parse(&HEADER_PAGE.replace("commit", "other")), None);
        assert_eq!(PageLayout::parse(&HEADER_PAGE.replace("size:8", "size:2")), None);
        let narrow = "field: u64 timestamp; offset:0; size:8;\nfield: local_t commit; offset:8; size:4;\n\
                      field: char data; offset:12; size:4084;\n";
        let bytes =
            [&5u64.to_ne_bytes()[..], &8u32.to_ne_bytes(), &event_head(1, 2).to_ne_bytes(), b"abcd"].concat();
        let found: Vec<_> = PageLayout::parse(narrow).unwrap().page(&bytes).unwrap().events.collect();
        assert_eq!(found, [(7, &b"abcd"[..])]);
    }

    fn every_kind() -> (Vec<u32>, Vec<Seen>) {
        let stamp = (3u64 << 27) | 11;
        let words = vec![
            event_head(1, 10),
            100, // a length in words
            event_head(0, 5),
            12,
            101,
            102, // a length in bytes behind the head
            event_head(30, 7),
            2, // so much later: 2 << 27, and 7
            event_head(2, 1),
            103,
            104,
            event_head(29, 4),
            8,
            0, // taken back
            event_head(1, 2),
            105,
            event_head(31, 11),
            3, // from here on by this stamp
            event_head(28, 0),
            106,
        ];
        let rest = [0; 27];
        let tail = [event_head(1, 9), 107, event_head(29, 0), event_head(1, 1), 999];
        let words = [&words[..], &rest, &tail].concat();
        let later = 1015 + (2 << 27) + 7;
        let expected = vec![
            (1010, Some(100), 4),
            (1015, Some(101), 8),
            (later + 1, Some(103), 8),
            (later + 7, Some(105), 4),
            (stamp, Some(106), 112),
            (stamp + 9, Some(107), 4),
        ];
        (words, expected)
    }

    #[test]
    fn events_of_every_kind_are_read() {
        let (words, expected) = every_kind();
        assert_eq!(parse_events(&page(1000, 0, &words)), expected);
        // A stamp leaves the upper five bits as they were.
        let late = parse_events(&page((5 << 59) + 1000, 0, &[event_head(31, 11), 3, event_head(1, 1), 100]));
        assert_eq!(late, [((5 << 59) + (3 << 27) + 12, Some(100), 4)]);
    }

    #[test]
    fn overwritten_pages_are_marked() {
        let words = [event_head(1, 1), 100];
        let count = [&words[..], &[77, 0]].concat();
        for (marks, missed) in [
            (0, false),
            (u64::from(MISSED_EVENTS), true),
            (u64::from(MISSED_EVENTS | MISSED_COUNT), true),
            // The kernel adds the mark as a negative number.
            (0xffff_ffff_8000_0000, true),
        ] {
            let mut bytes = page(1000, 0, &count);
            bytes[8..16].copy_from_slice(&(8 | marks).to_ne_bytes());
            assert_eq!(sample_layout().page(&bytes).expect("a header").missed, missed, "{marks:x}");
            assert_eq!(parse_events(&bytes), [(1001, Some(100), 4)], "{marks:x}");
        }
    }

    #[test]
    fn truncated_page_keeps_earlier_events() {
        let (words, expected) = every_kind();
        let whole = page(1000, 0, &words);
        for length in 0..whole.len() {
            let Some(page) = sample_layout().page(&whole[..length]) else {
                assert!(length < 16, "{length}");
                continue;
            };
            let found = page.events.map(|(time, fields)| (time, u32_at(fields, 0), fields.len()));
            let found: Vec<_> = found.collect();
            assert!(expected.starts_with(&found), "{length} bytes: {found:?}");
        }
        // Lengths that can't be: shorter than their own word, or longer than the page.
        for length in [0, 3, 5000, u32::MAX] {
            assert_eq!(
                parse_events(&page(1000, 0, &[event_head(0, 1), length, 1, event_head(1, 1), 100])),
                [],
                "{length}"
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn damaged_trace_pages_are_read_without_panic(bytes: Vec<u8>, commit: u32, words: Vec<u32>) {
            if let Some(page) = sample_layout().page(&bytes) {
                proptest::prop_assert!(page.events.count() <= bytes.len());
            }
            let mut bytes = page(u64::MAX, 0, &words);
            bytes[8..16].copy_from_slice(&u64::from(commit).to_ne_bytes());
            proptest::prop_assert!(parse_events(&bytes).len() <= bytes.len());
        }
    }
}
