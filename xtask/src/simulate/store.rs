//! The history world: programs that keep, describe, remove and list runs in one folder at the same time.
//! They are killed before any step, or meet a full disk, a power cut, or a lost, damaged or outdated
//! index.

use super::course::RunTotals;
use super::power::DurableFolder;
use super::programs::{Programs, RoundFaults};
use super::runs::{Attempts, RunContext, all};
use crate::harness::{Failure, Random};
use diskspd::store::{Store, StoreEntry};
use std::fs::{self, File};
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, SystemTime};

const HOUR_NS: i64 = 3_600_000_000_000;
/// Makes another seed of a seed.
const CUTS: u64 = 0x5eed_c075;
const INDEX: &str = "index.sqlite";
/// A page of the index in bytes.
const PAGE: usize = 4096;
const MEMORY: &str = "/dev/shm";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum IndexDamage {
    Kept,
    Lost,
    Older,
    Cut,
    /// A page in the middle is overwritten.
    Damaged,
    Mixed,
}

/// Plays a seed, and returns the hash of its course.
///
/// # Errors
/// What doesn't hold.
pub fn world(seed: u64, is_shown: bool) -> (u64, Result<(), Failure>) {
    let mut course = RunTotals::new(is_shown);
    let holds = play(seed, &mut course);
    (course.hash(), holds)
}

fn play(seed: u64, course: &mut RunTotals) -> Result<(), Failure> {
    let memory = Path::new(MEMORY);
    let mut made = tempfile::Builder::new();
    made.prefix("diskspd-simulate-");
    let folder = if memory.is_dir() { made.tempdir_in(memory) } else { made.tempdir() }?;
    // Its folder isn't there yet.
    let store = Store::in_folder(folder.path().join("history"));
    let mut random = Random(seed);
    // Numbers of their own: the courses of seeds that are written down stay as far as the first cut.
    let mut cuts = Random(seed ^ CUTS);
    let disk = Arc::new(DurableFolder::open(folder.path())?);
    let attempts = Mutex::new(Attempts::default());
    let mut ahead_ns = 0;
    let mut older = None;
    for _ in 0..1 + random.number() % 3 {
        let mut fault = IndexDamage::draw(&mut random);
        course.step(format_args!("the index: {fault:?}"));
        spoil(&store, fault, older.take(), &mut random)?;
        older = fs::read(store.folder().join(INDEX)).ok();
        match random.number() % 5 {
            0 => ahead_ns -= HOUR_NS,
            1 => ahead_ns = 0,
            _ => {}
        }
        let cut_at = cuts.number().is_multiple_of(3).then(|| cuts.number() as u32 % 150);
        let faults = RoundFaults { cut_at, ..RoundFaults::draw(&mut random, ahead_ns) };
        course.step(format_args!("{faults:?}"));
        let (numbers, steps) =
            (std::mem::replace(&mut random, Random(0)), std::mem::replace(course, RunTotals::new(false)));
        let programs = Arc::new(Programs::new(faults, Arc::clone(&disk), numbers, steps));
        let is_endless = programs.run(|program| {
            for _ in 0..1 + programs.number() % 3 {
                RunContext { programs: &programs, store: &store, attempts: &attempts, program }.act();
            }
        });
        (random, *course) = programs.end();
        if is_endless {
            return Err("a program waits for ever".into());
        }
        if programs.is_cut() {
            disk.cut(folder.path(), INDEX, &mut cuts, course)?;
            let after = IndexDamage::of_a_cut(&mut cuts);
            course.step(format_args!("the index after the cut: {after:?}"));
            spoil(&store, after, older.clone(), &mut cuts)?;
            fault = if after == IndexDamage::Kept { fault } else { after };
        }
        let mut attempts = attempts.lock().unwrap_or_else(PoisonError::into_inner);
        check_state(&store, &mut attempts, fault, course)?;
    }
    Ok(())
}

impl IndexDamage {
    fn draw(random: &mut Random) -> IndexDamage {
        match random.number() % 10 {
            0 => IndexDamage::Lost,
            1 => IndexDamage::Older,
            2 => IndexDamage::Cut,
            3 => IndexDamage::Damaged,
            _ => IndexDamage::Kept,
        }
    }

    fn of_a_cut(random: &mut Random) -> IndexDamage {
        match random.number() % 4 {
            0 => IndexDamage::Older,
            1 => IndexDamage::Mixed,
            _ => IndexDamage::Kept,
        }
    }
}

