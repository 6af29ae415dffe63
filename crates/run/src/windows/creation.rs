//! Creation of the files of `-c` on Windows, sequentially as in DISKSPD.

use crate::options::Options;
use crate::precreate::{File, PrecreateError};
use diskspd_plan::workload::payload;
use diskspd_sys::clock::{self, SECOND};
use diskspd_sys::targets::{self, CreatedContent};
use diskspd_worker::{Control, RunReporter};
use std::io;
use std::path::PathBuf;

/// Creates files at their locations. A file with its requested size is reused, unless `--recreate` is set.
///
/// # Errors
/// See [`NotCreated`]. Fails at the first file that is missing.
pub(crate) fn create_all(
    files: &[(File, PathBuf)],
    options: &Options,
    control: &Control,
    voice: &RunReporter,
) -> Result<(), PrecreateError> {
    for (file, path) in files {
        let has_size = std::fs::metadata(path).is_ok_and(|found| found.is_file() && found.len() == file.size);
        if has_size && !options.recreate {
            voice.verbose(|| format!("'{}' already has the requested size: kept", file.path));
            continue;
        }
        voice.verbose(|| format!("creating '{}' with {} bytes", file.path, file.size));
        let name = file.path.to_string();
        let mut draw = 0;
        let mut go_on = |done| {
            let now = clock::monotonic();
            if now >= draw {
                voice.draw_preparation(&name, done, file.size);
                draw = now + SECOND;
            }
            !control.is_interrupted()
        };
        // A piece is a multiple of the pattern.
        let fill = |piece: &mut [u8]| {
            if !file.zero {
                payload::fill_pattern(piece)
            }
        };
        let made = targets::create(path, file.size, &fill, &mut go_on);
        voice.clear_line();
        match made {
            Ok(CreatedContent::Written) => {}
            Ok(CreatedContent::Valid) => voice.verbose(|| {
                format!(
                    "'{}' was declared valid (SetFileValidData): it holds old data of the disk",
                    file.path
                )
            }),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {
                return Err(PrecreateError::Interrupted);
            }
            Err(error) => {
                return Err(PrecreateError::Failed(format!(
                    "'{}': cannot create it with {} bytes: {error}; check the folder, the room on the \
                     volume and the rights",
                    file.path, file.size
                )));
            }
        }
    }
    Ok(())
}
