//! `--verify`: staged damage is found with its correct name, and intact data raises no alarm. In a sector
//! (docs/reference/integrity.md) the version is the number at byte 24.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, clippy::type_complexity)]

use crate::common::in_process::{profile_and_options, requested};
use crate::common::{directory, directory_with, side_by_side, skip};
use diskspd::cli::{self, Invocation, Journals};
use diskspd::integrity::journal::{JournalContent, Mixing, format};
use diskspd::integrity::{Power, TargetReadBack, read_back};
use diskspd::prelude::*;
use diskspd::profile::{RawText, VerifyMode, validate};
use diskspd::report::text;
use diskspd::report_formats::VerdictForm;
use diskspd::report_formats::format_named;
use diskspd::results::{IntegrityResults, SectorState};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

const SECTOR: usize = 512;
/// Size of a write in bytes. Each area of this size has one version.
const PLACE: usize = 16384;
const PLACES: usize = 16;

struct Between<F>(Mutex<F>);

impl<F: FnMut() + Send> RunObserver for Between<F> {
    fn time_span_ended(&self, _: &Record) {
        (self.0.lock().unwrap())();
    }
}

/// Runs a line on a file with a time span for each of `writes` (shares of writes in percent).
fn run_spans(
    line: &str,
    file: &Path,
    writes: &[u32],
    journal: Option<PathBuf>,
    between: impl FnMut() + Send + 'static,
) -> Record {
    let (mut profile, run_options) = profile_and_options(&format!("{line} {}", file.display()));
    let span = profile.time_spans.remove(0);
    for &write_ratio in writes {
        let mut span = span.clone();
        span.targets.iter_mut().for_each(|target| target.write_ratio = write_ratio);
        profile.time_spans.push(span);
    }
    let listener = Arc::new(Between(Mutex::new(between)));
    let session = Session { listener, ..Session::from(Options { journal, ..Options::default() }) };
    let executed = execute(&profile, &run_options, &session).unwrap_or_else(|why| panic!("{line}: {why}"));
    assert!(executed.failures.is_empty() && executed.troubles.is_empty(), "{line}: {executed:?}");
    executed.record
}

/// Returns the verification results of a time span.
fn verified(record: &Record, span: usize) -> IntegrityResults {
    let threads = &record.host().results.time_spans[span].threads;
    let mut all = IntegrityResults::default();
    let found =
        threads.iter().flat_map(|thread| &thread.targets).filter_map(|target| target.integrity.clone());
    found.for_each(|found| all.add_thread(*found));
    all
}

fn version(sector: &[u8]) -> u64 {
    u64::from_le_bytes(sector[24..32].try_into().unwrap())
}

struct History {
    directory: tempfile::TempDir,
    states: Vec<Vec<u8>>,
    journal: JournalContent,
    /// Whether the machine kept its power.
    power: Power,
}

impl History {
    fn new() -> History {
        // A machine that is busy may begin to count so late that the last time span has written every place more
        // than once by then: what is damaged below has to be written once more, so another one is made.
        (0..50).map(|_| History::made()).find(|history| history.find_written_once().is_some()).unwrap()
    }

    fn made() -> History {
        let directory = directory();
        let (file, journal) = (directory.path().join("data"), directory.path().join("journal"));
        std::fs::write(&file, vec![0xee; PLACES * PLACE]).unwrap();
        let states = Arc::new(Mutex::new(Vec::new()));
        let (kept, at) = (Arc::clone(&states), file.clone());
        // So slowly that the last time span writes some places only once more.
        let line = "-b16K -s -o1 -W0 -d20 -g150i -Sw --verify --until-written 1x";
        run_spans(line, &file, &[100, 100, 100], Some(journal.clone()), move || {
            kept.lock().unwrap().push(std::fs::read(&at).unwrap());
        });
        let mut states = std::mem::take(&mut *states.lock().unwrap());
        states.push(std::fs::read(&file).unwrap());
        let journal = format::read(std::fs::File::open(journal).unwrap()).unwrap();
        assert!(journal.has_ended && journal.broken == 0 && journal.acknowledged.len() == PLACES);
        History { directory, states, journal, power: Power::Held }
    }

