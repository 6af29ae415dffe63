//! A row of the index: what lists and searches need of a run.

use super::{KeptAs, RunNotes, SpanWork};
use diskspd_model::profile::Parameters;
use diskspd_model::results::{KnownFigures, KnownRun, KnownSpan};
use diskspd_model::units::Millis;

/// A run, as the index has it.
#[derive(Debug, Clone, PartialEq)]
pub struct StoreEntry {
    /// Its name in the store.
    pub id: String,
    /// What it is kept in.
    pub source: KeptAs,
    /// What people said about it.
    pub about: RunNotes,
    /// When it began, seconds since 1970-01-01 00:00 UTC.
    pub started_at: Option<i64>,
    /// What the machine calls itself.
    pub computer: Option<String>,
    /// A number that stands for the machine, where its name doesn't tell it from others.
    pub machine: Option<String>,
    /// What two runs must share to be comparable.
    pub fingerprint: Option<String>,
    /// A number for what was asked for: equal = the same work on the same targets. 16 hexadecimal digits.
    pub workload: String,
    /// Program and arguments.
    pub command_line: Option<String>,
    /// The targets, each once.
    pub targets: Vec<String>,
    /// How bad the worst is that was found: `note`, `warning`, `wrong`; `None` = nothing, or nobody looked.
    pub worst: Option<String>,
    /// The same for all copies of a run.
    pub identity: Option<String>,
    /// What each time span was asked to do, in order.
    pub work: Vec<SpanWork>,
    /// Figures by time span and direction; a time span that never was measured has one line without any.
    pub figures: Vec<Headline>,
}

/// Figures of a time span in one direction. Latencies in ms.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Headline {
    /// From 1.
    pub time_span: u32,
    /// Of which I/Os.
    pub direction: FigureOf,
    /// Measured time, s.
    pub seconds: Option<f64>,
    /// I/Os completed.
    pub ios: Option<u64>,
    /// I/Os per second.
    pub iops: Option<f64>,
    /// 2^20 bytes per second.
    pub mib_per_s: Option<f64>,
    /// Mean latency.
    pub mean_ms: Option<f64>,
    /// Half of the I/Os took no longer.
    pub p50_ms: Option<f64>,
    /// 99 % of them took no longer.
    pub p99_ms: Option<f64>,
    /// 99.9 % of them took no longer.
    pub p999_ms: Option<f64>,
}

/// The I/Os that figures are of.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FigureOf {
    /// Reads and writes.
    #[default]
    Total,
    /// Reads.
    Read,
    /// Writes.
    Write,
}

impl FigureOf {
    /// All, as tables name them, in order.
    pub const ALL: [(FigureOf, &str); 3] =
        [(FigureOf::Total, "total"), (FigureOf::Read, "read"), (FigureOf::Write, "write")];

    /// As tables name it.
    pub fn name(self) -> &'static str {
        FigureOf::ALL.iter().find(|(of, _)| *of == self).map_or("", |(_, name)| name)
    }

    /// That of a name.
    pub fn named(name: &str) -> Option<FigureOf> {
        FigureOf::ALL.iter().find(|(_, known)| *known == name).map(|(of, _)| *of)
    }
}

/// Nanoseconds of a second.
const SECOND: i64 = 1_000_000_000;

impl StoreEntry {
    /// The order in which runs were kept here.
    pub fn kept(&self) -> i64 {
        self.about.order.unwrap_or_else(|| self.about.saved_at.saturating_mul(SECOND))
    }

    /// Where it stands among all: as it was kept, which no clock changes that is set back; of a run from
    /// elsewhere when it began.
    pub fn position(&self) -> i64 {
        let began = self.started_at.filter(|_| self.about.imported_from.is_some());
        began.map_or_else(|| self.kept(), |at| at.saturating_mul(SECOND))
    }

    /// When it began, or else was kept, seconds since 1970.
    pub fn at(&self) -> i64 {
        self.started_at.unwrap_or(self.about.saved_at)
    }

