//! What a named workload is: its options, and what its figures are judged by.

/// A named workload.
#[derive(Debug, Clone, Copy)]
pub struct Preset {
    /// Lower case with dashes.
    pub name: &'static str,
    /// What it is, in a line.
    pub about: &'static str,
    /// What is done: at least one part.
    pub parts: &'static [Step],
    /// Why its numbers are what they are.
    pub reasons: &'static str,
    /// Where they come from.
    pub sources: &'static [&'static str],
    /// What is good and what isn't, where the literature says it.
    pub thresholds: &'static [Threshold],
}

/// What is done on a target in a time span.
#[derive(Debug, Clone, Copy)]
pub struct Step {
    /// The time span, from 1: parts of the same one are done at the same time.
    pub time_span: u32,
    /// What it stands for.
    pub about: &'static str,
    /// Options of a command line, separated by single blanks.
    pub options: &'static str,
}

/// How a figure is judged.
#[derive(Debug, Clone, Copy)]
pub struct Threshold {
    /// Which one.
    pub of: JudgedLatency,
    /// Under which load it tells something.
    pub under: GradedLoad,
    /// What it is called, the best first.
    pub grades: &'static [Grade],
    /// What it is called beyond all of them.
    pub beyond: &'static str,
    /// Who says so.
    pub source: &'static str,
}

/// Under which load a latency tells how good the storage is. Where as many I/Os are outstanding as there can
/// be, each waits for the others: the latency is then theirs, at any storage.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum GradedLoad {
    /// One I/O at a time, or a rate.
    OneAtATime,
    /// A rate that the user states (`-g`, `--rate-total`): how much work there is, is his to know.
    Rate,
}

/// Up to which value a figure is called so.
#[derive(Debug, Clone, Copy)]
pub struct Grade {
    /// At most this, ms.
    pub up_to_ms: f64,
    /// The word.
    pub word: &'static str,
}

/// A figure of a time span.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JudgedLatency {
    /// Mean latency of reads.
    MeanRead,
    /// Mean latency of writes.
    MeanWrite,
    /// 99th percentile of the times of flushes.
    FlushP99,
}

impl JudgedLatency {
    /// In a sentence.
    pub fn words(self) -> &'static str {
        match self {
            JudgedLatency::MeanRead => "the mean latency of reads",
            JudgedLatency::MeanWrite => "the mean latency of writes",
            JudgedLatency::FlushP99 => "the 99th percentile of flushes",
        }
    }
}

impl Threshold {
    /// The word for a figure (ms), and whether it lies beyond all grades.
    pub fn judge(&self, ms: f64) -> (&'static str, bool) {
        match self.grades.iter().find(|grade| ms <= grade.up_to_ms) {
            Some(grade) => (grade.word, false),
            None => (self.beyond, true),
        }
    }
}
