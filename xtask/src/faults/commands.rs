//! Outputs of every command at forbidden or impossible places: full and read-only file systems, folders,
//! files in use or of another user. Existing content stays, unless the requested file replaces it
//! atomically.

use super::ended::Ended;
use super::{Bench, Tally};
use crate::harness::{Failure, Undo, tool};
use std::fs;
use std::io::Read;
use std::os::unix::fs::{PermissionsExt, lchown, symlink};
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::time::Instant;
use writing_lines::{OUTPUTS, PREPARING, words};

#[path = "../../../tests/common/writing_lines.rs"]
pub mod writing_lines;

const TELLING: &[&str] = &[
    "history list --store store",
    "history export --store store",
    "history export --jsonl --store store",
    "history show a --store store",
    "history trend --store store",
    "report a.json",
    "compare a.json b.json",
    "merge a.json b.json",
    "trace --from log.csv",
    "sweep -o1..2 SIM",
    "verify-after journal",
    "precondition t.dat --standard custom --round 1 -- --engine sim -c1M -w100 -g100i",
    "devices",
    "doctor",
    "man sweep",
    "help",
];

const EARLIER: &str = "{\"earlier\": true}\n";
/// A user who is not root.
const NOBODY_UID: u32 = 65534;

/// Runs all commands in all of these places.
pub fn commands(bench: &Bench) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    bench.fresh()?;
    let stage = Stage::new(bench)?;
    for (_, _, line) in OUTPUTS {
        for spot in &stage.spots {
            if Instant::now() >= bench.until {
                return Ok(tally);
            }
            stage.write(line, spot, &mut tally)?;
        }
    }
    for line in TELLING {
        stage.report_line(line, &mut tally)?;
    }
    Ok(tally)
}

#[derive(Clone, Copy, PartialEq)]
enum Outcome {
    Written,
    /// The command is refused, or fails, with a message.
    Refused,
    /// Either outcome, because there may be space, or nothing to write.
    Either,
}

struct OutputSpot {
    name: &'static str,
    file: PathBuf,
    comes: Outcome,
    /// Whether a file with [`EARLIER`] exists.
    has_earlier: bool,
}

struct Stage<'a> {
    bench: &'a Bench,
    spots: Vec<OutputSpot>,
    holder: Option<Child>,
    mounts: Undo,
}

