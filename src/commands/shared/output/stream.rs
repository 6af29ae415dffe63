//! The stream (`--stream`): the interval figures during the run. A separate thread writes it, so that a
//! slow or missing reader never delays the run.

use crate::finding::Finding;
use crate::report::live::{self, LiveInterval, LiveScope, LiveTotals, StreamFormat};
use crate::results::{IntervalFigures, JobInterval};
use crate::run::{Outlet, guard};
use std::io::{self, Write};
use std::sync::mpsc::{Receiver, RecvTimeoutError, SyncSender, TrySendError, channel, sync_channel};
use std::time::Duration;

/// Maximum number of waiting lines; more are dropped.
const MAX_WAITING_LINES: usize = 1024;
/// Maximum wait at the end of the run for the reader of the last lines.
const MAX_READER_WAIT: Duration = Duration::from_secs(2);

#[derive(Debug)]
pub(crate) struct Stream {
    lines: SyncSender<String>,
    /// Receives the result after the last line or the first error.
    ended: Receiver<std::io::Result<()>>,
    style: StreamStyle,
    missed: u64,
    time_span: usize,
    totals: LiveTotals,
}

#[derive(Debug, Clone)]
pub(crate) struct StreamStyle {
    pub format: StreamFormat,
    pub name: String,
    pub host: String,
}

/// File that each interval replaces atomically, so that readers never see a partial one.
#[derive(Debug)]
pub(crate) struct ReplacedFile(pub Outlet);

impl Write for ReplacedFile {
    fn write(&mut self, whole: &[u8]) -> io::Result<usize> {
        self.0.put(whole.to_vec()).map(|()| whole.len()).map_err(io::Error::other)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Stream {
    /// Starts a stream to `sink`.
    pub(crate) fn new(mut sink: Box<dyn Write + Send>, style: StreamStyle) -> std::io::Result<Stream> {
        let (lines, waiting) = sync_channel::<String>(MAX_WAITING_LINES);
        let (end, ended) = channel();
        std::thread::Builder::new().name("stream".into()).spawn(move || {
            let _waited_for = guard::is_waited_for();
            let write = |line: String| sink.write_all(line.as_bytes()).and_then(|()| sink.flush());
            let _ = end.send(waiting.into_iter().try_for_each(write));
        })?;
        Ok(Stream { lines, ended, style, missed: 0, time_span: 0, totals: LiveTotals::default() })
    }

    /// Sets the time span of the following lines, from 1.
    pub(crate) fn begin_span(&mut self, number: usize) {
        self.time_span = number;
    }

    /// Queues an interval, or drops it if too many wait. Never blocks.
    pub(crate) fn send(&mut self, figures: &IntervalFigures) {
        let (time_span, missed) = (self.time_span, self.missed);
        let interval = LiveInterval { time_span, missed, scope: LiveScope::Alone, figures: Some(figures) };
        self.totals.add(figures);
        self.write_intervals(&[interval]);
    }

    /// Queues an interval of a job: its hosts, then their sum. Never blocks.
    pub(crate) fn send_job(&mut self, job: &JobInterval) {
        self.totals.add(&job.sum);
        self.write_intervals(&live::job_intervals(job, self.missed));
    }

    fn write_intervals(&mut self, intervals: &[LiveInterval]) {
        let host = &self.style.host;
        let text = match self.style.format {
            StreamFormat::Json => intervals.iter().map(live::json_line).collect(),
            StreamFormat::Influx => intervals.iter().map(|one| live::influx_lines(one, host)).collect(),
            StreamFormat::Prometheus => live::prometheus(intervals, &self.totals, host),
        };
        if let Err(TrySendError::Full(_) | TrySendError::Disconnected(_)) = self.lines.try_send(text) {
            self.missed += 1;
        }
    }

    /// Waits briefly for the reader to take the rest. Returns a warning if it did not read all lines, an
    /// error if writing failed.
    pub(crate) fn finish(self) -> Option<Finding> {
        let Stream { lines, ended, style, missed, totals, .. } = self;
        if style.format == StreamFormat::Prometheus {
            // Where too many wait it is full of others that come to the same.
            let _ = lines.try_send(live::prometheus(&[], &totals, &style.host));
        }
        drop(lines);
        let name = style.name;
        let lost =
            |count: u64| if count > 0 { format!("; {count} lines were left out") } else { String::new() };
        let finding = |severity: fn(String) -> Finding, what: &str| {
            Some(severity(format!("--stream {name}: {what}{}", lost(missed))))
        };
        match ended.recv_timeout(MAX_READER_WAIT) {
            Ok(Ok(())) if missed == 0 => None,
            Ok(Ok(())) => finding(Finding::warning, "the reader was too slow"),
            Ok(Err(e)) if e.kind() == std::io::ErrorKind::BrokenPipe => {
                finding(Finding::warning, "the reader closed it before the run ended")
            }
            Ok(Err(e)) => finding(Finding::error, &format!("is incomplete, because writing failed: {e}")),
            Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                finding(Finding::warning, "the reader does not take the last lines; they are dropped")
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::finding::Severity;
    use std::sync::{Arc, Mutex};

    /// Blocks all writes until its mutex is released.
    struct Gate(Arc<Mutex<Vec<u8>>>);

    impl Write for Gate {
        fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
            self.0.lock().unwrap().extend_from_slice(bytes);
            Ok(bytes.len())
        }
        fn flush(&mut self) -> std::io::Result<()> {
            Ok(())
        }
    }

    fn lines_to(name: &str) -> StreamStyle {
        StreamStyle { format: StreamFormat::Json, name: name.into(), host: String::new() }
    }

    #[test]
    fn slow_stream_reader_gets_count_of_missed_lines() {
        let taken = Arc::new(Mutex::new(Vec::new()));
        let held = taken.lock().unwrap();
        let mut stream = Stream::new(Box::new(Gate(Arc::clone(&taken))), lines_to("slow")).unwrap();
        let interval = IntervalFigures::default();
        (0..2 * MAX_WAITING_LINES).for_each(|_| stream.send(&interval));
        assert!(stream.missed >= MAX_WAITING_LINES as u64 - 1);
        drop(held);
        let found = stream.finish().expect("a part is unread");
        let message = &found.message;
        assert_eq!(found.severity, Severity::Warning);
        assert!(message.contains("too slow") && message.contains("lines were left out"), "{message}");
        let lines = taken.lock().unwrap().iter().filter(|byte| **byte == b'\n').count();
        assert!((MAX_WAITING_LINES..=MAX_WAITING_LINES + 1).contains(&lines), "{lines}");
    }

    #[test]
    fn closed_stream_reader_is_reported() {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut stream = Stream::new(Box::new(writer), lines_to("gone")).unwrap();
        stream.send(&IntervalFigures::default());
        let found = stream.finish().unwrap();
        assert_eq!(found.severity, Severity::Warning);
        assert!(found.message.contains("closed"), "{found:?}");
    }
}
