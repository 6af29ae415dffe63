//! Whether writing is refused: because what is written to is in use.

use super::found::{disk, page_files, volumes_found};
pub use crate::disks::{How, Use};
use crate::windows::uses::{Named, Unknown, named, of_disk, of_file, told};
use diskspd_model::units::visible::line;
use std::fs::File;
use std::path::{Path, PathBuf};

/// Why something isn't written to. The text is for the user: what is in use, and what to do.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// Never allowed.
    #[error("refusing to overwrite {}: it is in use:{}", line(&path.to_string_lossy()), lines(uses))]
    InUse {
        /// As the user gave it.
        path: PathBuf,
        /// At least one.
        uses: Vec<Use>,
    },
    /// Never allowed.
    #[error(
        "refusing to overwrite {}: cannot determine whether it is in use: {unknown}; run as an \
         administrator, or take another disk",
        path.display()
    )]
    Unknown {
        /// As the user gave it.
        path: PathBuf,
        /// What is missing for that.
        unknown: Unknown,
    },
    /// Never allowed: reports, streams and logs are files.
    #[error("{}: would overwrite a disk, a volume or a device; name a file", path.display())]
    NoOutput {
        /// As the user gave it.
        path: PathBuf,
    },
}

fn lines(uses: &[Use]) -> String {
    uses.iter().map(|each| format!("\n  {}", told(each))).collect()
}

/// Why the target at the path must not be written to; `None` = nothing against it. A disk must hold no file
/// system, no paging file and be part of nothing; a volume is refused whatever it holds, by the disk that it
/// is on; of files paging files are refused.
pub fn write_refusal(path: &Path) -> Option<Refusal> {
    let text = path.to_string_lossy();
    let refused = |found: Result<Vec<Use>, Unknown>| match found {
        Ok(uses) if uses.is_empty() => None,
        Ok(uses) => Some(Refusal::InUse { path: path.to_owned(), uses }),
        Err(unknown) => Some(Refusal::Unknown { path: path.to_owned(), unknown }),
    };
    match named(&text) {
        Named::File => {
            let whole = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
            refused(Ok(of_file(&whole.to_string_lossy(), &page_files())))
        }
        Named::Disk(number) => refused(
            volumes_found()
                .map_err(|error| Unknown { why: format!("the volumes can't be listed: {error}") })
                .and_then(|volumes| of_disk(&disk(number), &volumes, &page_files())),
        ),
        Named::Device => {
            let why = "volumes aren't written to on Windows yet; name a file, or a disk".to_owned();
            refused(Err(Unknown { why }))
        }
    }
}

/// Claims on what is written to, and what of outputs.
pub mod claims {
    use super::{File, Named, Path, Refusal, named, write_refusal};

    /// Who would claim devices.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum Claimant {
        /// This process.
        #[default]
        Alone,
    }

    /// Whether files may be written there: no device is a file, and paging files are Windows' own.
    ///
    /// # Errors
    /// The first that may not.
    pub fn spare<'a>(outputs: impl IntoIterator<Item = &'a Path>) -> Result<(), Refusal> {
        for path in outputs {
            if named(&path.to_string_lossy()) != Named::File {
                return Err(Refusal::NoOutput { path: path.to_owned() });
            }
            if let Some(refusal) = write_refusal(path) {
                return Err(refusal);
            }
        }
        Ok(())
    }

    /// The same of what is open.
    ///
    /// # Errors
    /// It may not.
    pub fn permit_output(path: &Path, _: &File) -> Result<(), Refusal> {
        spare([path])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn devices_are_no_outputs_and_disks_that_are_not_known_are_not_written_to() {
        let folder = tempfile::tempdir().unwrap();
        assert_eq!(claims::spare([&*folder.path().join("x")]), Ok(()));
        for device in [r"\\.\PhysicalDrive0", r"\\.\C:"] {
            let refused = claims::spare([Path::new(device)]).unwrap_err();
            assert!(refused.to_string().contains("name a file"), "{refused}");
        }
        let unknown = write_refusal(Path::new(r"\\.\PhysicalDrive4711")).unwrap();
        assert!(matches!(unknown, Refusal::Unknown { .. }), "{unknown}");
        assert!(unknown.to_string().contains("the partitions of PhysicalDrive4711"), "{unknown}");
        assert!(write_refusal(Path::new(r"\\.\C:")).is_some());
    }
}
