//! Power cuts: whether honest storage is ever reported as lying, whether each lie is classified correctly,
//! and whether atomic writes are ever torn.
//!
//! A disk in user space records each write and flush of a run on it. It is then shown in the state after a
//! cut at a flush or between two, and judged by the journal at that moment.
//!
//! ```text
//! run ──writes, flushes──▶ Disk (server) ──cut──▶ what is left ──read_back──▶ counts
//!  └──journal, as long as it was at the cut ───────────────────────┘
//! ```

mod disk;
mod faults;
mod place;
mod recording;
mod setting;
mod unflushed;

use crate::harness::{Arguments, Failure, Random, apart, table::print};
use disk::SurvivingSectors;
use diskspd::results::{FailedSector, IntegrityResults};
use place::CutStorage;
use recording::{Recording, Workload};
use setting::Setting;
use std::time::Instant;

/// Campaign, which returns whether all results were right.
type Campaign = fn(&Setting) -> Result<bool, Failure>;

const CAMPAIGNS: &[(&str, Campaign)] =
    &[("honest", honest), ("faults", faults::campaign), ("atomic", atomic)];

pub fn main(arguments: &mut Arguments) -> Result<(), Failure> {
    apart()?;
    let campaigns = arguments.parts("--only", CAMPAIGNS, |(name, _)| name)?;
    let place = arguments.value("--place")?;
    let setting = Setting {
        cuts: arguments.number("--cuts", 1000)?,
        seed: arguments.number("--seed", 1)?,
        seconds: arguments.number("--seconds", 2)?,
        place: place.map(|name| CutStorage::from_name(&name)).transpose()?,
        keep: arguments.value("--keep")?.map(Into::into),
        way: arguments.value("--way")?,
        block: arguments.value("--block")?.unwrap_or_else(|| "16K".to_owned()),
        diskspd: arguments.program()?,
    };
    arguments.finish()?;
    let mut good = true;
    for (name, campaign) in campaigns {
        println!("{name}: {} power cuts", setting.cuts);
        good &= campaign(&setting)?;
        println!();
    }
    if good { Ok(()) } else { Err("an answer was wrong: see the tables above".into()) }
}

/// Options of runs with durable writes: durable on completion without cache, by flushes, and through the page
/// cache.
const HONEST: [&str; 3] =
    ["-b4K -o8 -t2 -Sh", "-b16K -o4 -t2 -Su --fsync-every 8", "-b4K -o2 -t2 -Sb --fsync-every 8"];

fn honest(setting: &Setting) -> Result<bool, Failure> {
    let places: Vec<CutStorage> = setting.place.map_or_else(|| CutStorage::ALL.to_vec(), |place| vec![place]);
    let ways = setting.way.as_deref().map_or_else(|| HONEST.to_vec(), |way| vec![way]);
    let each = setting.cuts.div_ceil(places.len() * ways.len());
    let mut rows = Vec::new();
    let mut wrong = 0;
    for (place, way) in places.iter().flat_map(|place| ways.iter().map(move |way| (*place, *way))) {
        let found = Workload { place, way, atomic: false, whole_blocks: false }.cut(setting, each)?;
        wrong += found.wrong_cuts;
        rows.push(found.row(&format!("{} {way}", place.name())));
    }
    print(&CutCounts::HEAD, &rows, false);
    Ok(wrong == 0)
}

/// Checks that atomic writes are never torn; torn writes without `--atomic` show that the check works.
fn atomic(setting: &Setting) -> Result<bool, Failure> {
    let place = setting.place.unwrap_or(CutStorage::Xfs);
    let way = format!("-b{} -o8 -Sh", setting.block);
    let mut rows = Vec::new();
    let mut good = true;
    for (atomic, name) in [(true, "--atomic"), (false, "without")] {
        let found = Workload { place, way: &way, atomic, whole_blocks: true }.cut(setting, setting.cuts)?;
        good &= if atomic { found.wrong_cuts == 0 } else { found.torn_cuts > 0 && found.only_torn() };
        rows.push(found.row(&format!("{} {way} {name}", place.name())));
    }
    print(&CutCounts::HEAD, &rows, false);
    Ok(good)
}

#[derive(Default)]
struct CutCounts {
    events: usize,
    judged: usize,
    too_early: usize,
    verified: u64,
    undecided: u64,
    acknowledged: usize,
    unflushed: usize,
    wrong_cuts: usize,
    torn_cuts: usize,
    named_cuts: usize,
    seconds: f64,
}

impl CutCounts {
    const HEAD: [&'static str; 12] = [
        "of a run",
        "events",
        "acknowledged",
        "no flush",
        "cuts",
        "too early",
        "verified",
        "undecided",
        "named",
        "wrong",
        "torn",
        "s",
    ];

    fn only_torn(&self) -> bool {
        self.torn_cuts == self.wrong_cuts
    }

    fn row(&self, name: &str) -> Vec<String> {
        let counts = [
            self.events as u64,
            self.acknowledged as u64,
            self.unflushed as u64,
            self.judged as u64,
            self.too_early as u64,
            self.verified,
            self.undecided,
            self.named_cuts as u64,
            self.wrong_cuts as u64,
            self.torn_cuts as u64,
            self.seconds as u64,
        ];
        std::iter::once(name.to_owned()).chain(counts.map(|count| count.to_string())).collect()
    }
}

fn in_words(failed: &FailedSector) -> String {
    let there = failed.found.as_ref().map_or(0, |found| found.generation);
    let FailedSector { fault, offset, expected, at_us, .. } = failed;
    format!("{} at {offset}: version {there}, not {expected}, durable since {at_us} us", fault.name())
}

impl Workload<'_> {
    fn cut(&self, setting: &Setting, cuts: usize) -> Result<CutCounts, Failure> {
        let begin = Instant::now();
        let recording = Recording::make(setting, self)?;
        let mut random = Random(setting.seed);
        let unflushed = recording.unflushed()?;
        let mut found = CutCounts {
            events: recording.events(),
            acknowledged: unflushed.acknowledged,
            unflushed: unflushed.not_durable.len(),
            ..CutCounts::default()
        };
        let mut moments = recording.moments(cuts, &mut random);
        moments.extend(&unflushed.seen_at);
        moments.sort_unstable();
        for at in moments {
            let bytes = recording.disk().cut(at, |sectors| SurvivingSectors::draw(&mut random, sectors));
            let judged = recording.judge(bytes)?;
            let Some(IntegrityResults { counts, failures, .. }) = judged else {
                found.too_early += 1;
                continue;
            };
            found.judged += 1;
            found.verified += counts.verified;
            found.undecided += counts.undecided;
            let all = counts.wrong() == failures.len() as u64;
            if counts.wrong() > 0 && all && failures.iter().all(|failed| unflushed.explains(failed)) {
                found.named_cuts += 1;
            } else if counts.wrong() > 0 {
                found.wrong_cuts += 1;
                let torn = counts.failed.keys().all(|fault| fault.name() == "not atomic");
                found.torn_cuts += usize::from(torn);
                if !torn {
                    println!("cut at event {at}: {}", counts.described());
                    failures.iter().for_each(|failed| println!("    {}", in_words(failed)));
                    setting.keep.as_deref().map_or(Ok(()), |folder| recording.keep(at, bytes, folder))?;
                }
            }
        }
        found.seconds = begin.elapsed().as_secs_f64();
        Ok(found)
    }
}
