//! The files and devices of a job, and the used part of each.

use super::number::FioSize;
use super::settings::{FileNames, JobSettings};
use super::surroundings::{Existing, HostContext};
use diskspd_base::message_error::MessageError;

/// Files of a job according to its settings.
#[derive(Debug, Clone)]
pub(super) struct Files {
    /// Files of all threads; `None` = each thread has separate files.
    named: Option<Vec<GivenFile>>,
    folder: Option<String>,
    format: Option<String>,
    job: String,
    count: u32,
    size: Option<FioSize>,
    file_size: Option<u64>,
    offset: Option<FioSize>,
    increment: Option<FioSize>,
    align: Option<u64>,
    pub(super) may_create: bool,
}

/// File named by the job.
#[derive(Debug, Clone)]
struct GivenFile {
    name: String,
    folder: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct FilePiece {
    pub(super) path: String,
    /// Start of the part as byte offset.
    pub(super) from: u64,
    pub(super) length: Option<u64>,
    /// Required size of the file in bytes; `None` = it is large enough, or a device.
    pub(super) create: Option<u64>,
}

/// Maximum length of a path in bytes (Linux's `PATH_MAX`, without the final zero).
const MAX_PATH_BYTES: usize = 4095;

const LONG_NAME: &str = "the name of a file has more than 4,095 bytes";
const TOO_LARGE: &str = "offset and size are too large";

fn creation_error(path: &str) -> MessageError {
    format!("'{path}' does not exist or is too small, and allow_file_create=0").into()
}

fn offset_error(path: &str) -> MessageError {
    format!("the offset is beyond the end of '{path}'").into()
}

/// Returns the files of a job; `None` = refused.
pub(super) fn from_settings(settings: &JobSettings) -> Option<Files> {
    let folder = settings.text("directory").map(str::to_owned);
    let folders = settings.file_names().iter().filter_map(|given| given.folder).chain(folder.as_deref());
    if folders.into_iter().any(|folder| folder.contains(':')) {
        settings.refuse("directory", "the files of a job are in one folder", "use one job for each folder");
        return None;
    }
    if settings.file_names().len() > 1 {
        settings.add_note(
            "filename",
            "several lines: the files of all of them are used, also the files of [global], as in fio",
        );
    }
    let of_line = |given: &FileNames| {
        let folder = given.folder.map(str::to_owned);
        let named = move |name| GivenFile { name, folder: folder.clone() };
        split_names(given.names).into_iter().map(named)
    };
    let named: Vec<GivenFile> = settings.file_names().iter().flat_map(of_line).collect();
    let named = (!named.is_empty()).then_some(named);
    let count = settings.number("nrfiles", 1..=4096).unwrap_or(1) as u32;
    let files = named.as_ref().map_or(count as usize, Vec::len);
    if files > 1 {
        are_served(settings, files as u64)?;
    }
    let bytes = |name| settings.size(name).map(|size| size.share_of(None).ok_or(size));
    let file_size = match bytes("filesize") {
        Some(Err(_)) => {
            settings.refuse("filesize", "a percentage of nothing", "give bytes");
            return None;
        }
        size => size.and_then(Result::ok),
    };
    Some(Files {
        named,
        folder,
        format: settings.text("filename_format").map(str::to_owned),
        job: settings.job.clone(),
        count,
        size: settings.size("size").filter(|size| *size != FioSize::Percent(100)),
        file_size,
        offset: settings.size("offset"),
        increment: settings.size("offset_increment"),
        align: bytes("offset_align").and_then(Result::ok).filter(|align| *align > 0),
        may_create: settings.switch("allow_file_create") != Some(false),
    })
}

/// Checks the use of several files; `None` = refused.
fn are_served(settings: &JobSettings, files: u64) -> Option<()> {
    let service = settings.text("file_service_type").unwrap_or("roundrobin");
    let (kind, in_row) = service.split_once(':').unwrap_or((service, "1"));
    if !matches!(kind, "random" | "roundrobin") {
        settings.refuse("file_service_type", "all files get the same share of the I/Os", "use random");
        return None;
    }
    let Ok(in_row) = in_row.parse::<u32>() else {
        settings.refuse("file_service_type", "expected a number of I/Os after ':'", "use random");
        return None;
    };
    if kind == "roundrobin" {
        settings.add_note("file_service_type", "each I/O picks its file at random, not round robin");
    }
    if in_row > 1 {
        settings.add_note(
            "file_service_type",
            "each I/O picks a file, instead of one file for several I/Os in \
            a row",
        );
    }
    if settings.number("openfiles", 0..=u64::MAX).is_some_and(|open| (1..files).contains(&open)) {
        let reason = "all files are open at once; fio opens the next file when a file is done";
        settings.refuse("openfiles", reason, "leave it out, or use a job with stonewall for each file");
        return None;
    }
    Some(())
}

/// Splits names at colons, unless a backslash precedes the colon.
fn split_names(text: &str) -> Vec<String> {
    let mut names = vec![String::new()];
    let mut rest = text;
    while let Some(character) = rest.chars().next() {
        let end = names.len() - 1;
        rest = &rest[character.len_utf8()..];
        match (character, rest.strip_prefix(':')) {
            (':', _) => names.push(String::new()),
            ('\\', Some(behind)) => {
                names[end].push(':');
                rest = behind;
            }
            _ => names[end].push(character),
        }
    }
    names.retain(|name| !name.is_empty());
    names
}

/// Returns the file's name as a target. A name with another meaning there is prefixed with its folder.
fn as_target(name: String) -> String {
    let is_special = name.starts_with(['*', '#', '-']) || name.contains([':', '\\']);
    if is_special && !name.contains('/') { format!("./{name}") } else { name }
}

fn path(folder: Option<&str>, name: &str) -> Result<String, MessageError> {
    if name.len().saturating_add(folder.map_or(0, str::len)) > MAX_PATH_BYTES {
        return Err(LONG_NAME.into());
    }
    Ok(match folder {
        Some(folder) => format!("{}/{name}", folder.trim_end_matches('/')),
        None => as_target(name.to_owned()),
    })
}

impl Files {
    /// Whether all threads of the job use the same files.
    fn are_shared(&self) -> bool {
        self.named.is_some()
    }

