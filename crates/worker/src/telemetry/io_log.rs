//! `--io-log`: one line for every single I/O.
//!
//! ```text
//! worker ──▶ ring (bounded) ─┐
//! worker ──▶ ring (bounded) ─┴─▶ writer thread ──▶ CSV
//! ```
//!
//! A separate line (`#`) marks the beginning of measuring.
//!
//! A worker never waits for the writer: lines for a full ring are dropped, counted, and reported at the
//! end.

use diskspd_base::operation::Operation;
use diskspd_output::{Outlet, OutputError, OutputErrorKind, StreamedFile, guard};
use diskspd_results::SpanBegin;
use diskspd_sys::clock::{self, Nanos, SECOND};
use diskspd_sys::failed_call::FailedCall;
use diskspd_sys::mutex::LockUnpoisoned;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::Thread;
use std::time::Duration;

const HEADER: &str = "thread,target,direction,offset,size,start_ns,latency_ns,due_ns\n";
/// Words of an entry in a ring.
const WORDS: usize = 5;
/// Memory for all rings of a time span in bytes.
const MEMORY: usize = 64 << 20;
/// Minimum and maximum entries of a ring.
const ENTRIES: (usize, usize) = (1 << 10, 1 << 16);
/// Sleep of the writer without data.
const PAUSE: Duration = Duration::from_millis(1);
const MAX_FINISH_WAIT: Nanos = SECOND;
const CHUNK: usize = 1 << 18;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Entry {
    /// Index of the target in the time span.
    pub target: u32,
    pub op: Operation,
    /// Byte offset in the target.
    pub offset: u64,
    /// Bytes transferred, or requested if it failed.
    pub size: u32,
    /// Submission time since the start signal in ns.
    pub start: Nanos,
    /// Latency in ns until the reap.
    pub latency: Nanos,
    /// Scheduled start time (`-g`) in ns after the start signal; `None` = as soon as possible.
    pub due: Option<Nanos>,
}

const NO_TIME: u64 = u64::MAX;

/// In a ring, bits of the number of the target; in front of it stands that of the operation. There are fewer
/// targets.
const TARGET_BITS: u32 = 24;

#[derive(Debug)]
pub struct IoLog {
    path: PathBuf,
    output: Mutex<Output>,
    note: Mutex<Option<String>>,
    /// Whether the run is abandoned, so that the log ends now.
    left: AtomicBool,
}

#[derive(Debug)]
struct Output {
    file: StreamedFile,
    has_lines: bool,
    /// Number of observed I/Os, written or not.
    seen: u64,
    dropped: u64,
    spans: u32,
    failure: Option<std::io::Error>,
}

impl IoLog {
    /// Creates the file. It is visible from its first I/O on, but replaces an earlier one only at
    /// [`IoLog::end`].
    pub fn create(path: &Path, outlet: Outlet) -> Result<IoLog, OutputError> {
        let mut file = StreamedFile::open(outlet)?;
        file.write_all(HEADER.as_bytes())
            .map_err(|error| OutputErrorKind::NotWritten(error.into()).of_file("--io-log", path))?;
        let output = Output { file, has_lines: false, seen: 0, dropped: 0, spans: 0, failure: None };
        let (note, left) = Default::default();
        Ok(IoLog { path: path.to_path_buf(), output: Mutex::new(output), note, left })
    }

    /// Ends the log. With figures it replaces an earlier one; otherwise that stays unchanged, and the log
    /// is kept next to it.
    pub fn end(&self, has_figures: bool) {
        let mut output = self.output.lock_anyway();
        if has_figures {
            output.file.show();
        } else if output.has_lines {
            output.file.keep_beside();
        }
    }

    /// Ends the log of an abandoned run and its workers, and puts it in place. Waits a second at most for
    /// writing, because the log's own file may hang.
    pub fn finish_log(&self) {
        self.left.store(true, Ordering::Release);
        let deadline = clock::monotonic() + MAX_FINISH_WAIT;
        while clock::monotonic() < deadline {
            if let Ok(mut output) = self.output.try_lock() {
                output.file.show();
                return;
            }
            std::thread::sleep(PAUSE);
        }
    }

