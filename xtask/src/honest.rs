//! Honest runs with `--verify`: any reported error is a false alarm, and a defect.
//!
//! Every engine does a number of runs in every cache mode, each in another place and with another workload
//! than the previous one. Every second run is killed in its midst, and its journal's acknowledged writes
//! are read back.

mod places;
mod ways;

use crate::harness::{Arguments, Failure, table};
use places::Location;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use ways::WAYS;

const MAX_RUN_TIME: Duration = Duration::from_secs(120);
const JOURNAL: u64 = 20_000;
const LIFE: Duration = Duration::from_millis(1500);

pub fn main(arguments: &mut Arguments) -> Result<(), Failure> {
    let rounds: usize = arguments.number("--rounds", 50)?;
    let below = arguments.directory()?;
    let only = arguments.value("--only")?.unwrap_or_default();
    let place = arguments.value("--place")?.unwrap_or_default();
    let markdown = arguments.flag("--markdown");
    let diskspd = arguments.program()?;
    arguments.finish()?;
    let directory = tempfile::tempdir_in(below)?;
    let places = places::all(directory.path(), &place)?;
    println!("places: {}", places.iter().map(|place| place.name).collect::<Vec<_>>().join(", "));
    let ways: Vec<usize> = (0..WAYS.len()).filter(|way| WAYS[*way].contains(only.as_str())).collect();
    let tallies: Mutex<Vec<Tally>> = Mutex::new(vec![Tally::default(); WAYS.len()]);
    let began = Instant::now();
    // Each place has a thread of its own: nobody else writes there, and all CPUs are busy.
    std::thread::scope(|scope| {
        for (number, place) in places.iter().enumerate() {
            let (tallies, ways, diskspd, places) = (&tallies, &ways, &diskspd, &places);
            scope.spawn(move || {
                for round in 0..rounds {
                    for way in ways.iter().filter(|way| ways::place_of(places, **way, round) == Some(number))
                    {
                        let run = HonestRun::new(place, *way, round);
                        let found = run.carry_out(diskspd).unwrap_or_else(|why| Tally::unable(&why));
                        report_run(&run, &found);
                        if let Ok(mut tallies) = tallies.lock() {
                            tallies[*way].add(found);
                        }
                    }
                }
            });
        }
    });
    let tallies = tallies.into_inner().map_err(|_| "a thread has panicked")?;
    print(&tallies, began.elapsed(), markdown);
    let (alarms, unable) = tallies
        .iter()
        .fold((0, 0), |(alarms, unable), tally| (alarms + tally.alarms.len(), unable + tally.unable.len()));
    match (alarms, unable) {
        (0, 0) => Ok(()),
        _ => Err(format!("{alarms} false alarms, {unable} runs that failed to start").into()),
    }
}

#[derive(Debug, Clone, Default)]
struct Tally {
    runs: u64,
    killed: u64,
    read_back: u64,
    verified: u64,
    undecided: u64,
    alarms: Vec<String>,
    unable: Vec<String>,
}

impl Tally {
    fn unable(why: &Failure) -> Tally {
        Tally { unable: vec![why.to_string()], ..Tally::default() }
    }

    fn add(&mut self, other: Tally) {
        self.runs += other.runs;
        self.killed += other.killed;
        self.read_back += other.read_back;
        self.verified += other.verified;
        self.undecided += other.undecided;
        self.alarms.extend(other.alarms);
        self.unable.extend(other.unable);
    }
}

fn report_run(run: &HonestRun, found: &Tally) {
    for (what, said) in found
        .alarms
        .iter()
        .map(|said| ("ALARM", said))
        .chain(found.unable.iter().map(|said| ("NOT RUN", said)))
    {
        println!("{what} on {}: diskspd {}\n{said}", run.place.name, run.words.join(" "));
    }
}

fn print(tallies: &[Tally], took: Duration, markdown: bool) {
    let mut all = Tally::default();
    let row = |name: &str, tally: &Tally| {
        let counts = [tally.runs, tally.killed, tally.read_back, tally.verified, tally.undecided];
        let alarms = tally.alarms.len().to_string();
        let each = counts.iter().map(u64::to_string);
        std::iter::once(name.to_owned()).chain(each).chain([alarms]).collect::<Vec<String>>()
    };
    let mut rows = Vec::new();
    for (way, tally) in WAYS.iter().zip(tallies).filter(|(_, tally)| tally.runs > 0) {
        rows.push(row(way, tally));
        all.add(tally.clone());
    }
    rows.push(row("all", &all));
    let head =
        ["engine and caches", "runs", "killed", "read back", "sectors verified", "undecided", "alarms"];
    table::print(&head, &rows, markdown);
    println!("{:.0} s", took.as_secs_f64());
}

/// Run without any defect.
struct HonestRun<'a> {
    place: &'a Location,
    words: Vec<String>,
    has_journal: bool,
    is_killed: bool,
}

