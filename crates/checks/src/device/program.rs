//! The verdict about another program's I/O. It follows the same rules, and states what is unknown.

use super::done::activity;
use super::effects::{JudgedPart, names};
use super::limits::{BACKGROUND, HIGH_FOREIGN_SHARE, MIN_EQUAL_RATIO, MIN_FOREIGN_SHARE};
use super::part::{IoCount, Part};
use super::verdict::DeviceVerdict;
use super::wording::amount;
use crate::{Severity, SpanContext};
use diskspd_machine::io_counters::DeviceFacts;
use diskspd_machine::memory_backed::InMemory;
use diskspd_machine::stack::LayerKind;
use diskspd_results::{JudgedProgram, SortedCalls, Verdict};

const NAME_TARGET: &str = "name the target (judge TARGET -- COMMAND), and repeat with a longer run";
const AVOID_CACHE: &str = "bypass the page cache (fio: direct=1; dd: iflag=direct or oflag=direct; sysbench: \
                           --file-extra-flags=direct)";
const RANDOM_DATA: &str = "write random data (fio: refill_buffers; dd: if=/dev/urandom)";
const FLUSH: &str = "write past the page cache (fio: direct=1; dd: oflag=direct), or flush before the end \
                     (fio: end_fsync=1; dd: conv=fsync)";

/// Corrects a verdict for unknown requests of the program, and names remedies for other programs.
pub(super) fn adjust(verdict: &mut DeviceVerdict, span: &SpanContext, judged: &JudgedPart) {
    let Some(program) = span.program else { return };
    let (part, facts) = (judged.part, judged.facts);
    match verdict.verdict {
        Verdict::Cached => verdict.remedy = verdict.remedy.take().map(of_program),
        Verdict::Deferred => verdict.remedy = Some(FLUSH.into()),
        Verdict::Coalesced | Verdict::Split | Verdict::Amplified => verdict.remedy = None,
        _ => {}
    }
    if program.words.is_empty() {
        return without_command(verdict, part);
    }
    if let Some(message) = find_other_target(part, facts, program) {
        verdict.evidence.clear();
        return add_undetermined(verdict, message);
    }
    let open = open(span, part, program);
    let is_decided = matches!(verdict.verdict, Verdict::Cached | Verdict::Deferred)
        && verdict.severity == Some(Severity::Wrong);
    if part.read.bytes == 0 && part.write.bytes == 0 && open.is_empty() {
        let all = span.measured.total.total.throughput.bytes;
        add_undetermined(
            verdict,
            format!("the command did hardly any I/O on files and devices ({})", amount(all)),
        );
        verdict.severity = None;
        verdict.remedy = None;
        return;
    }
    if open.is_empty() {
        return;
    }
    if is_decided || !part.has_devices() {
        verdict.evidence.extend(open);
        return;
    }
    let was = format!("without them the verdict is {}: {}", verdict.verdict.word(), verdict.message);
    let mut open = open.into_iter();
    add_undetermined(verdict, format!("undetermined: {}", open.next().unwrap_or_default()));
    verdict.evidence.insert(0, was);
    verdict.evidence.extend(open);
}

/// Whether the processes requested more reads of block devices than the seen devices did.
fn find_other_target(part: &Part, facts: &DeviceFacts, program: &JudgedProgram) -> Option<String> {
    let first = part.first();
    let done: u64 = first
        .iter()
        .filter_map(|layer| activity(facts, &layer.name))
        .map(|device| device.activity.read.bytes)
        .sum();
    let requested = program.counted.read_bytes;
    let missing = requested.saturating_sub(done);
    // Each program reads itself and its libraries.
    let counted = part.read.bytes.saturating_add(part.write.bytes);
    let matters = missing > BACKGROUND && missing as f64 >= MIN_FOREIGN_SHARE * counted as f64;
    let is_missing = matters && (done as f64) < MIN_EQUAL_RATIO * requested as f64;
    (is_missing && !first.is_empty() && !part.is_remote()).then(|| {
        format!(
            "undetermined: the processes requested {} of block devices, but {} read {}: files on other \
             devices were not seen",
            amount(requested),
            names(&first),
            amount(done)
        )
    })
}

/// Replaces a remedy that names options of a run.
fn of_program(remedy: String) -> String {
    match remedy.as_str() {
        own if own.contains("-Su") => AVOID_CACHE.to_owned(),
        own if own.contains("-Zr") => RANDOM_DATA.to_owned(),
        _ => remedy,
    }
}

