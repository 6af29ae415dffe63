//! DISKSPD's random numbers.

/// Bob Jenkins' small generator of 64-bit numbers, in its form with three rotations (7, 13, 37), seeded as
/// DISKSPD does: the same seed gives the same numbers as there.
///
/// One thread has one generator, and everything random in that thread is drawn from it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Random {
    a: u64,
    b: u64,
    c: u64,
    d: u64,
}

/// Words that [`Random::fill_expanded`] makes at once.
const EXPANDED_WORDS: usize = 16;
/// Numbers that it draws for them.
const EXPANDED_FROM: usize = 5;
const WORD: usize = size_of::<u64>();
/// Bytes of those words.
const CHUNK: usize = Random::CHUNK;

/// Consecutive parts of a buffer in bytes for [`Random::fill_expanded`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FillParts {
    pub head: usize,
    pub chunks: usize,
    /// Bytes from consecutive numbers, the last one truncated.
    pub tail: usize,
}

impl FillParts {
    /// Returns the parts of `length` bytes at an address. Only the address mod 8 matters.
    #[inline]
    pub fn split_buffer(address: usize, length: usize) -> FillParts {
        let head = (address % WORD).min(length);
        let rest = length - head;
        // A chunk is made only where a further word follows it.
        let chunks = (rest / WORD).saturating_sub(1) / EXPANDED_WORDS * CHUNK;
        FillParts { head, chunks, tail: rest - chunks }
    }

    fn count_numbers(self) -> usize {
        usize::from(self.head > 0) + self.chunks / CHUNK * EXPANDED_FROM + self.tail.div_ceil(WORD)
    }
}

impl Random {
    /// Bytes that [`Random::next_chunk`] makes.
    pub const CHUNK: usize = EXPANDED_WORDS * WORD;

    /// The generator of a seed. Twenty numbers are dropped, to get away from states with few bits set.
    pub fn new(seed: u64) -> Random {
        let mut random = Random { a: 0xf1ea_5eed, b: seed, c: seed, d: seed };
        for _ in 0..20 {
            random.next_u64();
        }
        random
    }

    #[inline]
    pub fn next_u64(&mut self) -> u64 {
        let e = self.a.wrapping_sub(self.b.rotate_left(7));
        self.a = self.b ^ self.c.rotate_left(13);
        self.b = self.c.wrapping_add(self.d.rotate_left(37));
        self.c = self.d.wrapping_add(e);
        self.d = e.wrapping_add(self.a);
        self.d
    }

    /// Puts values into a random order (Fisher and Yates).
    pub fn shuffle<T>(&mut self, values: &mut [T]) {
        for last in (1..values.len()).rev() {
            values.swap(last, (self.next_u64() % (last as u64 + 1)) as usize);
        }
    }

    /// The low half of the next number.
    #[inline]
    pub fn next_u32(&mut self) -> u32 {
        self.next_u64() as u32
    }

    /// Returns true with a chance of `percent` in 100. Always draws one number.
    #[inline]
    pub fn draw_percent(&mut self, percent: u32) -> bool {
        self.next_u32() % 100 < percent
    }

    /// Fills a buffer with consecutive numbers, lowest byte first; the last one is truncated.
    ///
    /// The content depends on the buffer's address, as in DISKSPD. If the address is not a multiple of 8,
    /// the first `address mod 8` bytes come from a separate number, and its remaining bytes are dropped.
    pub fn fill(&mut self, buffer: &mut [u8]) {
        let rest = self.fill_to_boundary(buffer);
        self.fill_words(rest);
    }

    /// Like [`Random::fill`], but three times as fast: 16 words consist of 5 numbers and mixtures of them.
    /// The last 16 words or fewer are filled as in `fill`. Sufficient against compression and
    /// deduplication, but not statistically random.
    pub fn fill_expanded(&mut self, buffer: &mut [u8]) {
        let rest = self.fill_to_boundary(buffer);
        let (chunks, tail) = rest.split_at_mut(FillParts::split_buffer(0, rest.len()).chunks);
        for chunk in chunks.chunks_exact_mut(CHUNK) {
            chunk.copy_from_slice(&self.next_chunk());
        }
        self.fill_words(tail);
    }

    /// Goes on to where [`Random::fill_expanded`] would leave it, without making any content.
    pub fn skip(&mut self, parts: FillParts) {
        // A copy that nothing else can refer to stays in registers.
        let mut random = self.clone();
        for _ in 0..parts.count_numbers() {
            random.next_u64();
        }
        *self = random;
    }

    /// The next number, lowest byte first.
    #[inline(always)]
    pub fn next_word(&mut self) -> [u8; WORD] {
        self.next_u64().to_le_bytes()
    }

    /// The next 16 words that are made of 5 numbers.
    #[inline(always)]
    pub fn next_chunk(&mut self) -> [u8; CHUNK] {
        let mut chunk = [0; CHUNK];
        for (bytes, word) in chunk.chunks_exact_mut(WORD).zip(self.expand_state()) {
            bytes.copy_from_slice(&word.to_le_bytes());
        }
        chunk
    }

    /// Fills the `address mod 8` bytes in front; returns the rest.
    fn fill_to_boundary<'a>(&mut self, buffer: &'a mut [u8]) -> &'a mut [u8] {
        let front = buffer.as_ptr().addr() % WORD;
        if front == 0 {
            return buffer;
        }
        let (head, rest) = buffer.split_at_mut(front.min(buffer.len()));
        // A number is drawn even for an empty buffer.
        let number = self.next_word();
        head.copy_from_slice(&number[..head.len()]);
        rest
    }

    fn fill_words(&mut self, buffer: &mut [u8]) {
        for bytes in buffer.chunks_mut(WORD) {
            let number = self.next_word();
            bytes.copy_from_slice(&number[..bytes.len()]);
        }
    }

    #[inline(always)]
    fn expand_state(&mut self) -> [u64; EXPANDED_WORDS] {
        let n: [u64; EXPANDED_FROM] = std::array::from_fn(|_| self.next_u64());
        let (x, y, z) = (n[0].rotate_left(7), n[1].rotate_left(13), n[2].rotate_left(19));
        [
            n[0],
            n[1],
            n[2],
            n[3],
            n[4],
            x ^ n[1],
            x ^ n[2],
            x ^ n[3],
            x ^ n[4],
            y ^ n[2],
            y ^ n[3],
            y ^ n[4],
            z ^ n[3],
            z ^ n[4],
            x ^ y ^ z,
            x ^ (n[3] ^ n[4]).rotate_left(39),
        ]
    }
}
