//! A row of the index: what lists and searches need of a run.

use super::{KeptAs, RunNotes};
use crate::results::{KnownFigures, KnownRun, KnownSpan};

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
    /// Figures, as far as there are any: by time span and direction.
    pub figures: Vec<Headline>,
}

/// Figures of a time span in one direction. Latencies in ms.
#[derive(Debug, Clone, PartialEq)]
pub struct Headline {
    /// From 1.
    pub time_span: u32,
    /// `total`, `read` or `write`.
    pub direction: &'static str,
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

impl StoreEntry {
    /// That of a run.
    pub fn of(id: &str, source: KeptAs, about: RunNotes, run: &KnownRun) -> StoreEntry {
        let mut targets: Vec<String> = Vec::new();
        let spans = || run.time_spans.iter().flatten();
        for path in spans().flat_map(|span| span.parameters.paths()) {
            let path = path.to_string();
            if !targets.contains(&path) {
                targets.push(path);
            }
        }
        let figures = run.time_spans.iter().zip(1..);
        StoreEntry {
            id: id.to_owned(),
            source,
            about,
            started_at: run.started_at,
            computer: run.computer.clone(),
            fingerprint: run.fingerprint.clone(),
            workload: workload(run),
            command_line: run.command_line.as_ref().map(ToString::to_string),
            targets,
            worst: run.findings.as_ref().and_then(|found| found.worst).map(|worst| worst.word().to_owned()),
            identity: run.identity.clone(),
            figures: figures
                .filter_map(|(span, number)| Some(headlines(number, span.as_ref()?)))
                .flatten()
                .collect(),
        }
    }
}

fn headlines(time_span: u32, span: &KnownSpan) -> [Headline; 3] {
    let at = |percent: f64| span.percentile(percent).unwrap_or_default();
    let (p50, p99, p999) = (at(50.0), at(99.0), at(99.9));
    let line = |direction, figures: &KnownFigures, [p50_ms, p99_ms, p999_ms]: [Option<f64>; 3]| Headline {
        time_span,
        direction,
        seconds: span.seconds,
        ios: figures.ios,
        iops: figures.iops,
        mib_per_s: figures.mib_per_s,
        mean_ms: figures.mean_ms,
        p50_ms,
        p99_ms,
        p999_ms,
    };
    [
        line("total", &span.total, [p50.total, p99.total, p999.total]),
        line("read", &span.read, [p50.read, p99.read, p999.read]),
        line("write", &span.write, [p50.write, p99.write, p999.write]),
    ]
}

/// FNV-1a of 64 bits over the parameters of all time spans. The seed doesn't change the work.
fn workload(run: &KnownRun) -> String {
    let mut hash = Fnv::default();
    for span in run.time_spans.iter().flatten() {
        let mut parameters = span.parameters.clone();
        parameters.rand_seed = None;
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