fn add_undetermined(verdict: &mut DeviceVerdict, message: String) {
    verdict.verdict = Verdict::Unknown;
    verdict.severity = Some(Severity::Warning);
    verdict.message = message;
    verdict.remedy = Some(NAME_TARGET.into());
}

/// Adapts the verdict to a run without a command, in which no process's requests are known.
fn without_command(verdict: &mut DeviceVerdict, part: &Part) {
    let sides = [("read", part.read), ("wrote", part.write)];
    let done = sides.iter().filter(|(_, side)| side.bytes > 0);
    let done: Vec<String> = done.map(|(name, side)| format!("{name} {}", amount(side.bytes))).collect();
    let done = if done.is_empty() { "did no I/O".to_owned() } else { done.join(" and ") };
    let evidence = std::mem::take(&mut verdict.evidence);
    add_undetermined(verdict, format!("the device {done}; what programs requested of it is not measured"));
    verdict.evidence = evidence;
    verdict.severity = None;
    verdict.remedy = Some("start the program with judge to compare: diskspd judge TARGET -- COMMAND".into());
}

/// Returns possible requests that were not counted, one sentence each.
fn open(span: &SpanContext, part: &Part, program: &JudgedProgram) -> Vec<String> {
    let mut open = Vec::new();
    let all = part.read.bytes.saturating_add(part.write.bytes);
    for (name, counted, calls, claimed) in [
        ("reads", part.read, &program.read, program.claimed.as_ref().map(|claimed| claimed.read)),
        ("writes", part.write, &program.write, program.claimed.as_ref().map(|claimed| claimed.write)),
    ] {
        // Then the command's own figures are what was requested.
        let is_claimed =
            claimed.and_then(|claimed| claimed.bytes).is_some_and(|bytes| bytes == counted.bytes);
        if !is_claimed || counted.bytes == 0 {
            open.extend(unclear(name, counted, calls, all));
        }
    }
    let claimed_all = program.claimed.as_ref().is_some_and(|claimed| {
        let is = |side: Option<u64>, counted: IoCount| side.unwrap_or(0) == counted.bytes;
        is(claimed.read.bytes, part.read) && is(claimed.write.bytes, part.write)
    });
    let cached = span.targets().any(|asked| span.is_cached(asked));
    // Reads of holes request nothing of a device.
    if (cached || all == 0) && !claimed_all {
        open.extend(program.uncounted().map(|facts| {
            let reason = facts.uncounted_reason.as_deref().unwrap_or("the sizes of its I/Os are unknown");
            let path = if cached { " through the page cache" } else { "" };
            format!("I/O by {}{path} cannot be counted: {reason}", facts.engine.describe())
        }));
    }
    open.extend(find_possible_zeros(part, program, all));
    if program.unreadable > 0 {
        open.push(format!(
            "the counters of {} of {} processes could not be read: root can read them",
            program.unreadable, program.processes
        ));
    }
    if program.dropped > 0 {
        open.push(format!(
            "a process ignored the end of {} of its children (SIGCHLD), so the kernel dropped their counters",
            program.dropped
        ));
    }
    open
}

/// Zeros over zeros change no counter of a device, and the content after the run does not show when they were
/// written.
fn find_possible_zeros(part: &Part, program: &JudgedProgram, all: u64) -> Option<String> {
    let device = part.leaves().into_iter().find(|leaf| leaf.memory == Some(InMemory::Zram))?;
    // Encrypted zeros are stored.
    let is_changed = part.layers().iter().any(|layer| layer.kind == LayerKind::Mapper);
    let matters = part.write.bytes as f64 >= MIN_FOREIGN_SHARE * all as f64 && part.write.bytes > 0;
    (matters && !is_changed && part.easy == 0 && program.zeros_share >= HIGH_FOREIGN_SHARE).then(|| {
        format!(
            "up to {:.0} % of the written data are zeros, which {} does not store",
            program.zeros_share * 100.0,
            names(&[device])
        )
    })
}

fn unclear(name: &str, counted: IoCount, calls: &SortedCalls, all: u64) -> Option<String> {
    // Calls that reached a device are counted already.
    let known = counted.bytes.saturating_sub(calls.storage.bytes);
    let left = calls.unclear.bytes.saturating_sub(known);
    let matters = left > BACKGROUND && left as f64 > MIN_FOREIGN_SHARE * all as f64;
    matters.then(|| {
        format!(
            "{} of {name} were of the page cache, of pipes, or of sockets: the processes had several of \
             these open, or ended before they were seen",
            amount(left)
        )
    })
}