    /// Whether all threads of the job have the same work.
    pub(super) fn are_the_same_for_all(&self) -> bool {
        self.are_shared() && self.increment.is_none_or(|size| size == FioSize::Bytes(0))
    }

    /// Returns the maximum bytes that each thread transfers in all its files: `size`, if `filesize` is set
    /// too. `None` = no limit in bytes.
    pub(super) fn at_most(&self) -> Option<u64> {
        self.size.filter(|_| self.file_size.is_some()).and_then(|size| match size {
            FioSize::Bytes(bytes) => Some(bytes).filter(|bytes| *bytes > 0),
            FioSize::Percent(_) => None,
        })
    }

    /// Returns the number of files per thread.
    pub(super) fn of_each_thread(&self) -> u64 {
        self.named.as_ref().map_or(self.count.into(), |named| named.len() as u64)
    }

    fn path(&self, name: &str) -> Result<String, MessageError> {
        path(self.folder.as_deref(), name)
    }

    /// Returns the names of a thread's files.
    fn paths(&self, clone: u32, around: &dyn HostContext) -> Result<Vec<String>, MessageError> {
        if let Some(named) = &self.named {
            return named.iter().map(|file| path(file.folder.as_deref(), &file.name)).collect();
        }
        // A job that is named as something that is no regular file works on that (`add_job` in its `init.c`).
        if self.count == 1 && matches!(around.existing(&self.job), Existing::Device(_) | Existing::Other) {
            return Ok(vec![self.path(&self.job)?]);
        }
        if self.format.as_ref().is_some_and(|format| format.len() > MAX_PATH_BYTES) {
            return Err(LONG_NAME.into());
        }
        let made = |file: u32| match &self.format {
            None => format!("{}.{clone}.{file}", self.job),
            Some(format) => format
                .replace("$jobname", &self.job)
                .replace("$jobnum", &clone.to_string())
                .replace("$filenum", &file.to_string())
                .replace("$clientuid", "localhost"),
        };
        (0..self.count).map(|file| self.path(&made(file))).collect()
    }

