//! Results + Results = Results: the same profile, worked on by several at the same time.

use super::{
    DirectionResults, IoErrors, Paced, Results, SpanResults, TargetResults, ThreadResults, WaitStatistics,
};

/// Why two results can't be added.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the results differ in shape: {what}: {mine} and {theirs}; only results of the same profile add up")]
pub struct MergeError {
    /// What must agree: `threads of time span 1`.
    pub what: String,
    /// How many there are here.
    pub mine: usize,
    /// How many the other one has.
    pub theirs: usize,
}

impl Results {
    /// Adds the results of the same profile that ran elsewhere at the same time.
    ///
    /// Time spans, CPUs, threads of a span and targets of a thread must agree in number. Counters, CPU times,
    /// histograms and series add up; the measured time and the size of a target are the larger ones; errors are
    /// listed one after the other. On an error nothing has changed.
    pub fn merge(&mut self, other: &Results) -> Result<(), MergeError> {
        self.agrees(other)?;
        for (mine, theirs) in self.time_spans.iter_mut().zip(&other.time_spans) {
            mine.merge(theirs);
        }
        Ok(())
    }

    fn agrees(&self, other: &Results) -> Result<(), MergeError> {
        let same = |what: String, mine: usize, theirs: usize| {
            if mine == theirs { Ok(()) } else { Err(MergeError { what, mine, theirs }) }
        };
        same("time spans".into(), self.time_spans.len(), other.time_spans.len())?;
        for (index, (mine, theirs)) in self.time_spans.iter().zip(&other.time_spans).enumerate() {
            let place = format!("of time span {}", index + 1);
            same(format!("CPUs {place}"), mine.cpus.len(), theirs.cpus.len())?;
            same(format!("threads {place}"), mine.threads.len(), theirs.threads.len())?;
            for (thread, (mine, theirs)) in mine.threads.iter().zip(&theirs.threads).enumerate() {
                same(
                    format!("targets of thread {thread} {place}"),
                    mine.targets.len(),
                    theirs.targets.len(),
                )?;
            }
        }
        Ok(())
    }
}

impl SpanResults {
    fn merge(&mut self, other: &SpanResults) {
        self.measured = self.measured.max(other.measured);
        for (mine, theirs) in self.cpus.iter_mut().zip(&other.cpus) {
            add(&mut mine.idle, theirs.idle);
            add(&mut mine.kernel, theirs.kernel);
            add(&mut mine.user, theirs.user);
        }
        for (mine, theirs) in self.threads.iter_mut().zip(&other.threads) {
            mine.merge(theirs);
        }
        self.errors.extend(other.errors.iter().map(IoErrors::clone));
        self.started_at = self.started_at.into_iter().chain(other.started_at).min();
        if let Some(theirs) = &other.intervals {
            self.intervals.get_or_insert_default().merge(theirs);
        }
        if let Some(theirs) = &other.responses {
            self.responses.get_or_insert_default().merge(theirs);
        }
    }
}

impl ThreadResults {
    fn merge(&mut self, other: &ThreadResults) {
        for (mine, theirs) in self.targets.iter_mut().zip(&other.targets) {
            mine.merge(theirs);
        }
        if let Some(theirs) = &other.wait {
            self.wait.get_or_insert_default().merge(theirs);
        }
        // Threads with different engines are not one: what is told is to be true of both.
        if self.engine != other.engine {
            self.engine = None;
        }
    }
}

impl TargetResults {
    fn merge(&mut self, other: &TargetResults) {
        self.size = self.size.max(other.size);
        self.read.merge(&other.read);
        self.write.merge(&other.write);
        if let Some(theirs) = other.overdue {
            let mine = self.overdue.get_or_insert_default();
            add(&mut mine.ios, theirs.ios);
            mine.longest = mine.longest.max(theirs.longest);
        }
    }
}

impl DirectionResults {
    fn merge(&mut self, other: &DirectionResults) {
        add(&mut self.bytes, other.bytes);
        add(&mut self.ios, other.ios);
        add(&mut self.short, other.short);
        if let Some(theirs) = &other.latency {
            self.latency.get_or_insert_default().merge(theirs);
        }
        if let Some(theirs) = &other.series {
            self.series.get_or_insert_default().merge(theirs);
        }
        if let Some(theirs) = &other.paced {
            self.paced.get_or_insert_default().merge(theirs);
        }
    }
}

impl Paced {
    pub(super) fn merge(&mut self, other: &Paced) {
        self.delay.merge(&other.delay);
        if let Some(theirs) = &other.response {
            self.response.get_or_insert_default().merge(theirs);
        }
    }
}

impl WaitStatistics {
    fn merge(&mut self, other: &WaitStatistics) {
        add(&mut self.completion_waits, other.completion_waits);
        add(&mut self.throttle_waits, other.throttle_waits);
        add(&mut self.throttle_sleeps, other.throttle_sleeps);
        add(&mut self.lookasides, other.lookasides);
        for (mine, theirs) in self.lookaside_completions.iter_mut().zip(other.lookaside_completions) {
            add(mine, theirs);
        }
    }
}

fn add(mine: &mut u64, theirs: u64) {
    *mine = mine.saturating_add(theirs);
}