    fn found(&self, content: &[u8]) -> TargetReadBack {
        let file = self.directory.path().join("data");
        std::fs::write(&file, content).unwrap();
        read_back(&self.journal, &self.journal.targets[&0], &file, self.power).unwrap()
    }

    /// Returns a place that the last time span wrote once.
    fn written_once(&self) -> usize {
        self.find_written_once().unwrap()
    }

    fn find_written_once(&self) -> Option<usize> {
        let at = |state: usize, place: usize| version(&self.states[state][place * PLACE..]);
        let told = |place: usize| self.journal.acknowledged[&(0, (place * PLACE) as u64)].oldest;
        let once = |place: &usize| at(2, *place) == at(1, *place) + 1 && told(*place) == at(2, *place);
        (1..PLACES - 1).find(once)
    }
}

#[test]
fn damage_after_a_run_is_found_by_its_journal() {
    let history = History::new();
    let [first, second, last] = &history.states[..] else { panic!() };
    let place = history.written_once() * PLACE;
    let damaged = |damage: &dyn Fn(&mut Vec<u8>)| {
        let mut content = last.clone();
        damage(&mut content);
        history.found(&content)
    };
    let intact = damaged(&|_| ());
    assert_eq!(
        (intact.units, intact.results.counts.verified),
        (PLACES as u64, (PLACES * PLACE / SECTOR) as u64)
    );
    assert!(intact.results.counts.failed.is_empty() && intact.newer == 0);
    let of = |from: &[u8], sectors: usize| -> Vec<u8> { from[place..place + sectors * SECTOR].to_vec() };
    let put = |bytes: Vec<u8>| {
        move |content: &mut Vec<u8>| content[place..place + bytes.len()].copy_from_slice(&bytes)
    };
    let whole = PLACE / SECTOR;
    let cases: [(&str, Box<dyn Fn(&mut Vec<u8>)>, SectorState, u64); 9] = [
        ("a bit", Box::new(|content| content[place + 700] ^= 8), SectorState::Corrupt, 1),
        (
            "two sectors swapped",
            Box::new(|content| {
                let (front, back) = content.split_at_mut(place + PLACE);
                front[place..place + SECTOR].swap_with_slice(&mut back[..SECTOR]);
            }),
            SectorState::Misplaced,
            2,
        ),
        ("an old version", Box::new(put(of(first, whole))), SectorState::Stale, whole as u64),
        ("a write dropped", Box::new(put(of(second, whole))), SectorState::Lost, whole as u64),
        ("half a write", Box::new(put(of(second, whole / 2))), SectorState::Torn, whole as u64 / 2),
        ("zeros", Box::new(put(vec![0; PLACE])), SectorState::Unwritten, whole as u64),
        ("something else", Box::new(put(vec![7; PLACE])), SectorState::Foreign, whole as u64),
        ("a stamp broken off", Box::new(put(vec![7; SECTOR / 2])), SectorState::Torn, 1),
        (
            "a short file",
            Box::new(|content| content.truncate(PLACES * PLACE - SECTOR)),
            SectorState::Unreadable,
            1,
        ),
    ];
    for (what, damage, fault, sectors) in cases {
        let found = damaged(&*damage).results;
        assert_eq!(found.counts.failed, BTreeMap::from([(fault, sectors)]), "{what}");
        let told = &found.failures[0];
        let moment = history.journal.acknowledged[&(0, told.offset / PLACE as u64 * PLACE as u64)].at_us;
        assert_eq!((told.fault, told.at_us), (fault, moment), "{what}");
    }
}