impl<'a> Stage<'a> {
    fn new(bench: &'a Bench) -> Result<Stage<'a>, Failure> {
        let work = bench.at("work");
        fs::create_dir(&work)?;
        fs::write(work.join("t.dat"), vec![7; 1 << 20])?;
        let mut stage = Stage { bench, spots: Vec::new(), holder: None, mounts: Undo::default() };
        for line in PREPARING {
            let ended = stage.run(line, "")?;
            if ended.code != Some(0) {
                return Err(format!("{line}: {}", ended.said).into());
            }
        }
        stage.add("an earlier file", "earlier", Outcome::Written, true)?;
        stage.add("a missing folder", "nowhere/file", Outcome::Refused, false)?;
        fs::create_dir(work.join("folder"))?;
        stage.add("a folder", "folder", Outcome::Refused, false)?;
        symlink("circle", work.join("circle"))?;
        stage.add("a link to itself", "circle", Outcome::Refused, false)?;
        symlink("/dev/full", work.join("full-device"))?;
        stage.add("a device that is full", "full-device", Outcome::Either, false)?;
        stage.add("a file in use", "locked", Outcome::Refused, true)?;
        stage.holder = stage.lock("locked")?;
        if !rustix::process::geteuid().is_root() {
            println!("commands: file systems and users are left out, they take root");
            return Ok(stage);
        }
        stage.shared()?;
        stage.mount("full", "size=64k")?;
        stage.add("a full disk", "full/file", Outcome::Either, true)?;
        // Until nothing fits any more.
        let _ = fs::write(work.join("full/filler"), vec![7; 128 << 10]);
        stage.mount("narrow", "size=8k")?;
        stage.add("a disk with hardly any room", "narrow/file", Outcome::Either, true)?;
        stage.mount("still", "size=64k")?;
        stage.add("a file system that is read-only", "still/file", Outcome::Refused, true)?;
        tool(&["mount", "-o", "remount,ro", &work.join("still").to_string_lossy()])?;
        Ok(stage)
    }

    fn add(
        &mut self,
        name: &'static str,
        file: &str,
        comes: Outcome,
        has_earlier: bool,
    ) -> Result<(), Failure> {
        let file = self.bench.at("work").join(file);
        if has_earlier {
            fs::write(&file, EARLIER)?;
        }
        self.spots.push(OutputSpot { name, file, comes, has_earlier });
        Ok(())
    }

    fn shared(&mut self) -> Result<(), Failure> {
        let shared = self.bench.at("work/shared");
        fs::create_dir(&shared)?;
        fs::set_permissions(&shared, PermissionsExt::from_mode(0o1777))?;
        self.add("another user's file in a shared folder", "shared/file", Outcome::Refused, true)?;
        fs::set_permissions(shared.join("file"), PermissionsExt::from_mode(0o666))?;
        Ok(lchown(shared.join("file"), Some(NOBODY_UID), Some(NOBODY_UID))?)
    }

    fn mount(&mut self, name: &str, options: &str) -> Result<(), Failure> {
        let at = self.bench.at("work").join(name);
        fs::create_dir(&at)?;
        let at = at.to_string_lossy();
        tool(&["mount", "-t", "tmpfs", "-o", options, "faults", &at])?;
        self.mounts.push(&["umount", &at]);
        Ok(())
    }

    /// Starts a process that locks a file.
    fn lock(&self, name: &str) -> Result<Option<Child>, Failure> {
        let mut command = Command::new("flock");
        command.arg(self.bench.at("work").join(name)).args(["sh", "-c", "echo locked; exec cat"]);
        let mut holder = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let mut said = [0; 7];
        holder.stdout.as_mut().ok_or("no output")?.read_exact(&mut said)?;
        Ok(Some(holder))
    }

    fn command(&self, line: &str, file: &str) -> Command {
        let mut command = Command::new(&self.bench.program);
        command.args(words(line, file)).current_dir(self.bench.at("work"));
        command
    }

    fn run(&self, line: &str, file: &str) -> Result<Ended, Failure> {
        self.bench.attempt(line, &mut self.command(line, file), &mut Tally::default(), |_| ())
    }

    fn write(&self, line: &str, spot: &OutputSpot, tally: &mut Tally) -> Result<(), Failure> {
        let _ = fs::remove_file(self.bench.at("work/new.dat"));
        let name = format!("{} as output: {line}", spot.name);
        let file = spot.file.to_string_lossy();
        let ended = self.bench.attempt(&name, &mut self.command(line, &file), tally, |_| ())?;
        tally.met += 1;
        let mut wrong = Vec::new();
        let comes = match spot.comes {
            // A journal holds one run.
            Outcome::Written | Outcome::Either if line.contains("--journal") && spot.has_earlier => {
                Outcome::Refused
            }
            // A simulated run has no line to stream.
            Outcome::Written if line.contains("--stream") => Outcome::Either,
            comes => comes,
        };
        match (comes, ended.code) {
            (Outcome::Written, Some(0)) | (Outcome::Either, _) => {}
            (Outcome::Written, _) => wrong.push("it was not written".to_owned()),
            (Outcome::Refused, _) if ended.failed() => {}
            (Outcome::Refused, _) => wrong.push("it was not refused".to_owned()),
        }
        // A log is written while the run goes on; one that is cut off says so.
        let is_all_or_nothing = !line.contains("--io-log") || !ended.said.contains("is incomplete");
        let failed = comes == Outcome::Refused || ended.code != Some(0) && is_all_or_nothing;
        let has_to_be = spot.has_earlier && failed;
        if has_to_be && !fs::read_to_string(&spot.file).is_ok_and(|text| text == EARLIER) {
            wrong.push("the earlier file has changed".to_owned());
        }
        tally.surprise(&name, &wrong, &ended);
        if spot.has_earlier && comes != Outcome::Refused {
            // For the next one.
            let _ = fs::remove_file(&spot.file);
            let _ = fs::write(&spot.file, EARLIER);
        }
        Ok(())
    }

    fn report_line(&self, line: &str, tally: &mut Tally) -> Result<(), Failure> {
        let words: Vec<String> = words(line, "").iter().map(|word| format!("'{word}'")).collect();
        let script = format!("'{}' {} >/dev/full", self.bench.program.display(), words.join(" "));
        let name = format!("standard output is full: {line}");
        let mut command = Command::new("sh");
        command.args(["-c", &script]).current_dir(self.bench.at("work"));
        let ended = self.bench.attempt(&name, &mut command, tally, |_| ())?;
        tally.met += 1;
        if !ended.failed() {
            tally.surprise(&name, &["it did not fail".to_owned()], &ended);
        }
        Ok(())
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        if let Some(holder) = &mut self.holder {
            drop(holder.stdin.take());
            let _ = holder.wait();
        }
    }
}
