//! Files that a command reads, and folders that it keeps: its outputs and targets must not destroy them.

use super::stored;
use crate::cli::{ProfileForm, RunRequest};
use crate::fio_jobs::job_files;
use crate::run::{NamedOutput, OwnFiles};
use std::path::PathBuf;

pub(crate) fn own_files(request: &RunRequest) -> OwnFiles {
    let profiles = request.profile_file.iter().flat_map(|from| {
        let paths = match from.form {
            ProfileForm::FioLine => job_files(&from.words).into_iter().map(PathBuf::from).collect(),
            ProfileForm::Xml | ProfileForm::FioJobs => vec![from.path.as_path().to_owned()],
        };
        paths.into_iter().map(|path| NamedOutput { by: from.form.form_text(&from.path), path })
    });
    let record = request.record.as_ref().map(|path| NamedOutput { by: "rerun".into(), path: path.clone() });
    let store = request.save.as_ref().and_then(|_| stored::store(request.store.as_deref()).ok());
    OwnFiles {
        reads: profiles.chain(record).collect(),
        keeps: store.map(|store| store.folder().to_owned()).into_iter().collect(),
    }
}
