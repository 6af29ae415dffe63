//! Numbers at their places within an answer of the system.

/// Response of the system, or a structure in it. Fields beyond its end are `None`.
#[derive(Debug, Clone, Copy)]
pub(super) struct Fields<'a>(pub &'a [u8]);

impl<'a> Fields<'a> {
    fn read_part<const N: usize>(self, at: usize) -> Option<[u8; N]> {
        self.0.get(at..at.checked_add(N)?)?.try_into().ok()
    }

    pub(super) fn u8(self, at: usize) -> Option<u8> {
        self.read_part::<1>(at).map(|[byte]| byte)
    }

    pub(super) fn u16(self, at: usize) -> Option<u16> {
        self.read_part(at).map(u16::from_le_bytes)
    }

    pub(super) fn u32(self, at: usize) -> Option<u32> {
        self.read_part(at).map(u32::from_le_bytes)
    }

    pub(super) fn u64(self, at: usize) -> Option<u64> {
        self.read_part(at).map(u64::from_le_bytes)
    }

    pub(super) fn array(self, at: usize, size: usize, count: usize) -> impl Iterator<Item = Fields<'a>> {
        let rest = self.0.get(at..).unwrap_or_default();
        rest.chunks_exact(size.max(1)).take(count).map(Fields)
    }
}
