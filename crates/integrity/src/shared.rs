//! State shared by all threads of a run: its number, the versions of each target, the journal.

use super::damaged::DamagedSectors;
use super::durable::is_durable;
use super::error::IntegrityError;
use super::generations::Generations;
use super::journal::format::JournalPiece;
use super::journal::{AckJournal, JournalTarget, Mixing};
use super::order::TargetOrder;
use super::system::identity;
use diskspd_plan::{SectorGrid, SpanPlan, WorkerTarget};
use diskspd_profile::{RawText, TargetId, VerifyMode};
use diskspd_sys::mutex::LockUnpoisoned;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

#[derive(Debug)]
pub struct Integrity {
    run: u64,
    mode: VerifyMode,
    spans: AtomicU64,
    versions: Mutex<BTreeMap<TargetId, Arc<Generations>>>,
    journal: Option<AckJournal>,
    order: TargetOrder,
    damaged: DamagedSectors,
}

impl Integrity {
    /// Creates the state of a run. `verify_as` as in `RunOptions`; `journal` is an empty file; `boot`
    /// identifies the running kernel ("" = unknown).
    pub fn new(
        mode: VerifyMode,
        verify_as: &[u32],
        journal: Option<File>,
        boot: &str,
    ) -> io::Result<Integrity> {
        // Keyed anew from the kernel's random numbers each time.
        let run = RandomState::new().build_hasher().finish();
        let journal = journal.map(|file| AckJournal::begin(file, run, boot)).transpose()?;
        let order = TargetOrder::new(verify_as);
        let (spans, versions, damaged) = Default::default();
        Ok(Integrity { run, mode, spans, versions, journal, order, damaged })
    }

    pub fn number(&self) -> u64 {
        self.run
    }

    pub fn mode(&self) -> VerifyMode {
        self.mode
    }

    /// Returns the first write number of each thread in this time span, unique in the run.
    pub(crate) fn first_write(&self) -> u64 {
        self.spans.load(Ordering::Relaxed) << 40
    }

    /// Returns the assignment of these targets to the writing run, if this run only reads. It must judge
    /// after all threads of a time span have ended.
    pub fn order(&self) -> &TargetOrder {
        &self.order
    }

    pub fn damaged(&self) -> &DamagedSectors {
        &self.damaged
    }

    pub fn journal(&self) -> Option<&AckJournal> {
        self.journal.as_ref()
    }

    /// Returns the versions of a target; `None` = unknown, because it is read-only.
    pub fn versions(&self, target: TargetId) -> Option<Arc<Generations>> {
        self.versions.lock_anyway().get(&target).cloned()
    }

    /// Discards the state of targets before their files are re-created. The journal records it first, so a
    /// run killed in between loses no data.
    pub fn forget(
        &self,
        plan: &SpanPlan,
        is_renewed: impl Fn(&RawText) -> bool,
    ) -> Result<(), IntegrityError> {
        let targets = plan.workers.iter().flat_map(|worker| &worker.targets);
        let renewed: BTreeSet<TargetId> =
            targets.filter(|target| is_renewed(&target.path)).map(|target| target.id).collect();
        let all = self.versions.lock_anyway();
        let known: Vec<_> = renewed.iter().filter_map(|id| Some((id, all.get(id)?))).collect();
        known.iter().for_each(|(_, versions)| versions.forget());
        let pieces: Vec<_> = known.iter().map(|(id, _)| JournalPiece::Forgotten(id.0)).collect();
        drop(all);
        self.write_pieces(&pieces)
    }

    fn write_pieces(&self, pieces: &[JournalPiece]) -> Result<(), IntegrityError> {
        let journal = self.journal.as_ref().filter(|_| !pieces.is_empty());
        Ok(journal.map_or(Ok(()), |journal| journal.add(pieces))?)
    }

    /// A time span is about to begin. `memory`: bytes that may be used, 0 = unknown.
    ///
    /// # Errors
    /// Fails without enough memory, if a file has two names, or if the journal cannot be written.
    pub fn begin_span(&self, plan: &SpanPlan, memory: u64) -> Result<(), IntegrityError> {
        self.spans.fetch_add(1, Ordering::Relaxed);
        self.damaged.clear();
        if !self.mode.stamps() {
            return Ok(());
        }
        let mut targets: Vec<&WorkerTarget> = Vec::new();
        for target in plan.workers.iter().flat_map(|worker| &worker.targets) {
            match targets.iter_mut().find(|known| known.id == target.id) {
                // Checksums may be wrong where any thread's way lets them be.
                Some(known) if target_mixing(target) > target_mixing(known) => *known = target,
                Some(_) => {}
                None => targets.push(target),
            }
        }
        refuse_two_names(&targets)?;
        let mut pieces = Vec::new();
        let mut all = self.versions.lock_anyway();
        for target in targets {
            let known = all.get(&target.id);
            if known.is_none() {
                pieces.push(JournalPiece::Target(describe_target(target)));
            }
            if known.is_none_or(|known| known.covered() < target.size) {
                let needed = Generations::memory(target.size, target.verified.unit);
                let fits = memory == 0 || needed <= memory / 2;
                let table = fits.then(|| Generations::new(target.size, target.verified.unit)).flatten();
                let table = table.ok_or_else(|| too_large(target))?;
                known.iter().for_each(|known| table.take_over(known));
                all.insert(target.id, Arc::new(table));
            }
        }
        drop(all);
        self.write_pieces(&pieces)
    }

    /// Ends the run after all I/Os.
    ///
    /// # Errors
    /// Fails if the journal is incomplete.
    pub fn end(&self) -> Result<(), IntegrityError> {
        self.write_pieces(&[JournalPiece::End])
    }
}

fn too_large(target: &WorkerTarget) -> IntegrityError {
    let bytes = Generations::memory(target.size, target.verified.unit);
    IntegrityError::TooLarge { bytes, path: target.path.clone() }
}

fn describe_target(target: &WorkerTarget) -> JournalTarget {
    let SectorGrid { sector, unit } = target.verified;
    let id = target.id;
    let (atomic, path) = (target.ways.atomic, target.path.clone());
    JournalTarget { id: id.0, sector, unit, mixing: target_mixing(target), atomic, path }
}

/// Returns whether a sector of the target may contain parts of two writes.
fn target_mixing(target: &WorkerTarget) -> Mixing {
    match target.mapping {
        Some(_) if !is_durable(target) => Mixing::Always,
        Some(_) => Mixing::WhenKilled,
        None if target.open.direct => Mixing::Never,
        _ => Mixing::WhenCut,
    }
}

/// One file under two names would be two targets, each of which knows nothing of the other's writes.
fn refuse_two_names(targets: &[&WorkerTarget]) -> Result<(), IntegrityError> {
    let mut known: Vec<((bool, u64, u64), &RawText)> = Vec::new();
    for target in targets {
        let Some(identity) = identity(&target.location) else { continue };
        if let Some((_, other)) = known.iter().find(|(of, _)| *of == identity) {
            return Err(IntegrityError::SameTarget { other: (*other).clone(), path: target.path.clone() });
        }
        known.push((identity, &target.path));
    }
    Ok(())
}