    /// Runs `work` with one ring for each of these threads, and writes the content of the rings. A
    /// `patient` worker waits for a full ring, in simulated time.
    ///
    /// # Errors
    /// Fails with a message, without any work, if there is no memory for the rings or no thread for
    /// writing.
    pub fn record<T>(
        &self,
        threads: std::ops::Range<u32>,
        patient: bool,
        work: impl FnOnce(&[LineRing]) -> T,
    ) -> Result<T, OutputError> {
        let entries =
            (MEMORY / (WORDS * size_of::<u64>()) / threads.len().max(1)).clamp(ENTRIES.0, ENTRIES.1);
        let entries = 1 << entries.ilog2();
        let rings: Option<Vec<LineRing>> =
            threads.map(|thread| LineRing::new(thread, entries, patient)).collect();
        let rings = rings.ok_or_else(|| OutputErrorKind::NoBuffers.of_file("--io-log", &self.path))?;
        let finished = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let writer = || {
                let _waited_for = guard::is_waited_for();
                self.write(&rings, &finished)
            };
            let writer = std::thread::Builder::new().name("log".into()).spawn_scoped(scope, writer);
            let writer = writer.map_err(|error| {
                let failed = FailedCall::starting_thread("for the log", &error);
                OutputErrorKind::NoThread(failed).of_file("--io-log", &self.path)
            })?;
            let _finish = Finish { finished: &finished, writer: writer.thread().clone() };
            Ok(work(&rings))
        })
    }

    /// Separates the lines of a new time span by an empty line.
    pub fn begin_span(&self) {
        let mut output = self.output.lock_anyway();
        output.spans += 1;
        if output.spans > 1 {
            output.write(b"\n");
        }
    }

    pub fn measuring_began(&self, began: SpanBegin) {
        let SpanBegin { start_signal_utc_ns, measuring_utc_ns } = began;
        *self.note.lock_anyway() = Some(format!(
            "measuring_ns={} start_signal_utc_ns={start_signal_utc_ns} measuring_utc_ns={measuring_utc_ns}",
            began.measuring_ns()
        ));
    }

    fn write(&self, rings: &[LineRing], finished: &AtomicBool) {
        let mut output = self.output.lock_anyway();
        let mut text = Vec::with_capacity(CHUNK + 256);
        loop {
            // Read first: what a worker logged before it ended is then seen by this round.
            let last = finished.load(Ordering::Acquire) || self.left.load(Ordering::Acquire);
            if let Some(note) = self.note.lock_anyway().take() {
                output.note_text(&note);
            }
            let mut entries = 0;
            for ring in rings {
                entries += ring.drain(|entry| {
                    push_line(&mut text, ring.thread, &entry);
                    if text.len() >= CHUNK {
                        output.write(&text);
                        text.clear();
                    }
                });
            }
            output.write(&text);
            text.clear();
            output.seen += entries;
            if last {
                break;
            }
            if entries == 0 {
                std::thread::park_timeout(PAUSE);
            }
        }
        let dropped: u64 = rings.iter().map(|ring| ring.dropped.load(Ordering::Relaxed)).sum();
        output.dropped += dropped;
        output.seen += dropped;
    }

    pub fn failure(&self) -> Option<String> {
        let output = self.output.lock_anyway();
        let name = self.path.display();
        let failure = output.failure.as_ref()?;
        Some(format!("--io-log {name}: is incomplete, because writing failed: {failure}"))
    }

    /// Returns a final message about the log; `None` = it is complete.
    pub fn complaint(&self) -> Option<String> {
        let output = self.output.lock_anyway();
        let name = self.path.display();
        (output.dropped > 0 && output.failure.is_none()).then(|| {
            format!(
                "--io-log {name}: {} of {} I/Os are missing, because writing the log was too slow. The \
                 report's figures are complete. Log fewer I/Os per second (-g), or to a faster device",
                output.dropped, output.seen
            )
        })
    }
}

/// Ends the writer when the work ends in any way.
struct Finish<'a> {
    finished: &'a AtomicBool,
    writer: Thread,
}

impl Drop for Finish<'_> {
    fn drop(&mut self) {
        self.finished.store(true, Ordering::Release);
        self.writer.unpark();
    }
}

impl Output {
    fn note_text(&mut self, text: &str) {
        let line = format!("# time_span={} {text}\n", self.spans);
        if self.failure.is_none() {
            self.failure = self.file.write_all(line.as_bytes()).err();
        }
    }

