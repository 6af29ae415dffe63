//! The output files of an answer, tested before any run, because the runs of an answer take hours.

use crate::cli::AnswerOutput;
use crate::commands::shared::command_error::CommandError;
use crate::experiments::compare::AnswerForm;
use crate::run::{HangGuard, NamedOutput, Outlet, OutputError, OutputPolicy};
use std::path::PathBuf;

pub(crate) struct AnswerFiles(Vec<(AnswerForm, Outlet)>);

impl AnswerFiles {
    /// Checks all output files without changes. `read`: the input files of both sides. `door`: the runs,
    /// if both sides are run.
    ///
    /// # Errors
    /// Fails if a file cannot be written, is named twice, or is an input or target.
    pub(crate) fn open(
        out: &[AnswerOutput],
        read: &[PathBuf],
        door: OutputPolicy,
    ) -> Result<AnswerFiles, CommandError> {
        let read = read.iter().map(|path| NamedOutput { by: "compare".into(), path: path.clone() });
        let mut door = door.which_reads(read);
        let permitted = out.iter().map(|out| Ok((out.form, door.permit(out.option, &out.path)?)));
        let permitted = permitted.collect::<Result<Vec<_>, OutputError>>()?;
        let patience = HangGuard::default();
        let opened = permitted.into_iter().map(|(form, permitted)| Ok((form, permitted.open(&patience)?)));
        Ok(AnswerFiles(opened.collect::<Result<_, OutputError>>()?))
    }

    pub(crate) fn take_standard_output(out: &[AnswerOutput]) -> bool {
        out.iter().any(|out| out.path.as_os_str() == "-")
    }

    /// Writes each file with the bytes of its form.
    pub(crate) fn write_each(
        &self,
        bytes: impl Fn(AnswerForm, &Outlet) -> Result<Vec<u8>, CommandError>,
    ) -> Result<(), CommandError> {
        self.0.iter().try_for_each(|(form, outlet)| Ok(outlet.put(bytes(*form, outlet)?)?))
    }
}