/// Does that to the index.
fn spoil(
    store: &Store,
    fault: IndexDamage,
    older: Option<Vec<u8>>,
    random: &mut Random,
) -> Result<(), Failure> {
    let index = store.folder().join(INDEX);
    let Ok(mut bytes) = fs::read(&index) else { return Ok(()) };
    match fault {
        IndexDamage::Kept => return Ok(()),
        IndexDamage::Lost => return Ok(fs::remove_file(index)?),
        IndexDamage::Older => bytes = older.unwrap_or(bytes),
        IndexDamage::Cut => bytes.truncate(random.number() as usize % bytes.len()),
        IndexDamage::Mixed => {
            let older = older.unwrap_or_default();
            for (page, before) in bytes.chunks_exact_mut(PAGE).zip(older.chunks_exact(PAGE)) {
                if random.number().is_multiple_of(4) {
                    page.copy_from_slice(before);
                }
            }
        }
        IndexDamage::Damaged => {
            let page = 1 + random.number() as usize % (bytes.len() / PAGE - 1);
            bytes[page * PAGE..(page + 1) * PAGE].fill(0xA5);
        }
    }
    Ok(fs::write(index, bytes)?)
}

impl RoundFaults {
    fn draw(random: &mut Random, ahead_ns: i64) -> RoundFaults {
        let count = 1 + random.number() as usize % 3;
        let kill = |random: &mut Random| {
            let at = random.number() % 120;
            random.number().is_multiple_of(3).then_some(at as u32)
        };
        let killed_at = (0..count).map(|_| kill(random)).collect();
        let full = match random.number() % 4 {
            0 => (random.number() as u32 % 200, random.number() as u32 % 100),
            _ => (0, 0),
        };
        // A number that is drawn for nothing keeps the courses of seeds that are written down.
        random.number();
        let has_unnamed = random.number().is_multiple_of(2);
        RoundFaults { killed_at, full, cut_at: None, has_unnamed, ahead_ns }
    }
}

fn check_state(
    store: &Store,
    attempts: &mut Attempts,
    fault: IndexDamage,
    course: &mut RunTotals,
) -> Result<(), Failure> {
    if let Some(wrong) = attempts.wrong.first() {
        return Err(wrong.as_str().into());
    }
    if !store.is_there() {
        return Ok(());
    }
    let index = match fault {
        // Whether that is seen depends on the pages. It costs no run, and reindex makes it right.
        IndexDamage::Mixed => {
            drop(store.open().map(|index| all(&index)));
            store.reindex()?
        }
        _ => store.open()?,
    };
    if fault == IndexDamage::Kept && !index.troubles.is_empty() {
        return Err(format!("something is wrong with the history: {:?}", index.troubles).into());
    }
    let found = all(&index)?;
    drop(index);
    for entry in &found {
        course.step(format_args!("found {:?} {:?}", entry.about.label, entry.about.tags));
    }
    attempts.judge(store, &found)?;
    age_drafts(store)?;
    let again = all(&store.open()?)?;
    let anew = all(&store.reindex()?)?;
    if again != found || anew != found {
        let (one, other) = found.iter().zip(&anew).find(|(one, other)| one != other).unzip();
        return Err(format!("reindex finds something else than the index: {one:?}, {other:?}").into());
    }
    left_over(store, &found)
}

fn is_whole_name(name: &str) -> bool {
    name.split_once('.').is_some_and(|(_, ending)| ["json.gz", "about.json"].contains(&ending))
}

fn names(store: &Store) -> Result<Vec<String>, Failure> {
    let entries = fs::read_dir(store.folder().join("runs"))?;
    let name = |entry: std::io::Result<fs::DirEntry>| Ok(entry?.file_name().to_string_lossy().into_owned());
    entries.map(name).collect()
}

fn age_drafts(store: &Store) -> Result<(), Failure> {
    let old = SystemTime::now() - Duration::from_secs(60);
    for name in names(store)?.iter().filter(|name| !is_whole_name(name)) {
        File::options().write(true).open(store.folder().join("runs").join(name))?.set_modified(old)?;
    }
    Ok(())
}

fn left_over(store: &Store, found: &[StoreEntry]) -> Result<(), Failure> {
    let is_of_a_run =
        |name: &str| is_whole_name(name) && found.iter().any(|entry| name.starts_with(&entry.id));
    match names(store)?.iter().find(|name| !is_of_a_run(name)) {
        Some(name) => Err(format!("'{name}' stays behind").into()),
        None => Ok(()),
    }
}