    /// That of a run.
    pub fn of(id: &str, source: KeptAs, about: RunNotes, run: &KnownRun) -> StoreEntry {
        let mut targets: Vec<String> = Vec::new();
        let asked: Vec<&Parameters> = run.asked().collect();
        for path in asked.iter().flat_map(|asked| asked.paths()) {
            let path = path.to_string();
            if !targets.contains(&path) {
                targets.push(path);
            }
        }
        StoreEntry {
            id: id.to_owned(),
            source,
            about,
            started_at: run.started_at,
            computer: run.computer.clone(),
            machine: run.machine.clone(),
            fingerprint: run.fingerprint.clone(),
            workload: workload(&asked),
            command_line: run.command_line.as_ref().map(ToString::to_string),
            targets,
            worst: run.findings.as_ref().and_then(|found| found.worst).map(|worst| worst.word().to_owned()),
            identity: run.identity.clone(),
            work: asked.iter().zip(1..).map(|(asked, number)| SpanWork::of(number, asked)).collect(),
            figures: run
                .time_spans
                .iter()
                .zip(1..)
                .flat_map(|(span, at)| headlines(at, span.as_ref()))
                .collect(),
        }
    }
}

fn headlines(time_span: u32, span: Option<&KnownSpan>) -> Vec<Headline> {
    let Some(span) = span else { return vec![Headline { time_span, ..Headline::default() }] };
    let at = |percent: f64| span.percentile(percent).unwrap_or_default();
    let (p50, p99, p999) = (at(50.0), at(99.0), at(99.9));
    let line = |direction, figures: &KnownFigures, percentiles: [Option<Millis>; 3]| {
        let [p50_ms, p99_ms, p999_ms] = percentiles.map(|time| time.map(Millis::ms));
        Headline {
            time_span,
            direction,
            seconds: span.seconds,
            ios: figures.ios,
            iops: figures.iops,
            mib_per_s: figures.mib_per_s,
            mean_ms: figures.mean_ms.map(Millis::ms),
            p50_ms,
            p99_ms,
            p999_ms,
        }
    };
    vec![
        line(FigureOf::Total, &span.total, [p50.total, p99.total, p999.total]),
        line(FigureOf::Read, &span.read, [p50.read, p99.read, p999.read]),
        line(FigureOf::Write, &span.write, [p50.write, p99.write, p999.write]),
    ]
}

/// FNV-1a of 64 bits over the parameters of all time spans. The seed doesn't change the work. Of what the
/// targets are only devices behind the cache count: indexes of older programs don't have it, and what files
/// and devices do by default is to stay the same work.
fn workload(asked: &[&Parameters]) -> String {
    let mut hash = Fnv::default();
    for span in asked {
        let mut parameters = Parameters { rand_seed: None, ..(*span).clone() };
        for caching in parameters.targets.iter_mut().filter_map(|group| group.access.caching.as_mut()) {
            caching.cached_devices &= caching.block_device == Some(true);
            caching.block_device = None;
        }
        hash.add(&serde_json::to_vec(&parameters).unwrap_or_default());
    }
    hash.text()
}

/// FNV-1a of 64 bits.
pub(super) struct Fnv(u64);

impl Default for Fnv {
    fn default() -> Fnv {
        Fnv(0xcbf2_9ce4_8422_2325)
    }
}

impl Fnv {
    pub(super) fn add(&mut self, bytes: &[u8]) {
        let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
        self.0 = bytes.iter().fold(self.0, step);
    }

    pub(super) fn text(&self) -> String {
        format!("{:016x}", self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_model::profile::{Access, CacheMode, Target, TimeSpan};

    #[test]
    fn what_an_older_index_does_not_say_of_devices_makes_no_other_work() {
        let span = TimeSpan::default();
        let work = |cache_mode, uncached_devices, device: Option<bool>| {
            let target = Target { path: "/dev/x".into(), cache_mode, uncached_devices, ..Target::default() };
            let span = TimeSpan { targets: vec![target], ..span.clone() };
            workload(&[&Parameters::with(&span, |target, _| Access::of(&span, target).on(device))])
        };
        let (cached, bypassed) = (CacheMode::Cached, CacheMode::DisableOsCache);
        let old = work(cached, true, None);
        for device in [Some(true), Some(false)] {
            assert_eq!(work(cached, true, device), old, "by default, {device:?}");
        }
        assert_eq!(work(cached, false, Some(false)), old, "files are cached with -Sb and without");
        assert_eq!(work(bypassed, true, Some(true)), work(bypassed, true, None));
        let others = [work(cached, false, Some(true)), work(bypassed, true, Some(true))];
        assert!(!others.contains(&old) && others[0] != others[1], "{others:?}");
    }
}
