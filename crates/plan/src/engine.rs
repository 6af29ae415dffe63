//! Selection of a thread's engine with its reason: a table of rules, where the first match decides.

use super::PlanError;
use super::access::open_mode;
use super::{nvme, placement};
use diskspd_base::engines::EngineKind;
use diskspd_base::operation::Operation;
use diskspd_machine::completion::{Completion, OneByOne, Polling};
use diskspd_machine::file_systems::{self, FileSystemType, Trait};
use diskspd_machine::target::{TargetFacts, TargetKind};
use diskspd_profile::{Target, TimeSpan};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Choice {
    pub engine: EngineKind,
    pub reason: &'static str,
    /// Reason for sequential I/Os; `None` = concurrent, or requested.
    pub one_by_one: Option<OneByOne>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct EngineRequest {
    /// `--engine`; `None` = chosen by the program.
    pub engine: Option<EngineKind>,
    pub poll: bool,
}

/// Completion mode of the I/Os on a target.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CompletionMode {
    InCall,
    /// Completion at submission, because the writes only reach the page cache.
    InCache,
    Later,
    /// Blocking submission: kernel workers wait instead of the thread.
    Blocking,
    /// Blocking submission, with writes in sequence.
    BlockingWrites,
    OneByOne,
    /// Windows: completion port or completion routine.
    Overlapped,
    Unknown,
}

#[derive(Debug)]
struct ThreadWork {
    depth: u64,
    mapped: bool,
    routines: bool,
    poll: bool,
    /// Whether a target is the character device of a namespace.
    commands: bool,
    streams: bool,
    ends: Vec<CompletionMode>,
}

impl ThreadWork {
    fn has_all(&self, wanted: &[CompletionMode]) -> bool {
        !self.ends.is_empty() && self.ends.iter().all(|ends| wanted.contains(ends))
    }

    fn has_any(&self, wanted: &[CompletionMode]) -> bool {
        self.ends.iter().any(|ends| wanted.contains(ends))
    }
}

struct AutoRule {
    applies: fn(&ThreadWork) -> bool,
    choice: Choice,
}

const fn auto_rule(applies: fn(&ThreadWork) -> bool, engine: EngineKind, reason: &'static str) -> AutoRule {
    AutoRule { applies, choice: Choice { engine, reason, one_by_one: None } }
}

impl AutoRule {
    const fn with_reason(self, one_by_one: OneByOne) -> AutoRule {
        AutoRule { choice: Choice { one_by_one: Some(one_by_one), ..self.choice }, ..self }
    }
}

