//! Parts of a buffer that may be in use by the kernel.

use std::marker::PhantomData;

/// Read access to part of a buffer whose I/Os may be in flight.
///
/// It is never a Rust slice, because only the kernel decides when such bytes change. They are copied by
/// address in their current state. If an I/O is in flight in this part, the copy is a mixture of old and
/// new.
#[derive(Debug, Clone, Copy)]
pub struct Slot<'a> {
    start: *const u8,
    length: usize,
    buffer: PhantomData<&'a [u8]>,
}

/// Write access to the same. A write in flight in this part transfers a mixture of old and new.
///
/// It borrows its queue, so that no I/O can be submitted before the slot is dropped:
///
/// ```compile_fail,E0499
/// fn misuse(engine: &mut dyn diskspd::engine::Engine, io: diskspd::engine::Io) {
///     let slot = engine.slot_mut(&io);
///     let _ = engine.submit(&[io]);
///     slot.unwrap().copy_from(&[0; 512]);
/// }
/// ```
#[derive(Debug)]
pub struct SlotMut<'a> {
    start: *mut u8,
    length: usize,
    buffer: PhantomData<&'a mut [u8]>,
}

impl Slot<'_> {
    /// # Safety
    /// `length` bytes from `start` on must be memory of a buffer that lives as long as the slot.
    pub(super) unsafe fn new(start: *const u8, length: usize) -> Self {
        Slot { start, length, buffer: PhantomData }
    }

    pub fn len(&self) -> usize {
        self.length
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    pub fn as_ptr(&self) -> *const u8 {
        self.start
    }

    /// Copies from the start, up to the shorter length.
    pub fn copy_to(&self, bytes: &mut [u8]) {
        // SAFETY: so many are mapped behind both addresses. They don't overlap: of the slot's there is no
        // slice as long as it lives. What the kernel changes meanwhile is bytes all the same.
        unsafe {
            std::ptr::copy_nonoverlapping(self.start, bytes.as_mut_ptr(), self.length.min(bytes.len()));
        }
    }
}

impl<'a> SlotMut<'a> {
    /// # Safety
    /// As [`Slot::new`]; the memory is private and not borrowed otherwise as long as the slot lives.
    pub(super) unsafe fn new(start: *mut u8, length: usize) -> Self {
        SlotMut { start, length, buffer: PhantomData }
    }

    /// Returns `length` bytes from `start` on; `None` if out of range.
    #[inline]
    pub fn part(self, start: usize, length: usize) -> Option<SlotMut<'a>> {
        let within = start.checked_add(length).is_some_and(|end| end <= self.length);
        // SAFETY: they lie within the slot, which is given up for them.
        within.then(|| unsafe { SlotMut::new(self.start.add(start), length) })
    }

    #[inline]
    pub fn by_ref(&mut self) -> SlotMut<'_> {
        SlotMut { start: self.start, length: self.length, buffer: PhantomData }
    }

    pub fn len(&self) -> usize {
        self.length
    }

    pub fn is_empty(&self) -> bool {
        self.length == 0
    }

    pub(crate) fn as_mut_ptr(&mut self) -> *mut u8 {
        self.start
    }

    /// Copies to the start, up to the shorter length.
    pub fn copy_from(&mut self, bytes: &[u8]) {
        self.put_bytes(0, bytes);
    }

    /// Fills the slot with consecutive pieces, and truncates the last one.
    #[inline(always)]
    pub fn fill_with<const PIECE: usize>(&mut self, mut next: impl FnMut() -> [u8; PIECE]) {
        let mut at = 0;
        while PIECE > 0 && at + PIECE <= self.length {
            let piece = next();
            // SAFETY: the piece lies within the slot, which is memory that nobody else has borrowed. What
            // the kernel takes from it meanwhile is bytes all the same.
            unsafe { std::ptr::copy_nonoverlapping(piece.as_ptr(), self.start.add(at), PIECE) };
            at += PIECE;
        }
        if PIECE > 0 && at < self.length {
            self.put_bytes(at, &next());
        }
    }

    /// Fills `length` bytes from `start` on in the same way; does not fill anything if out of range.
    #[inline(always)]
    pub fn fill_part<const PIECE: usize>(
        &mut self,
        start: usize,
        length: usize,
        next: impl FnMut() -> [u8; PIECE],
    ) {
        if let Some(mut part) = self.by_ref().part(start, length) {
            part.fill_with(next);
        }
    }

    /// Repeats the first `period` bytes over the rest; leaves the bytes unchanged if `period` is 0.
    pub fn repeat(&mut self, period: usize) {
        let mut filled = period.min(self.length);
        while filled > 0 && filled < self.length {
            let more = filled.min(self.length - filled);
            // SAFETY: both parts lie within the slot, one after the other. Doubling keeps the period.
            unsafe { std::ptr::copy_nonoverlapping(self.start, self.start.add(filled), more) };
            filled += more;
        }
    }

    /// Copies bytes to `at` (at most the length), up to the available length.
    fn put_bytes(&mut self, at: usize, bytes: &[u8]) {
        let room = self.length.saturating_sub(at);
        if room > 0 {
            // SAFETY: as in `fill_with`.
            unsafe {
                std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.start.add(at), room.min(bytes.len()));
            }
        }
    }
}