#[test]
fn destroyed_target_of_a_cut_run_is_damaged() {
    let mut history = History::new();
    history.journal.has_ended = false;
    history.journal.targets.values_mut().for_each(|target| target.mixing = Mixing::WhenCut);
    let [first, _, last] = history.states.clone().try_into().unwrap();
    let random: Vec<u8> = (0..last.len() as u64 / 8)
        .flat_map(|n| n.wrapping_mul(0x2545_F491_4F6C_DD1D).to_le_bytes())
        .collect();
    let sectors = (PLACES * PLACE / SECTOR) as u64;
    let half_of = |other: &[u8]| {
        let mut mixed = last.clone();
        mixed
            .chunks_mut(SECTOR)
            .zip(other.chunks(SECTOR))
            .for_each(|(to, from)| to[256..].copy_from_slice(&from[256..]));
        mixed
    };
    // A version that was begun and never acknowledged.
    let mut newer = last.clone();
    let acknowledged = version(&last);
    for (number, word) in (1u64..).zip(newer[56..SECTOR].chunks_mut(8)) {
        let step = 0x9E37_79B9_7F4A_7C15u64;
        let now = u64::from_le_bytes((&*word).try_into().unwrap()) ^ number.wrapping_mul(step);
        word.copy_from_slice(&(now.wrapping_add(step) ^ number.wrapping_mul(step)).to_le_bytes());
    }
    for power in [Power::Held, Power::Lost, Power::Unknown] {
        history.power = power;
        for (what, content, fault) in [
            ("zeros", vec![0; last.len()], SectorState::Unwritten),
            ("random", random.clone(), SectorState::Foreign),
            ("half of it zeros", half_of(&vec![0; last.len()]), SectorState::Corrupt),
            ("half of it random", half_of(&random), SectorState::Corrupt),
            ("half of it long replaced", half_of(&first), SectorState::Torn),
        ] {
            let counts = history.found(&content).results.counts;
            assert_eq!(counts.failed, BTreeMap::from([(fault, sectors)]), "{what} {counts:?}");
            assert_eq!(counts.undecided, 0, "{what}");
        }
        let mut mixed = last.clone();
        mixed[256..SECTOR].copy_from_slice(&newer[256..SECTOR]);
        let counts = history.found(&mixed).results.counts;
        let (undecided, torn) = if power == Power::Held { (0, 1) } else { (1, 0) };
        assert_eq!((counts.undecided, counts.wrong()), (undecided, torn), "{acknowledged} {counts:?}");
    }
}

#[test]
fn stamps_in_unwritten_places_are_damage() {
    let (_directory, file) = directory_with("data");
    std::fs::write(&file, vec![0xee; 2 * PLACES * PLACE]).unwrap();
    let at = file.clone();
    // The first time span writes the first half, the second one reads all.
    let (mut profile, run_options) =
        profile_and_options(&format!("-b16K -s -W0 -d1 -w100 --verify {}", file.display()));
    let mut second = profile.time_spans[0].clone();
    profile.time_spans[0].targets[0].max_file_size = (PLACES * PLACE) as u64;
    second.targets[0].write_ratio = 0;
    profile.time_spans.push(second);
    let diverted = 3;
    let listener = Arc::new(Between(Mutex::new(move || {
        let mut content = std::fs::read(&at).unwrap();
        content.copy_within(PLACE..PLACE + diverted * SECTOR, (PLACES + 5) * PLACE);
        std::fs::write(&at, content).unwrap();
    })));
    let record = execute(&profile, &run_options, &Session { listener, ..Session::default() }).unwrap().record;
    let found = verified(&record, 1);
    let faults: Vec<SectorState> = found.counts.failed.keys().copied().collect();
    assert_eq!(faults, [SectorState::Misplaced], "{found:?}");
    assert!(found.counts.wrong().is_multiple_of(diverted as u64) && found.counts.unknown > 0, "{found:?}");
    assert_eq!(found.failures[0].offset, ((PLACES + 5) * PLACE) as u64);
}

/// A journal never claims writes of a file that the run re-creates, whenever the run is killed.
#[test]
fn journal_forgets_file_before_it_is_created_again() {
    let directory = directory();
    let [file, journal, seen] = ["data", "journal", "seen"].map(|name| directory.path().join(name));
    let line = format!("-c512K -b16K -s -W0 -d60 -w100 -Sw --verify --until-written 1x {}", file.display());
    let (mut profile, run_options) = profile_and_options(&line);
    let mut second = profile.time_spans[0].clone();
    second.targets[0].file_size = Some(1 << 20);
    profile.time_spans.push(second);
    let immutable = |flag: &str| {
        let changed = std::process::Command::new("chattr").arg(flag).arg(&file).status();
        changed.is_ok_and(|status| status.success())
    };
    std::fs::write(&file, "").unwrap();
    if !immutable("+i") || !immutable("-i") {
        return skip("the file system has no immutable files (chattr +i), or root's rights are missing");
    }
    let (from, to, locked) = (journal.clone(), seen.clone(), file.clone());
    let listener = Arc::new(Between(Mutex::new(move || {
        std::fs::copy(&from, &to).unwrap();
        // The second time span cannot create its file.
        let _ = std::process::Command::new("chattr").arg("+i").arg(&locked).status();
    })));
    let options = Options { journal: Some(journal.clone()), ..Options::default() };
    let session = Session { listener, ..Session::from(options) };
    let ended = execute(&profile, &run_options, &session);
    assert!(immutable("-i"));
    assert_eq!(std::fs::metadata(&file).unwrap().len(), 512 << 10, "created again: {ended:?}");
    let read = |journal: &Path| format::read(std::fs::File::open(journal).unwrap()).unwrap();
    // What is still on its way to the journal isn't in the copy.
    assert!(!read(&seen).acknowledged.is_empty(), "the copy was taken before the run wrote");
    assert_eq!(read(&journal).acknowledged.len(), 0, "what was there before is not claimed any more");
}

