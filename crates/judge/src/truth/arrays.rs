//! Software RAIDs (md) that rebuilt or checked themselves while it was measured, or lacked members.

use super::{Finding, Severity, SpanView};
use diskspd_model::machine::arrays::{ArrayFacts, Upkeep};
use diskspd_model::machine::io_counters::DeviceFacts;
use diskspd_model::machine::stack::Layer;

/// Each RAID: what it did, and what it lacked, unless that follows from what it did.
pub(super) fn check(span: &SpanView) -> Vec<Finding> {
    let arrays = span.devices().map_or(&[][..], |devices| &devices.arrays);
    let one = |array: &ArrayFacts| {
        let (busy, degraded) = (busy(span, array), degraded(span, array));
        let follows = busy.is_some() && array.missing.0 >= array.missing.1;
        busy.into_iter().chain(degraded.filter(|_| !follows))
    };
    arrays.iter().flat_map(one).collect()
}

fn busy(span: &SpanView, array: &ArrayFacts) -> Option<Finding> {
    let upkeep = array.upkeep.as_ref()?;
    let message =
        format!("{} while it was measured: the figures include what that takes", did(array, upkeep));
    let finding = Finding::new("array-at-work", Severity::Warning, span, message);
    let lacks = (array.missing != (0, 0)).then(|| lacked(array));
    let finding = lacks.into_iter().fold(finding, Finding::shown_by);
    Some(finding.remedy(ended(array, upkeep)))
}

fn degraded(span: &SpanView, array: &ArrayFacts) -> Option<Finding> {
    let name = &array.name;
    let message = match array.missing {
        (0, 0) => return None,
        (before, after) if before < after => {
            format!("{name} lost members while it was measured: the figures are of it before and after")
        }
        (before, after) if before > after => {
            format!("{name} got members back while it was measured: the figures are of it before and after")
        }
        _ => format!("{name} is degraded: the figures are those of a RAID that lacks members"),
    };
    let finding = Finding::new("array-degraded", Severity::Warning, span, message).shown_by(lacked(array));
    let look = format!("look at /proc/mdstat and `mdadm --detail /dev/{name}`");
    Some(
        finding
            .remedy(format!("{look}, replace what is missing, wait until it is rebuilt, and measure again")),
    )
}

fn lacked(array: &ArrayFacts) -> String {
    let of = array.members.map_or(String::new(), |members| format!(" of {members}"));
    match array.missing {
        (before, after) if before == after => format!("members that were missing: {before}{of}"),
        (before, after) => format!("members that were missing: {before}{of} before, {after}{of} at the end"),
    }
}

/// The first of these devices that did something by itself.
pub(super) fn at_work<'a>(facts: &'a DeviceFacts, layers: &[&Layer]) -> Option<(&'a ArrayFacts, &'a Upkeep)> {
    let mut among = facts.arrays.iter().filter(|array| layers.iter().any(|layer| layer.name == array.name));
    among.find_map(|array| Some((array, array.upkeep.as_ref()?)))
}

/// `md0 was rebuilding members (recover, 3 to 12 % done)`
pub(super) fn did(array: &ArrayFacts, upkeep: &Upkeep) -> String {
    let what = match upkeep.action.as_str() {
        "resync" => "was making its members alike",
        "recover" => "was rebuilding members",
        "check" => "was checking its members against each other",
        "repair" => "was checking and repairing its members",
        "reshape" => "was changing its shape",
        _ => "was at work by itself",
    };
    let (first, last) = upkeep.done;
    let done = format!("{:.0} to {:.0} % done", first * 100.0, last * 100.0);
    format!("{} {what} ({}, {done})", array.name, upkeep.action)
}

/// How to be rid of that.
pub(super) fn ended(array: &ArrayFacts, upkeep: &Upkeep) -> String {
    let name = &array.name;
    let stop = match upkeep.action.as_str() {
        "check" | "repair" => format!(", or stop it: echo idle >/sys/block/{name}/md/sync_action"),
        _ => String::new(),
    };
    format!("wait until it is done (mdadm --wait /dev/{name}){stop}; then measure again")
}