impl<'a> From<&'a mut [u8]> for SlotMut<'a> {
    /// Wraps bytes that the kernel does not access.
    fn from(bytes: &'a mut [u8]) -> Self {
        SlotMut { start: bytes.as_mut_ptr(), length: bytes.len(), buffer: PhantomData }
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Buffer, HugePages, Shared};
    use super::*;
    use std::io;

    #[test]
    fn slots_are_inside_their_buffer_parts() {
        let shared = Shared::new(4096, |mut bytes| -> io::Result<()> {
            bytes.fill_with(|| [5]);
            Ok(())
        });
        let (mut buffer, places) =
            Buffer::with_shared(4096, &[&shared.unwrap()], HugePages::AskedFor).unwrap();
        let source = places[0];
        for (start, length, readable, writable) in [
            (0, 4096, true, true),
            (4095, 1, true, true),
            (4096, 0, true, true),
            (4095, 2, true, false),
            (source, 4096, true, false),
            (source, 4097, false, false),
            (usize::MAX, 1, false, false),
            (1, usize::MAX, false, false),
        ] {
            assert_eq!(buffer.slot(start, length).is_some(), readable, "{start} {length}");
            assert_eq!(buffer.slot_mut(start, length).is_some(), writable, "{start} {length}");
        }
        let mut seen = [0; 4];
        buffer.slot(source, 2).unwrap().copy_to(&mut seen);
        assert_eq!(seen, [5, 5, 0, 0]);
    }

    #[test]
    fn repeat_keeps_the_period_up_to_the_end() {
        for (period, expected) in [
            (0, *b"abc........"),
            (1, *b"aaaaaaaaaaa"),
            (3, *b"abcabcabcab"),
            (11, *b"abc........"),
            (99, *b"abc........"),
        ] {
            let mut bytes = *b"abc........";
            SlotMut::from(&mut bytes[..]).repeat(period);
            assert_eq!(bytes, expected, "{period}");
        }
        SlotMut::from(&mut [][..]).repeat(3);
    }

    #[test]
    fn fill_stops_at_end_of_slot() {
        for length in [0, 1, 3, 4, 5, 8, 11] {
            let mut bytes = [0xee; 16];
            let mut number = 0;
            SlotMut::from(&mut bytes[2..2 + length]).fill_with(|| {
                number += 1;
                [number; 4]
            });
            let expected = |i: usize| (i / 4 + 1) as u8;
            assert!(
                bytes[2..2 + length].iter().enumerate().all(|(i, byte)| *byte == expected(i)),
                "{bytes:?}"
            );
            assert!(bytes[..2].iter().chain(&bytes[2 + length..]).all(|byte| *byte == 0xee), "{bytes:?}");
            SlotMut::from(&mut bytes[2..2 + length]).copy_from(&[9; 5]);
            assert!(bytes[2..2 + length.min(5)].iter().all(|byte| *byte == 9), "{bytes:?}");
            assert_eq!(bytes[2 + length], 0xee);
        }
    }
}
