//! What a program says that was started: read as it comes, by a thread of its own.

use super::mutex::LockAnyway;
use std::io::{self, Read};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

/// So much of what a program says is kept, bytes.
pub const MOST_SAID: usize = 64 << 10;
/// So often it is looked whether a pipe has come to its end ...
const LOOKS: u32 = 100;
/// ... with so long between two looks.
const LOOK: Duration = Duration::from_millis(10);

/// Reads a pipe, and keeps the last of it: one that is full would stop whoever writes.
#[derive(Debug)]
pub struct PipeReader {
    thread: JoinHandle<()>,
    kept: Arc<Mutex<Vec<u8>>>,
}

impl PipeReader {
    /// Begins to read.
    ///
    /// # Errors
    /// No thread can be started.
    pub fn spawn(mut pipe: impl Read + Send + 'static) -> io::Result<PipeReader> {
        let kept = Arc::new(Mutex::new(Vec::new()));
        let into = Arc::clone(&kept);
        let thread = std::thread::Builder::new().name("child".into()).spawn(move || {
            let mut part = [0; 4096];
            while let Ok(count @ 1..) = pipe.read(&mut part) {
                let mut kept = into.lock_anyway();
                kept.extend_from_slice(&part[..count]);
                let more = kept.len().saturating_sub(MOST_SAID);
                kept.drain(..more);
            }
        })?;
        Ok(PipeReader { thread, kept })
    }

    /// What was said by a program that has ended. A service that it has started in a session of its own may
    /// hold the pipe for ever.
    pub fn all(self) -> Vec<u8> {
        for _ in 0..LOOKS {
            if self.thread.is_finished() {
                break;
            }
            std::thread::sleep(LOOK);
        }
        std::mem::take(&mut *self.kept.lock_anyway())
    }
}
