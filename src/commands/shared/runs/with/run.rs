//! One run: DISKSPD receives the profile and runs, and its result XML is read.

use super::remote::Remote;
use super::tool::Tool;
use super::{WithError, of_program, profile, program};
use crate::clock::{self, SECOND};
use crate::commands::shared::runs::other_program::{
    exit_text, last_message, message_suffix, not_started, to_its_end,
};
use crate::finding::Finding;
use crate::formats::result_xml;
use crate::profile::Profile;
use crate::results::RunSummary;
use crate::run::{Control, MachineSpeed, Progress, RunObserver};
use crate::sys::child::{ChildEnd, ChildProgram};
use crate::sys::private_folder::PrivateFolder;
use crate::units::visible;
use std::ffi::OsString;
use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

/// Delay beyond the planned time in s before a message; creation of files may cause it.
const SLOW_S: f64 = 120.0;

const RESULTS: &str = "results.xml";

#[derive(Debug, Clone)]
pub(crate) struct ToolResults {
    pub known: RunSummary,
    /// Result XML as printed.
    pub document: Vec<u8>,
}

struct RunFiles {
    folder: PrivateFolder,
    profile: OsString,
}

impl Tool {
    /// Makes a run with this planned duration in s.
    ///
    /// # Errors
    /// Fails without figures, after a failure, an interruption by the user, or unreadable output.
    pub(crate) fn run(
        &self,
        asked: &Profile,
        planned_s: f64,
        control: &Control,
        listener: &dyn RunObserver,
    ) -> Result<ToolResults, WithError> {
        let files = self.write_profile(asked, control)?;
        let results = files.folder.path().join(RESULTS);
        let told = ToolProgress { planned_s, next_ns: 0, slow: false };
        let ended = self.start(&files, told, control, listener);
        listener.progress_ends();
        self.forget(&files, control);
        let ended = ended?;
        let document = read(&results).map_err(|source| WithError::File { what: "the results", source })?;
        if !ended.status.success() {
            // Its messages are where its report would be.
            let said = if ended.told.trim_ascii().is_empty() { &document } else { &ended.told };
            let said = message_suffix(&last_message(said));
            return Err(WithError::Failed { tool: self.to_string(), how: exit_text(ended.status), said });
        }
        let known = self.read_summary(&document)?;
        Ok(ToolResults { known, document })
    }

    /// Writes the profile, and copies it to the host that runs it.
    fn write_profile(&self, asked: &Profile, control: &Control) -> Result<RunFiles, WithError> {
        let failed = |source| WithError::File { what: "cannot make a file for the profile", source };
        let folder = PrivateFolder::make("diskspd-with").map_err(failed)?;
        let text = profile::text(asked, self.version.compat());
        let local = folder.write_file("profile.xml", &text).map_err(failed)?;
        let Some(remote) = &self.remote else {
            return Ok(RunFiles { folder, profile: local.into() });
        };
        let name = format!("diskspd-{}-{}.xml", std::process::id(), clock::wall_millis());
        let copy = format!("put \"{}\" {name}\n", local.display());
        let files = RunFiles { folder, profile: name.into() };
        let end = run_sftp(remote, &files, &copy, control)?;
        match end.status.success() {
            true => Ok(files),
            false => Err(WithError::Failed {
                tool: "sftp, which copies the profile,".to_owned(),
                how: exit_text(end.status),
                said: message_suffix(&last_message(&end.told)),
            }),
        }
    }

    fn forget(&self, files: &RunFiles, control: &Control) {
        if let Some(remote) = self.remote.as_ref().filter(|_| !control.is_hurried()) {
            let _ =
                run_sftp(remote, files, &format!("rm {}\n", files.profile.display()), &Control::default());
        }
    }

    fn start(
        &self,
        files: &RunFiles,
        mut told: ToolProgress,
        control: &Control,
        listener: &dyn RunObserver,
    ) -> Result<ChildEnd, WithError> {
        let failed = |source| WithError::File { what: "cannot make a file for the results", source };
        let printed = files.folder.file(RESULTS).map_err(failed)?;
        let mut word = OsString::from("-X");
        word.push(&files.profile);
        let line = self.line([word]);
        let (program, words) = program(&line);
        ChildProgram::start_into(program, words, printed)
            .map_err(|error| not_started(program, error))
            .and_then(|child| {
                to_its_end(child, control, None, |elapsed_ns| told.update_progress(elapsed_ns, listener))
            })
            .map_err(|fault| of_program(&self.version_text(), fault))
    }

    fn read_summary(&self, document: &[u8]) -> Result<RunSummary, WithError> {
        let unusable = |why: String| WithError::NoResults { tool: self.to_string(), why };
        let runs = result_xml::read(document, "").map_err(|error| unusable(error.to_string()))?;
        let [run] = &runs[..] else { return Err(unusable(format!("they are of {} runs", runs.len()))) };
        match run.time_spans.iter().position(Option::is_none) {
            Some(at) => Err(unusable(format!("time span {} ended before measuring began", at + 1))),
            None => Ok(run.clone()),
        }
    }
}

/// The profile for a command, printed by `--dry-run`. No program is started to report its version, so the
/// form is the profile's.
pub(crate) fn tool_input(command: &str, asked: &Profile) -> Vec<u8> {
    let mut text = format!("{} would get this profile (-X):\n", visible::line(command)).into_bytes();
    text.extend(profile::text(asked, asked.compat));
    text
}

fn run_sftp(
    remote: &Remote,
    files: &RunFiles,
    commands: &str,
    control: &Control,
) -> Result<ChildEnd, WithError> {
    let failed = |source| WithError::File { what: "cannot make a file for sftp", source };
    let batch = files.folder.write_file("sftp.txt", commands.as_bytes()).map_err(failed)?;
    let line = remote.sftp(&batch);
    let (program, words) = program(&line);
    ChildProgram::start(program, words)
        .map_err(|error| not_started(program, error))
        .and_then(|child| to_its_end(child, control, None, |_| {}))
        .map_err(|fault| of_program("sftp, which copies the profile", fault))
}

struct ToolProgress {
    planned_s: f64,
    /// Time of the next progress report in ns since the start.
    next_ns: u64,
    slow: bool,
}

impl ToolProgress {
    fn update_progress(&mut self, elapsed_ns: u64, listener: &dyn RunObserver) {
        if elapsed_ns < self.next_ns {
            return;
        }
        self.next_ns = elapsed_ns + SECOND;
        let left_s = self.planned_s - elapsed_ns as f64 / SECOND as f64;
        if listener.wants().progress {
            let left_ns = (left_s.max(0.0) * SECOND as f64) as u64;
            listener.progress(&Progress::Running {
                phase: "DISKSPD runs",
                left_ns,
                rates: None,
                machine: MachineSpeed::default(),
                targets: &[],
                hosts: &[],
            });
        }
        if left_s < -SLOW_S && !self.slow {
            self.slow = true;
            listener.notice(&Finding::warning(format!(
                "DISKSPD still runs {SLOW_S:.0} s after its planned end; if it is not creating files, end \
                 it with Ctrl-C"
            )));
        }
    }
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    File::open(path)?.take(result_xml::MAX_BYTES + 1).read_to_end(&mut bytes)?;
    Ok(bytes)
}
