//! Lying storage: durable data of a journal is damaged in a known way, and must be classified correctly.

use super::disk::{SECTOR, SurvivingSectors};
use super::place::CutStorage;
use super::recording::{Recording, Workload};
use super::setting::Setting;
use crate::harness::{Failure, Random, table::print};
use diskspd::integrity::journal::{Acknowledged, JournalContent};
use diskspd::results::IntegrityCounts;
use std::collections::HashMap;

/// Size of a place in bytes.
const UNIT: usize = 4096;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Fault {
    /// The last write never arrived.
    Lost,
    Torn,
    /// An older write arrived last.
    Reordered,
    Misdirected,
    Flipped,
    /// Flushes had no effect: all writes since an earlier flush are lost.
    FlushIgnored,
}

const FAULTS: [(Fault, &str, &[&str]); 6] = [
    (Fault::Lost, "a write is lost", &["lost"]),
    (Fault::Torn, "a write is torn", &["torn"]),
    (Fault::Reordered, "an older write arrives last", &["stale"]),
    (Fault::Misdirected, "a write goes to another place", &["lost", "misplaced"]),
    (Fault::Flipped, "a bit flips", &["corrupt"]),
    // What was there before the run is foreign where two of its writes are gone.
    (Fault::FlushIgnored, "flushes are ignored", &["lost", "stale", "foreign"]),
];

#[derive(Default)]
struct Named {
    injected: usize,
    right: usize,
    /// Wrong words with their counts.
    other: HashMap<String, usize>,
    unseen: usize,
}

/// Checks that each fault is detected and named correctly.
pub fn campaign(setting: &Setting) -> Result<bool, Failure> {
    let way = "-b4K -o8 -t2 -Sh";
    let workload = Workload { place: CutStorage::Raw, way, atomic: false, whole_blocks: false };
    let mut rows = Vec::new();
    let mut good = true;
    for (fault, what, words) in FAULTS {
        // Each needs the disk from its beginning on.
        let recording = Recording::make(setting, &workload)?;
        let named = inject(&recording, setting, fault, words)?;
        good &= named.injected > 0 && named.right == named.injected;
        let other: Vec<String> =
            named.other.iter().map(|(words, times)| format!("{times} {words}")).collect();
        let counts = [named.injected, named.right, named.unseen].map(|count| count.to_string());
        let [injected, right, unseen] = counts;
        rows.push(vec![what.to_owned(), words.join(", "), injected, right, other.join("; "), unseen]);
    }
    print(&["fault", "words", "injected", "named so", "otherwise", "not seen"], &rows, false);
    Ok(good)
}

fn inject(recording: &Recording, setting: &Setting, fault: Fault, words: &[&str]) -> Result<Named, Failure> {
    let mut random = Random(setting.seed);
    let history = History::from_recording(recording);
    let mut named = Named::default();
    for at in recording.moments(setting.cuts.div_ceil(FAULTS.len()), &mut random) {
        let bytes = match fault {
            Fault::FlushIgnored => history.ignore_flushes(recording, at, &mut random)?,
            _ => history.damage(recording, fault, at, &mut random)?,
        };
        let Some(found) = bytes.map(|bytes| recording.judge(bytes)).transpose()?.flatten() else { continue };
        named.add(&found.counts, words, fault);
    }
    Ok(named)
}

impl Named {
    fn add(&mut self, counts: &IntegrityCounts, words: &[&str], fault: Fault) {
        self.injected += 1;
        let found: Vec<&str> = counts.failed.keys().map(|fault| fault.name()).collect();
        let right = match fault {
            // Some of all.
            Fault::FlushIgnored => !found.is_empty() && found.iter().all(|word| words.contains(word)),
            _ => found.len() == words.len() && found.iter().all(|word| words.contains(word)),
        };
        match (right, found.is_empty()) {
            (true, _) => self.right += 1,
            (_, true) => self.unseen += 1,
            (_, false) => *self.other.entry(found.join(" and ")).or_default() += 1,
        }
    }
}

/// Version of a place: number of the event of its write, its version number, and its bytes.
struct Version {
    event: usize,
    generation: u64,
    data: Vec<u8>,
}

/// All versions of each place in order.
struct History(HashMap<usize, Vec<Version>>);

