//! A named workload: its options, and the reference values for its figures.

#[derive(Debug, Clone, Copy)]
pub struct Preset {
    pub name: &'static str,
    pub about: &'static str,
    pub parts: &'static [Step],
    pub reasons: &'static str,
    pub sources: &'static [&'static str],
    pub thresholds: &'static [Threshold],
}

#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// Time span, from 1; parts with the same number are concurrent.
    pub time_span: u32,
    pub about: &'static str,
    /// Options of a command line, separated by single spaces.
    pub options: &'static str,
}

#[derive(Debug, Clone, Copy)]
pub struct Threshold {
    pub of: JudgedLatency,
    pub under: GradedLoad,
    pub grades: &'static [Grade],
    pub beyond: &'static str,
    pub source: &'static str,
}

/// Load that makes a latency meaningful for the storage. At the maximum depth each I/O waits for the
/// others on any storage, so the latency mainly measures the queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GradedLoad {
    /// One I/O at a time, or a rate.
    OneAtATime,
    /// A rate that the user states (`-g`, `--rate-total`): how much work there is, is his to know.
    Rate,
}

#[derive(Debug, Clone, Copy)]
pub struct Grade {
    /// Upper bound in ms.
    pub up_to_ms: f64,
    pub word: &'static str,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JudgedLatency {
    MeanRead,
    MeanWrite,
    /// 99th percentile of flush times.
    FlushP99,
}

impl JudgedLatency {
    pub fn words(self) -> &'static str {
        match self {
            JudgedLatency::MeanRead => "the mean latency of reads",
            JudgedLatency::MeanWrite => "the mean latency of writes",
            JudgedLatency::FlushP99 => "the 99th percentile of flushes",
        }
    }
}

impl Threshold {
    /// Returns the grade of a figure in ms, and whether it exceeds all grades.
    pub fn judge(&self, ms: f64) -> (&'static str, bool) {
        match self.grades.iter().find(|grade| ms <= grade.up_to_ms) {
            Some(grade) => (grade.word, false),
            None => (self.beyond, true),
        }
    }
}
