//! How many I/Os are handed over at a time when latencies are not measured.
//!
//! One system call for all costs least, and is best where I/Os end while they are handed over (page cache). A device has
//! nothing to do while a large batch is handed over, and much at once after that; then all wait for it again. So it gets
//! them in parts, and begins with the first while the next is handed over: on a virtio disk at depth 32 that is a sixth
//! more I/Os per second.

/// Parts of the depth.
const PARTS: usize = 8;
/// I/Os that are never divided.
const LEAST: usize = 4;

/// The present bound.
#[derive(Debug)]
pub struct Share {
    part: usize,
}

impl Share {
    /// For so many outstanding I/Os.
    pub fn new(depth: u32) -> Share {
        Share { part: (depth as usize / PARTS).max(LEAST) }
    }

    /// I/Os that are handed over at most next, when of `in_flight` ones `completed` had ended by the time they were
    /// looked for: all of them where they end at once.
    #[inline]
    pub fn most(&self, completed: usize, in_flight: usize) -> usize {
        if completed == in_flight { usize::MAX } else { self.part }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_device_gets_an_eighth_of_the_depth_and_the_page_cache_all_of_it() {
        for (depth, part) in [(1, 4), (4, 4), (8, 4), (32, 4), (128, 16)] {
            let share = Share::new(depth);
            assert_eq!(share.most(1, depth as usize + 1), part, "{depth}");
            assert_eq!(share.most(depth as usize, depth as usize), usize::MAX, "{depth}");
        }
    }
}
