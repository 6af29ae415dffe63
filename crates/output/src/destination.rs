//! Destinations other than the test itself (a report, a stream, a log), and protection of existing files.

mod doubles;
mod inputs;
mod kept;
mod precious;

pub use doubles::NamedOutput;
pub(super) use doubles::refuse_double;
pub use kept::JOURNAL_MAGIC;
pub(super) use kept::{KeptRule, refuse_kept};
pub(super) use precious::OverwriteCheck;
pub use precious::{OwnFiles, refuse_targets_of_command};

use super::output_error::{OutputError, OutputErrorKind};
use diskspd_host::{claims, target};
use diskspd_profile::Profile;
use diskspd_sys::files;
use diskspd_sys::inode::Kind;
use diskspd_sys::reach::{FolderEntry, LastName, ReachError, ReachedObject, SpotKey, reach};
pub(super) use inputs::inputs_of;
use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

/// The end of a path, found once. The checks and the output use the same object, even if names change.
#[derive(Debug)]
pub(crate) enum Destination {
    /// A descriptor of this process: `/dev/stdout`, `/dev/fd/<n>`. Reopening its file would write from the
    /// start, over output of other users of the descriptor.
    Descriptor(i32),
    Special(FolderEntry),
    /// Regular file, or a path without a file.
    File(FolderEntry),
    /// The folder of the path cannot be used, with the reason. The path may be a template for
    /// ranks.
    Nowhere(io::Error),
}

const STANDARD_OUTPUT: i32 = 1;

/// Folder of the descriptors of this process on Linux.
const DESCRIPTORS: &str = "/proc/self/fd";

/// Returns the meaning of a path on the command line: `-` is standard output.
pub fn resolve_name(path: &Path) -> PathBuf {
    if path == Path::new("-") { descriptor(STANDARD_OUTPUT) } else { path.to_owned() }
}

pub fn descriptor(number: i32) -> PathBuf {
    Path::new(DESCRIPTORS).join(number.to_string())
}

/// Returns a descriptor from program start, for appending. `given`: the option that names it.
///
/// # Errors
/// Fails with a message if it is not open.
pub(super) fn open_inherited(number: i32, given: &str) -> Result<File, OutputError> {
    let file = files::duplicate_inherited(number).map(File::from);
    let file = file.map_err(|source| OutputErrorKind::Descriptor { number, source }.named_by(given))?;
    claims::permit_inherited(&descriptor(number), &file)
        .map_err(|refusal| OutputErrorKind::from(refusal).named_by(given))?;
    Ok(file)
}

/// Refuses standard output and standard error that the shell has opened on a device, or on a file that a
/// device or the kernel uses.
///
/// # Errors
/// Fails with the users.
pub fn refuse_stream(number: i32, name: &str) -> Result<(), OutputError> {
    let Ok(file) = files::duplicate_inherited(number).map(File::from) else { return Ok(()) };
    let at = descriptor(number);
    let path = std::fs::read_link(&at).unwrap_or(at);
    claims::permit_stream(&path, &file).map_err(|refusal| OutputErrorKind::from(refusal).named_by(name))
}

impl Destination {
    pub(crate) fn is_standard_output(&self) -> bool {
        matches!(self, Destination::Descriptor(STANDARD_OUTPUT))
    }

    /// Follows a path to its end. Links of other users are not followed where they may redirect this one.
    ///
    /// # Errors
    /// Fails if a link is not followed, or the path ends with a folder or a block device.
    pub(crate) fn at(path: &Path) -> Result<Destination, OutputErrorKind> {
        // Also where there is no /proc: `-` is written so.
        let is_descriptor = path.parent() == Some(Path::new(DESCRIPTORS));
        if let Some(number) = path.file_name().filter(|_| is_descriptor).and_then(descriptor_number) {
            return Ok(Destination::Descriptor(number));
        }
        let spot = match reach(path, LastName::Followed) {
            Ok(ReachedObject::Descriptor(number)) => return Ok(Destination::Descriptor(number)),
            Ok(ReachedObject::FolderEntry(spot)) => spot,
            Err(ReachError::Planted { link: step, owner }) => {
                return Err(OutputErrorKind::Planted { step, owner });
            }
            Err(ReachError::Directory) => return Err(OutputErrorKind::Directory),
            Err(error) => return Ok(Destination::Nowhere(error.into())),
        };
        if let Some(owner) = spot.foreign_owner() {
            return Err(OutputErrorKind::Planted { step: spot.path().to_owned(), owner });
        }
        match spot.kind() {
            Some(Kind::BlockDevice) => Err(OutputErrorKind::BlockDevice),
            Some(Kind::Directory) => Err(OutputErrorKind::Directory),
            None | Some(Kind::File) => Ok(Destination::File(spot)),
            Some(_) => Ok(Destination::Special(spot)),
        }
    }

    pub(super) fn spot(&self) -> Option<&FolderEntry> {
        match self {
            Destination::Descriptor(_) | Destination::Nowhere(_) => None,
            Destination::Special(spot) | Destination::File(spot) => Some(spot),
        }
    }
}

pub fn is_standard_output(path: &Path) -> bool {
    Destination::at(&resolve_name(path)).is_ok_and(|found| found.is_standard_output())
}