impl History {
    fn from_recording(recording: &Recording) -> History {
        let mut history: HashMap<usize, Vec<Version>> = HashMap::new();
        for (event, offset, data) in recording.disk().writes() {
            let units = data.chunks_exact(UNIT).zip((offset..).step_by(UNIT));
            for (data, at) in units.filter(|(_, at)| at % UNIT == 0) {
                let versions = history.entry(at).or_default();
                versions.extend(generation(data, at).map(|generation| Version {
                    event,
                    generation,
                    data: data.to_vec(),
                }));
            }
        }
        History(history)
    }

    /// Returns the versions of an acknowledged place up to the acknowledged one, if that is the last
    /// before an event, and older stamped versions exist.
    fn of_place(&self, ack: &Acknowledged, at: usize) -> Option<&[Version]> {
        let versions = self.0.get(&(ack.offset as usize))?;
        let before = &versions[..versions.iter().take_while(|version| version.event < at).count()];
        let is_last = before.last()?.generation == ack.oldest;
        (is_last && !ack.overlapped && before.len() > 2).then_some(before)
    }

    fn damage(
        &self,
        recording: &Recording,
        fault: Fault,
        at: usize,
        random: &mut Random,
    ) -> Result<Option<u64>, Failure> {
        let bytes = recording.disk().cut(at, |_| SurvivingSectors::All);
        let Some(said) = recording.journal_at(bytes)? else { return Ok(None) };
        let Some((place, versions)) = self.draw(&said, at, None, random) else { return Ok(None) };
        let [.., oldest, older, newest] = versions else { return Ok(None) };
        let mut disk = recording.disk();
        match fault {
            Fault::Lost => disk.damage(place, &older.data),
            Fault::Torn => disk.damage(place + UNIT / 2, &older.data[UNIT / 2..]),
            Fault::Reordered => disk.damage(place, &oldest.data),
            Fault::Misdirected => {
                let Some((other, _)) = self.draw(&said, at, Some(place), random) else { return Ok(None) };
                disk.damage(place, &older.data);
                disk.damage(other, &newest.data);
            }
            Fault::Flipped => {
                let mut data = newest.data.clone();
                data[SECTOR + 100 + random.below(SECTOR - 100)] ^= 1 << random.below(8);
                disk.damage(place, &data);
            }
            Fault::FlushIgnored => {}
        }
        Ok(Some(bytes))
    }

    /// A place that was acknowledged, other than one, and its versions.
    fn draw(
        &self,
        said: &JournalContent,
        at: usize,
        not: Option<usize>,
        random: &mut Random,
    ) -> Option<(usize, &[Version])> {
        let places: Vec<(usize, &[Version])> = said
            .acknowledged
            .values()
            .filter_map(|ack| Some((ack.offset as usize, self.of_place(ack, at)?)))
            .filter(|(place, _)| Some(*place) != not)
            .collect();
        places.get(random.below(places.len())).copied()
    }

    /// Shows the disk as it was at an event, and takes the journal of a later one, as if the flushes between
    /// had done nothing. `None` = nothing was acknowledged between.
    fn ignore_flushes(
        &self,
        recording: &Recording,
        at: usize,
        random: &mut Random,
    ) -> Result<Option<u64>, Failure> {
        recording.disk().cut(at, |_| SurvivingSectors::Nothing);
        let flushes = recording.disk().flushes();
        let later: Vec<usize> = flushes.into_iter().filter(|flush| *flush > at).take(200).collect();
        let Some(later) = later.get(random.below(later.len())) else { return Ok(None) };
        let bytes = recording.disk().journal_bytes(*later);
        let Some(said) = recording.journal_at(bytes)? else { return Ok(None) };
        // Of writes that overlapped any may have been the last, also one that is there.
        let gone = said.acknowledged.values().any(|ack| {
            let versions = self.0.get(&(ack.offset as usize));
            let written = versions.and_then(|all| all.iter().find(|one| one.generation == ack.oldest));
            written.is_some_and(|version| version.event > at && !ack.overlapped)
        });
        Ok(gone.then_some(bytes))
    }
}

/// The version of a place that begins with a stamp of it.
fn generation(data: &[u8], at: usize) -> Option<u64> {
    let number = |from: usize| Some(u64::from_le_bytes(*data.get(from..)?.first_chunk()?));
    (data.get(4..8)? == b"DSV1" && number(16)? == at as u64).then(|| number(24))?
}
