//! Opening of a worker's targets, and binding to its CPU.

use crate::span::system::preparation::HeldTargets;
use diskspd_engine::{EngineKind, File};
use diskspd_plan::{WorkerPlan, WorkerTarget};
use diskspd_sys::anchor::Location;
use diskspd_sys::{cpu, files, operation};
use diskspd_worker::WorkerFailure;
use std::collections::HashMap;
use std::path::Path;

/// Binds the calling thread to its worker's CPU. A thread that waits for its I/Os' times gets exact
/// wake-ups.
pub(crate) fn bind(plan: &WorkerPlan) -> Result<(), WorkerFailure> {
    if plan.is_limited() {
        cpu::wake_exactly();
    }
    let Some(cpu) = plan.cpu else { return Ok(()) };
    cpu::bind_to(cpu).map_err(|why| {
        WorkerFailure::of_thread(
            plan.thread,
            format!("cannot bind it to CPU {cpu}: {why}; choose other CPUs (-a), or none (-n)"),
        )
    })
}

/// Opens the targets; the same path used in the same way is opened once. Returns the files and, for each
/// target, the index of its file.
///
/// It opens the located objects, even if the path now leads elsewhere. If they could not be held, the
/// opened object is checked last.
///
/// # Errors
/// Fails if a target cannot be opened, must not be written to, or does not support one of the operations.
pub(crate) fn open_all(
    plan: &WorkerPlan,
    held: &HeldTargets,
) -> Result<(Vec<File>, Vec<u32>), WorkerFailure> {
    let mut distinct: HashMap<&Path, Vec<(&WorkerTarget, usize)>> = HashMap::new();
    let mut opened = Vec::new();
    let mut index = Vec::new();
    let way = |t: &WorkerTarget| (t.open, t.priority, t.mapping, t.ways, t.zones.is_some());
    for target in &plan.targets {
        let at_place = distinct.entry(&target.location).or_default();
        let known = at_place.iter().find(|(known, _)| way(known) == way(target)).map(|(_, file)| *file);
        if known.is_none() {
            let path = &target.location;
            // It tells why where nothing was located.
            let place: &dyn Location = held.located.find(target).map_or(path, |located| located);
            let found = match plan.engine {
                EngineKind::Nvme => files::open_namespace(place, &target.open),
                _ => files::open(place, &target.open),
            };
            let found = found.map_err(|error| error.to_string())?;
            if target.open.write {
                held.claims.permit(path, &found).map_err(|refusal| refusal.to_string())?;
            }
            // A namespace reported its features when the run was planned.
            let tried = target.shares.iter().filter(|_| plan.engine != EngineKind::Nvme);
            for (op, row, _) in tried {
                operation::supports(op, &found.file, found.size).map_err(|error| {
                    format!(
                        "{0}: '{1}': its file system cannot {2}: {error}; leave out {0}, or use a file \
                         elsewhere (ext4, xfs, btrfs)",
                        row.option, target.path, row.in_files
                    )
                })?;
            }
            let WorkerTarget { priority, mapping, ways, .. } = *target;
            let (handle, write_through) = (found.file, target.open.dsync);
            let polled = plan.poll;
            let (workers, zoned) = (false, target.zones.is_some());
            opened.push(File { handle, priority, mapping, polled, workers, write_through, ways, zoned });
            at_place.push((target, opened.len() - 1));
        }
        let file = known.unwrap_or(opened.len() - 1);
        opened[file].workers |= target.workers;
        index.push(file as u32);
    }
    Ok((opened, index))
}
