//! What a thread of this process has cost.

use serde::{Deserialize, Serialize};

/// Times of a thread, ns.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ThreadTimes {
    /// On a CPU; exact to a few ms.
    pub busy: u64,
    /// Ready to run, but without a CPU, with what still went on at the end; `None` = the kernel doesn't
    /// count it.
    pub run_delay: Option<u64>,
    /// Of `busy`, in the program. The kernel samples how it divides: only long stretches are meaningful.
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

    /// How much of what passed within `spanned` ns lies in `window` ns of them, if it went on evenly.
    #[must_use]
    pub fn within(self, window: u64, spanned: u64) -> ThreadTimes {
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
    fn readings_around_window_count_by_share() {
        let read = ThreadTimes { busy: 3000, run_delay: Some(900), user: 600, system: 2400 };
        let half = ThreadTimes { busy: 1500, run_delay: Some(450), user: 300, system: 1200 };
        assert_eq!(read.within(1000, 2000), half);
        assert_eq!(read.within(2000, 2000), read);
        assert_eq!(read.within(0, 0), read);
        let long = ThreadTimes { busy: u64::MAX, ..read };
        assert_eq!(long.within(u64::MAX / 2, u64::MAX).busy, u64::MAX / 2);
    }
}
