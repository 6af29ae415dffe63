//! Programs killed (`kill -9`) at any moment during changes of a history or during runs. Existing content
//! stays unchanged, without partial files or accumulating leftovers.

use super::commands::writing_lines::words;
use super::verdict::files;
use super::{Bench, Tally};
use crate::harness::{Failure, Random};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

const CHANGES: &[&str] = &[
    "--save=new --store {} RUN",
    "--save --store {} -w30 RUN",
    "history tag ID one two --store {}",
    "history untag ID one --store {}",
    "history label ID other --store {}",
    "history pin ID --store {}",
    "history unpin ID --store {}",
    "history remove ID --store {}",
    "history import extra.json --label more --store {}",
    "history reindex --store {}",
    "compare --repeat 2 --save --store {} -- -o1 OPTIONS :: -o2 SIM",
];
/// Run whose outputs already exist.
const RUN: &str = "-b4K -o4 -w50 -L -W0 -d1 --until-read 8M --out {}/run.json --stream {}/stream.jsonl \
                   --io-log {}/log.csv {}/target.dat";
const INDEX: &str = "index.sqlite";
const JOURNAL: &str = "index.sqlite-journal";
const DRAFT_LIFE: Duration = Duration::from_secs(12);
const RUNS: usize = 5;
const TURN: usize = 6;

pub fn kills(bench: &Bench) -> Result<Tally, Failure> {
    let mut tally = Tally::default();
    bench.fresh()?;
    let mut history = History::new(bench)?;
    for number in 0..bench.kills {
        if Instant::now() >= bench.until {
            break;
        }
        match number % TURN {
            0 => run(bench, &mut history.random, &mut tally)?,
            _ => history.attempt(&mut tally)?,
        }
    }
    std::thread::sleep(DRAFT_LIFE);
    history.goes_well("--save=last --store {} RUN")?;
    let drafts = history.stored_files()?.into_keys().filter(|name| is_draft(name));
    let journal = history.store().join(JOURNAL).exists().then(|| JOURNAL.to_owned());
    tally.surprises.extend(drafts.chain(journal).map(|name| format!("'{name}' stays behind")));
    Ok(tally)
}

/// Kills a run: its earlier output must be intact or replaced, without temporary files.
fn run(bench: &Bench, random: &mut Random, tally: &mut Tally) -> Result<(), Failure> {
    let before = files(bench.place.path());
    let delay = Duration::from_millis(random.below(500) as u64);
    let mut command = Command::new(&bench.program);
    command.args(bench.words(RUN)).env("TMPDIR", bench.at("tmp"));
    let killed = killed_after(&mut command, delay)?;
    tally.attempts += 1;
    tally.met += usize::from(killed.status.code().is_none());
    let mut wrong = bench.left_over(&before, "");
    let record = fs::read(bench.at("run.json"))?;
    if serde_json::from_slice::<serde_json::Value>(&record).is_err() {
        wrong.push("the earlier result is neither intact nor replaced".into());
    }
    let name = format!("killed after {} ms: {RUN}", delay.as_millis());
    tally.surprises.extend(wrong.iter().map(|wrong| format!("{name}: {wrong}")));
    Ok(())
}

/// Runs a command, and kills it after a time.
fn killed_after(command: &mut Command, delay: Duration) -> Result<Output, Failure> {
    let mut child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn()?;
    std::thread::sleep(delay);
    let _ = child.kill();
    Ok(child.wait_with_output()?)
}

type StoredFiles = BTreeMap<String, Vec<u8>>;

/// History that is changed by killed programs.
struct History<'a> {
    bench: &'a Bench,
    random: Random,
    /// Duration of a change of a run, and of storing one.
    change: Duration,
    save: Duration,
}

