//! A worker gets its targets, and its CPU.

use crate::span::open_error::OpenError;
use crate::span::ready::HeldTargets;
use diskspd_engine::{EngineKind, File};
use diskspd_model::plan::{WorkerPlan, WorkerTarget};
use diskspd_sys::anchor::Location;
use diskspd_sys::{cpu, files, operation};
use diskspd_worker::Failure;

/// Binds the calling thread to the CPU that its worker is to have. One that has to wait for its I/Os' time
/// wakes exactly.
///
/// # Errors
/// It can't be bound.
pub fn bind(plan: &WorkerPlan) -> Result<(), Failure> {
    if plan.is_limited() {
        cpu::wake_exactly();
    }
    let Some(cpu) = plan.cpu else { return Ok(()) };
    cpu::bind_to(cpu).map_err(|why| {
        Failure::of_thread(
            plan.thread,
            format!("can't bind it to CPU {cpu}: {why}; choose other CPUs (-a), or none (-n)"),
        )
    })
}

/// Opens the targets; the same path used in the same way is opened once. Returns the files and, for each
/// target, the index of its file.
///
/// What was located is what is opened, whatever the path leads to by now; where it couldn't be held, the last
/// look is at what is open.
///
/// # Errors
/// A target can't be opened, may not be written to, or can't do one of the operations.
pub fn open_all(plan: &WorkerPlan, held: &HeldTargets) -> Result<(Vec<File>, Vec<u32>), OpenError> {
    let mut distinct: Vec<&WorkerTarget> = Vec::new();
    let mut opened = Vec::new();
    let mut index = Vec::new();
    let way = |t: &WorkerTarget| (t.open, t.priority, t.mapping, t.ways, t.zones.is_some());
    for target in &plan.targets {
        let known = distinct.iter().position(|d| d.location == target.location && way(d) == way(target));
        if known.is_none() {
            let path = &target.location;
            // It tells why where nothing was located.
            let place: &dyn Location = held.located.find(target).map_or(path, |located| located);
            let found = match plan.engine {
                EngineKind::Nvme => files::open_namespace(place, &target.open)?,
                _ => files::open(place, &target.open)?,
            };
            if target.open.write {
                held.claims.permit(path, &found)?;
            }
            // What a namespace can do it has told when the run was planned.
            let tried = target.shares.iter().filter(|_| plan.engine != EngineKind::Nvme);
            for (op, row, _) in tried {
                operation::can(op, &found.file, found.size).map_err(|source| {
                    let (option, path, what) = (row.option, target.path.clone(), row.in_files);
                    OpenError::Operation { option, path, what, source }
                })?;
            }
            let WorkerTarget { priority, mapping, ways, .. } = *target;
            let (handle, write_through) = (found.file, target.open.dsync);
            let polled = plan.poll;
            let (workers, zoned) = (false, target.zones.is_some());
            opened.push(File { handle, priority, mapping, polled, workers, write_through, ways, zoned });
            distinct.push(target);
        }
        let file = known.unwrap_or(distinct.len() - 1);
        opened[file].workers |= target.workers;
        index.push(file as u32);
    }
    Ok((opened, index))
}
