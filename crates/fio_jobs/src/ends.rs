//! The end of a time span: by time, or by the completed work of its jobs.

use super::files::FilePiece;
use super::job::RequestedJob;
use super::number::FioSize;
use super::shape::{JobDirection, JobShape};
use diskspd_profile::Volume;

/// Maximum duration in seconds of a time span that ends by completed work: 30 days.
pub(super) const MAX_DURATION_S: u32 = 30 * 24 * 3600;

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum JobLimit {
    /// Time limit in s.
    Time(u32),
    /// Amount of work in a direction, with a time limit.
    Amount { written: bool, volume: Volume, at_most: u32 },
}

const TRIMS: &str = "trimmed bytes cannot end a time span: only reads and writes count";
const NO_SIZE: &str = "the amount of I/O depends on the size of a device that does not exist on this machine";
const TOO_LARGE: &str = "the amount is too large";

impl RequestedJob {
    /// Returns the end condition, given the pieces of all threads.
    ///
    /// # Errors
    /// Fails if it is unknown.
    pub(super) fn end(&self, pieces: &[Vec<FilePiece>]) -> Result<JobLimit, &'static str> {
        if let Some(seconds) = self.runtime_s.filter(|_| self.time_based) {
            return Ok(JobLimit::Time(seconds));
        }
        let at_most = self.runtime_s.unwrap_or(MAX_DURATION_S);
        let (written, share) = match self.shape.way {
            JobDirection::Read => (false, 100),
            JobDirection::Write => (true, 100),
            JobDirection::Mixed(reads) if reads >= 50 => (false, reads),
            JobDirection::Mixed(reads) => (true, 100 - reads),
            JobDirection::Trim => return Err(TRIMS),
        };
        let mut bytes = 0u64;
        for pieces in pieces {
            let lengths: Option<Vec<u64>> = pieces.iter().map(|piece| piece.length).collect();
            let Some(lengths) = lengths else {
                let alone = self.amount.is_none() && self.number_ios.is_none() && share == 100;
                let times =
                    u64::from(self.clones).checked_mul(self.loops).and_then(|all| u32::try_from(all).ok());
                let volume = times.filter(|_| alone).map(Volume::Times).ok_or(NO_SIZE)?;
                return Ok(JobLimit::Amount { written, volume, at_most });
            };
            let area = lengths.into_iter().try_fold(0, u64::checked_add).ok_or(TOO_LARGE)?;
            let each = match self.amount {
                Some(amount) => amount.share_of(Some(area)).ok_or(NO_SIZE)?,
                None => area.min(self.files.at_most().unwrap_or(u64::MAX)),
            };
            // Of each loop, as is the size.
            let of_ios = self.number_ios.map_or(u64::MAX, |ios| (ios as f64 * self.mean_bytes()) as u64);
            let each = each.min(of_ios).checked_mul(self.loops).ok_or(TOO_LARGE)?;
            bytes = bytes.checked_add(each).ok_or(TOO_LARGE)?;
        }
        let of_way = (u128::from(bytes) * self.share_of_bytes(written, share) / 1_000_000) as u64;
        Ok(JobLimit::Amount { written, volume: Volume::Bytes(of_way.max(1)), at_most })
    }

    /// Returns the mean size of an I/O in bytes.
    fn mean_bytes(&self) -> f64 {
        let sizes = &self.shape.sizes;
        let [read, write, trim] = [&sizes.read, &sizes.write, &sizes.trim].map(|sizes| JobShape::mean(sizes));
        match self.shape.way {
            JobDirection::Read => read,
            JobDirection::Write => write,
            JobDirection::Trim => trim,
            JobDirection::Mixed(percent) => {
                let reads = f64::from(percent) / 100.0;
                read * reads + write * (1.0 - reads)
            }
        }
    }

    /// Returns a direction's share of the bytes in millionths, from its share of the I/Os in percent.
    fn share_of_bytes(&self, written: bool, percent: u32) -> u128 {
        if percent == 100 {
            return 1_000_000;
        }
        let sizes = if written { &self.shape.sizes.write } else { &self.shape.sizes.read };
        let share = JobShape::mean(sizes) * f64::from(percent) / 100.0 / self.mean_bytes().max(1.0);
        (share.clamp(0.0, 1.0) * 1e6) as u128
    }

    /// Whether an option other than the area states the amount of work.
    pub(super) fn does_a_stated_amount(&self) -> bool {
        self.amount.is_some_and(|amount| amount != FioSize::Percent(100)) || self.number_ios.is_some()
    }
}
