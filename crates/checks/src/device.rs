//! Comparison of the counted I/O with the I/O of the targets' devices.
//!
//! ```text
//! counted by the workers ──file system, page cache──▶ first devices ──RAID, LVM, loop──▶ devices at the
//! bottom
//! ```
//!
//! Both steps are judged ([`effects`]); the worst finding is the verdict. Targets that share devices are
//! judged together ([`part`]), because the kernel counts by device, not by file.

mod done;
mod effects;
mod flushed;
mod foreign;
mod limits;
mod memory;
mod neighbours;
mod part;
mod parts;
mod program;
mod queue;
mod remote;
mod shared;
mod single;
mod sizes;
#[cfg(test)]
mod tests;
mod unseen;
mod verdict;
mod wording;

pub(super) use flushed::{FlushStop, Flushed, flushed};
pub(super) use part::Part;
pub(super) use queue::{InFlight, Queues};
pub use verdict::{Comparison, DeviceVerdict, DeviceWork, SpanVerdict};

use super::{Limiter, Severity, SpanContext, failed};
use diskspd_base::engines::Direction;
use diskspd_figures::units::seconds_of_ns;
use diskspd_machine::content::ContentShares;
use diskspd_machine::io_counters::{DeviceFacts, Flow};
use diskspd_machine::stack::Layer;
use diskspd_results::Verdict;
use done::{DeviceIo, UncountedIo};
use effects::{JudgedPart, RuleOutcome, RuleOutcomes};
use limits::{MAX_EQUAL_RATIO, MIN_EQUAL_RATIO};
pub(super) use wording::amount;
use wording::{count, size, times};

/// Returns the verdict about a time span; `None` = nothing was observed.
pub(super) fn verdict(span: &SpanContext, limiter: Option<Limiter>) -> Option<SpanVerdict> {
    let (facts, parts) = (span.devices()?, &span.parts);
    let done: Vec<_> = parts.iter().map(|part| done::count_done(part, facts, &part.first())).collect();
    let others = ForeignReads::from_parts(parts, &done, facts);
    let measured = span.results.measured.max(1);
    let slack = facts.elapsed.saturating_sub(measured) as f64 / measured as f64;
    let by_storage = matches!(limiter, Some(Limiter::Storage | Limiter::Depth));
    let mut verdicts: Vec<DeviceVerdict> = parts
        .iter()
        .zip(&done)
        .map(|(part, done)| {
            let own = facts.process.filter(|_| others.parts == 1 && !part.is_remote());
            let own_read = own.map(|own| own.read_bytes);
            let own_written = own.map(|own| own.write_bytes.saturating_sub(own.cancelled_write_bytes));
            let fragment = fragment_size(span, part, facts);
            let judged =
                JudgedPart { part, facts, measured, slack, by_storage, own_read, own_written, fragment };
            judge_part(span, &judged, done.as_ref(), &others)
        })
        .collect();
    verdicts.sort_by_key(|part| std::cmp::Reverse((part.severity, part.verdict)));
    let worst = verdicts.first()?;
    Some(SpanVerdict {
        time_span: span.number,
        verdict: worst.verdict,
        severity: worst.severity,
        parts: verdicts,
    })
}

/// Bytes in one piece on the device, on average, of the most fragmented file of a part; `None` = unknown.
fn fragment_size(span: &SpanContext, part: &Part, facts: &DeviceFacts) -> Option<u64> {
    let content = span.results.observed.iter().flat_map(|observed| &observed.content);
    let read = content
        .filter(|content| part.has_target(content.target))
        .filter_map(|content| content.space.as_ref());
    let written =
        facts.space.iter().filter(|change| change.target.is_some_and(|target| part.has_target(target)));
    let mean = |space: &ContentShares| space.examined.checked_div(space.fragments);
    read.chain(written.map(|change| &change.before)).filter_map(mean).min()
}

