//! Files that a command must not replace: its inputs, its targets, journals, files in kept folders.

use super::kept::{Keepers, KeptRule, is_journal};
use super::{NamedOutput, key_of};
use crate::output_error::{OutputError, OutputErrorKind};
use diskspd_host::claims;
use diskspd_sys::atomic_file::Guard;
use diskspd_sys::inode;
use diskspd_sys::reach::{LastName, ReachedObject, SpotKey, reach};
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OwnFiles {
    pub reads: Vec<NamedOutput>,
    /// Folders that the command maintains: a history, the folder of a sweep.
    pub keeps: Vec<PathBuf>,
}

/// Check of the open file that an output is about to replace.
#[derive(Debug)]
pub(crate) struct OverwriteCheck {
    path: PathBuf,
    keys: Vec<(SpotKey, Owner)>,
}

#[derive(Debug)]
enum Owner {
    Target,
    Input(String),
}

impl OverwriteCheck {
    pub(crate) fn find(path: &Path, targets: &[PathBuf], inputs: &[NamedOutput]) -> OverwriteCheck {
        let targets = targets.iter().filter_map(|target| Some((key_of(target)?, Owner::Target)));
        let input = |input: &NamedOutput| Some((key_of(&input.path)?, Owner::Input(input.by.clone())));
        OverwriteCheck {
            path: path.to_owned(),
            keys: targets.chain(inputs.iter().filter_map(input)).collect(),
        }
    }

    fn judge_earlier(&self, earlier: &File) -> Result<(), OutputErrorKind> {
        claims::permit_output(&self.path, earlier)?;
        let key = inode::identity_of_open(earlier).map(SpotKey::There);
        match self.keys.iter().find(|(known, _)| Some(known) == key.as_ref()) {
            Some((_, Owner::Target)) => return Err(OutputErrorKind::Target),
            Some((_, Owner::Input(by))) => return Err(OutputErrorKind::Input(by.clone())),
            None => {}
        }
        let readable = inode::reopen_to_read(earlier);
        if readable.is_some_and(|file| is_journal(&file)) { Err(OutputErrorKind::Journal) } else { Ok(()) }
    }
}

impl Guard for OverwriteCheck {
    fn permit(&self, earlier: &File) -> io::Result<()> {
        self.judge_earlier(earlier).map_err(io::Error::other)
    }
}

/// Refuses to write to targets that are files of the program or of the command, which a run would destroy.
/// `targets`: their names and paths. Returns an error for each of them, with the owner of the file.
pub fn refuse_targets_of_command(
    targets: impl Iterator<Item = (String, PathBuf)>,
    own: &OwnFiles,
) -> Vec<OutputError> {
    let mut keepers = Keepers::default();
    let reads: Vec<(SpotKey, &NamedOutput)> =
        own.reads.iter().filter_map(|input| Some((key_of(&input.path)?, input))).collect();
    let mut fault_of = |path: &Path| {
        let Ok(ReachedObject::FolderEntry(spot)) = reach(path, LastName::Followed) else { return Ok(()) };
        keepers.refuse(&spot, &own.keeps, KeptRule::All)?;
        let key = spot.key();
        match reads.iter().find(|(known, _)| Some(known) == key.as_ref()) {
            Some((_, input)) => Err(OutputErrorKind::Input(input.by.clone())),
            None => Ok(()),
        }
    };
    let refused = targets.filter_map(|(shown, path)| {
        fault_of(&path).err().map(|fault| fault.named_by(format!("target '{shown}'")))
    });
    refused.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refuses_targets_among_own_files() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("sweep/records")).unwrap();
        std::fs::create_dir_all(at("mine/records")).unwrap();
        for file in ["sweep/sweep.json", "mine/sweep.json", "suite.toml", "t.dat"] {
            std::fs::write(at(file), "").unwrap();
        }
        std::fs::hard_link(at("suite.toml"), at("hard")).unwrap();
        let own = OwnFiles {
            reads: vec![NamedOutput { by: "suite".into(), path: at("suite.toml") }],
            keeps: vec![at("mine")],
        };
        for (name, refused) in [
            ("t.dat", false),
            ("new.dat", false),
            ("suite.toml", true),
            ("./hard", true),
            ("sweep/t.dat", true),
            ("sweep/records/deep.dat", true),
            ("mine/t.dat", false),
            ("mine/sweep.json", true),
            ("mine/records/0001.json", true),
        ] {
            let answer = refuse_targets_of_command(std::iter::once((name.to_owned(), at(name))), &own);
            assert_eq!(answer.len(), usize::from(refused), "{name}: {answer:?}");
        }
    }
}