#[test]
fn damage_is_found_during_the_run() {
    type Damage = fn(&mut Vec<u8>);
    let cases: [(&str, Damage, Option<(SectorState, u64)>); 4] = [
        ("-o1", |_| (), None),
        ("-o8", |content| content[5 * SECTOR + 400] ^= 1, Some((SectorState::Corrupt, 1))),
        ("-o2", |content| content[..PLACE].fill(0), Some((SectorState::Unwritten, 32))),
        ("-o4", |content| content.copy_within(..SECTOR, 40 * SECTOR), Some((SectorState::Misplaced, 1))),
    ];
    side_by_side(cases, |(options, damage, expected)| {
        let (_directory, file) = directory_with("data");
        std::fs::write(&file, vec![0xee; PLACES * PLACE]).unwrap();
        let at = file.clone();
        let line = format!("-b16K -s -W0 -d1 --verify {options}");
        let record = run_spans(&line, &file, &[100, 0], None, move || {
            let mut content = std::fs::read(&at).unwrap();
            damage(&mut content);
            std::fs::write(&at, content).unwrap();
        });
        let (first, found) = (verified(&record, 0), verified(&record, 1));
        assert!(first.counts.stamped >= (PLACES * PLACE / SECTOR) as u64 && first.counts.failed.is_empty());
        assert!(found.counts.verified > 0, "{options}: {found:?}");
        // The same sectors are read again and again.
        let faults: Vec<SectorState> = found.counts.failed.keys().copied().collect();
        assert_eq!(faults, expected.map(|(fault, _)| fault).into_iter().collect::<Vec<_>>(), "{options}");
        assert!(
            expected.is_none_or(|(_, sectors)| found.counts.wrong().is_multiple_of(sectors)),
            "{found:?}"
        );
        let report = String::from_utf8(text::text(&record)).unwrap();
        let (_, section) = report.split_once("Verified sectors of timespan 2:").unwrap();
        assert_eq!(section.contains(" sector at offset "), expected.is_some(), "{section}");
        let mut xml = Vec::new();
        let format = format_named("xml").unwrap().with_verdicts(VerdictForm::ALL);
        (format.write)(&JudgedRecord::new(&record), &mut xml).unwrap();
        let xml = String::from_utf8(xml).unwrap();
        let failed = format!("<FailedSectors>{}</FailedSectors>", found.counts.wrong());
        assert!(xml.contains(&failed), "{options}: {failed}");
    });
}

#[test]
fn overlapping_writes_of_threads_raise_no_alarm() {
    let ways = [
        "--engine sync -Sb -r -t4",
        "--engine uring -Sb -r -o8 -t3",
        "--engine aio -Su -r -o8 -t3",
        "--engine uring -Sh -r -o16 -t2 -x",
        "-Sm -r -o2 -t4",
        "-Sm -s -t4",
        "--engine uring -Su -o16 -F3 -O8 -r",
        "--engine uring -Sb -si -o8 -t3 --fsync-every 3",
    ];
    side_by_side(ways, |way| {
        let (directory, file) = directory_with("data");
        std::fs::write(&file, vec![0xee; 1 << 19]).unwrap();
        let durable = way.contains("-Sh") || way.contains("fsync");
        let journal = durable.then(|| directory.path().join("journal"));
        let line = format!("-b8K -W0 -d1 --verify {way}");
        let record = run_spans(&line, &file, &[60], journal.clone(), || ());
        let found = verified(&record, 0).counts;
        assert!(found.verified > 0 && found.failed.is_empty(), "{way}: {found:?}");
        assert_eq!(found.acknowledged > 0, durable, "{way}");
        if let Some(journal) = journal {
            let content = format::read(std::fs::File::open(journal).unwrap()).unwrap();
            let found = read_back(&content, &content.targets[&0], &file, Power::Held).unwrap();
            assert!(found.units > 0 && found.results.counts.failed.is_empty(), "{way}: {found:?}");
        }
    });
}