/// Reads of other programs on all devices of the span. The kernel counts a process's requests by process,
/// not by device.
struct ForeignReads {
    /// Bytes; `None` = not counted by the kernel.
    bytes: Option<u64>,
    excess: u64,
    parts: usize,
}

impl ForeignReads {
    fn from_parts(
        parts: &[Part],
        done: &[Result<DeviceIo, UncountedIo>],
        facts: &DeviceFacts,
    ) -> ForeignReads {
        let known = || {
            let parts = parts.iter().zip(done).filter(|(part, _)| part.has_devices() && !part.is_remote());
            parts.filter_map(|(part, done)| Some((part, done.as_ref().ok()?)))
        };
        let read = known().map(|(_, done)| done.read.bytes).fold(0, u64::saturating_add);
        ForeignReads {
            bytes: facts.process.map(|own| read.saturating_sub(own.read_bytes)),
            excess: known().map(|(part, done)| excess_reads(part, done)).fold(0, u64::saturating_add),
            parts: known().count(),
        }
    }

    /// Returns the share of a part: the excess of its devices' reads over the counted reads.
    fn part_share(&self, part: &Part, done: &DeviceIo) -> f64 {
        match self.parts {
            0 | 1 => 1.0,
            _ => excess_reads(part, done) as f64 / self.excess.max(1) as f64,
        }
    }
}

fn excess_reads(part: &Part, done: &DeviceIo) -> u64 {
    done.read.bytes.saturating_sub(part.read.bytes)
}

fn judge_part(
    span: &SpanContext,
    judged: &JudgedPart,
    first: Result<&DeviceIo, &UncountedIo>,
    others: &ForeignReads,
) -> DeviceVerdict {
    let part = judged.part;
    let mut found = RuleOutcomes::default();
    let below = effects::leaves(part, judged.facts);
    let leaves = below.as_ref().and_then(|below| below.as_ref().ok());
    if let (Ok(first), true) = (first, part.has_devices()) {
        let others = judged.foreign_share(first, others.bytes, others.part_share(part, first));
        judged.judge_lower_level(first, leaves, others, &mut found);
    }
    let switched = first.is_err_and(|why| why.switched);
    // Where the first devices are those at the bottom, all rests on them.
    let above = if below.is_some() { found.effects.len() } else { 0 };
    if let Some(leaves) = leaves.filter(|_| !switched) {
        let passed = first.copied().unwrap_or_else(|_| effects::as_counted(part));
        judged.further_down(&passed, leaves, &mut found);
    }
    judged.unless_moved(&mut found.effects, above);
    if part.has_devices() {
        found.effects.extend(judged.single(span.host));
    }
    found.effects.extend(judged.memory());
    found.effects.extend(judged.unseen(first, below.as_ref()));
    // What can't be known outweighs whatever else takes as much away: the counters say nothing then.
    let weight = |effect: &RuleOutcome| (effect.severity, effect.verdict == Verdict::Unknown, effect.verdict);
    let worst = found.effects.iter().max_by_key(|effect| weight(effect)).cloned();
    let main = worst.unwrap_or_else(|| without_effect(span, judged, first, leaves.is_some(), &found));
    found.effects.retain(|effect| *effect != main);
    let names = |layers: Vec<&Layer>| layers.iter().map(|layer| layer.name.clone()).collect();
    let flush: Vec<u64> = part.targets.iter().filter_map(|target| target.flush).collect();
    let mut verdict = DeviceVerdict {
        targets: part.targets.iter().map(|target| span.host.path(target.target).clone()).collect(),
        devices: names(part.first()),
        leaves: names(part.leaves()),
        verdict: main.verdict,
        severity: main.severity,
        message: main.message,
        evidence: Vec::new(),
        remedy: main.remedy,
        read: found.read,
        write: found.write,
        device_read: found.device_read,
        device_write: found.device_write,
        device_mean_ms: found.device_mean_ms,
        flushes: found.flushes,
        others_bytes: found.others,
        unwritten_bytes: part.unwritten_bytes(),
        flush_seconds: (!flush.is_empty()).then(|| flush.iter().map(|ns| seconds_of_ns(*ns)).sum()),
    };
    verdict.evidence = evidence_lines(span, judged, &verdict, &found);
    verdict.message += &failed::successes_text(span, |target| part.has_target(target));
    remote::report_remote(&mut verdict, part, judged.facts);
    program::adjust(&mut verdict, span, judged);
    verdict
}

