//! Control groups that limited this program's I/O, and the times, by repeated checks.

use diskspd_sys::clock::Nanos;
use std::collections::VecDeque;

/// Maximum number of kept limits, because a changing limit counts several times.
const MAX_LIMITS: usize = 4096;

#[derive(Debug)]
struct SeenLimit {
    group: String,
    device: u32,
    /// Last check before the first detection; the limit may have begun right after it.
    from: Nanos,
    /// Last check with the limit.
    to: Nanos,
}

#[derive(Debug, Default)]
pub(super) struct Throttles {
    seen: VecDeque<SeenLimit>,
    looked: Nanos,
}

impl Throttles {
    pub(super) fn read_limits(&mut self, now: Nanos, limits: impl IntoIterator<Item = (String, u32)>) {
        let looked = std::mem::replace(&mut self.looked, now);
        for (group, device) in limits {
            let is_it =
                |seen: &&mut SeenLimit| seen.to == looked && seen.device == device && seen.group == group;
            match self.seen.iter_mut().find(is_it) {
                Some(seen) => seen.to = now,
                None => self.seen.push_back(SeenLimit { group, device, from: looked, to: now }),
            }
        }
        let more = self.seen.len().saturating_sub(MAX_LIMITS);
        self.seen.drain(..more);
    }

    /// Returns the group that limited a device between these times; `None` = none was observed.
    pub(super) fn group(&self, device: u32, from: Nanos, to: Nanos) -> Option<&str> {
        let is_it = |seen: &&SeenLimit| seen.device == device && seen.from < to && from < seen.to;
        self.seen.iter().find(is_it).map(|seen| seen.group.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_is_blamed_only_while_in_force() {
        let mut throttles = Throttles::default();
        let limit = || [("g".to_owned(), 7)];
        throttles.read_limits(100, []);
        throttles.read_limits(120, limit());
        throttles.read_limits(140, limit());
        throttles.read_limits(160, []);
        throttles.read_limits(180, limit());
        for (from, to, group) in [
            (0, 100, None),
            (0, 101, Some("g")),
            (110, 115, Some("g")),
            (139, 500, Some("g")),
            (140, 160, None),
            (150, 161, Some("g")),
            (180, 500, None),
        ] {
            assert_eq!(throttles.group(7, from, to), group, "{from} to {to}");
            assert_eq!(throttles.group(8, from, to), None);
        }
        (0..10_000).for_each(|at| {
            throttles.read_limits(200 + at, if at % 2 == 0 { vec![] } else { limit().to_vec() })
        });
        assert_eq!(throttles.seen.len(), MAX_LIMITS);
    }
}
