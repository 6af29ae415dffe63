//! Mounts, devices and the like, removed in the end.

use std::process::Command;
use std::thread::sleep;
use std::time::Duration;

/// Attempts per command, and the time between two. The kernel closes the files of an `io_uring` some time
/// after its process.
const ATTEMPTS: usize = 100;
const BETWEEN: Duration = Duration::from_millis(100);

/// Commands that run when this is dropped, the last one first.
#[derive(Default)]
pub struct Undo(Vec<Vec<String>>);

impl Undo {
    pub fn push(&mut self, words: &[&str]) {
        self.0.push(words.iter().map(|word| (*word).to_owned()).collect());
    }

    /// Removes the last command.
    pub fn forget_last(&mut self) {
        self.0.pop();
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        while let Some(words) = self.0.pop() {
            let succeeds = |attempt: usize| {
                if attempt > 0 {
                    sleep(BETWEEN);
                }
                let ended = Command::new(&words[0]).args(&words[1..]).output();
                ended.is_ok_and(|ended| ended.status.success())
            };
            if !(0..ATTEMPTS).any(succeeds) {
                println!("left behind: {}", words.join(" "));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_run_in_reverse_order() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut undo = Undo::default();
        for number in ["1", "2", "3"] {
            undo.push(&["sh", "-c", &format!("echo {number} >> {}", file.path().display())]);
        }
        undo.forget_last();
        drop(undo);
        assert_eq!(std::fs::read_to_string(file.path()).unwrap(), "2\n1\n");
    }
}
