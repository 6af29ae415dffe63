//! Folders that the program keeps. An output or a target in one would destroy data that cannot be re-created.

use crate::output_error::OutputErrorKind;
use diskspd_sys::locks::IN_USE;
use diskspd_sys::reach::FolderEntry;
use std::collections::HashMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};

/// Magic of a journal, after the length, checksum and kind of the first piece.
pub const JOURNAL_MAGIC: &[u8] = b"DISKSPD journal 1\n";
/// Bytes of the first piece before the magic.
const BEFORE_MAGIC: usize = 9;
/// Maximum number of names read from a folder to recognize it.
const NAMES: usize = 4096;

/// Rule for the folders of outputs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum KeptRule {
    /// Folders with files of the program are refused.
    All,
    /// A campaign is permitted, because each of its runs adds a journal.
    NewJournal,
}

/// Kind of folder that the program maintains.
struct KeptKind {
    name: &'static str,
    is_here: fn(&Path) -> bool,
    is_own: fn(&str) -> bool,
    is_deep: bool,
}

const KINDS: [KeptKind; 4] = [
    KeptKind {
        name: "a history of runs",
        is_here: |folder| {
            let runs = folder.join("runs");
            runs.is_dir() && (folder.join("index.sqlite").is_file() || has_name(&runs, ".about.json"))
        },
        is_own: |name| ["runs", "suites", "baselines"].contains(&name) || name.starts_with("index.sqlite"),
        is_deep: true,
    },
    KeptKind {
        name: "a sweep (--dir)",
        is_here: |folder| folder.join("sweep.json").is_file() && folder.join("records").is_dir(),
        is_own: |name| ["sweep.json", "runs", "records", IN_USE].contains(&name),
        is_deep: true,
    },
    KeptKind {
        name: "a comparison (--dir)",
        is_here: |folder| folder.join("comparison.json").is_file() && folder.join("records").is_dir(),
        is_own: |name| ["comparison.json", "runs", "records", IN_USE].contains(&name),
        is_deep: true,
    },
    KeptKind {
        name: CAMPAIGN,
        is_here: |folder| has_name(folder, ".journal.cycle.json"),
        is_own: |name| [".journal", ".journal.cycle.json"].iter().any(|ending| name.ends_with(ending)),
        is_deep: false,
    },
];

const CAMPAIGN: &str = "a campaign (--campaign)";

/// Refuses a file in a folder that the program keeps. If the command keeps that folder, only the names of the
/// program's files are refused. Journals are refused in all folders.
///
/// # Errors
/// Fails with the command that keeps the file.
pub(crate) fn refuse_kept(
    spot: &FolderEntry,
    keeps: &[PathBuf],
    rule: KeptRule,
) -> Result<(), OutputErrorKind> {
    Keepers::default().refuse(spot, keeps, rule)
}

