//! One attempt, and whether it ended as it should.

use super::{Bench, Tally};
use crate::Failure;
use std::fs;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// No attempt may take longer: a run of one second, slowed down by strace, and the time that it gives to what hangs.
const BOUND: Duration = Duration::from_secs(60);
/// What the output file holds before the run.
const EARLIER: &str = "{\"earlier\": true}\n";
/// Files that are there before, and may be there afterwards.
const KNOWN: &[&str] = &["target.dat", "run.json", "log.csv", "stream.jsonl", "run.txt", "out", "trace"];

impl Bench {
    /// A path in the place of the attempt.
    pub fn at(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// A place with a target and an earlier result.
    ///
    /// # Errors
    /// It can't be made.
    pub fn fresh(&self) -> Result<(), Failure> {
        for entry in fs::read_dir(self.place.path())? {
            let path = entry?.path();
            if path.file_name().is_none_or(|name| name != "target.dat") {
                fs::remove_file(path)?;
            }
        }
        if !self.at("target.dat").exists() {
            fs::write(self.at("target.dat"), vec![7; 1 << 20])?;
        }
        fs::write(self.at("run.json"), EARLIER)?;
        Ok(())
    }

    /// The arguments of a line, `{}` being the place.
    pub fn words(&self, line: &str) -> Vec<String> {
        let place = self.place.path().to_string_lossy();
        line.split_whitespace().map(|word| word.replace("{}", &place)).collect()
    }

    /// Whether what failed was the writing of a message.
    fn lost_message(&self) -> bool {
        let trace = fs::read_to_string(self.at("trace")).unwrap_or_default();
        trace
            .lines()
            .any(|line| line.contains("write(2,") && (line.contains("(INJECTED)") || line.contains("EFBIG")))
    }

    /// Runs a command that starts the program; `act` may do something to it meanwhile, by its process id. Adds what was
    /// not as it should be. Returns whether it ended well.
    ///
    /// # Errors
    /// The command can't be started.
    pub fn attempt(
        &self,
        name: &str,
        command: &mut Command,
        tally: &mut Tally,
        act: impl FnOnce(u32),
    ) -> Result<bool, Failure> {
        command.stdin(Stdio::null()).stdout(fs::File::create(self.at("out"))?);
        // A pipe: a limit of file sizes is not to hit the messages.
        let (mut messages, theirs) = std::io::pipe()?;
        command.stderr(theirs).process_group(0);
        let mut child = command.spawn()?;
        command.stderr(Stdio::null());
        let reader = std::thread::spawn(move || {
            let mut said = Vec::new();
            let _ = messages.read_to_end(&mut said);
            String::from_utf8_lossy(&said).into_owned()
        });
        let begin = Instant::now();
        act(child.id());
        let status = loop {
            if let Some(status) = child.try_wait()? {
                break Some(status);
            }
            if begin.elapsed() > BOUND {
                break None;
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        tally.attempts += 1;
        let mut wrong = Vec::new();
        if status.is_none() {
            let _ = Command::new("kill").args(["-KILL", &format!("-{}", child.id())]).status();
            let _ = child.wait();
        }
        // Ends when the last process that holds the pipe has ended.
        let said = reader.join().unwrap_or_default();
        match status {
            None => wrong.push(format!("not over after {} s", BOUND.as_secs())),
            Some(status) => match (status.code(), status.signal()) {
                (Some(0 | 3), _) => {}
                (Some(1 | 2), _) if said.lines().any(|line| line.contains("ERROR")) => {}
                // The message itself could not be written.
                (Some(1 | 2), _) if self.lost_message() => {}
                (Some(1 | 2), _) => wrong.push("failed without a message".into()),
                (Some(code), _) => wrong.push(format!("exit code {code}")),
                (None, signal) => wrong.push(format!("killed by signal {}", signal.unwrap_or(0))),
            },
        }
        // What the standard library does of itself, at answers that the kernel never gives, can't be helped.
        if (said.contains("panicked at") || said.contains("defect of this program"))
            && !said.contains("panicked at /rustc/")
        {
            wrong.push("a panic".into());
        }
        for entry in fs::read_dir(self.place.path())? {
            let left = entry?.file_name().to_string_lossy().into_owned();
            // What could be written but not put in its place is kept, and named.
            if !KNOWN.contains(&left.as_str())
                && !said.contains(&format!("it is kept as {}", self.place.path().join(&left).display()))
            {
                wrong.push(format!("'{left}' is left over"));
            }
        }
        let record = fs::read_to_string(self.at("run.json")).unwrap_or_default();
        if record != EARLIER && serde_json::from_str::<serde_json::Value>(&record).is_err() {
            wrong.push("the earlier result is neither intact nor replaced".into());
        }
        if !wrong.is_empty() {
            let told: String = said.lines().take(4).collect::<Vec<_>>().join(" | ");
            tally.surprises.push(format!("{name}: {}: {told}", wrong.join(", ")));
        }
        Ok(wrong.is_empty())
    }
}
