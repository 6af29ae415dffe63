//! Data that a device stores without work: zeros and repeating patterns on zram.
//!
//! The counters of zram show zeros over other data. Zeros over zeros change no counter, so the content of the
//! files is sampled after the command.

use diskspd_host::content::{Order, sample_content};
use diskspd_host::located::ResolvedTargets;
use diskspd_host::process_tree::{OpenFileUse, OpenFiles};
use diskspd_host::root::Root;
use diskspd_host::zram_pages::ZramPages;
use diskspd_machine::content::{ContentFacts, Sample};
use diskspd_machine::stack::Stack;
use diskspd_profile::{RawText, TargetId};
use diskspd_sys::clock::{Nanos, SECOND};

/// Maximum number of sampled files, and the time limit for each.
const MAX_FILES: usize = 4;
const SAMPLE_TIME: Nanos = SECOND / 4;
/// Minimum share of sampled data that is not stored, in a file with little other content.
const REDUCED: f64 = 0.9;

#[derive(Debug)]
pub(super) struct ReducingDevices(Vec<ZramPages>);

/// Content after the end of the command, and counts of the devices.
#[derive(Debug, Default)]
pub(super) struct ReducedData {
    /// Bytes added as a repeated pattern.
    added: u64,
    /// Maximum bytes of zeros in the written files and devices.
    zeros: u64,
    /// Whether all written files have only reducible content.
    is_all_reduced: bool,
    /// Size of the written files; `None` = unknown, or a device was written.
    size: Option<u64>,
    /// Reducible content of files and devices that were read.
    pub read: Vec<ContentFacts>,
}

impl ReducingDevices {
    pub(super) fn find_all() -> ReducingDevices {
        ReducingDevices(ZramPages::of_all(&Root::live_system()))
    }

    /// Examines the files of the processes after the measurement.
    pub(super) fn examine(&self, stack: &Stack, files: &OpenFiles) -> ReducedData {
        let devices = self.0.iter().filter(|device| stack.layer(&device.name).is_some());
        let counts: Vec<(u64, u64)> =
            devices.map(|device| device.repeated_bytes(&Root::live_system())).collect();
        if counts.is_empty() {
            return ReducedData::default();
        }
        let files = files.files();
        let contents: Vec<(&OpenFileUse, Option<ContentFacts>)> =
            files.iter().take(MAX_FILES).map(|file| (*file, sample_file(file))).collect();
        let written = || contents.iter().filter(|(file, _)| file.written);
        let is_known = files.iter().filter(|file| file.written).count() == written().count();
        let is_sampled = is_known && written().count() > 0;
        let size = written().map(|(file, _)| (!file.is_device).then_some(file.size)).sum::<Option<u64>>();
        let zeros: u64 = written().map(|(file, content)| count_zeros(file, content.as_ref())).sum();
        let kept: u64 = counts.iter().map(|(now, _)| now).sum();
        let read = contents.iter().filter(|(file, _)| file.read).map(|(_, content)| content.as_ref());
        let read: Option<Vec<&ContentFacts>> =
            read.map(|content| content.filter(|content| is_reduced(content))).collect();
        ReducedData {
            added: counts.iter().map(|(_, added)| added).sum(),
            zeros: if is_sampled { zeros.min(kept) } else { kept },
            is_all_reduced: is_sampled
                && written().all(|(_, content)| content.as_ref().is_some_and(is_reduced)),
            size: size.filter(|_| is_known),
            read: read.unwrap_or_default().into_iter().take(1).cloned().map(without_space).collect(),
        }
    }
}

impl ReducedData {
    /// Whether most of the written data took no work of the device. A rewritten place is kept once.
    pub(super) fn is_reduced(&self, written: u64) -> bool {
        written > 0 && (self.is_all_reduced || self.added >= self.places(written).max(2) / 2)
    }

    /// Returns the maximum share of zeros in the written data.
    pub(super) fn zeros_share(&self, written: u64) -> f64 {
        let places = self.places(written);
        self.zeros.min(places) as f64 / places.max(1) as f64
    }

    fn places(&self, written: u64) -> u64 {
        self.size.filter(|size| *size > 0).map_or(written, |size| size.min(written))
    }
}

/// Samples a file or device that a process opened.
fn sample_file(file: &OpenFileUse) -> Option<ContentFacts> {
    let located = ResolvedTargets::default().resolve(&file.path).ok()??;
    let direct = located.direct().map_or(0, |needs| needs.offset);
    let path = RawText::from(file.path.as_os_str().to_owned());
    let order = Order { target: TargetId(0), path, located, from: 0, to: u64::MAX, direct };
    sample_content(&order, SAMPLE_TIME)
}

fn is_reduced(content: &ContentFacts) -> bool {
    let left =
        |sample: &Sample| sample.compressed as f64 / (sample.blocks.saturating_mul(sample.block_size)) as f64;
    let sample = content.sample.as_ref().filter(|sample| sample.blocks > 0);
    !content.data_reduction.is_empty() && sample.is_some_and(|sample| left(sample) <= 1.0 - REDUCED)
}

/// Estimated bytes of zeros in the written parts of a file; all of it if it cannot be read.
fn count_zeros(file: &OpenFileUse, content: Option<&ContentFacts>) -> u64 {
    let Some(content) = content else { return if file.is_device { u64::MAX } else { file.size } };
    let Some(sample) = content.sample.filter(|sample| sample.blocks > 0) else { return content.to };
    let gaps = content.space.map_or(0, |space| space.holes.saturating_add(space.unwritten));
    let share = sample.zeros as f64 / sample.blocks as f64;
    (content.to.saturating_sub(gaps) as f64 * share) as u64
}

/// Holes of a read file are visible at the device, because reads of holes do not reach it.
fn without_space(content: ContentFacts) -> ContentFacts {
    ContentFacts { space: None, ..content }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_over_zeros_are_reduced() {
        let data =
            ReducedData { zeros: 100, is_all_reduced: true, size: Some(100), ..ReducedData::default() };
        assert!(data.is_reduced(100) && !data.is_reduced(0));
        let partly = ReducedData { is_all_reduced: false, ..data };
        assert!(!partly.is_reduced(100));
        assert_eq!((partly.zeros_share(100), partly.zeros_share(1000)), (1.0, 1.0));
        let few = ReducedData { zeros: 10, ..partly };
        assert_eq!(few.zeros_share(100), 0.1);
        assert_eq!(ReducedData::default().zeros_share(0), 0.0);
    }

    #[test]
    fn patterns_in_half_of_the_space_are_reduced() {
        let data = ReducedData { added: 50, size: Some(100), ..ReducedData::default() };
        assert!(data.is_reduced(1000));
        assert!(!ReducedData { added: 49, ..data }.is_reduced(1000));
        assert!(!ReducedData::default().is_reduced(1));
    }
}