/// Kind and path of a maintained folder.
type Keeper = (&'static KeptKind, PathBuf);

/// Maintained folders; each folder is inspected once.
#[derive(Default)]
pub(crate) struct Keepers(HashMap<PathBuf, Option<Keeper>>);

impl Keepers {
    /// Refuses a file like [`refuse_kept`].
    pub(crate) fn refuse(
        &mut self,
        spot: &FolderEntry,
        keeps: &[PathBuf],
        rule: KeptRule,
    ) -> Result<(), OutputErrorKind> {
        if spot.open_to_read().is_some_and(|file| is_journal(&file)) {
            return Err(OutputErrorKind::Journal);
        }
        let (Some(parent), Some(name)) = (spot.real_folder(), spot.path().file_name()) else { return Ok(()) };
        let path = parent.join(name);
        let keeper = self.0.entry(parent).or_insert_with_key(|parent| find_keeper(parent));
        let Some((kind, folder)) = keeper else { return Ok(()) };
        if rule == KeptRule::NewJournal && kind.name == CAMPAIGN {
            return Ok(());
        }
        let is_kept_here =
            keeps.iter().any(|kept| std::fs::canonicalize(kept).is_ok_and(|kept| kept == *folder));
        let first = path.strip_prefix(folder).ok().and_then(|inside| inside.iter().next()?.to_str());
        match is_kept_here && !first.is_some_and(kind.is_own) {
            true => Ok(()),
            false => Err(OutputErrorKind::Kept(kind.name)),
        }
    }
}

/// Returns the maintained folder that contains a file, by the folder of the file.
fn find_keeper(folder: &Path) -> Option<Keeper> {
    folder.ancestors().zip(0..).find_map(|(folder, depth)| {
        let mut kinds = KINDS.iter().filter(|kind| kind.is_deep || depth == 0);
        kinds.find(|kind| (kind.is_here)(folder)).map(|kind| (kind, folder.to_owned()))
    })
}

/// Whether a folder has a file with this name suffix.
fn has_name(folder: &Path, ending: &str) -> bool {
    let names = std::fs::read_dir(folder).into_iter().flatten().take(NAMES).flatten();
    names.into_iter().any(|entry| entry.file_name().to_str().is_some_and(|name| name.ends_with(ending)))
}

pub(crate) fn is_journal(file: &File) -> bool {
    let mut start = Vec::new();
    let read = file.take((BEFORE_MAGIC + JOURNAL_MAGIC.len()) as u64).read_to_end(&mut start);
    read.is_ok() && start.get(BEFORE_MAGIC..) == Some(JOURNAL_MAGIC)
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_sys::inode::symlink;
    use diskspd_sys::reach::{LastName, ReachedObject, reach};

    #[test]
    fn protected_folders_reject_outputs_under_any_name() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for part in [
            "store/runs",
            "store/baselines",
            "bare/runs",
            "sweep/runs",
            "sweep/records/deep",
            "mine/runs",
            "mine/records",
            "kernels/records",
            "cuts/deep",
        ] {
            std::fs::create_dir_all(at(part)).unwrap();
        }
        for file in [
            "store/index.sqlite",
            "sweep/sweep.json",
            "store/runs/abcdefgh.json.gz",
            "kernels/comparison.json",
            "bare/runs/abcdefgh.about.json",
            "cuts/0001.journal.cycle.json",
            "report.json",
        ] {
            std::fs::write(at(file), "").unwrap();
        }
        let journal = [&[7; BEFORE_MAGIC][..], JOURNAL_MAGIC, b"and more"].concat();
        std::fs::write(at("any.name"), journal).unwrap();
        std::fs::hard_link(at("any.name"), at("second.name")).unwrap();
        symlink("store/runs/abcdefgh.json.gz", at("link")).unwrap();
        let (free, refused, own) = (None, Some(false), Some(true));
        for (name, expected) in [
            ("store/runs/abcdefgh.json.gz", own),
            ("store/../store/runs/abcdefgh.json.gz", own),
            ("link", own),
            ("store/runs/new.xml.gz", own),
            ("store/baselines/x.json", own),
            ("store/index.sqlite", own),
            ("store/index.sqlite-wal", own),
            ("store/page.html", refused),
            ("bare/page.html", refused),
            ("sweep/sweep.json", own),
            ("sweep/runs/0001.json", own),
            ("sweep/records/deep/page.html", own),
            ("sweep/table.json", refused),
            ("kernels/page.html", refused),
            ("cuts/0001.journal.cycle.json", own),
            ("cuts/table.json", refused),
            ("cuts/0002.journal", own),
            ("cuts/deep/table.json", free),
            ("any.name", own),
            ("second.name", own),
            ("mine/runs/0001.json", free),
            ("mine/sweep.json", free),
            ("report.json", free),
        ] {
            let Ok(ReachedObject::FolderEntry(spot)) = reach(&at(name), LastName::Followed) else {
                panic!("{name}")
            };
            let keeps = ["store", "bare", "sweep", "kernels", "cuts"].map(at);
            let found = [
                refuse_kept(&spot, &[], KeptRule::All).is_err(),
                refuse_kept(&spot, &keeps, KeptRule::All).is_err(),
            ];
            assert_eq!(found, [expected.is_some(), expected == own], "{name}");
        }
        let Ok(ReachedObject::FolderEntry(next)) = reach(&at("cuts/0002.journal"), LastName::Followed) else {
            panic!()
        };
        assert!(refuse_kept(&next, &[], KeptRule::NewJournal).is_ok());
    }
}
