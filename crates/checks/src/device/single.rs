//! Separate judgement of several targets. The kernel counts I/O by device, but reports cached data by
//! file.

use super::effects::{JudgedPart, RuleOutcome, severity_for};
use super::limits::*;
use super::wording::{amount, times};
use diskspd_results::Host;
use diskspd_results::Verdict;

impl JudgedPart<'_> {
    /// Returns targets served from memory, or still in memory, among others on the same devices. Data read
    /// for a cached target was not in the page cache before, and is afterwards. With evictions, data may
    /// be read repeatedly, so there is no conclusion.
    pub(super) fn single(&self, host: &Host) -> Vec<RuleOutcome> {
        let part = self.part;
        if part.targets.len() < 2 {
            return Vec::new();
        }
        let mut effects = Vec::new();
        for (target, (read, write)) in part.targets.iter().zip(&part.each) {
            if let Some(cached) = target.cached.filter(|cached| cached.evicted == 0) {
                let came = cached.after.saturating_sub(cached.before);
                let missing = read.bytes.saturating_sub(came);
                if read.bytes > 0
                    && (came as f64) < MIN_EQUAL_RATIO * read.bytes as f64
                    && missing > self.allowance(read.bytes)
                {
                    effects.push(RuleOutcome {
                        verdict: Verdict::Cached,
                        severity: Some(severity_for((came as f64) < LOW_RATIO * read.bytes as f64, true)),
                        message: format!(
                            "'{}' was served from the page cache, not by the device: of the {} that the run \
                             counted only {} were read into memory ({})",
                            host.path(target.target),
                            amount(read.bytes),
                            amount(came),
                            times(came, read.bytes)
                        ),
                        remedy: Some("bypass the page cache with -Su".into()),
                    });
                }
            }
            let left = target.unwritten.unwrap_or(0).saturating_sub(target.unwritten_before.unwrap_or(0));
            let written = write.bytes.saturating_sub(left);
            if write.bytes > 0
                && (written as f64) < MIN_EQUAL_RATIO * write.bytes as f64
                && left > self.allowance(write.bytes)
            {
                effects.push(RuleOutcome {
                    verdict: Verdict::Deferred,
                    severity: Some(severity_for((written as f64) < LOW_RATIO * write.bytes as f64, true)),
                    message: format!(
                        "of the {} that were written to '{}', {} were still dirty pages at the end",
                        amount(write.bytes),
                        host.path(target.target),
                        // Small writes make whole pages dirty, and so do writes by other names of the file.
                        amount(left.min(write.bytes))
                    ),
                    remedy: Some(
                        "write through (-Suw or -Sh), or time the flush of the rest with --flush-after"
                            .into(),
                    ),
                });
            }
        }
        effects
    }
}
