//! Where something is written that isn't the test itself (a report, a stream, a log), and that it destroys
//! nothing.

mod doubles;
mod inputs;
mod kept;

pub use doubles::Named;
pub(super) use doubles::refuse_double;
pub(super) use kept::refuse_kept;

use super::output_error::{OutputError, OutputFault};
use diskspd_host::{claims, target};
use diskspd_model::profile::Profile;
use diskspd_sys::inode::{self, Kind};
use diskspd_sys::{files, process};
pub(super) use inputs::inputs_of;
use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

/// Symbolic links in a row; the kernel follows no more either.
const LINKS: usize = 40;

/// What a path leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Destination {
    /// A descriptor of this process: `/dev/stdout`, `/dev/fd/<n>`. Opened anew a file behind it would be
    /// written from its start, over what others write through the descriptor.
    Descriptor(i32),
    /// A pipe, a terminal: what is neither replaced nor truncated.
    Special,
    /// A regular file, or nothing yet; behind all links that the path is.
    File(PathBuf),
}

/// Standard output, as a descriptor.
const STANDARD_OUTPUT: i32 = 1;

/// The folder of the descriptors of this process, as Linux calls it.
const DESCRIPTORS: &str = "/proc/self/fd";

/// What is meant by a path that was given on the command line: `-` is standard output.
pub fn named(path: &Path) -> PathBuf {
    if path == Path::new("-") { descriptor(STANDARD_OUTPUT) } else { path.to_owned() }
}

/// The path of a descriptor of this process.
pub fn descriptor(number: i32) -> PathBuf {
    Path::new(DESCRIPTORS).join(number.to_string())
}

/// A descriptor that the program was started with, for writing behind what it holds. `given`: by which
/// option.
///
/// # Errors
/// A message: it isn't open.
pub(super) fn inherited(number: i32, given: &str) -> Result<File, OutputError> {
    let file = files::inherited(number).map(File::from);
    let file = file.map_err(|source| OutputFault::Descriptor { number, source }.of(given))?;
    claims::permit_output(&descriptor(number), &file)
        .map_err(|refusal| OutputFault::from(refusal).of(given))?;
    Ok(file)
}

impl Destination {
    /// Whether it is standard output, by whatever name.
    pub fn is_standard_output(&self) -> bool {
        *self == Destination::Descriptor(STANDARD_OUTPUT)
    }

    /// Looks where a path leads.
    pub fn of(path: &Path) -> Destination {
        match follow(path, |_| false) {
            Followed::Descriptor(number) => Destination::Descriptor(number),
            Followed::Path(file) | Followed::Planted(file) => match std::fs::metadata(path) {
                Ok(there) if !there.is_file() && !there.is_dir() => Destination::Special,
                _ => Destination::File(file),
            },
        }
    }

    /// The same of a path that is going to be written to: nothing is followed, written or replaced on the
    /// way that somebody else may have put there to lead us. `given`: by which option.
    ///
    /// # Errors
    /// A message: what lies there, and whose it is.
    pub fn trusted(path: &Path, given: &str) -> Result<Destination, OutputError> {
        match follow(path, |step| foreign(step).is_some()) {
            Followed::Descriptor(number) => Ok(Destination::Descriptor(number)),
            Followed::Path(_) => Ok(Destination::of(path)),
            Followed::Planted(step) => {
                let owner = foreign(&step).unwrap_or_default();
                Err(OutputFault::Planted { step, owner }.of(given))
            }
        }
    }
}

/// Opens what isn't replaced: a pipe, a terminal.
///
/// # Errors
/// A message.
pub(super) fn open_special(path: &Path, given: &str) -> Result<File, OutputError> {
    let opened = OpenOptions::new().write(true).open(path);
    let opened = opened.map_err(|error| OutputFault::NotOpened(error).of(given))?;
    // Its name may lead elsewhere by now.
    claims::permit_output(path, &opened).map_err(|refusal| OutputFault::from(refusal).of(given))?;
    Ok(opened)
}

/// Where links end.
enum Followed {
    Path(PathBuf),
    Descriptor(i32),
    /// At something that was refused.
    Planted(PathBuf),
}

/// The path behind links, or the descriptor of this process that it names: those look like links too, but
/// what they say is no path for a pipe, and another file than the open one when that was renamed.
fn follow(path: &Path, refused: impl Fn(&Path) -> bool) -> Followed {
    let descriptors = std::fs::canonicalize(DESCRIPTORS).ok();
    let mut path = path.to_owned();
    for _ in 0..LINKS {
        let parent = path.parent().and_then(|parent| std::fs::canonicalize(parent).ok());
        let name = path.file_name().and_then(|name| name.to_str()).and_then(descriptor_number);
        // Also where there is no /proc: `-` is written so.
        let is_told = path.parent() == Some(Path::new(DESCRIPTORS));
        if let Some(number) = name.filter(|_| is_told || parent.is_some() && parent == descriptors) {
            return Followed::Descriptor(number);
        }
        // Read before it's looked at: what others have put there by then is seen, and what they put there
        // later isn't followed.
        let link = std::fs::read_link(&path);
        if refused(&path) {
            return Followed::Planted(path);
        }
        let Ok(link) = link else { break };
        path = path.parent().unwrap_or(Path::new("")).join(link);
    }
    Followed::Path(path)
}

