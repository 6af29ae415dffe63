//! `--replay`: reading of the recorded I/Os, and their totals in the profile.

use diskspd_base::engines::Direction;
use diskspd_base::finding::Finding;
use diskspd_base::operation::Operation;
use diskspd_figures::units::seconds_of_ns;
use diskspd_machine::target::TargetFacts;
use diskspd_plan::{PlanError, ReplayPlan, SpanPlan, VolumeGoal};
use diskspd_profile::{
    Origin, Profile, ReplayOptions, ReplayWrites, RunOptions, Target, Throughput, TimeSpan,
};
use diskspd_sys::owners;
use diskspd_trace::formats::{self, RequestView, TakenIos, TraceError};
use diskspd_trace::replay::{ReplayAction, ReplayBuilder, ReplayList};
use std::fmt;
use std::io::{self, BufReader};
use std::sync::Arc;

/// Extra run time beyond the trace in s for late I/Os, unless `-d` sets it.
const GRACE_S: u64 = 10;
/// Maximum run time in s at full speed: a day.
const MAX_DURATION_S: u64 = 86_400;

pub struct ReplayReady {
    pub profile: Profile,
    pub run_options: RunOptions,
    /// Recorded I/Os; `None` = no replay.
    pub list: Option<Arc<ReplayList>>,
}

/// Reads the file of `--replay`, if given.
///
/// # Errors
/// Fails if it cannot be read, is invalid, or contains writes without an explicit choice about them.
pub fn prepared(
    profile: &Profile,
    run_options: &RunOptions,
    origin: &Origin,
) -> Result<ReplayReady, Box<Finding>> {
    let (mut profile, mut run_options) = (profile.clone(), run_options.clone());
    let Some(replay) = &mut run_options.replay else {
        return Ok(ReplayReady { profile, run_options, list: None });
    };
    let list = read(replay, &origin.owners).map_err(|why| {
        let why = match why {
            ReplayError::Trace(_) if origin.is_received() => {
                format!("not a file of recorded I/Os; diskspd trace --from {} explains", replay.file)
            }
            why => why.to_string(),
        };
        Box::new(Finding::error(format!("--replay {}: {why}", replay.file)))
    })?;
    (replay.ios, replay.length_ns) = (list.len() as u64, list.length_ns());
    if !list.has_times {
        replay.speed_thousandths = 0;
    }
    let virtual_time = run_options.virtual_time();
    if let Some(replay) = &run_options.replay {
        for span in &mut profile.time_spans {
            adapt_span(span, &list, replay, virtual_time);
        }
    }
    Ok(ReplayReady { profile, run_options, list: Some(Arc::new(list)) })
}

pub(super) fn expectation(replay: &ReplayOptions) -> String {
    let ios = replay.ios;
    match replay.speed_thousandths {
        0 => format!(
            "the replay of {ios} I/Os takes as long as the storage needs: it waits for no recorded time"
        ),
        thousandths => {
            let seconds = seconds_of_ns(replay.length_ns) * 1000.0 / f64::from(thousandths);
            format!("the replay of {ios} I/Os takes about {seconds:.1} s")
        }
    }
}

#[derive(Debug, thiserror::Error)]
enum ReplayError {
    #[error("cannot be opened: {0}")]
    NotOpened(#[source] io::Error),
    #[error(transparent)]
    Trace(#[from] TraceError),
    #[error(
        "it is {format}, and {holds}, which would overwrite the target: pass --replay-writes issue to do \
         them, or --replay-writes skip to do the {reads} reads alone"
    )]
    Destroying { format: &'static str, holds: DestructiveIos, reads: u64 },
    #[error("it {0} and no reads: no I/O is left to replay without them")]
    NothingLeft(DestructiveIos),
}

#[derive(Debug, Clone, Copy)]
struct DestructiveIos {
    writes: u64,
    discards: u64,
    all: u64,
}

impl fmt::Display for DestructiveIos {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let DestructiveIos { writes, discards, all } = self;
        match (writes, discards) {
            (_, 0) => write!(f, "holds writes ({writes} of {all} I/Os)"),
            (0, _) => write!(f, "holds discards ({discards} of {all} I/Os)"),
            _ => write!(f, "holds {writes} writes and {discards} discards (of {all} I/Os)"),
        }
    }
}

