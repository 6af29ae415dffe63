//! A folder in which command lines run, with a separate history.

use super::{Ended, command_of, directory, output, while_nothing_starts};
use std::ffi::OsString;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

pub struct Lab {
    folder: TempDir,
    words: Vec<(&'static str, &'static str)>,
    variables: Vec<(&'static str, OsString)>,
}

impl Lab {
    pub fn new() -> Lab {
        let folder = directory();
        let store = folder.path().join("store").into_os_string();
        Lab { folder, words: Vec::new(), variables: vec![("DISKSPD_STORE", store), ("TZ", "UTC".into())] }
    }

    /// Replaces a word in all command lines.
    pub fn with_word(mut self, word: &'static str, text: &'static str) -> Lab {
        self.words.push((word, text));
        self
    }

    pub fn with_variable(mut self, name: &'static str, value: impl Into<OsString>) -> Lab {
        self.variables.push((name, value.into()));
        self
    }

    pub fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.folder().join(name)
    }

    pub fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    /// Returns the text of a file; empty without the file.
    pub fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_default()
    }

    /// Writes an executable shell script; `PROGRAM` in it is this program.
    pub fn script(&self, name: &str, text: &str) {
        let text = format!("#!/bin/sh\n{}\n", text.replace("PROGRAM", env!("CARGO_BIN_EXE_diskspd")));
        // A file that another thread's child still has open for writing cannot be executed.
        while_nothing_starts(|| {
            fs::write(self.path(name), text).unwrap();
            fs::set_permissions(self.path(name), Permissions::from_mode(0o755)).unwrap();
        });
    }

    /// Returns the program with the words of a line, split at spaces.
    pub fn command(&self, line: &str) -> Command {
        let replace = |line: String, (word, text): &(&str, &str)| line.replace(word, text);
        let line = self.words.iter().fold(line.to_owned(), replace);
        let mut command = command_of(&line.split_whitespace().collect::<Vec<_>>());
        command.current_dir(self.folder()).envs(self.variables.iter().map(|(name, value)| (name, value)));
        command
    }

    pub fn run(&self, line: &str) -> Ended {
        output(&mut self.command(line)).unwrap().into()
    }

    /// Runs a line that must succeed.
    #[track_caller]
    pub fn done(&self, line: &str) -> Ended {
        let ended = self.run(line);
        assert_eq!(ended.code, 0, "{line}: {}{}", ended.stdout, ended.stderr);
        ended
    }
}