/// Rules of `--engine auto`. A thread has one engine for all its targets. It does its I/Os synchronously
/// only if that costs nothing on any of them.
const RULES: [AutoRule; 15] = [
    auto_rule(
        |work| work.commands,
        EngineKind::Nvme,
        "the character device of an NVMe namespace accepts only NVMe commands",
    ),
    auto_rule(
        |work| work.mapped,
        EngineKind::Mmap,
        "with memory-mapped I/O (-Sm) the thread copies the data itself",
    ),
    auto_rule(|work| work.poll, EngineKind::Uring, "only io_uring polls for completions (--poll)"),
    auto_rule(
        |work| work.streams,
        EngineKind::Uring,
        "only io_uring names the stream of a write (--write-stream)",
    ),
    auto_rule(
        |work| work.depth == 1,
        EngineKind::Sync,
        "one outstanding I/O is synchronous I/O, as in DISKSPD",
    ),
    auto_rule(
        |work| work.routines && work.has_any(&[CompletionMode::Overlapped]),
        EngineKind::Routines,
        "completion routines (-x) report each completed I/O",
    ),
    auto_rule(
        |work| work.has_any(&[CompletionMode::Overlapped]),
        EngineKind::Port,
        "a completion port reports each completed I/O, as in DISKSPD",
    ),
    auto_rule(|work| work.routines, EngineKind::Uring, "completion routines (-x) need asynchronous I/O"),
    auto_rule(
        |work| work.has_all(&[CompletionMode::InCall]),
        EngineKind::Sync,
        "the target completes I/O in the submitting call, so a larger -o only adds buffers; use more threads \
         (-t) for more I/Os at a time",
    )
    .with_reason(OneByOne::Memory),
    auto_rule(
        |work| work.has_all(&[CompletionMode::InCall, CompletionMode::InCache]),
        EngineKind::Sync,
        "writes to the page cache of this file system or device complete synchronously, so a larger -o only \
         adds buffers; use more threads (-t) for more I/Os at a time",
    )
    .with_reason(OneByOne::PageCache),
    auto_rule(
        |work| work.has_all(&[CompletionMode::InCall, CompletionMode::InCache, CompletionMode::OneByOne]),
        EngineKind::Sync,
        "the target, or the kernel for it, blocks the thread for each of these I/Os: a larger -o would only \
         add their waits to each other's latency; more threads (-t) may do more I/Os at a time",
    )
    .with_reason(OneByOne::Target),
    auto_rule(
        |work| work.has_any(&[CompletionMode::BlockingWrites]),
        EngineKind::Uring,
        "the target blocks the submitting thread, so io_uring's kernel workers do the I/O: several reads at \
         a time, but one write at a time per file",
    )
    .with_reason(OneByOne::Writes),
    auto_rule(
        |work| work.has_any(&[CompletionMode::Blocking]),
        EngineKind::Uring,
        "the target blocks the submitting thread, so io_uring's kernel workers do the I/O, several at a time",
    ),
    auto_rule(
        |work| work.has_any(&[CompletionMode::Later]),
        EngineKind::Uring,
        "the target accepts I/O without blocking, so up to -o I/Os are in flight",
    ),
    auto_rule(
        |_| true,
        EngineKind::Uring,
        "the target cannot be probed before it exists and is readable, and io_uring suits every kind",
    ),
];

/// Returns the reason why a requested asynchronous engine does I/Os sequentially.
fn forced_serial(engine: EngineKind, work: &ThreadWork) -> Option<OneByOne> {
    match engine {
        _ if work.depth == 1 => None,
        EngineKind::Aio
            if work.has_any(&[
                CompletionMode::Blocking,
                CompletionMode::BlockingWrites,
                CompletionMode::OneByOne,
            ]) =>
        {
            Some(OneByOne::Target)
        }
        EngineKind::Uring if work.has_any(&[CompletionMode::BlockingWrites]) => Some(OneByOne::Writes),
        EngineKind::Uring if work.has_any(&[CompletionMode::OneByOne]) => Some(OneByOne::Target),
        _ => None,
    }
}

fn choose_engine(work: &ThreadWork) -> Choice {
    let last = &RULES[RULES.len() - 1];
    RULES.iter().find(|rule| (rule.applies)(work)).unwrap_or(last).choice
}

fn io_end(target: &Target, facts: &TargetFacts) -> CompletionMode {
    let open = open_mode(target, facts);
    let pages = |bytes: u64| bytes.is_multiple_of(4096);
    // A write of part of a page may have to read the rest of it.
    let whole_pages =
        pages(target.block_size.into()) && pages(target.stride()) && pages(target.base_file_offset);
    let cached_writes = !open.read && !open.direct && !open.dsync && whole_pages;
    let file_system = FileSystemType::from_name(&facts.file_system);
    let in_call = facts.kind == TargetKind::BlockDevice || file_system.has_trait(Trait::WorkerWritesCache);
    match facts.completion {
        Completion::InCall => CompletionMode::InCall,
        _ if cached_writes && in_call => CompletionMode::InCache,
        Completion::Queued => CompletionMode::Later,
        Completion::OneByOne => CompletionMode::OneByOne,
        // Of one file the kernel gives a worker one write at a time, unless the file system says that it
        // needs no such care; those that do take I/O without blocking.
        Completion::Blocking | Completion::Inline if !open.write || facts.kind == TargetKind::BlockDevice => {
            CompletionMode::Blocking
        }
        Completion::Blocking | Completion::Inline if !open.read => CompletionMode::OneByOne,
        Completion::Blocking | Completion::Inline => CompletionMode::BlockingWrites,
        Completion::Overlapped => CompletionMode::Overlapped,
        Completion::Unknown => CompletionMode::Unknown,
    }
}

