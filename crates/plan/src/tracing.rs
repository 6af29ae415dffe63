//! The traced events (`-e`), and events without a Linux counterpart.

use super::{EngineRequest, PlanError};
use diskspd_machine::tracing::{StampClock, TraceClass};
use diskspd_profile::Etw;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TracePlan {
    /// Classes of events in the report's order; empty = tracing without a class.
    pub classes: Vec<TraceClass>,
    pub clock: StampClock,
}

/// Returns the events to trace; `None` = tracing is off.
///
/// # Errors
/// Fails with all requested events that cannot be traced here.
pub(crate) fn tracing(etw: Option<&Etw>, wish: EngineRequest) -> Result<Option<TracePlan>, Vec<PlanError>> {
    let Some(etw) = etw else { return Ok(None) };
    let classes: Vec<TraceClass> = [
        (TraceClass::DiskIo, etw.disk_io),
        (TraceClass::PageFaults, etw.memory_page_faults),
        (TraceClass::HardFaults, etw.memory_hard_faults && !etw.memory_page_faults),
        (TraceClass::Network, etw.network),
        (TraceClass::Process, etw.process),
        (TraceClass::Thread, etw.thread),
    ]
    .into_iter()
    .filter_map(|(class, on)| on.then_some(class))
    .collect();
    let clocks: Vec<StampClock> =
        [(StampClock::Monotonic, etw.use_perf_timer), (StampClock::Raw, etw.use_cycles_counter)]
            .into_iter()
            .filter_map(|(clock, on)| on.then_some(clock))
            .collect();
    let simulated = wish.engine.is_some_and(|kind| kind.row().virtual_time);
    let refusals = [
        (etw.registry, "-eREGISTRY (Registry): Linux has no registry to trace; leave it out"),
        (
            etw.image_load,
            "-eIMAGE_LOAD (ImageLoad): Linux has no event for it (a loader maps a program like any file); \
             leave it out, or use -ePROCESS to count started programs",
        ),
        (
            etw.use_paged_memory,
            "-ep (UsePagedMemory): the kernel keeps trace buffers in memory that is never paged out; leave \
             it out",
        ),
        (
            etw.use_system_timer,
            "-es (UseSystemTimer): the kernel has no wall-clock time stamps for events; leave it out, or use \
             -eq or -ec",
        ),
        (
            clocks.len() > 1,
            "-eq and -ec (UsePerfTimer, UseCyclesCounter): a trace has one clock; leave out one of them",
        ),
        (
            simulated && !classes.is_empty(),
            "-e: a simulated run has nothing to trace; leave it out, or choose another engine",
        ),
    ];
    let errors: Vec<PlanError> = refusals
        .into_iter()
        .filter(|(refused, _)| *refused)
        .map(|(_, why)| PlanError::profile(why))
        .collect();
    if !errors.is_empty() {
        return Err(errors);
    }
    Ok(Some(TracePlan { classes, clock: clocks.first().copied().unwrap_or_default() }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_base::engines::EngineKind;

    fn decide_plan(
        change: fn(&mut Etw),
        engine: Option<EngineKind>,
    ) -> Result<Option<TracePlan>, Vec<PlanError>> {
        let mut etw = Etw::default();
        change(&mut etw);
        tracing(Some(&etw), EngineRequest { engine, ..EngineRequest::default() })
    }

    #[test]
    fn trace_classes_follow_report_order_without_duplicates() {
        assert_eq!(tracing(None, EngineRequest::default()), Ok(None));
        type Case = (fn(&mut Etw), Vec<TraceClass>, StampClock);
        let table: [Case; 4] = [
            (|_| (), vec![], StampClock::Monotonic),
            (
                |etw| (etw.thread, etw.disk_io) = (true, true),
                vec![TraceClass::DiskIo, TraceClass::Thread],
                StampClock::Monotonic,
            ),
            (
                |etw| (etw.memory_hard_faults, etw.use_perf_timer) = (true, true),
                vec![TraceClass::HardFaults],
                StampClock::Monotonic,
            ),
            (
                |etw| {
                    (etw.memory_hard_faults, etw.memory_page_faults) = (true, true);
                    etw.use_cycles_counter = true;
                },
                vec![TraceClass::PageFaults],
                StampClock::Raw,
            ),
        ];
        for (change, classes, clock) in table {
            assert_eq!(decide_plan(change, None), Ok(Some(TracePlan { classes, clock })));
        }
    }

    #[test]
    fn events_without_linux_counterpart_are_refused() {
        type Case = (fn(&mut Etw), Option<EngineKind>, &'static [&'static str]);
        let table: [Case; 6] = [
            (|etw| etw.registry = true, None, &["-eREGISTRY"]),
            (|etw| (etw.image_load, etw.registry) = (true, true), None, &["-eREGISTRY", "-eIMAGE_LOAD"]),
            (|etw| etw.use_paged_memory = true, None, &["-ep"]),
            (|etw| etw.use_system_timer = true, None, &["-es"]),
            (|etw| (etw.use_perf_timer, etw.use_cycles_counter) = (true, true), None, &["-eq and -ec"]),
            (|etw| etw.disk_io = true, Some(EngineKind::Sim), &["-e: a simulated run"]),
        ];
        for (change, engine, names) in table {
            let errors = decide_plan(change, engine).unwrap_err();
            assert_eq!(errors.len(), names.len(), "{errors:?}");
            assert!(
                errors.iter().zip(names).all(|(error, name)| error.finding.message.starts_with(name)),
                "{errors:?}"
            );
        }
        assert!(decide_plan(|_| (), Some(EngineKind::Sim)).is_ok());
    }
}
