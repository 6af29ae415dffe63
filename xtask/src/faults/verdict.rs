//! One attempt, and whether it ended as required.

use super::ended::Ended;
use super::{Bench, Tally};
use crate::harness::Failure;
use rustix::process::{Pid, Signal, kill_process_group};
use std::collections::BTreeSet;
use std::fs;
use std::io::Read;
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Maximum duration of an attempt: a run of some seconds on a busy machine with strace, and its limit for
/// unresponsive storage.
const BOUND: Duration = Duration::from_secs(180);
const EARLIER: &str = "{\"earlier\": true}\n";
const KNOWN: &[&str] =
    &["run.json", "log.csv", "stream.jsonl", "run.txt", "out", "trace", "new.dat", "written"];

/// The same outputs of reports of single hosts, without the hosts' names.
const PER_HOST: &[&str] = &["earlier", "full-device"];

impl Bench {
    /// Returns a path in the place of the attempt.
    pub fn at(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// Creates a place with a target and an earlier result.
    pub fn fresh(&self) -> Result<(), Failure> {
        for entry in fs::read_dir(self.place.path())? {
            let path = entry?.path();
            match path.is_dir() {
                true => fs::remove_dir_all(path)?,
                false if path.ends_with("target.dat") => {}
                false => fs::remove_file(path)?,
            }
        }
        if !self.at("target.dat").exists() {
            fs::write(self.at("target.dat"), vec![7; 1 << 20])?;
        }
        fs::write(self.at("run.json"), EARLIER)?;
        ["home", "tmp"].iter().try_for_each(|name| fs::create_dir(self.at(name)))?;
        Ok(())
    }

    /// Removes the outputs of the last attempt, but not its inputs.
    pub fn fresh_outputs(&self) -> Result<(), Failure> {
        for name in KNOWN.iter().map(|name| self.at(name)).filter(|path| path.exists()) {
            fs::remove_file(name)?;
        }
        Ok(fs::write(self.at("run.json"), EARLIER)?)
    }

    /// Returns the arguments of a line; `{}` is the place.
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

    /// Runs a command that starts the program; `act` may act on it in the meantime, by its process id.
    /// Adds deviations from the expected result.
    ///
    /// # Errors
    /// Fails if the command cannot be started.
    pub fn attempt(
        &self,
        name: &str,
        command: &mut Command,
        tally: &mut Tally,
        act: impl FnOnce(u32),
    ) -> Result<Ended, Failure> {
        let before = files(self.place.path());
        let ended = self.carry_out(command, BOUND, act, || ())?;
        tally.attempts += 1;
        let mut wrong = self.wrong(&ended);
        wrong.extend(self.left_over(&before, &ended.said));
        let record = fs::read_to_string(self.at("run.json")).unwrap_or_default();
        if record != EARLIER && serde_json::from_str::<serde_json::Value>(&record).is_err() {
            wrong.push("the earlier result is neither intact nor replaced".into());
        }
        tally.surprise(name, &wrong, &ended);
        Ok(ended)
    }

    /// As [`Bench::attempt`], without a check of the result. `release` is called when the output has ended,
    /// even if the kernel still blocks the program.
    ///
    /// # Errors
    /// Fails if the command cannot be started.
    pub fn carry_out(
        &self,
        command: &mut Command,
        bound: Duration,
        act: impl FnOnce(u32),
        release: impl FnOnce(),
    ) -> Result<Ended, Failure> {
        command.env("HOME", self.at("home")).env("TMPDIR", self.at("tmp"));
        ["XDG_DATA_HOME", "XDG_STATE_HOME", "DISKSPD_STORE"].iter().for_each(|name| {
            command.env_remove(name);
        });
        command.stdin(Stdio::null()).stdout(fs::File::create(self.at("out"))?);
        // A pipe: a limit of file sizes is not to hit the messages.
        let (mut messages, theirs) = std::io::pipe()?;
        command.stderr(theirs).process_group(0);
        let begin = Instant::now();
        let mut child = command.spawn()?;
        command.stderr(Stdio::null());
        let reader = std::thread::spawn(move || {
            let mut said = Vec::new();
            let _ = messages.read_to_end(&mut said);
            String::from_utf8_lossy(&said).into_owned()
        });
        act(child.id());
        let mut status = None;
        while status.is_none() && !reader.is_finished() && begin.elapsed() < bound {
            std::thread::sleep(Duration::from_millis(2));
            status = child.try_wait()?;
        }
        let took = begin.elapsed();
        let is_over = status.is_some() || reader.is_finished();
        release();
        if !is_over {
            end_group(child.id());
        }
        let status = child.wait()?;
        // Ends when the last process that holds the pipe has ended.
        let said = reader.join().unwrap_or_default();
        let (code, signal) = if is_over { (status.code(), status.signal()) } else { (None, None) };
        Ok(Ended { code, signal, said, took })
    }

    pub fn wrong(&self, ended: &Ended) -> Vec<String> {
        let mut wrong = Vec::new();
        match (ended.code, ended.signal) {
            (Some(0 | 3), _) => {}
            (Some(1 | 2), _) if ended.said.lines().any(|line| line.contains("ERROR")) => {}
            // The message itself could not be written.
            (Some(1 | 2), _) if self.lost_message() => {}
            (Some(1 | 2), _) => wrong.push("failed without a message".into()),
            (Some(code), _) => wrong.push(format!("exit code {code}")),
            (None, Some(signal)) => wrong.push(format!("killed by signal {signal}")),
            (None, None) => wrong.push(format!("not over after {:.0} s", ended.took.as_secs_f64())),
        }
        // What the standard library does of itself, at answers that the kernel never gives, can't be helped.
        if (ended.said.contains("panicked at") || ended.said.contains("defect of this program"))
            && !ended.said.contains("panicked at /rustc/")
        {
            wrong.push("a panic".into());
        }
        wrong
    }

    pub fn left_over(&self, before: &BTreeSet<PathBuf>, said: &str) -> Vec<String> {
        let known = |file: &PathBuf| {
            let name = file.file_name().unwrap_or_default().to_string_lossy();
            // `--per-host` names hosts behind a dot.
            KNOWN.contains(&&*name)
                || name.split_once('.').is_some_and(|(file, _)| PER_HOST.contains(&file))
                || file.starts_with(self.at("home"))
                || said.contains(&format!("kept as {}", file.display()))
        };
        let left = files(self.place.path()).into_iter().filter(|file| !before.contains(file) && !known(file));
        left.map(|file| format!("'{}' is not removed", file.display())).collect()
    }
}

/// Kills a process and its descendants by a system call, because kill(1) of procps 4.0.2 parses only the
/// first digit of `-12345`, and -1 means all processes.
fn end_group(leader: u32) {
    if let Some(leader) = i32::try_from(leader).ok().and_then(Pid::from_raw) {
        let _ = kill_process_group(leader, Signal::KILL);
    }
}

pub fn files(folder: &Path) -> BTreeSet<PathBuf> {
    let mut found = BTreeSet::new();
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        match entry.file_type().is_ok_and(|kind| kind.is_dir()) {
            true => found.extend(files(&entry.path())),
            false => drop(found.insert(entry.path())),
        }
    }
    found
}