    fn write(&mut self, text: &[u8]) {
        self.has_lines |= !text.is_empty();
        if self.failure.is_none() {
            self.failure = self.file.write_all(text).err();
        }
        // Nothing is lost by showing it at once, and it survives the program.
        if self.has_lines && !self.file.replaces() {
            self.file.show();
        }
    }
}

fn push_line(text: &mut Vec<u8>, thread: u32, entry: &Entry) {
    let Entry { target, op, offset, size, start, latency, due } = *entry;
    for number in [u64::from(thread), u64::from(target)] {
        push_decimal(text, number);
        text.push(b',');
    }
    text.extend_from_slice(op.row().name.as_bytes());
    for number in [offset, u64::from(size), start, latency] {
        text.push(b',');
        push_decimal(text, number);
    }
    text.push(b',');
    due.into_iter().for_each(|due| push_decimal(text, due));
    text.push(b'\n');
}

/// Appends a number. (`write!` takes several times as long, and the writer must keep up with the workers.)
fn push_decimal(text: &mut Vec<u8>, mut number: u64) {
    let mut digits = [0; 20];
    let mut first = digits.len();
    loop {
        first -= 1;
        digits[first] = b'0' + (number % 10) as u8;
        number /= 10;
        if number == 0 {
            return text.extend_from_slice(&digits[first..]);
        }
    }
}

/// Unwritten log lines of one worker: one thread adds lines, another removes them.
#[derive(Debug)]
pub struct LineRing {
    thread: u32,
    patient: bool,
    /// [`WORDS`] words per entry; the number of entries is a power of two.
    words: Box<[AtomicU64]>,
    tail: PaddedCounter,
    head: PaddedCounter,
    dropped: AtomicU64,
}

/// Counter in a pair of cache lines of its own, because lines are fetched in pairs.
#[derive(Debug, Default)]
#[repr(align(128))]
struct PaddedCounter(AtomicU64);

impl LineRing {
    /// Returns `None` without memory.
    pub fn new(thread: u32, entries: usize, patient: bool) -> Option<LineRing> {
        let mut words = Vec::new();
        words.try_reserve_exact(entries * WORDS).ok()?;
        words.resize_with(entries * WORDS, || AtomicU64::new(0));
        Some(LineRing {
            thread,
            patient,
            words: words.into(),
            tail: PaddedCounter::default(),
            head: PaddedCounter::default(),
            dropped: AtomicU64::new(0),
        })
    }

    #[inline]
    fn entry_count(&self) -> u64 {
        (self.words.len() / WORDS) as u64
    }

    #[inline]
    fn entry_slot(&self, number: u64) -> &[AtomicU64] {
        let first = (number & (self.entry_count() - 1)) as usize * WORDS;
        &self.words[first..first + WORDS]
    }

    pub fn thread(&self) -> u32 {
        self.thread
    }

    pub fn dropped(&self) -> u64 {
        self.dropped.load(Ordering::Relaxed)
    }

    /// Returns the end of the worker, which must be the only one.
    pub fn producer(&self) -> Producer<'_> {
        Producer { ring: self, tail: self.tail.0.load(Ordering::Relaxed), head: 0 }
    }

    /// Removes all entries; returns their number.
    pub fn drain(&self, mut take: impl FnMut(Entry)) -> u64 {
        let head = self.head.0.load(Ordering::Relaxed);
        let tail = self.tail.0.load(Ordering::Acquire);
        for number in head..tail {
            let word = |i: usize| self.entry_slot(number)[i].load(Ordering::Relaxed);
            let packed = word(0);
            take(Entry {
                target: (packed >> 32) as u32 & ((1 << TARGET_BITS) - 1),
                op: Operation::of_number((packed >> 32 >> TARGET_BITS) as u8).unwrap_or(Operation::Read),
                size: packed as u32,
                offset: word(1),
                start: word(2),
                latency: word(3),
                due: Some(word(4)).filter(|due| *due != NO_TIME),
            });
            // Room for the worker, before a long backlog is written.
            if number % 256 == 255 {
                self.head.0.store(number + 1, Ordering::Release);
            }
        }
        self.head.0.store(tail, Ordering::Release);
        tail - head
    }
}

#[derive(Debug)]
pub struct Producer<'a> {
    ring: &'a LineRing,
    tail: u64,
    head: u64,
}