/// Opens a destination that is not replaced: a pipe or a terminal.
pub(super) fn open_special(spot: &FolderEntry) -> Result<File, OutputErrorKind> {
    let opened = spot.open_to_write().map_err(OutputErrorKind::NotOpened)?;
    claims::permit_output(spot.path(), &opened)?;
    Ok(opened)
}

/// Parses the name of a descriptor: digits without a sign.
fn descriptor_number(name: &OsStr) -> Option<i32> {
    let name = name.to_str()?;
    name.bytes().all(|digit| digit.is_ascii_digit()).then(|| name.parse().ok()).flatten()
}

/// Returns the resolved paths of a profile's targets. Unresolvable paths are unchanged, because the run
/// reports them.
pub(super) fn targets(profile: &Profile) -> Vec<PathBuf> {
    let targets = profile.time_spans.iter().flat_map(|span| &span.targets);
    targets
        .map(|target| {
            target::locate(target.path.as_bytes()).unwrap_or_else(|_| target.path.as_path().to_owned())
        })
        .collect()
}

/// Refuses a file in use, and a target of the run by any of its names, also one that is not created yet.
/// `option`: the option that named the path.
pub(super) fn refuse_target(
    option: &str,
    path: &Path,
    spot: &FolderEntry,
    targets: &[PathBuf],
) -> Result<(), OutputError> {
    claims::spare([spot.location()])
        .map_err(|refusal| OutputError::InUse { option: option.to_owned(), refusal })?;
    let key = spot.key();
    match key.is_some() && targets.iter().any(|target| key_of(target) == key) {
        true => Err(OutputErrorKind::Target.of_file(option, path)),
        false => Ok(()),
    }
}

/// Returns the key of the file at a path; `None` = unknown.
fn key_of(path: &Path) -> Option<SpotKey> {
    if let Ok(identity) = diskspd_sys::inode::identity_at(path) {
        return Some(SpotKey::There(identity));
    }
    match reach(path, LastName::Followed) {
        Ok(ReachedObject::FolderEntry(spot)) => spot.key(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_sys::inode::{make_pipe, symlink};

    #[test]
    fn destination_follows_links_and_recognizes_descriptors() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::write(at("file"), "").unwrap();
        for (link, to) in [
            ("one", "file"),
            ("two", "one"),
            ("nowhere", "gone"),
            ("out", "/proc/self/fd/1"),
            ("a", "b"),
            ("b", "a"),
        ] {
            symlink(to, at(link)).unwrap();
        }
        make_pipe(&at("pipe")).unwrap();
        let found = |path: &Path| match Destination::at(path) {
            Ok(Destination::Descriptor(number)) => Ok(format!("descriptor {number}")),
            Ok(Destination::Special(spot)) => Ok(format!("special {}", spot.path().display())),
            Ok(Destination::File(spot)) => Ok(spot.path().display().to_string()),
            Ok(Destination::Nowhere(error)) => Ok(format!("nowhere: {error}")),
            Err(fault) => Err(fault),
        };
        let file = |name: &str| at(name).display().to_string();
        for (path, expected) in [
            (at("file"), file("file")),
            (at("two"), file("file")),
            (at("new"), file("new")),
            (at("nowhere"), file("gone")),
            (at("pipe"), format!("special {}", file("pipe"))),
            (at("out"), "descriptor 1".into()),
            ("/proc/self/fd/7".into(), "descriptor 7".into()),
            ("7".into(), "7".into()),
        ] {
            assert_eq!(found(&path).unwrap(), expected, "{}", path.display());
        }
        for nowhere in ["a", "missing/file", "file/file"] {
            assert!(found(&at(nowhere)).unwrap().starts_with("nowhere: "), "{nowhere}");
        }
        assert!(matches!(found(directory.path()), Err(OutputErrorKind::Directory)));
        for (path, is_output) in
            [(Path::new("-"), true), (&at("out"), true), (&descriptor(2), false), (Path::new("./-"), false)]
        {
            assert_eq!(is_standard_output(path), is_output, "{}", path.display());
        }
    }

    #[test]
    fn target_is_refused_as_output_by_any_name() {
        let directory = tempfile::tempdir().unwrap();
        let at = |name: &str| directory.path().join(name);
        std::fs::write(at("file"), "").unwrap();
        std::fs::hard_link(at("file"), at("hard")).unwrap();
        symlink("file", at("link")).unwrap();
        symlink("new", at("to-new")).unwrap();
        let targets = [at("file"), at("new")];
        for (name, refused) in [
            ("file", true),
            ("./file", true),
            ("hard", true),
            ("link", true),
            ("new", true),
            ("./new", true),
            ("to-new", true),
            ("other", false),
            ("none/new", false),
        ] {
            let Ok(ReachedObject::FolderEntry(spot)) = reach(&at(name), LastName::Followed) else {
                assert!(!refused, "{name}");
                continue;
            };
            let answer = refuse_target("--out", &at(name), &spot, &targets);
            assert_eq!(answer.is_err(), refused, "{name}: {answer:?}");
            assert!(
                answer
                    .err()
                    .map(|why| why.to_string())
                    .is_none_or(|why| why.starts_with("--out /") && why.contains("target of the run"))
            );
        }
    }
}
