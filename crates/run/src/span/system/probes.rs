//! Checks of the machine before a run. Each is done once, because the answer may take seconds.

use crate::located::SpanTargets;
use crate::watch::linux::trace;
use diskspd_base::engines::EngineKind;
use diskspd_engine::AvailabilityError;
use diskspd_engine::MakeEngine;
use diskspd_host::located::{ResolvedTarget, ResolvedTargets};
use diskspd_host::target;
use diskspd_machine::completion::Completion;
use diskspd_machine::target::{TargetFacts, TargetKind};
use diskspd_plan::{PlanError, SpanPlan};
use diskspd_sys::target_error::TargetError;
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use std::path::{Path, PathBuf};

#[derive(Debug, Default)]
pub struct Probes {
    targets: RefCell<ResolvedTargets>,
    /// Facts about files to be created, by folder.
    missing: RefCell<HashMap<PathBuf, TargetFacts>>,
    engines: RefCell<HashMap<EngineKind, Result<(), AvailabilityError>>>,
    /// Completion modes of targets, by path and `O_DIRECT`.
    completions: RefCell<HashMap<(PathBuf, bool), Completion>>,
    trace: RefCell<Option<trace::ReadyTrace>>,
}

impl Probes {
    /// Returns the object at a target's location; `None` = it does not exist yet.
    pub fn located(&self, location: &Path) -> Result<Option<ResolvedTarget>, TargetError> {
        self.targets.borrow_mut().resolve(location)
    }

    /// Discards results about locations, because names may lead to other files after a change or a delay.
    pub fn refresh(&self) {
        self.targets.borrow_mut().refresh();
        self.missing.borrow_mut().clear();
    }

    /// Returns the facts about a target that does not exist yet. It inspects a folder once, because a run may
    /// make thousands of files in it.
    pub fn missing(&self, location: &Path) -> Result<TargetFacts, TargetError> {
        let folder = location.parent().unwrap_or(location);
        if let Some(known) = self.missing.borrow().get(folder)
            && !location.exists()
        {
            return Ok(TargetFacts { location: location.to_owned(), ..known.clone() });
        }
        let found = target::probe(location)?;
        if found.kind == TargetKind::Missing {
            self.missing.borrow_mut().insert(folder.to_owned(), found.clone());
        }
        Ok(found)
    }

    pub fn targets_at(&self, locations: &[PathBuf]) -> SpanTargets {
        // An unreadable target is reported when it is opened.
        SpanTargets::new(locations.iter().map(|location| self.located(location).ok().flatten()).collect())
    }

    /// Checks that the kernel permits the engines and has memory for them, before a large file is created.
    /// Later changes are detected when the workers create their engines.
    ///
    /// # Errors
    /// Fails with every unavailable engine of the plan and its reason.
    pub fn engines_available(&self, plan: &SpanPlan) -> Result<(), Vec<PlanError>> {
        let kinds: HashSet<EngineKind> = plan.workers.iter().map(|worker| worker.engine).collect();
        let unavailable = |kind: EngineKind| {
            let why = self.probe_engine(kind, || kind.row().available()).err()?;
            let message = format!("engine {} is not available: {why}", kind.row().name);
            Some(if why.lacking { PlanError::target(message) } else { PlanError::profile(message) })
        };
        let errors: Vec<PlanError> = kinds.into_iter().filter_map(unavailable).collect();
        if errors.is_empty() { Ok(()) } else { Err(errors) }
    }

    fn probe_engine(
        &self,
        kind: EngineKind,
        probe: impl FnOnce() -> Result<(), AvailabilityError>,
    ) -> Result<(), AvailabilityError> {
        self.engines.borrow_mut().entry(kind).or_insert_with(probe).clone()
    }

    /// Returns the completion mode of a target's I/Os. If unknown because the target does not exist yet,
    /// it is determined again later.
    pub fn completion(
        &self,
        location: &Path,
        direct: bool,
        probe: impl FnOnce() -> Completion,
    ) -> Completion {
        let key = (location.to_owned(), direct);
        if let Some(known) = self.completions.borrow().get(&key) {
            return *known;
        }
        let found = probe();
        if found != Completion::Unknown {
            self.completions.borrow_mut().insert(key, found);
        }
        found
    }

    /// Discards results about missing resources, because these may be available again.
    pub fn forget_what_lacked(&self) {
        self.refresh();
        self.engines.borrow_mut().retain(|_, answer| !answer.as_ref().is_err_and(|why| why.lacking));
    }

    /// Opens the requested trace (`-e`), which is the same in all time spans, and keeps it for the first
    /// of them.
    ///
    /// # Errors
    /// Fails with a hint if tracing is not possible.
    pub fn trace_available(&self, plan: &SpanPlan) -> Result<(), Vec<PlanError>> {
        let mut ready = self.trace.borrow_mut();
        if ready.is_none() {
            *ready =
                trace::ReadyTrace::open(plan).map_err(|why| vec![PlanError::profile(why.to_string())])?;
        }
        Ok(())
    }

    /// Returns the open trace; `None` on later calls, or without a trace.
    pub fn take_trace(&self) -> Option<trace::ReadyTrace> {
        self.trace.take()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn existing_target_is_probed_once() {
        let probes = Probes::default();
        let path = Path::new("/a");
        assert_eq!(probes.completion(path, true, || Completion::Unknown), Completion::Unknown);
        assert_eq!(probes.completion(path, true, || Completion::Inline), Completion::Inline);
        assert_eq!(probes.completion(path, true, || Completion::OneByOne), Completion::Inline);
        assert_eq!(probes.completion(path, false, || Completion::OneByOne), Completion::OneByOne);
    }

    #[test]
    fn engines_are_probed_once() {
        let refusal = AvailabilityError { reason: "no memory".into(), remedy: "wait".into(), lacking: true };
        let probes = Probes::default();
        for (kind, answer) in [(EngineKind::Uring, Err(refusal)), (EngineKind::Aio, Ok(()))] {
            let asked = Cell::new(0);
            for _ in 0..3 {
                let told = probes.probe_engine(kind, || {
                    asked.set(asked.get() + 1);
                    answer.clone()
                });
                assert_eq!(told, answer);
            }
            assert_eq!(asked.get(), 1, "{kind:?}");
        }
        probes.forget_what_lacked();
        assert_eq!(probes.probe_engine(EngineKind::Uring, || Ok(())), Ok(()), "there may be memory by now");
        probes.probe_engine(EngineKind::Aio, || panic!("it was there")).expect("remembered");
    }
}