/// Whether io_uring is to give the I/Os on a target to workers of the kernel instead of trying them itself.
pub(crate) fn needs_workers(target: &Target, facts: &TargetFacts) -> bool {
    let waits = matches!(facts.completion, Completion::Blocking | Completion::Inline | Completion::OneByOne);
    waits && !target.memory_mapped_io
}

/// Returns the open mode for the completion probe: `Some(O_DIRECT or not)`; `None` if the engine does not
/// depend on it.
pub fn completion_matters(
    span: &TimeSpan,
    target: &Target,
    facts: &TargetFacts,
    wish: EngineRequest,
) -> Option<bool> {
    // In a pool a thread has the requests of several targets.
    let queue = span.thread_count > 0 || target.request_count > 1;
    // The engines that submit several at a time have to know whether that is what becomes of them.
    let open = matches!(wish.engine, None | Some(EngineKind::Uring | EngineKind::Aio)) && !wish.poll;
    (open && queue && !target.memory_mapped_io).then(|| open_mode(target, facts).direct)
}

fn thread_work(
    span: &TimeSpan,
    members: &[(&Target, &TargetFacts)],
    depth: u64,
    wish: EngineRequest,
    mapped: bool,
) -> ThreadWork {
    ThreadWork {
        depth,
        mapped,
        routines: span.completion_routines,
        poll: wish.poll,
        commands: members.iter().any(|(_, facts)| facts.kind == TargetKind::NvmeNamespace),
        streams: members.iter().any(|(target, _)| !target.write_streams.is_empty()),
        ends: members
            .iter()
            .filter(|(target, _)| !target.memory_mapped_io)
            .map(|(target, facts)| io_end(target, facts))
            .collect(),
    }
}

/// Returns the engine of a thread with `depth` outstanding I/Os on these targets.
///
/// # Errors
/// Fails if the requested engine does not support the work.
pub(crate) fn engine(
    span: &TimeSpan,
    members: &[(&Target, &TargetFacts)],
    depth: u64,
    wish: EngineRequest,
) -> Result<Choice, PlanError> {
    let mapped = !members.is_empty() && members.iter().all(|(target, _)| target.memory_mapped_io);
    let work = thread_work(span, members, depth, wish, mapped);
    is_the_only_engine(span, wish)?;
    let choice = match wish.engine {
        None if span.io_ring.is_some() && !work.commands => {
            let engine = EngineKind::Uring;
            Choice { one_by_one: forced_serial(engine, &work), engine, reason: "requested (-u)" }
        }
        Some(engine) => {
            Choice { one_by_one: forced_serial(engine, &work), engine, reason: "requested (--engine)" }
        }
        None => choose_engine(&work),
    };
    let kind = choice.engine;
    nvme::suits(kind, members)?;
    placement::suits(kind, members)?;
    if wish.poll {
        can_poll(kind, members)?;
    }
    can_do(kind, members)?;
    match kind {
        EngineKind::Mmap if !mapped => {
            return Err(PlanError::profile(
                "--engine mmap does only memory-mapped I/O: add -Sm, or choose another engine",
            ));
        }
        EngineKind::Mmap | EngineKind::Nvme => {}
        _ if mapped && kind.row().real_io => {
            return Err(PlanError::profile(format!(
                "-Sm is memory-mapped I/O, which engine {} does not support: leave out --engine, or -Sm",
                kind.row().name
            )));
        }
        _ => {}
    }
    let row = kind.row();
    let most = u64::from(row.max_depth);
    if depth > most {
        return Err(PlanError::profile(format!(
            "{depth} outstanding I/Os per thread exceed the {most} of engine {}: lower -o, or spread them \
             over more threads (-t)",
            row.name
        )));
    }
    Ok(choice)
}