impl<'a> History<'a> {
    fn new(bench: &'a Bench) -> Result<History<'a>, Failure> {
        let random = Random(0x9e37_79b9_7f4a_7c15);
        let mut history = History { bench, random, change: Duration::ZERO, save: Duration::ZERO };
        fs::create_dir(bench.at("work"))?;
        fs::write(bench.at("work/t.dat"), vec![7; 1 << 20])?;
        history.goes_well("--out extra.json -o7 RUN")?;
        (0..RUNS).try_for_each(|_| history.goes_well("--save=old --store {} RUN"))?;
        let began = Instant::now();
        history.goes_well("--save=old --store {} RUN")?;
        history.save = began.elapsed();
        history.goes_well("history reindex --store {}")?;
        history.change = began.elapsed() - history.save;
        Ok(history)
    }

    fn store(&self) -> PathBuf {
        self.bench.at("work/store")
    }

    fn command(&self, line: &str) -> Command {
        let mut command = Command::new(&self.bench.program);
        command.args(words(line, &self.store().to_string_lossy())).current_dir(self.bench.at("work"));
        command.env("TMPDIR", self.bench.at("tmp")).env("HOME", self.bench.at("home"));
        command
    }

    fn goes_well(&self, line: &str) -> Result<(), Failure> {
        let ended = self.command(line).output()?;
        match ended.status.success() {
            true => Ok(()),
            false => Err(format!("{line}: {}", String::from_utf8_lossy(&ended.stderr)).into()),
        }
    }

    fn stored_files(&self) -> Result<StoredFiles, Failure> {
        let mut kept = StoredFiles::new();
        for entry in fs::read_dir(self.store().join("runs"))? {
            let entry = entry?;
            kept.insert(entry.file_name().to_string_lossy().into_owned(), fs::read(entry.path())?);
        }
        Ok(kept)
    }

    fn attempt(&mut self, tally: &mut Tally) -> Result<(), Failure> {
        let mut before = self.stored_files()?;
        while ids(&before).len() < RUNS {
            self.goes_well("--save=old --store {} RUN")?;
            before = self.stored_files()?;
        }
        let ids: Vec<String> = ids(&before).into_iter().collect();
        let id = &ids[self.random.below(ids.len())];
        let line = CHANGES[self.random.below(CHANGES.len())].replace("ID", id);
        let longest = if line.contains("history") { self.change } else { self.save };
        let delay = Duration::from_micros(self.random.below(longest.as_micros() as usize) as u64);
        let killed = killed_after(&mut self.command(&line), delay)?;
        tally.attempts += 1;
        tally.met += usize::from(killed.status.code().is_none());
        let wrong = self.wrong(&line, id, &before, &String::from_utf8_lossy(&killed.stderr))?;
        let name = format!("killed after {} µs: {line}", delay.as_micros());
        tally.surprises.extend(wrong.iter().map(|wrong| format!("{name}: {wrong}")));
        Ok(())
    }

    fn wrong(&self, line: &str, id: &str, before: &StoredFiles, said: &str) -> Result<Vec<String>, Failure> {
        let mut wrong = Vec::new();
        let export = self.command("history export --jsonl --store {}").output()?;
        if !export.status.success() {
            wrong.push(format!("it cannot be listed: {}", String::from_utf8_lossy(&export.stderr).trim()));
        }
        let after = self.stored_files()?;
        let is_meant = |name: &str| line.contains("history") && name.starts_with(id);
        let is_removed = line.contains("remove") && !after.contains_key(&format!("{id}.json.gz"));
        for (name, content) in before {
            match after.get(name) {
                Some(now) if now == content => {}
                Some(now) if is_meant(name) && name.ends_with(".about.json") && is_json(now) => {}
                None if is_removed && is_meant(name) => {}
                Some(_) => wrong.push(format!("'{name}' has changed")),
                None => wrong.push(format!("'{name}' is gone")),
            }
        }
        let (there, listed) = (ids(&after), listed(&export.stdout));
        if there != listed {
            wrong.push(format!("there are {there:?}, listed are {listed:?}"));
        }
        for name in after.keys().filter(|name| !before.contains_key(*name)) {
            match name.split_once('.') {
                Some((new, "about.json")) if there.contains(new) => {}
                Some((new, "json.gz")) => {
                    let read = self.command(&format!("report @{new} --store {{}}")).output()?;
                    if !read.status.success() {
                        wrong.push(format!(
                            "'{new}' cannot be read: {}",
                            String::from_utf8_lossy(&read.stderr)
                        ));
                    }
                }
                // What hasn't taken its place is removed when nobody can be working on it any more.
                _ if is_draft(name) => {}
                _ => wrong.push(format!("'{name}' is not removed")),
            }
        }
        let told = said.lines().filter_map(|line| line.strip_prefix("kept as @")?.split(',').next());
        wrong.extend(told.filter(|id| !there.contains(*id)).map(|id| format!("{id} was reported as kept")));
        let known = |file: &PathBuf| {
            file.starts_with(self.store().join("runs"))
                || [INDEX, JOURNAL].iter().any(|name| *file == self.store().join(name))
        };
        let beside = files(&self.store()).into_iter().chain(files(&self.bench.at("tmp")));
        wrong.extend(
            beside
                .filter(|file| !known(file))
                .map(|file| format!("unexpected file '{}' after the kill", file.display())),
        );
        Ok(wrong)
    }
}

/// Returns the runs with a record.
fn ids(kept: &StoredFiles) -> BTreeSet<String> {
    kept.keys().filter_map(|name| name.strip_suffix(".json.gz")).map(str::to_owned).collect()
}

/// Whether a file's name contains the random digits of an unplaced file.
fn is_draft(name: &str) -> bool {
    name.split('.').any(|part| part.len() == 16 && part.bytes().all(|digit| digit.is_ascii_hexdigit()))
}

fn listed(export: &[u8]) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(export);
    let id = |line: &str| {
        let run: serde_json::Value = serde_json::from_str(line).ok()?;
        Some(run.get("id")?.as_str()?.to_owned())
    };
    text.lines().filter_map(id).collect()
}

fn is_json(bytes: &[u8]) -> bool {
    serde_json::from_slice::<serde_json::Value>(bytes).is_ok()
}
