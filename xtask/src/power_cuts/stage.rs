//! What is mounted and attached, and taken down again.

use crate::Failure;
use std::process::Command;

/// Undone in the reverse order.
#[derive(Default)]
pub struct Stage(Vec<[String; 3]>);

impl Stage {
    /// Remembers a command with an option and what it is about.
    pub fn undo(&mut self, command: &str, option: &str, what: &str) {
        self.0.push([command, option, what].map(str::to_owned));
    }

    /// What was remembered last needn't be undone any more.
    pub fn forget_last(&mut self) {
        self.0.pop();
    }
}

impl Drop for Stage {
    fn drop(&mut self) {
        while let Some([command, option, what]) = self.0.pop() {
            let _ = Command::new(command).args([&option, &what]).status();
        }
    }
}

/// Runs a program; what it printed.
///
/// # Errors
/// It can't be run, or fails.
pub fn run(words: &[&str]) -> Result<String, Failure> {
    let done = Command::new(words[0]).args(&words[1..]).output()?;
    match done.status.success() {
        true => Ok(String::from_utf8_lossy(&done.stdout).trim().to_owned()),
        false => Err(format!("{}: {}", words.join(" "), String::from_utf8_lossy(&done.stderr).trim()).into()),
    }
}
