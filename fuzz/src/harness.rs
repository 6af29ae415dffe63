//! Runs targets on stable Rust: all seeds of the corpus, then random changes to them.
//!
//! No coverage guides the changes, as libFuzzer's would be. For long campaigns use `cargo fuzz`
//! (CONTRIBUTING.md).

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};
use std::{fs, io, thread};

/// Longest input in bytes.
const LONGEST: usize = 20_000;
/// One input of this size takes milliseconds: after this time the target hangs.
const HANGS: Duration = Duration::from_secs(60);

/// The amount of work for one target. The seeds always run.
#[derive(Debug, Clone, Copy)]
pub enum Budget {
    /// Number of changed inputs.
    Inputs(u64),
    /// Time for changed inputs.
    Time(Duration),
}

/// A target and the places of its files.
#[derive(Debug, Clone, Copy)]
pub struct Job<'a> {
    pub name: &'static str,
    pub check: fn(&[u8]),
    /// Folder with the seeds.
    pub corpus: &'a Path,
    /// Folder for inputs that fail.
    pub failures: &'a Path,
    /// The same number gives the same changes.
    pub seed: u64,
    pub budget: Budget,
}

/// The current input of a target, for the thread that finds hangs.
#[derive(Debug)]
struct Current {
    since: Instant,
    input: Vec<u8>,
}

impl Job<'_> {
    /// Returns the number of inputs.
    ///
    /// # Errors
    /// The file with the input at which the target panicked. A target that hangs ends the process.
    pub fn run(&self) -> Result<u64, String> {
        let seeds =
            self.seeds().map_err(|error| format!("{}: cannot read the corpus: {error}", self.name))?;
        let current = Arc::new(Mutex::new(Current { since: Instant::now(), input: Vec::new() }));
        self.watch(&current);
        let mut begin = None;
        let mut changes = Changes(self.seed ^ 0x9e37_79b9_7f4a_7c15);
        let mut inputs = 0;
        loop {
            let input = match seeds.get(inputs as usize) {
                Some(seed) => seed.clone(),
                None => {
                    let begin = *begin.get_or_insert_with(Instant::now);
                    if self.is_over(inputs - seeds.len() as u64, begin) {
                        return Ok(inputs);
                    }
                    changes.apply(&seeds)
                }
            };
            *lock(&current) = Current { since: Instant::now(), input: input.clone() };
            if catch_unwind(AssertUnwindSafe(|| (self.check)(&input))).is_err() {
                return Err(format!(
                    "{}: panicked; the input is in {}",
                    self.name,
                    keep(&self.failure(), &input)
                ));
            }
            inputs += 1;
        }
    }

    fn seeds(&self) -> io::Result<Vec<Vec<u8>>> {
        let mut paths: Vec<PathBuf> =
            fs::read_dir(self.corpus)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
        paths.sort();
        // The empty input is a seed of every target.
        let seeds = paths.iter().map(fs::read).collect::<io::Result<Vec<_>>>()?;
        Ok([vec![Vec::new()], seeds].concat())
    }

    fn is_over(&self, changed: u64, begin: Instant) -> bool {
        match self.budget {
            Budget::Inputs(inputs) => changed >= inputs,
            Budget::Time(time) => begin.elapsed() >= time,
        }
    }

    /// Starts a thread that ends the process if the target hangs. The thread ends with the job.
    fn watch(&self, current: &Arc<Mutex<Current>>) {
        let (current, name, path) = (Arc::downgrade(current), self.name, self.failure());
        thread::spawn(move || {
            while let Some(current) = current.upgrade() {
                let hanging = {
                    let current = lock(&current);
                    (current.since.elapsed() > HANGS).then(|| current.input.clone())
                };
                if let Some(input) = hanging {
                    eprintln!("{name}: hangs; the input is in {}", keep(&path, &input));
                    std::process::exit(1);
                }
                drop(current);
                thread::sleep(Duration::from_millis(200));
            }
        });
    }

    /// The file for an input that fails.
    fn failure(&self) -> PathBuf {
        self.failures.join(format!("{}-{}", self.name, self.seed))
    }
}

/// Writes an input to a file; returns its path.
fn keep(path: &Path, input: &[u8]) -> String {
    let folder = path.parent().unwrap_or(path);
    match fs::create_dir_all(folder).and_then(|()| fs::write(path, input)) {
        Ok(()) => path.display().to_string(),
        Err(error) => format!("no file ({error}): {input:?}"),
    }
}

fn lock(current: &Mutex<Current>) -> std::sync::MutexGuard<'_, Current> {
    current.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Numbers at the ends of ranges.
const ENDS: [u64; 14] = [
    0,
    1,
    2,
    511,
    512,
    4096,
    u16::MAX as u64,
    i32::MAX as u64,
    1 << 31,
    u32::MAX as u64,
    1 << 32,
    i64::MAX as u64,
    1 << 63,
    u64::MAX,
];

/// Random changes (xorshift64).
struct Changes(u64);

impl Changes {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }

    /// A number below `end`; 0 if `end` is 0.
    fn below(&mut self, end: usize) -> usize {
        (self.next() % (end.max(1) as u64)) as usize
    }

    fn range(&mut self, length: usize, most: usize) -> std::ops::Range<usize> {
        let start = self.below(length + 1);
        start..start + self.below((length - start).min(most) + 1)
    }

    /// A seed with one to eight changes.
    fn apply(&mut self, seeds: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = seeds[self.below(seeds.len())].clone();
        for _ in 0..=self.below(8) {
            self.change(&mut bytes, seeds);
        }
        bytes.truncate(LONGEST);
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>, seeds: &[Vec<u8>]) {
        let length = bytes.len();
        match self.below(9) {
            0 if length > 0 => bytes[self.below(length)] ^= 1 << self.below(8),
            1 if length > 0 => bytes[self.below(length)] = self.next() as u8,
            2 => drop(bytes.splice(self.range(length, 0), self.next().to_le_bytes())),
            3 => drop(bytes.drain(self.range(length, 64))),
            4 => {
                let part = bytes[self.range(length, 256)].to_vec();
                let place = self.below(length + 1);
                drop(bytes.splice(place..place, part));
            }
            5 => {
                let other = &seeds[self.below(seeds.len())];
                let place = self.below(length + 1);
                bytes.splice(place.., other[self.range(other.len(), LONGEST)].iter().copied());
            }
            6 => self.write_number(bytes),
            7 => self.write_digits(bytes),
            _ => bytes.truncate(self.below(length + 1)),
        }
    }

    /// Overwrites 1, 2, 4 or 8 bytes with the end of a range, in either order of bytes.
    fn write_number(&mut self, bytes: &mut [u8]) {
        let width = 1 << self.below(4);
        let number = ENDS[self.below(ENDS.len())];
        let (low, high) = (number.to_le_bytes(), number.to_be_bytes());
        let place = self.below(bytes.len());
        if let Some(part) = bytes.get_mut(place..place + width) {
            let ordered = if self.below(2) == 0 { &low[..width] } else { &high[8 - width..] };
            part.copy_from_slice(ordered);
        }
    }

    /// Replaces the first decimal number after a random place.
    fn write_digits(&mut self, bytes: &mut Vec<u8>) {
        let from = self.below(bytes.len());
        let Some(start) = (from..bytes.len()).find(|at| bytes[*at].is_ascii_digit()) else { return };
        let end = (start..bytes.len()).find(|at| !bytes[*at].is_ascii_digit()).unwrap_or(bytes.len());
        bytes.splice(start..end, ENDS[self.below(ENDS.len())].to_string().into_bytes());
    }
}
