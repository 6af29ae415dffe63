//! Files that a command reads, and folders that it keeps: its outputs and targets must not destroy them.

use super::stored;
use crate::cli::RunRequest;
use crate::run::{Named, OwnFiles};

/// Returns the files and folders of a run.
pub fn own_files(request: &RunRequest) -> OwnFiles {
    let profile = request
        .profile_file
        .as_ref()
        .map(|from| Named { by: from.form.form_text(&from.path), path: from.path.as_path().to_owned() });
    let record = request.record.as_ref().map(|path| Named { by: "rerun".into(), path: path.clone() });
    let store = request.save.as_ref().and_then(|_| stored::store(request.store.as_deref()).ok());
    OwnFiles {
        reads: profile.into_iter().chain(record).collect(),
        keeps: store.map(|store| store.folder().to_owned()).into_iter().collect(),
    }
}
