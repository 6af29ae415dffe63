//! Power cuts: whether honest storage is ever called a liar, whether each lie is called by its name, and
//! whether atomic writes are ever torn.
//!
//! A disk in user space remembers each write and flush of a run on it. Then it is shown as a cut at a
//! flush, or between two, would have left it, and judged by what the journal said at that moment.
//!
//! ```text
//! run ──writes, flushes──▶ Disk (server) ──cut──▶ what is left ──read_back──▶ counts
//!  └──journal, as long as it was at the cut ───────────────────────┘
//! ```

mod disk;
mod faults;
mod place;
mod random;
mod recording;
mod setting;
mod stage;
mod unflushed;

use crate::apart::apart;
use crate::arguments::Arguments;
use crate::table::print;
use crate::{Failure, program};
use diskspd::results::{FailedSector, IntegrityResults};
use place::Place;
use random::Random;
use recording::{Recording, Workload};
use setting::Setting;
use std::time::Instant;

/// See the table of commands.
pub fn main(arguments: &mut Arguments) -> Result<(), Failure> {
    apart()?;
    let only = arguments.value("--only")?;
    let place = arguments.value("--place")?;
    let setting = Setting {
        cuts: arguments.number("--cuts", 1000)?,
        seed: arguments.number("--seed", 1)?,
        seconds: arguments.number("--seconds", 2)?,
        place: place.map(|name| Place::named(&name)).transpose()?,
        keep: arguments.value("--keep")?.map(Into::into),
        way: arguments.value("--way")?,
        block: arguments.value("--block")?.unwrap_or_else(|| "16K".to_owned()),
        diskspd: program::path(arguments.value("--ours")?)?,
    };
    arguments.finish()?;
    type Campaign = fn(&Setting) -> Result<bool, Failure>;
    let campaigns: [(&str, Campaign); 3] =
        [("honest", honest), ("faults", faults::campaign), ("atomic", atomic)];
    let wanted = |name: &str| only.as_deref().is_none_or(|only| only == name);
    if !campaigns.iter().any(|(name, _)| wanted(name)) {
        return Err("--only takes honest, faults or atomic".into());
    }
    let mut good = true;
    for (name, campaign) in campaigns.into_iter().filter(|(name, _)| wanted(name)) {
        println!("{name}: {} power cuts", setting.cuts);
        good &= campaign(&setting)?;
        println!();
    }
    if good { Ok(()) } else { Err("an answer was wrong: see the tables above".into()) }
}

/// How runs write that storage has to keep: past the page cache durable by each write, by flushes, and
/// through the page cache.
const HONEST: [&str; 3] =
    ["-b4K -o8 -t2 -Sh", "-b16K -o4 -t2 -Su --fsync-every 8", "-b4K -o2 -t2 -Sb --fsync-every 8"];

/// Of honest storage nothing may ever be found wrong.
fn honest(setting: &Setting) -> Result<bool, Failure> {
    let places: Vec<Place> = setting.place.map_or_else(|| Place::ALL.to_vec(), |place| vec![place]);
    let ways = setting.way.as_deref().map_or_else(|| HONEST.to_vec(), |way| vec![way]);
    let each = setting.cuts.div_ceil(places.len() * ways.len());
    let mut rows = Vec::new();
    let mut wrong = 0;
    for (place, way) in places.iter().flat_map(|place| ways.iter().map(move |way| (*place, *way))) {
        let found = Workload { place, way, atomic: false, whole_blocks: false }.cut(setting, each)?;
        wrong += found.wrong_cuts;
        rows.push(found.row(&format!("{} {way}", place.name())));
    }
    print(&CutsFound::HEAD, &rows, false);
    Ok(wrong == 0)
}

/// Atomic writes may never be torn; that torn ones would be seen those show that aren't.
fn atomic(setting: &Setting) -> Result<bool, Failure> {
    let place = setting.place.unwrap_or(Place::Xfs);
    let way = format!("-b{} -o8 -Sh", setting.block);
    let mut rows = Vec::new();
    let mut good = true;
    for (atomic, name) in [(true, "--atomic"), (false, "without")] {
        let found = Workload { place, way: &way, atomic, whole_blocks: true }.cut(setting, setting.cuts)?;
        good &= if atomic { found.wrong_cuts == 0 } else { found.torn_cuts > 0 && found.only_torn() };
        rows.push(found.row(&format!("{} {way} {name}", place.name())));
    }
    print(&CutsFound::HEAD, &rows, false);
    Ok(good)
}

/// What came of cuts.
#[derive(Default)]
struct CutsFound {
    events: usize,
    judged: usize,
    too_early: usize,
    verified: u64,
    undecided: u64,
    /// Writes that were acknowledged by themselves, and those of them behind which no flush had come.
    acknowledged: usize,
    unflushed: usize,
    /// Cuts that left something wrong, and those that left blocks of two versions.
    wrong_cuts: usize,
    torn_cuts: usize,
    /// Cuts behind which only what was acknowledged without a flush was wrong: whoever acknowledged it did
    /// wrong, and is called so rightly.
    named_cuts: usize,
    seconds: f64,
}

impl CutsFound {
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

/// What is wrong with a sector, for whoever looks for the reason.
fn in_words(failed: &FailedSector) -> String {
    let there = failed.found.as_ref().map_or(0, |found| found.generation);
    let FailedSector { fault, offset, expected, at_us, .. } = failed;
    format!("{} at {offset}: version {there}, not {expected}, durable since {at_us} us", fault.name())
}

impl Workload<'_> {
    /// Records it, and judges so many cuts, half of them at flushes, and one wherever something was
    /// acknowledged that wasn't durable.
    fn cut(&self, setting: &Setting, cuts: usize) -> Result<CutsFound, Failure> {
        let begin = Instant::now();
        let recording = Recording::make(setting, self)?;
        let mut random = Random(setting.seed);
        let unflushed = recording.unflushed()?;
        let mut found = CutsFound {
            events: recording.events(),
            acknowledged: unflushed.acknowledged,
            unflushed: unflushed.not_durable.len(),
            ..CutsFound::default()
        };
        let mut moments = recording.moments(cuts, &mut random);
        moments.extend(&unflushed.seen_at);
        moments.sort_unstable();
        for at in moments {
            let bytes = recording.disk().cut(at, |sectors| random.kept(sectors));
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
