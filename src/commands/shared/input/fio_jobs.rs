//! fio's job files on this machine: their includes, the environment, and their targets.

use crate::finding::Finding;
use crate::fio_jobs::{self, ConvertedJob, Existing, HostContext, Keyword};
use crate::formats::decode;
use crate::host::{self, target};
use crate::machine::System;
use crate::machine::target::TargetKind;
use crate::sys::{inode, owners};
use std::cell::RefCell;
use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

/// This machine, as seen from the folder of a job file.
pub(crate) struct LocalContext {
    folder: RefCell<PathBuf>,
    is_secret: bool,
    /// Owners of the job file, of files that name it, and of included files.
    owners: RefCell<Vec<u32>>,
}

impl HostContext for LocalContext {
    fn variable(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }

    fn is_secret(&self) -> bool {
        self.is_secret
    }

    fn included(&self, name: &str) -> io::Result<Vec<u8>> {
        let own = Path::new(name);
        let path = if own.exists() { own.to_owned() } else { self.folder.borrow().join(name) };
        let mut bytes = Vec::new();
        let file = owners::open(&path, &self.owners.borrow()).map_err(io::Error::other)?;
        self.owners.borrow_mut().push(inode::owner(&file.metadata()?));
        file.take(fio_jobs::MAX_BYTES + 1).read_to_end(&mut bytes)?;
        match bytes.len() as u64 > fio_jobs::MAX_BYTES {
            true => Err(io::Error::other("it is larger than 1 MiB, the limit")),
            false => Ok(bytes),
        }
    }

    fn job_file(&self, name: &str) -> io::Result<Vec<u8>> {
        self.folder.replace(PathBuf::new());
        let read = self.included(name)?;
        self.folder.replace(folder_of(Path::new(name)));
        Ok(read)
    }

    fn existing(&self, path: &str) -> Existing {
        // Jobs have thousands of files; for most a single call returns their type.
        match fs::metadata(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Existing::Nothing,
            Ok(found) if found.is_file() => return Existing::File(found.len()),
            _ => {}
        }
        match target::probe(Path::new(path)) {
            Ok(facts) => match facts.kind {
                TargetKind::Missing => Existing::Nothing,
                TargetKind::File => Existing::File(facts.size),
                TargetKind::BlockDevice | TargetKind::NvmeNamespace => Existing::Device(facts.size),
                TargetKind::Directory | TargetKind::Other => Existing::Other,
            },
            // The run checks it again, and reports the reason.
            Err(_) => Existing::Nothing,
        }
    }

    fn cpus_of_node(&self, node: u32) -> Vec<u32> {
        let nodes = host::snapshot().topology.allowed_nodes();
        let masks = nodes.into_iter().filter(|place| place.number == node).flat_map(|place| place.masks);
        let cpus = |(group, mask): (u16, u64)| {
            (0..u64::BITS).filter(move |cpu| mask >> cpu & 1 == 1).map(move |cpu| u32::from(group) * 64 + cpu)
        };
        masks.flat_map(cpus).collect()
    }

    fn keyword(&self, keyword: Keyword) -> Option<u64> {
        match keyword {
            Keyword::PageSize => {
                let mut system = System::default();
                host::caches::read_caches(&mut system);
                Some(system.page_size).filter(|bytes| *bytes > 0)
            }
            Keyword::Memory => Some(host::snapshot().memory_total >> 20).filter(|mib| *mib > 0),
            Keyword::Cpus => std::thread::available_parallelism().ok().map(|count| count.get() as u64),
        }
    }
}

fn folder_of(file: &Path) -> PathBuf {
    file.parent().map(Path::to_owned).unwrap_or_default()
}

/// Converts a job file that was read. `owners` has the owners of the file and of files that name it, and gets
/// the owners of included files. With `is_secret` messages do not quote the file.
///
/// # Errors
/// Fails with all unsupported settings.
pub(crate) fn converted(
    text: &[u8],
    path: &Path,
    owners: &mut Vec<u32>,
    is_secret: bool,
) -> Result<ConvertedJob, Vec<Finding>> {
    let text = &*decode::in_utf8(text);
    let folder = RefCell::new(folder_of(path));
    let machine = LocalContext { folder, is_secret, owners: RefCell::new(std::mem::take(owners)) };
    let converted = fio_jobs::convert(text, &path.display().to_string(), &machine);
    *owners = machine.owners.into_inner();
    converted.map_err(|faults| faults.iter().map(|fault| Finding::error(fault.to_string())).collect())
}

/// Converts the words of fio's command line. Names of job files are relative to the current folder.
/// `owners` gets the owners of the job files and of included files.
///
/// # Errors
/// Fails with all unsupported settings.
pub(crate) fn converted_command_line(
    words: &[String],
    owners: &mut Vec<u32>,
) -> Result<ConvertedJob, Vec<Finding>> {
    let owned = RefCell::new(std::mem::take(owners));
    let machine = LocalContext { folder: RefCell::default(), is_secret: false, owners: owned };
    let converted = fio_jobs::convert_command_line(words, &machine);
    *owners = machine.owners.into_inner();
    converted.map_err(|faults| faults.iter().map(|fault| Finding::error(fault.to_string())).collect())
}

pub(crate) fn notes(converted: &ConvertedJob) -> impl Iterator<Item = Finding> {
    converted.notes.iter().map(|note| Finding::note(note.to_string()))
}
