//! Time that the calling thread has waited for a CPU while ready to run.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// The calling thread's waits for a CPU, by the kernel's count. The file stays open: a look takes a system
/// call.
#[derive(Debug)]
pub struct OwnWait {
    /// File; `None` = the kernel does not count.
    file: Option<File>,
}

impl OwnWait {
    pub fn of_this_thread() -> OwnWait {
        OwnWait { file: File::open("/proc/thread-self/schedstat").ok() }
    }

    pub fn nanos(&self) -> Option<u64> {
        let mut text = [0; 80];
        let length = self.file.as_ref()?.read_at(&mut text, 0).ok()?;
        let text = std::str::from_utf8(text.get(..length)?).ok()?;
        text.split_whitespace().nth(1)?.parse().ok()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn supported_features_are_read_from_the_kernel() {
        let wait = OwnWait::of_this_thread();
        let (first, second) = (wait.nanos(), wait.nanos());
        assert!(first.is_some() && first <= second, "{first:?} {second:?}");
    }
}