impl Producer<'_> {
    /// Logs an I/O, or counts it as dropped.
    #[inline]
    pub fn push(&mut self, entry: Entry) {
        if self.tail - self.head == self.ring.entry_count() && !self.find_room() {
            return;
        }
        let what = u32::from(entry.op.number()) << TARGET_BITS | entry.target;
        let packed = u64::from(what) << 32 | u64::from(entry.size);
        let due = entry.due.unwrap_or(NO_TIME);
        let values = [packed, entry.offset, entry.start, entry.latency, due];
        for (word, value) in self.ring.entry_slot(self.tail).iter().zip(values) {
            word.store(value, Ordering::Relaxed);
        }
        self.tail += 1;
        self.ring.tail.0.store(self.tail, Ordering::Release);
    }

    #[cold]
    fn find_room(&mut self) -> bool {
        loop {
            self.head = self.ring.head.0.load(Ordering::Acquire);
            if self.tail - self.head < self.ring.entry_count() {
                return true;
            }
            if !self.ring.patient {
                self.ring.dropped.fetch_add(1, Ordering::Relaxed);
                return false;
            }
            std::thread::yield_now();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_output::HangGuard;
    use diskspd_output::OutputPolicy;

    fn create_log(path: &Path) -> Result<IoLog, OutputError> {
        let permitted = OutputPolicy::default().permit("--io-log", path)?;
        IoLog::create(path, permitted.open(&HangGuard::default())?)
    }

    fn sample_entry(n: u64) -> Entry {
        Entry {
            target: n as u32 % 3,
            op: Operation::ALL[n as usize % Operation::ALL.len()],
            offset: n * 4096,
            size: 0x7fff_f000 - n as u32,
            start: n << 40,
            latency: u64::MAX - n,
            due: n.checked_sub(1),
        }
    }

    #[test]
    fn ring_keeps_order_after_wrapping() {
        let ring = LineRing::new(5, 8, false).unwrap();
        let mut producer = ring.producer();
        let mut out = Vec::new();
        for n in 0..100 {
            producer.push(sample_entry(n));
            if n % 5 == 4 {
                ring.drain(|entry| out.push(entry));
            }
        }
        assert_eq!(out, (0..100).map(sample_entry).collect::<Vec<_>>());
        assert_eq!(ring.dropped.load(Ordering::Relaxed), 0);
    }

    #[test]
    fn full_ring_counts_dropped_entries() {
        let ring = LineRing::new(0, 8, false).unwrap();
        let mut producer = ring.producer();
        (0..11).for_each(|n| producer.push(sample_entry(n)));
        let mut out = Vec::new();
        assert_eq!(ring.drain(|entry| out.push(entry)), 8);
        assert_eq!(out, (0..8).map(sample_entry).collect::<Vec<_>>());
        assert_eq!(ring.dropped.load(Ordering::Relaxed), 3);
        producer.push(sample_entry(20));
        assert_eq!(ring.drain(|found| assert_eq!(found, sample_entry(20))), 1);
    }

    #[test]
    fn blocking_log_is_complete_and_ordered() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("log.csv");
        let log = create_log(&path).unwrap();
        let count = 3 * ENTRIES.1 as u64;
        for thread in [0, 1] {
            log.record(thread..thread + 1, true, |rings| {
                let mut producer = rings[0].producer();
                (0..count).for_each(|n| producer.push(sample_entry(n)));
            })
            .unwrap();
        }
        assert_eq!(log.complaint(), None);
        assert!(path.exists(), "from the first line on");
        log.end(true);
        let text = std::fs::read_to_string(&path).unwrap();
        let mut lines = text.lines();
        assert_eq!(lines.next().unwrap(), HEADER.trim_end());
        assert_eq!(lines.next().unwrap(), "0,0,read,0,2147479552,0,18446744073709551615,");
        assert_eq!(lines.next().unwrap(), "0,1,write,4096,2147479551,1099511627776,18446744073709551614,0");
        assert_eq!(text.lines().count() as u64, 1 + 2 * count);
    }

    #[test]
    fn unwritable_log_reports_its_error() {
        if !Path::new("/dev/full").exists() {
            return eprintln!("SKIPPED: there is no /dev/full");
        }
        let message = create_log(Path::new("/dev/full")).unwrap_err();
        assert!(
            message.to_string().contains("--io-log /dev/full") && message.to_string().contains("space"),
            "{message}"
        );
    }
}
