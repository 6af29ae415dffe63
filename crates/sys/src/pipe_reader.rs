//! Output of a started program, read immediately by a separate thread.

use super::mutex::LockUnpoisoned;
use std::io::{self, Read};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// Maximum kept output of a program, in bytes.
pub(crate) const MAX_OUTPUT_BYTES: usize = 64 << 10;
const MAX_POLLS: u32 = 100;
/// Interval of checks for the end.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Reader of a pipe that keeps only the last part, because a full pipe would block the writer.
#[derive(Debug)]
pub(crate) struct PipeReader {
    thread: JoinHandle<()>,
    kept: Arc<Mutex<Vec<u8>>>,
}

impl PipeReader {
    /// Starts reading in a thread.
    pub(crate) fn spawn(mut pipe: impl Read + Send + 'static) -> io::Result<PipeReader> {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&kept);
        let thread = std::thread::Builder::new().name("child".into()).spawn(move || {
            let mut part = [0; 4096];
            while let Ok(count @ 1..) = pipe.read(&mut part) {
                let mut kept = into.lock_anyway();
                kept.extend_from_slice(&part[..count]);
                let more = kept.len().saturating_sub(MAX_OUTPUT_BYTES);
                kept.drain(..more);
            }
        })?;
        Ok(PipeReader { thread, kept })
    }

    /// Returns the output of an ended program. A service that it started in a separate session may hold
    /// the pipe forever.
    pub(crate) fn all(self) -> Vec<u8> {
        for _ in 0..MAX_POLLS {
            if self.thread.is_finished() {
                break;
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        std::mem::take(&mut *self.kept.lock_anyway())
    }
}
