//! The DISKSPD that the user named: its invocation and its version.

use super::program;
use super::remote::Remote;
use super::version::ToolVersion;
use super::{WithError, of_program};
use crate::commands::shared::runs::other_program::{ANSWER, not_started, to_its_end};
use crate::experiments::suite;
use crate::run::Control;
use crate::sys::child::{ChildEnd, ChildProgram};
use crate::sys::mutex::LockUnpoisoned;
use crate::sys::privileges;
use crate::units::visible;
use std::ffi::OsString;
use std::fmt;
use std::path::Path;
use std::sync::{Arc, Mutex};

/// Cache of queried tools, because many lines name the same tool, and a remote query takes time.
static QUERIED_TOOLS: Mutex<Vec<Arc<Tool>>> = Mutex::new(Vec::new());

#[derive(Debug)]
pub(crate) struct Tool {
    command: String,
    words: Vec<OsString>,
    pub(super) remote: Option<Remote>,
    pub version: ToolVersion,
}

impl fmt::Display for Tool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.version, self.version_text())
    }
}

impl Tool {
    /// Asks a program for its version, once.
    ///
    /// # Errors
    /// Fails if it cannot or must not be started, or is not DISKSPD.
    pub(crate) fn find_tool(command: &str) -> Result<Arc<Tool>, WithError> {
        let mut asked = QUERIED_TOOLS.lock_anyway();
        if let Some(known) = asked.iter().find(|tool| tool.command == command) {
            return Ok(Arc::clone(known));
        }
        let tool = Arc::new(query_tool(command)?);
        asked.push(Arc::clone(&tool));
        Ok(tool)
    }

    pub(crate) fn version_text(&self) -> String {
        visible::line(&self.command).into_owned()
    }

    pub(super) fn line(&self, words: impl IntoIterator<Item = OsString>) -> Vec<OsString> {
        self.words.iter().cloned().chain(words).collect()
    }
}

fn query_tool(command: &str) -> Result<Tool, WithError> {
    if privileges::are_above_users() {
        return Err(WithError::Privileged);
    }
    let words = split_command(command)?;
    let remote = Remote::from_command(&words)?;
    let words: Vec<OsString> = words.into_iter().map(OsString::from).collect();
    let shown = visible::line(command).into_owned();
    let mut line = words.clone();
    line.push("-?".into());
    let end = start_program(&line, &shown)?;
    // Which of the two it prints its usage on depends on the version; it ends with an error.
    let texts = [&end.printed, &end.told].map(|said| String::from_utf8_lossy(said).into_owned());
    match texts.iter().find_map(|text| ToolVersion::find(text)) {
        Some(version) => Ok(Tool { command: command.to_owned(), words, remote, version }),
        None => {
            let first =
                texts.iter().flat_map(|text| text.lines()).map(str::trim).find(|line| !line.is_empty());
            let printed = first.map_or_else(String::new, |line| format!(": {}", visible::line(line)));
            Err(WithError::NoVersion { command: shown, printed })
        }
    }
}

/// Splits a command into words, unless it is a file itself. Blanks separate words, and quotes keep them
/// together. Backslashes are literal, because they are in Windows paths.
fn split_command(command: &str) -> Result<Vec<String>, WithError> {
    let words = match Path::new(command).is_file() {
        true => vec![command.to_owned()],
        false => suite::words(command)?,
    };
    if words.first().is_none_or(String::is_empty) { Err(WithError::Empty) } else { Ok(words) }
}

fn start_program(line: &[OsString], shown: &str) -> Result<ChildEnd, WithError> {
    let (program, words) = program(line);
    ChildProgram::start(program, words)
        .map_err(|error| not_started(program, error))
        .and_then(|child| to_its_end(child, &Control::default(), Some(ANSWER), |_| {}))
        .map_err(|fault| of_program(shown, fault))
}