    /// Returns the pieces of a thread. `smallest` is its smallest block in bytes; `real`: files are really
    /// opened.
    ///
    /// # Errors
    /// Fails if a part is unknown.
    pub(super) fn pieces(
        &self,
        clone: u32,
        smallest: u32,
        around: &dyn HostContext,
        real: bool,
    ) -> Result<Vec<FilePiece>, MessageError> {
        let paths = self.paths(clone, around)?;
        let count = paths.len().max(1) as u64;
        paths.into_iter().map(|path| self.file_piece(path, clone, smallest, count, around, real)).collect()
    }

    fn file_piece(
        &self,
        path: String,
        clone: u32,
        smallest: u32,
        count: u64,
        around: &dyn HostContext,
        real: bool,
    ) -> Result<FilePiece, MessageError> {
        let there = if real { around.existing(&path) } else { Existing::Nothing };
        let whole = match there {
            Existing::Nothing => None,
            Existing::File(bytes) | Existing::Device(bytes) => Some(bytes).filter(|bytes| *bytes > 0),
            Existing::Other => return Err(format!("'{path}' is neither a file nor a block device").into()),
        };
        let unknown = || format!("a percentage of '{path}', whose size is unknown");
        let of_whole = |size: FioSize| size.share_of(whole).ok_or_else(unknown);
        let offset = self.offset.map_or(Ok(0), of_whole)?;
        let step = self.increment.map_or(Ok(0), of_whole)?;
        let from = step.checked_mul(clone.into()).and_then(|step| step.checked_add(offset));
        let mut from = from.ok_or(TOO_LARGE)?;
        let is_share = |size: &FioSize| matches!(size, FioSize::Percent(_));
        if [self.offset, self.increment].iter().flatten().any(is_share) {
            let align = self.align.unwrap_or_else(|| smallest.into()).max(1);
            from = from.checked_next_multiple_of(align).ok_or(TOO_LARGE)?;
        }
        // A share of a file has whole blocks (`setup_files` in its `filesetup.c`).
        let in_blocks = |bytes: u64| bytes - bytes % u64::from(smallest.max(1));
        let stated = match (self.file_size, self.size) {
            (Some(file), share) => {
                let area = file.checked_sub(from).ok_or_else(|| offset_error(&path))?;
                Some(match share.filter(is_share) {
                    Some(share) => in_blocks(share.share_of(Some(file)).unwrap_or(file).min(area)),
                    None => area,
                })
            }
            (None, Some(FioSize::Bytes(size))) => Some(size / count),
            (None, Some(share)) => {
                Some(in_blocks(of_whole(share)?.min(whole.unwrap_or(0).saturating_sub(from))))
            }
            (None, None) => None,
        };
        let device = matches!(there, Existing::Device(_)) || path.starts_with("/dev/");
        match (stated.filter(|length| *length > 0), whole) {
            (Some(length), _) => {
                let end = from.checked_add(length).ok_or(TOO_LARGE)?;
                let create = (!device && whole.is_none_or(|whole| whole < end)).then_some(end);
                match create.is_some() && !self.may_create {
                    true => Err(creation_error(&path)),
                    false => Ok(FilePiece { path, from, length: Some(length), create }),
                }
            }
            (None, Some(whole)) if from < whole => {
                Ok(FilePiece { path, from, length: Some(whole - from), create: None })
            }
            (None, Some(_)) => Err(offset_error(&path)),
            (None, None) if device => Ok(FilePiece { path, from, length: None, create: None }),
            (None, None) => Err(format!("'{path}' does not exist, and the job has no size").into()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn unescaped_colons_separate_file_names() {
        for (text, expected) in [
            ("a", vec!["a"]),
            ("/dev/sda:/dev/sdb", vec!["/dev/sda", "/dev/sdb"]),
            (r"/dev/bsg/0\:0\:0\:0", vec!["/dev/bsg/0:0:0:0"]),
            ("a::b:", vec!["a", "b"]),
            (r"a\", vec![r"a\"]),
            (r"a\b\\:c", vec![r"a\b\:c"]),
        ] {
            assert_eq!(split_names(text), expected, "{text}");
        }
    }
}