/// Many short-lived processes during a run on a shared device: lists of processes do not show them.
fn short_lived_users(span: &SpanContext, verdict: &DeviceVerdict, found: &RuleOutcomes) -> Option<String> {
    let verdicts = found.effects.iter().map(|effect| effect.verdict).chain([verdict.verdict]);
    let started = span.effort()?.other_processes.as_ref()?.short_lived()?;
    verdicts.into_iter().any(|found| found == Verdict::Shared).then(|| {
        format!(
            "{started} processes or threads were started during the run: biosnoop shows the I/O of \
             short-lived programs, iotop does not"
        )
    })
}

fn flushes_beside(found: &RuleOutcomes) -> String {
    let writes = found.write.map_or(0, |write| write.counted_ios);
    match found.flushes.filter(|flushes| *flushes >= writes / 100 && *flushes > 0) {
        Some(flushes) => {
            format!(", and {} {}", count(flushes), if flushes == 1 { "flush" } else { "flushes" })
        }
        None => String::new(),
    }
}

fn nothing_counted(duration: u32) -> (&'static str, &'static str) {
    match duration {
        0 => ("no I/O was measured: -d0 sets no measured time", "measure for some seconds (-d10)"),
        _ => ("no I/O was counted", "measure longer (-d)"),
    }
}

fn without_effect(
    span: &SpanContext,
    judged: &JudgedPart,
    first: Result<&DeviceIo, &UncountedIo>,
    leaves_known: bool,
    found: &RuleOutcomes,
) -> RuleOutcome {
    let part = judged.part;
    let plain = |verdict, message: String, remedy| RuleOutcome { verdict, severity: None, message, remedy };
    let unknown = |message, remedy| plain(Verdict::Unknown, message, remedy);
    if let Some(why) = part.targets.iter().find_map(|target| target.stack.no_device_reason.as_ref()) {
        return unknown(format!("no device to compare the figures with: {why}"), None);
    }
    if effects::as_counted(part).bytes() == 0 {
        let (why, remedy) = nothing_counted(span.asked.duration);
        return unknown(why.into(), Some(remedy.into()));
    }
    if let (Err(UncountedIo { why, remedy, .. }), false) = (first, leaves_known) {
        return unknown(why.clone(), remedy.clone());
    }
    if found.too_few {
        let ios = count(part.read.ios.saturating_add(part.write.ios));
        return unknown(
            format!("too few I/Os ({ios}) to compare with the device's"),
            Some("measure longer".into()),
        );
    }
    let same = |side: &&Comparison| (MIN_EQUAL_RATIO..=MAX_EQUAL_RATIO).contains(&side.ratio);
    let side = |name: &str, side: &Option<Comparison>| {
        let side = side.as_ref().filter(same)?;
        let size = size(side.device_bytes, side.device_ios);
        Some(format!("{:.2} x, {} {name} of {size}", side.ratio, count(side.device_ios)))
    };
    let flushes = flushes_beside(found);
    let message = match (side("reads", &found.read), side("writes", &found.write)) {
        (Some(read), Some(write)) => {
            format!("the device read and wrote as much as the run counted ({read}; {write}{flushes})")
        }
        (Some(read), None) => format!("the device read as much as the run counted ({read})"),
        (None, Some(write)) => format!("the device wrote as much as the run counted ({write}{flushes})"),
        (None, None) => {
            format!("{} did as much as the run counted", effects::names(&part.leaves()))
        }
    };
    // I/Os in flight at the edges alone then cause a difference.
    let few = [("reads", &found.read), ("writes", &found.write)].into_iter().filter_map(|(name, side)| {
        let side = side.as_ref().filter(|side| !same(side))?;
        Some(format!("; {} {name} are too few to compare", count(side.counted_ios)))
    });
    let memory: Vec<String> =
        judged.in_memory().into_iter().map(|(layer, _)| format!("; {} is memory", layer.name)).collect();
    // Beside others that are as good as they can be it wouldn't be said.
    let severity = (!memory.is_empty()).then_some(Severity::Note);
    let together = match part.targets.len() {
        0 | 1 => String::new(),
        several => format!("; {several} targets together"),
    };
    let beside = few.chain(memory).chain([together]).collect::<String>();
    RuleOutcome { severity, ..plain(Verdict::Verified, message + &beside, None) }
}

