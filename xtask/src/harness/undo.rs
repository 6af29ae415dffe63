//! Mounts, devices and the like, removed in the end, even if this program is killed.

use std::io::Write;
use std::process::{Child, Command, Stdio};

/// Reads a command per line. After the end of its input it runs them, the last one first. The kernel closes
/// the files of an `io_uring` some time after its process, so each has 100 attempts in 10 s.
const KEEPER: &str = r#"
trap '' INT TERM HUP
count=0
while IFS= read -r line; do
    if [ "$line" = forget ]; then count=$((count - 1)); continue; fi
    count=$((count + 1))
    eval "line$count=\$line"
done
while [ "$count" -gt 0 ]; do
    eval "line=\$line$count"
    attempt=0
    until eval "$line" >/dev/null 2>&1; do
        attempt=$((attempt + 1))
        if [ "$attempt" -ge 100 ]; then echo "left behind: $line"; break; fi
        sleep 0.1
    done
    count=$((count - 1))
done
"#;

/// Commands that run on drop in reverse order, in another process that outlives this one.
#[derive(Default)]
pub struct Undo(Option<Child>);

impl Undo {
    pub fn push(&mut self, words: &[&str]) {
        let quoted: Vec<String> =
            words.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''"))).collect();
        self.send_line(&quoted.join(" "));
    }

    /// Removes the last command.
    pub fn forget_last(&mut self) {
        self.send_line("forget");
    }

    fn send_line(&mut self, line: &str) {
        if self.0.is_none() {
            self.0 = Command::new("sh").args(["-c", KEEPER]).stdin(Stdio::piped()).spawn().ok();
        }
        let input = self.0.as_mut().and_then(|keeper| keeper.stdin.as_mut());
        if input.is_none_or(|input| writeln!(input, "{line}").is_err()) {
            println!("not removed in the end: {line}");
        }
    }
}

impl Drop for Undo {
    fn drop(&mut self) {
        if let Some(mut keeper) = self.0.take() {
            drop(keeper.stdin.take());
            let _ = keeper.wait();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    fn writes(path: &Path, text: &str) -> [String; 3] {
        ["sh".to_owned(), "-c".to_owned(), format!("echo \"{text}\" >> '{}'", path.display())]
    }

    #[test]
    fn commands_run_in_reverse_order() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut undo = Undo::default();
        for text in ["1", "it's", "3"] {
            undo.push(&writes(file.path(), text).each_ref().map(String::as_str));
        }
        undo.forget_last();
        drop(undo);
        assert_eq!(std::fs::read_to_string(file.path()).unwrap(), "it's\n1\n");
    }

    #[test]
    fn commands_run_after_program_is_gone() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut undo = Undo::default();
        undo.push(&writes(file.path(), "removed").each_ref().map(String::as_str));
        let mut keeper = undo.0.take().unwrap();
        std::mem::forget(undo);
        // The kernel closes the pipe of a killed program.
        drop(keeper.stdin.take());
        assert!(keeper.wait().unwrap().success());
        assert_eq!(std::fs::read_to_string(file.path()).unwrap(), "removed\n");
    }
}
