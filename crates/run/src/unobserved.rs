//! Facts about targets without a device.

use diskspd_base::engines::EngineKind;
use diskspd_machine::io_counters::{DeviceFacts, TargetDevices};
use diskspd_machine::stack::Stack;
use diskspd_plan::{SpanPlan, WorkerTarget};
use diskspd_profile::TargetId;
use diskspd_results::Observations;
use std::collections::HashMap;
use std::collections::hash_map::Entry;

/// Returns the observations of a time span in simulated time, which has no devices.
pub(crate) fn simulated(plan: &SpanPlan) -> Observations {
    Observations { devices: Some(without_devices(plan)), ..Observations::default() }
}

fn without_devices(plan: &SpanPlan) -> DeviceFacts {
    let target = |(engine, target): (EngineKind, &WorkerTarget)| TargetDevices {
        target: target.id,
        stack: without_io(engine).unwrap_or_default(),
        ..Default::default()
    };
    DeviceFacts { targets: targets(plan).into_iter().map(target).collect(), ..DeviceFacts::default() }
}

pub(crate) fn targets(plan: &SpanPlan) -> Vec<(EngineKind, &WorkerTarget)> {
    let mut found: Vec<(EngineKind, &WorkerTarget)> = Vec::new();
    let mut places: HashMap<TargetId, usize> = HashMap::new();
    for worker in &plan.workers {
        for target in &worker.targets {
            match places.entry(target.id) {
                // Listed twice, once to be written: that one is what is looked at.
                Entry::Occupied(place) => {
                    let known = &mut found[*place.get()];
                    if target.open.write && !known.1.open.write {
                        *known = (worker.engine, target);
                    }
                }
                Entry::Vacant(place) => {
                    place.insert(found.len());
                    found.push((worker.engine, target));
                }
            }
        }
    }
    found
}

pub(crate) fn without_io(engine: EngineKind) -> Option<Stack> {
    let row = engine.row();
    match row {
        _ if row.virtual_time => Some(Stack::without("this is a simulated device")),
        _ if !row.real_io => Some(Stack::without("the null engine does no I/O: it measures this program")),
        _ => None,
    }
}