fn discard_text(part: &Part, device: Flow) -> Option<String> {
    let counted = part.discarded;
    (counted.ios > 0 && !part.on_file_system).then(|| match device.ios {
        0 => {
            format!(
                "the run counted {} discards, but the kernel has no discard counter for this \
                     device",
                count(counted.ios)
            )
        }
        ios => format!(
            "the run counted {} discards of {}, the device did {} ({} merged into others) of {}",
            count(counted.ios),
            amount(counted.bytes),
            count(ios),
            count(device.merges),
            amount(device.bytes)
        ),
    })
}

/// Formats the zeros among the writes that the upper devices counted.
fn zero_write_text(part: &Part, bytes: u64) -> Option<String> {
    (bytes > 0).then(|| {
        format!(
            "{} of the writes that {} counted were zeros (WRITE_ZEROES), which a loop device does not write",
            amount(bytes),
            effects::names(&part.first())
        )
    })
}

/// Returns further evidence, one fact per line.
fn evidence_lines(
    span: &SpanContext,
    judged: &JudgedPart,
    verdict: &DeviceVerdict,
    found: &RuleOutcomes,
) -> Vec<String> {
    let mut evidence: Vec<String> = device_work(judged, verdict).into_iter().collect();
    let also =
        found.effects.iter().map(|effect| format!("also {}: {}", effect.verdict.word(), effect.message));
    evidence.extend(also);
    if let Some(seconds) = verdict.flush_seconds {
        let written = verdict.unwritten_bytes.map_or(String::new(), |bytes| format!(", {},", amount(bytes)));
        evidence.push(format!("flushing the dirty pages left at the end{written} took {seconds:.3} s"));
    }
    if verdict.verdict == Verdict::Deferred
        && let Some(write) = &verdict.write
    {
        let left = judged.bytes_left(write.counted_bytes.saturating_sub(write.device_bytes));
        let never = write.counted_bytes.saturating_sub(write.device_bytes).saturating_sub(left);
        if left > 0 && never > 0 {
            evidence.push(format!(
                "{} more was overwritten in the page cache and never reached the device ({} of the bytes \
                 counted)",
                amount(never),
                times(never, write.counted_bytes)
            ));
        }
    }
    evidence.extend(discard_text(judged.part, found.discards));
    evidence.extend(zero_write_text(judged.part, found.zeroed));
    evidence.extend(short_lived_users(span, verdict, found));
    evidence
}

/// Returns the work of the devices and of the run, if they differ because of memory.
fn device_work(judged: &JudgedPart, verdict: &DeviceVerdict) -> Option<String> {
    let device = verdict.device_in_words().filter(|_| verdict.verdict.is_of_memory())?;
    let part = judged.part;
    let sides = [(Direction::Read, part.read), (Direction::Write, part.write)];
    let counted =
        sides.into_iter().filter(|(_, counted)| counted.ios > 0).filter_map(|(direction, counted)| {
            let work = DeviceWork::work_over(judged.measured, counted.ios, counted.bytes)?;
            Some(work.in_words(direction))
        });
    let counted = counted.collect::<Vec<_>>().join(", ");
    // The number of I/Os of a judged program can be unknown.
    let run = if counted.is_empty() { String::new() } else { format!("; the run: {counted}") };
    Some(format!("the device: {device}{run}"))
}
