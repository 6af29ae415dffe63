//! Detection of sequential I/Os, which start at the end of an earlier I/O.

use super::TracedIo;

/// Number of remembered end positions, because streams of several threads or device queues are
/// interleaved. A random I/O matches one of them with probability (this / positions).
const REMEMBERED: usize = 16;
/// Divisor of all sequential I/Os that gives the minimum size of a stream.
const MIN_SEQUENCE_IOS: u64 = 20;
/// Maximum number of started streams that are distinguished.
const MAX_STREAMS: usize = 4096;

#[derive(Debug, Default)]
pub(super) struct Sequences {
    places: Vec<SequentialStream>,
    over: Vec<SequentialStream>,
    seen: u64,
    /// Number of I/Os that begin at the end of another one.
    pub(super) sequential: u64,
}

#[derive(Debug, Clone, Copy)]
struct SequentialStream {
    begin: u64,
    end: u64,
    length: u64,
    first: u64,
    last: u64,
}

impl Sequences {
    /// Processes the next I/O; returns whether it is sequential.
    pub(super) fn take(&mut self, io: &TracedIo) -> bool {
        self.seen += 1;
        let found = self.places.iter().position(|stream| stream.end == io.offset);
        let stream = match found {
            Some(at) => {
                self.sequential += 1;
                let stream = self.places.remove(at);
                SequentialStream { end: io.end(), length: stream.length + 1, last: self.seen, ..stream }
            }
            None => {
                let (begin, end) = (io.offset, io.end());
                SequentialStream { begin, end, length: 0, first: self.seen, last: self.seen }
            }
        };
        let stream = self.join_stream(stream);
        if self.places.len() == REMEMBERED
            && let Some(oldest) = self.places.pop()
            && oldest.length > 0
        {
            self.over.push(oldest);
            self.keep_longest();
        }
        self.places.insert(0, stream);
        found.is_some()
    }

    /// Joins a stream with its continuation. With several I/Os in flight, an I/O may appear before its
    /// predecessor, and then starts a separate stream.
    fn join_stream(&mut self, stream: SequentialStream) -> SequentialStream {
        let Some(at) = self.places.iter().position(|rest| rest.begin == stream.end) else { return stream };
        let rest = self.places.remove(at);
        SequentialStream {
            begin: stream.begin,
            first: stream.first,
            length: stream.length + rest.length,
            ..rest
        }
    }

    fn keep_longest(&mut self) {
        if self.over.len() >= 2 * MAX_STREAMS {
            self.over.sort_unstable_by_key(|stream| std::cmp::Reverse(stream.length));
            self.over.truncate(MAX_STREAMS);
        }
    }

    pub(super) fn streams(&self) -> u32 {
        let worth = (self.sequential / MIN_SEQUENCE_IOS).max(2);
        let all = || self.places.iter().chain(&self.over).filter(|stream| stream.length >= worth);
        let at = |number: u64| all().filter(|s| (s.first..=s.last).contains(&number)).count();
        all().map(|stream| at(stream.first)).max().unwrap_or(0) as u32
    }
}
