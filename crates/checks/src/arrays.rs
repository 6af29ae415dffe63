//! Software RAIDs (md and LVM) that were rebuilding, checking or degraded during the measurement.

use super::{Finding, Severity, SpanContext};
use diskspd_machine::arrays::{ArrayFacts, ArrayMaintenance};
use diskspd_machine::io_counters::DeviceFacts;
use diskspd_machine::stack::Layer;

pub fn of_machine(arrays: &[ArrayFacts]) -> Vec<Finding> {
    let finding = |name, severity, message| Finding::of_machine(name, severity, message);
    let one = |array: &ArrayFacts| {
        let name = &array.name;
        let busy = array.maintenance.as_ref().map(|upkeep| {
            let (action, done) = (&upkeep.action, upkeep.done.1 * 100.0);
            let message = format!(
                "{name} is {} ({action}, {done:.0} % done): figures of a run would include that load",
                action_text(action)
            );
            finding("array-maintenance", Severity::Warning, message).remedy(ended(array, upkeep))
        });
        let lacking = array.missing.1 > 0;
        let busy = busy.map(|busy| if lacking { busy.shown_by(missing_members_text(array)) } else { busy });
        let lacks = (lacking && busy.is_none()).then(|| {
            let message =
                format!("{name} is degraded: figures of a run would describe a RAID that lacks members");
            finding("array-degraded", Severity::Warning, message)
                .shown_by(missing_members_text(array))
                .remedy(replacement_text(array))
        });
        let untold = array.state_unknown.then(|| {
            let message =
                format!("unknown whether {name}, a RAID of LVM, does background work or lacks members");
            finding("array-state-unknown", Severity::Note, message).remedy(asked_as_root())
        });
        busy.into_iter().chain(lacks).chain(untold)
    };
    arrays.iter().flat_map(one).collect()
}

pub(super) fn check(span: &SpanContext) -> Vec<Finding> {
    let arrays = span.devices().map_or(&[][..], |devices| &devices.arrays);
    let one = |array: &ArrayFacts| {
        let (busy, degraded) = (busy_array(span, array), degraded_array(span, array));
        let follows = busy.is_some() && array.missing.0 >= array.missing.1;
        busy.into_iter().chain(degraded.filter(|_| !follows)).chain(unknown_state(span, array))
    };
    arrays.iter().flat_map(one).collect()
}

fn busy_array(span: &SpanContext, array: &ArrayFacts) -> Option<Finding> {
    let upkeep = array.maintenance.as_ref()?;
    let message = format!("{} during the measurement: the figures include that load", did(array, upkeep));
    let finding = Finding::new("array-maintenance", Severity::Warning, span, message);
    let lacks = (array.missing != (0, 0)).then(|| missing_members_text(array));
    let finding = lacks.into_iter().fold(finding, Finding::shown_by);
    Some(finding.remedy(ended(array, upkeep)))
}

fn unknown_state(span: &SpanContext, array: &ArrayFacts) -> Option<Finding> {
    let name = &array.name;
    let message = format!(
        "unknown whether {name}, a RAID of LVM, did background work or lacked members during the \
         measurement"
    );
    let finding =
        || Finding::new("array-state-unknown", Severity::Note, span, message).remedy(asked_as_root());
    array.state_unknown.then(finding)
}

fn degraded_array(span: &SpanContext, array: &ArrayFacts) -> Option<Finding> {
    let name = &array.name;
    let message = match array.missing {
        (0, 0) => return None,
        (before, after) if before == after => {
            format!("{name} is degraded: the figures describe a RAID that lacks members")
        }
        (before, after) => {
            let what = if before < after { "lost members" } else { "got members back" };
            format!(
                "{name} {what} during the measurement: the figures mix the time before and the time after"
            )
        }
    };
    let finding = Finding::new("array-degraded", Severity::Warning, span, message)
        .shown_by(missing_members_text(array));
    Some(finding.remedy(replacement_text(array)))
}

fn replacement_text(array: &ArrayFacts) -> String {
    let look = match is_of_lvm(array) {
        true => LVM_REMEDY.to_owned(),
        false => format!("check /proc/mdstat and `mdadm --detail /dev/{}`", array.name),
    };
    format!("{look}, replace missing members, wait until it is rebuilt, and measure again")
}

const LVM_REMEDY: &str = "check `lvs -a -o+raid_sync_action,sync_percent,lv_health_status`";

fn asked_as_root() -> String {
    format!("only root may query the kernel: run it as root, or {LVM_REMEDY}")
}

fn is_of_lvm(array: &ArrayFacts) -> bool {
    array.name.starts_with("dm-")
}

fn missing_members_text(array: &ArrayFacts) -> String {
    let of = array.members.map_or(String::new(), |members| format!(" of {members}"));
    match array.missing {
        (before, after) if before == after => format!("members that were missing: {before}{of}"),
        (before, after) => format!("members that were missing: {before}{of} before, {after}{of} at the end"),
    }
}

pub(super) fn at_work<'a>(
    facts: &'a DeviceFacts,
    layers: &[&Layer],
) -> Option<(&'a ArrayFacts, &'a ArrayMaintenance)> {
    let mut among = facts.arrays.iter().filter(|array| layers.iter().any(|layer| layer.name == array.name));
    among.find_map(|array| Some((array, array.maintenance.as_ref()?)))
}

/// Formats `md0 was rebuilding members (recover, 3 to 12 % done)`.
pub(super) fn did(array: &ArrayFacts, upkeep: &ArrayMaintenance) -> String {
    let (first, last) = upkeep.done;
    let done = format!("{:.0} to {:.0} % done", first * 100.0, last * 100.0);
    format!("{} was {} ({}, {done})", array.name, action_text(&upkeep.action), upkeep.action)
}

fn action_text(action: &str) -> &'static str {
    match action {
        "resync" => "making its members identical",
        "recover" => "rebuilding members",
        "check" => "checking its members against each other",
        "repair" => "checking and repairing its members",
        "reshape" => "changing its shape",
        _ => "doing background work",
    }
}

pub(super) fn ended(array: &ArrayFacts, upkeep: &ArrayMaintenance) -> String {
    let name = &array.name;
    if is_of_lvm(array) {
        return format!("wait until it is done ({LVM_REMEDY}); then measure again");
    }
    let stop = match upkeep.action.as_str() {
        "check" | "repair" => format!(", or stop it: echo idle >/sys/block/{name}/md/sync_action"),
        _ => String::new(),
    };
    format!("wait until it is done (mdadm --wait /dev/{name}){stop}; then measure again")
}
