//! CPU time of a thread of this process.

use serde::{Deserialize, Serialize};

/// Times of a thread in ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadTimes {
    /// Time on a CPU; accurate to a few ms.
    pub busy: u64,
    /// Time ready to run without a CPU, including an unfinished wait; `None` if the kernel does not count
    /// it.
    pub run_delay: Option<u64>,
    /// User part of `busy`. The kernel samples it, so only long periods are meaningful.
    pub user: u64,
    pub system: u64,
}

impl ThreadTimes {
    pub fn since(&self, earlier: &ThreadTimes) -> ThreadTimes {
        ThreadTimes {
            busy: self.busy.saturating_sub(earlier.busy),
            run_delay: self.run_delay.zip(earlier.run_delay).map(|(now, then)| now.saturating_sub(then)),
            user: self.user.saturating_sub(earlier.user),
            system: self.system.saturating_sub(earlier.system),
        }
    }

    /// Returns the part within `window` ns of `spanned` ns, assuming an even distribution.
    #[must_use]
    pub fn scale_to_window(self, window: u64, spanned: u64) -> ThreadTimes {
        if window >= spanned {
            return self;
        }
        let part = |nanos: u64| (u128::from(nanos) * u128::from(window) / u128::from(spanned)) as u64;
        ThreadTimes {
            busy: part(self.busy),
            run_delay: self.run_delay.map(part),
            user: part(self.user),
            system: part(self.system),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thread_times_are_scaled_to_the_window() {
        let read = ThreadTimes { busy: 3000, run_delay: Some(900), user: 600, system: 2400 };
        let half = ThreadTimes { busy: 1500, run_delay: Some(450), user: 300, system: 1200 };
        assert_eq!(read.scale_to_window(1000, 2000), half);
        assert_eq!(read.scale_to_window(2000, 2000), read);
        assert_eq!(read.scale_to_window(0, 0), read);
        let long = ThreadTimes { busy: u64::MAX, ..read };
        assert_eq!(long.scale_to_window(u64::MAX / 2, u64::MAX).busy, u64::MAX / 2);
    }
}
