//! Conversion of a job file.

use crate::harness::Failure;
use diskspd::fio_jobs;
use diskspd::fio_jobs::{ConversionError, ConvertedJob, Existing, HostContext, Keyword};
use std::path::Path;
use std::{fs, io};

struct EmptyContext<'a> {
    folder: &'a Path,
}

impl HostContext for EmptyContext<'_> {
    fn variable(&self, name: &str) -> Option<String> {
        let known = [("FIO_BS", "4k"), ("FIO_IODEPTH", "8"), ("FIO_RW", "randread")];
        let value = known.iter().find(|(known, _)| *known == name).map_or("value", |(_, value)| *value);
        Some(value.to_owned())
    }

    fn included(&self, name: &str) -> io::Result<Vec<u8>> {
        fs::read(self.folder.join(name))
    }

    fn existing(&self, path: &str) -> Existing {
        if path.starts_with("/dev/") { Existing::Device(1 << 40) } else { Existing::Nothing }
    }

    /// Two nodes with four CPUs each.
    fn cpus_of_node(&self, node: u32) -> Vec<u32> {
        if node < 2 { (node * 4..node * 4 + 4).collect() } else { Vec::new() }
    }

    fn keyword(&self, keyword: Keyword) -> Option<u64> {
        Some(match keyword {
            Keyword::PageSize => 4096,
            Keyword::Memory => 16384,
            Keyword::Cpus => 8,
        })
    }
}

pub(super) fn convert(path: &Path) -> Result<Result<ConvertedJob, Vec<ConversionError>>, Failure> {
    let folder = path.parent().unwrap_or(Path::new("."));
    Ok(fio_jobs::convert(&fs::read(path)?, &name(path), &EmptyContext { folder }))
}

pub(super) fn name(path: &Path) -> String {
    path.file_name().map_or(String::new(), |name| name.to_string_lossy().into_owned())
}
