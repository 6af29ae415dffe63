//! Any bytes as a job file of fio: refused with reasons, or converted into a profile that can be written
//! and read back.

use diskspd::fio_jobs::{self, ConversionError, ConvertedJob, Existing, HostContext, Keyword};
use diskspd::profile::xml;
use diskspd::report::profile_xml::write_whole_profile;
use std::io;

struct Anything;

impl HostContext for Anything {
    fn variable(&self, name: &str) -> Option<String> {
        (name.len() < 8).then(|| name.repeat(2))
    }

    fn included(&self, name: &str) -> io::Result<Vec<u8>> {
        if name.len() < 4 { Ok(name.repeat(3).into_bytes()) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    fn existing(&self, path: &str) -> Existing {
        match path.len() % 4 {
            0 => Existing::Nothing,
            1 => Existing::File(1 << 20),
            2 => Existing::Device(1 << 30),
            _ => Existing::Other,
        }
    }

    fn cpus_of_node(&self, node: u32) -> Vec<u32> {
        (0..node % 3).map(|cpu| cpu * 63).collect()
    }

    fn keyword(&self, keyword: Keyword) -> Option<u64> {
        (keyword != Keyword::Cpus).then_some(4096)
    }
}

/// Targets of a profile that is written and read back, at most.
const MAX_TARGETS: usize = 64;

pub fn check(data: &[u8]) {
    is_converted_or_refused(fio_jobs::convert(data, "job", &Anything));
    // The same bytes as words of a command line.
    let text = String::from_utf8_lossy(data);
    let words: Vec<String> = text.split_whitespace().map(str::to_owned).collect();
    is_converted_or_refused(fio_jobs::convert_command_line(&words, &Anything));
}

fn is_converted_or_refused(converted: Result<ConvertedJob, Vec<ConversionError>>) {
    match converted {
        Err(faults) => {
            assert!(!faults.is_empty());
            assert!(faults.iter().all(|fault| !fault.to_string().is_empty()));
        }
        Ok(converted) => {
            // More targets are more of the same, and take seconds: a job can have 65,536 files.
            let targets: usize = converted.profile.time_spans.iter().map(|span| span.targets.len()).sum();
            if targets > MAX_TARGETS {
                return;
            }
            let mut written = Vec::new();
            write_whole_profile(&mut written, &converted.profile);
            // A larger document isn't read, and `convert` says so.
            assert!(xml::read(&written).is_ok() || written.len() as u64 > xml::MAX_BYTES);
        }
    }
}