/// What the kernel's names of descriptors say: digits, and no sign as other numbers may have.
fn descriptor_number(name: &str) -> Option<i32> {
    let is_plain = name.bytes().all(|digit| digit.is_ascii_digit());
    is_plain.then(|| name.parse().ok()).flatten()
}

/// Whose this is, where it's neither ours nor of the folder's owner, and everybody may put files into the
/// folder.
fn foreign(path: &Path) -> Option<u32> {
    let there = std::fs::symlink_metadata(path).ok()?;
    let folder = std::fs::metadata(folder_of(path)?).ok()?;
    let (owner, trusted) = (inode::owner(&there), [process::user(), inode::owner(&folder)]);
    (inode::is_open_to_others(&folder) && !trusted.contains(&owner)).then_some(owner)
}

fn folder_of(path: &Path) -> Option<&Path> {
    let parent = path.parent()?;
    Some(if parent.as_os_str().is_empty() { Path::new(".") } else { parent })
}

/// Where the targets of a profile are; as they were given where that can't be found out: the run itself
/// says why.
pub(super) fn targets(profile: &Profile) -> Vec<PathBuf> {
    let targets = profile.time_spans.iter().flat_map(|span| &span.targets);
    targets
        .map(|target| {
            target::locate(target.path.as_bytes()).unwrap_or_else(|_| target.path.as_path().to_owned())
        })
        .collect()
}

/// Refuses to write to a path that is one of the run's targets, by whatever name, or will be when it's
/// created; or to a block device. `option`: where the path was given.
///
/// # Errors
/// A message.
pub(super) fn refuse_target(option: &str, path: &Path, targets: &[PathBuf]) -> Result<(), OutputError> {
    let there = std::fs::metadata(path);
    if there.as_ref().is_ok_and(|there| Kind::of(there) == Kind::BlockDevice) {
        return Err(OutputFault::BlockDevice.of_file(option, path));
    }
    claims::spare([path]).map_err(|refusal| OutputError::InUse { option: option.to_owned(), refusal })?;
    let it = inode::identity_at(path);
    let same = |target: &PathBuf| match (&it, inode::identity_at(target)) {
        (Ok(it), Ok(target)) => *it == target,
        (Err(_), Err(_)) => place(path).is_some_and(|path| Some(path) == place(target)),
        _ => false,
    };
    match targets.iter().any(same) {
        true => Err(OutputFault::Target.of_file(option, path)),
        false => Ok(()),
    }
}

/// The path of a file that isn't there yet, such that equal places have equal paths.
fn place(path: &Path) -> Option<PathBuf> {
    let Followed::Path(file) = follow(path, |_| false) else { return None };
    Some(std::fs::canonicalize(folder_of(&file)?).ok()?.join(file.file_name()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_sys::inode::{make_pipe, symlink};

    #[test]
    fn links_are_followed_and_descriptors_are_known_by_any_name() {
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
        for (path, expected) in [
            (at("file"), Destination::File(at("file"))),
            (at("two"), Destination::File(at("file"))),
            (at("new"), Destination::File(at("new"))),
            (at("nowhere"), Destination::File(at("gone"))),
            (at("pipe"), Destination::Special),
            (at("out"), Destination::Descriptor(1)),
            ("/proc/self/fd/7".into(), Destination::Descriptor(7)),
            ("/proc/self/fd/-1".into(), Destination::File("/proc/self/fd/-1".into())),
            ("/dev/fd/+1".into(), Destination::File("/dev/fd/+1".into())),
            ("7".into(), Destination::File("7".into())),
        ] {
            assert_eq!(Destination::of(&path), expected, "{}", path.display());
        }
        assert!(matches!(Destination::of(&at("a")), Destination::File(_)), "links in a circle end somewhere");
        for (path, is_standard_output) in
            [(Path::new("-"), true), (&at("out"), true), (&descriptor(2), false), (Path::new("./-"), false)]
        {
            let found = Destination::of(&named(path));
            assert_eq!(found.is_standard_output(), is_standard_output, "{}", path.display());
        }
    }

    #[test]
    fn a_target_is_refused_by_whatever_name_also_before_it_exists() {
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
            let answer = refuse_target("--out", &at(name), &targets);
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