impl<'a> HonestRun<'a> {
    fn new(place: &'a Location, way: usize, round: usize) -> HonestRun<'a> {
        // Half of the runs of each way in each place are killed.
        let second = (round / 2 + way) % 2 == 1;
        let (mut words, has_journal) = ways::words(place, way, round, second);
        let is_killed = second && has_journal;
        let journal = place.journal.display();
        // Short, but long enough for every place to be written several times.
        let long = if is_killed { "-d60".to_owned() } else { "-d4 --until-written 6x".to_owned() };
        let kept = if has_journal { format!("--journal {journal}") } else { String::new() };
        let more = format!("-f{} -W0 {long} --verify {kept}", place.bytes);
        words.extend(more.split_ascii_whitespace().map(str::to_owned));
        words.push(place.target.display().to_string());
        HonestRun { place, words, has_journal, is_killed }
    }

    fn carry_out(&self, diskspd: &Path) -> Result<Tally, Failure> {
        let _ = std::fs::remove_file(&self.place.journal);
        let said = self.run(diskspd)?;
        let mut tally = Tally { runs: 1, killed: self.is_killed.into(), ..Tally::default() };
        let (text, errors) = (String::from_utf8_lossy(&said.stdout), String::from_utf8_lossy(&said.stderr));
        match said.status.code() {
            Some(0) => add_report(&mut tally, &text),
            Some(4) => tally.alarms.push(format!("{text}{errors}")),
            None if self.is_killed => {}
            code => return Err(format!("it ended with {code:?}: {errors}").into()),
        }
        if self.has_journal {
            let back = Command::new(diskspd).arg("verify-after").arg(&self.place.journal).output()?;
            let (text, errors) =
                (String::from_utf8_lossy(&back.stdout), String::from_utf8_lossy(&back.stderr));
            match back.status.code() {
                // Killed before anything was durable.
                Some(0 | 2) => add_read_back(&mut tally, &text),
                Some(4) => tally.alarms.push(format!("{text}{errors}")),
                code => return Err(format!("verify-after ended with {code:?}: {errors}").into()),
            }
        }
        Ok(tally)
    }

    /// Runs it to its end, or to that which it gets.
    fn run(&self, diskspd: &Path) -> Result<Output, Failure> {
        let mut child = Command::new(diskspd)
            .args(&self.words)
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()?;
        let began = Instant::now();
        let (mut begun, mut grown) = (None, None);
        while child.try_wait()?.is_none() {
            let lives = began.elapsed();
            let bytes = std::fs::metadata(&self.place.journal).map_or(0, |journal| journal.len());
            if bytes > 0 {
                begun.get_or_insert(lives);
            }
            if bytes >= JOURNAL {
                grown.get_or_insert(lives);
            }
            // Not always at the same point of what it does.
            let enough = grown.is_some_and(|since| lives > since + Duration::from_millis(bytes % 97));
            let lived = begun.is_some_and(|since| lives > since + LIFE);
            if lives > MAX_RUN_TIME || self.is_killed && (enough || lived) {
                child.kill()?;
                break;
            }
            std::thread::sleep(Duration::from_millis(3));
        }
        let ended = child.wait_with_output()?;
        match began.elapsed() > MAX_RUN_TIME {
            true => Err(format!("it did not end in {} s", MAX_RUN_TIME.as_secs()).into()),
            false => Ok(ended),
        }
    }
}

/// Adds the verified sectors of a report.
fn add_report(tally: &mut Tally, text: &str) {
    let Some((_, section)) = text.split_once("\nVerified sectors of timespan 1:") else { return };
    let row =
        section.lines().find(|line| line.trim_start().starts_with(|first: char| first.is_ascii_digit()));
    let cells: Vec<u64> =
        row.into_iter().flat_map(|row| row.split('|')).filter_map(|cell| cell.trim().parse().ok()).collect();
    tally.verified += cells.get(1).unwrap_or(&0);
    tally.undecided += cells.get(3).unwrap_or(&0);
}

fn add_read_back(tally: &mut Tally, text: &str) {
    let number = |name: &str| {
        let line = text.lines().find_map(|line| line.trim_start().strip_prefix(name));
        let number = line.and_then(|line| line.trim_start().split([' ', ',']).next()?.parse::<u64>().ok());
        number.unwrap_or(0)
    };
    tally.read_back += u64::from(number("verified:") > 0);
    tally.verified += number("verified:");
    tally.undecided += number("undecided:");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_parsed_from_program_output() {
        let mut tally = Tally::default();
        let head = "x\n\nVerified sectors of timespan 1:\n***\n\n stamped | verified |\n----\n";
        add_report(&mut tally, &format!("{head}   10 |   20 |   30 |   40 |   50 |   0 |  a.dat\n"));
        add_read_back(
            &mut tally,
            "\n'a': 3 places\n  verified:  5 sectors, 0 newer\n  undecided: 7, mixtures\n",
        );
        assert_eq!((tally.verified, tally.undecided, tally.read_back), (25, 47, 1));
    }
}