/// Checks that `-u`, which also names an engine, agrees with `--engine`.
fn is_the_only_engine(span: &TimeSpan, wish: EngineRequest) -> Result<(), PlanError> {
    if let (Some(_), Some(other)) = (span.io_ring, wish.engine.filter(|kind| kind.row().real_io))
        && !matches!(other, EngineKind::Uring | EngineKind::Nvme)
    {
        return Err(PlanError::profile(format!(
            "-u means io_uring, and --engine {} another engine: leave out one of them",
            other.row().name
        )));
    }
    Ok(())
}

/// Other operations than reads and writes are for engines that can do them, and discards of devices for
/// io_uring on a kernel whose io_uring can.
fn can_do(engine: EngineKind, members: &[(&Target, &TargetFacts)]) -> Result<(), PlanError> {
    for (target, facts) in members {
        if let Some((_, row, _)) = target.shares.iter().find(|(op, ..)| !engine.row().supports(*op)) {
            // Mapped files are refused before.
            return Err(PlanError::profile(format!(
                "{option}: Linux AIO has no {plural}, and {plural} in the thread would block all its other \
                 I/Os: leave out --engine aio for io_uring, or choose --engine sync",
                option = row.option,
                plural = row.plural
            )));
        }
        let answer = facts.discards.as_ref().and_then(|found| found.not_by_uring.as_ref());
        let discards = target.shares.percent(Operation::Discard) > 0;
        if let (EngineKind::Uring, Some(answer), true) = (engine, answer, discards) {
            return Err(PlanError::target(format!(
                "--trim: '{}': this kernel's io_uring cannot discard on this block device ({answer}; needs \
                 Linux 6.12): choose --engine sync, with more threads (-t) instead of -o",
                target.path
            )));
        }
    }
    Ok(())
}

/// Checks that `--poll` is used with io_uring, without the cache, on devices with poll queues.
fn can_poll(engine: EngineKind, members: &[(&Target, &TargetFacts)]) -> Result<(), PlanError> {
    if engine == EngineKind::Sync {
        return Err(PlanError::profile(
            "--poll: the kernel does not poll for pread and pwrite (since Linux 5.19 it ignores the flag): \
             leave out --engine sync, because io_uring polls at -o1 too; or leave out --poll",
        ));
    }
    for (target, facts) in members {
        let path = &target.path;
        if target.memory_mapped_io {
            return Err(PlanError::profile(
                "--poll: memory-mapped I/O (-Sm) has no completions to poll for: leave out one",
            ));
        }
        if !engine.row().polls {
            return Err(PlanError::profile(format!(
                "--poll: engine {} does not poll for completions: choose --engine uring, or leave out --poll",
                engine.row().name
            )));
        }
        if !open_mode(target, facts).direct {
            return Err(PlanError::profile(
                "--poll: only I/O that bypasses the page cache can be polled: add -Su or -Sh, or leave out \
                 --poll",
            ));
        }
        match &facts.polling {
            Polling::NoDevice => {
                return Err(PlanError::target(format!(
                    "--poll: '{path}' is not on a single block device: leave out --poll, or choose a target \
                     on an NVMe drive with poll queues"
                )));
            }
            Polling::Without(device) => {
                return Err(PlanError::target(format!(
                    "--poll: '{path}': device {device} has no poll queues (/sys/block/{device}/queue/io_poll \
                     is not 1): leave out --poll, or give the driver some when it is loaded \
                     (nvme.poll_queues=4 or virtio_blk.poll_queues=1 on the kernel's command line)"
                )));
            }
            Polling::Possible => {}
        }
        let file_system = FileSystemType::from_name(&facts.file_system);
        if !facts.kind.is_device() && !file_system.has_trait(Trait::Polls) {
            return Err(PlanError::target(format!(
                "--poll: '{path}' is on file system {}, whose files cannot be polled ({} can): use one of \
                 those, or the device itself",
                facts.file_system,
                file_systems::all_with(Trait::Polls).join(", ")
            )));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests;