fn refusal(line: &str) -> String {
    let (profile, run_options) = profile_and_options(line);
    let findings = validate::run_options(&run_options, &profile);
    findings.into_iter().map(|finding| finding.message).collect::<Vec<_>>().join("\n")
}

#[test]
fn contradictory_integrity_options_are_refused_with_reason() {
    for (line, words) in [
        ("--verify --engine null -w100", "sim and null"),
        ("--verify --engine sim -w100", "sim and null"),
        ("--verify -w0", "--verify needs writes"),
        ("--verify=write", "--verify needs writes"),
        ("--verify=read -w10", "would destroy"),
        ("--verify -w10 -Zr", "set the write content"),
        ("--verify -w10 -Z", "set the write content"),
        ("--verify -w10 -Z1M", "set the write content"),
        ("--verify -w10 --compress 50", "set the write content"),
    ] {
        let message = refusal(&format!("{line} f.dat"));
        assert!(message.contains(words), "{line}: {message}");
    }
    for line in
        ["--verify -w1", "--verify=write -w100", "--verify=read", "--verify -w50 -Sm", "--verify -w9 -x"]
    {
        assert_eq!(refusal(&format!("{line} f.dat")), "", "{line}");
    }
}

#[test]
fn integrity_options_round_trip() {
    let mode = |line: &str| requested(line).run_options.verify;
    assert_eq!(mode("f.dat"), None);
    assert_eq!(mode("--verify f.dat"), Some(VerifyMode::Both));
    assert_eq!(mode("--verify=both f.dat"), Some(VerifyMode::Both));
    assert_eq!(mode("--verify=write f.dat"), Some(VerifyMode::Write));
    assert_eq!(mode("--verify=read f.dat"), Some(VerifyMode::Read));
    let numbered = |line: &str| requested(line).run_options.verify_as;
    assert_eq!(numbered("--verify=read:2,1 f.dat g.dat"), [2, 1]);
    assert_eq!(numbered("--verify=read:2 --verify=read f.dat"), [] as [u32; 0], "the last one counts");
    assert_eq!(requested("--verify --journal j f.dat").journal, Some("j".into()));
    let parse = |line: &str| cli::parse(&line.split(' ').map(Into::into).collect::<Vec<_>>());
    for line in ["diskspd verify-after j", "diskspd --verify-after j", "diskspd --verify-after=j"] {
        for (more, targets) in
            [("", vec![]), (" /dev/sdb ./a", vec![RawText::from("/dev/sdb"), "./a".into()])]
        {
            match parse(&format!("{line}{more}")) {
                Ok(Invocation::VerifyAfter(request)) => {
                    assert_eq!(
                        (request.source, request.targets),
                        (Journals::One("j".into()), targets),
                        "{line}{more}"
                    );
                }
                other => panic!("{line}{more}: {other:?}"),
            }
        }
    }
    for (line, words) in [
        ("diskspd --verify=all f.dat", "write, read or both"),
        ("diskspd --verify=read: f.dat", "separated by commas"),
        ("diskspd --verify=read:0 f.dat", "from 1"),
        ("diskspd --verify=write:1 f.dat", "write, read or both"),
        ("diskspd --journal", "missing"),
        ("diskspd -d5 --verify-after j", "use it alone"),
        ("diskspd verify-after", "the arguments of verify-after are missing"),
        ("diskspd verify-after j -v", "-v is not an option of verify-after"),
    ] {
        let message = parse(line).unwrap_err().to_string();
        assert!(message.contains(words), "{line}: {message}");
    }
}