fn read(replay: &ReplayOptions, owners: &[u32]) -> Result<ReplayList, ReplayError> {
    let file = owners::open(replay.file.as_path(), owners).map_err(ReplayError::NotOpened)?;
    let mut builder = ReplayBuilder::new(replay.writes == Some(ReplayWrites::Issue));
    let input = BufReader::with_capacity(1 << 18, file);
    let taken = TakenIos { stream: replay.stream.as_deref(), view: RequestView::Asked };
    let found = formats::read(input, &taken, &mut |line, event| builder.take(line, event))?;
    let list = builder.finish(found.has_times);
    let [reads, writes, discards] = list.recorded;
    let holds = DestructiveIos { writes, discards, all: reads + writes + discards };
    if replay.writes.is_none() && writes + discards > 0 {
        return Err(ReplayError::Destroying { format: found.format.name(), holds, reads });
    }
    match list.is_empty() {
        true => Err(ReplayError::NothingLeft(holds)),
        false => Ok(list),
    }
}

fn adapt_span(span: &mut TimeSpan, list: &ReplayList, replay: &ReplayOptions, virtual_time: bool) {
    let [reads, writes, discards] =
        [ReplayAction::Read, ReplayAction::Write, ReplayAction::Discard].map(|does| list.count(does));
    let seconds = seconds_of_ns(list.length_ns()) * 1000.0 / f64::from(replay.speed_thousandths.max(1));
    let threads = span.threads().max(1) as f64;
    let rate = (list.len() as f64 / seconds.max(1e-3) / threads).round().clamp(1.0, f64::from(u32::MAX));
    for target in &mut span.targets {
        *target = Target {
            // Discards alone have no block.
            block_size: list.largest.max(list.alignment()),
            block_alignment: u64::from(list.alignment()),
            random_ratio: 100,
            write_ratio: percent_share(writes, reads),
            shares: target.shares.with(Operation::Discard, percent_share(discards, reads + writes)),
            // Each has its own time; this is what they come to.
            throughput: (replay.speed_thousandths > 0).then_some(Throughput::Iops(rate as u32)),
            ..target.clone()
        };
    }
    if replay.duration_given {
        return;
    }
    let whole = seconds.ceil().min(f64::from(u32::MAX / 2)) as u64;
    let longest = match (replay.speed_thousandths, virtual_time) {
        // Nobody knows in simulated time when the last one is done: the threads run one after the other.
        (0, true) => return,
        // Together with the warm-up.
        _ if span.warmup > 0 => (whole + 1).saturating_sub(span.warmup.into()).max(1),
        (_, true) => whole + 1,
        (0, false) => MAX_DURATION_S,
        (_, false) => whole + GRACE_S,
    };
    span.duration = longest as u32;
}

/// Returns the share of `these` in percent: 0 or 100 only if exact.
fn percent_share(these: u64, others: u64) -> u32 {
    match (these, others) {
        (0, _) => 0,
        (_, 0) => 100,
        _ => ((these as f64 * 100.0 / (these + others) as f64).round() as u32).clamp(1, 99),
    }
}

/// Checks that the targets support the I/Os.
pub(super) fn find_misaligned(list: &ReplayList, span: &TimeSpan, facts: &[TargetFacts]) -> Vec<PlanError> {
    let wrong = |(target, facts): (&Target, &TargetFacts)| {
        let is_device = facts.kind.is_device();
        let direct = facts.direct.filter(|_| !target.is_cached(is_device) && !target.memory_mapped_io)?;
        let line =
            Some(list.first_misaligned(direct.offset)).filter(|line| *line > 0 && direct.offset > 1)?;
        Some(PlanError::target(format!(
            "'{}': the I/O in line {line} of --replay is not aligned to {} bytes, which unbuffered I/O on \
             this target requires; use -Sb, or another target",
            target.path, direct.offset
        )))
    };
    span.targets.iter().zip(facts).filter_map(wrong).collect()
}

/// Adds the I/Os to a plan.
///
/// # Errors
/// Fails if the target is smaller than they require.
pub(super) fn give(
    plan: &mut SpanPlan,
    list: &Arc<ReplayList>,
    run_options: &RunOptions,
) -> Result<(), Vec<PlanError>> {
    let (end, line) = list.end;
    for target in plan.workers.iter().flat_map(|worker| &worker.targets) {
        if end > target.size {
            return Err(vec![PlanError::target(format!(
                "'{}' has {} bytes, but the I/O in line {line} of --replay ends at {end}; use a larger \
                 target",
                target.path, target.size
            ))]);
        }
    }
    if !run_options.virtual_time() {
        // All bytes count, whichever way they go and whenever.
        let (direction, bytes) = (Direction::Read, list.bytes.max(1));
        plan.volumes.push(VolumeGoal { direction, bytes, from_start: true });
    }
    let speed_thousandths = run_options.replay.as_ref().map_or(0, |replay| replay.speed_thousandths);
    plan.replay = Some(ReplayPlan { list: Arc::clone(list), speed_thousandths });
    Ok(())
}
