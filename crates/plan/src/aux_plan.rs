//! Requirements of a target for operations other than reads and writes (`--trim`).

use super::PlanError;
use super::access::is_cached;
use diskspd_base::finding::Finding;
use diskspd_base::operation::Operation;
use diskspd_machine::target::{TargetFacts, TargetKind};
use diskspd_profile::Target;

/// Collects unsupported operations and misaligned blocks. A warning reports discards of partial units.
pub(crate) fn check(
    target: &Target,
    facts: &TargetFacts,
    errors: &mut Vec<PlanError>,
    warnings: &mut Vec<Finding>,
) {
    for (op, row, _) in target.shares.replacements() {
        match operation_refusal(op, row.plural, target, facts) {
            Some(why) => {
                errors.push(PlanError::target(format!("{}: '{}': {why}", row.option, target.path)));
            }
            None if op == Operation::Discard => warnings.extend(partial_support(target, facts)),
            None => {}
        }
    }
}

fn operation_refusal(op: Operation, plural: &str, target: &Target, facts: &TargetFacts) -> Option<String> {
    if facts.kind != TargetKind::BlockDevice {
        return None;
    }
    let unable = facts.discards.as_ref().and_then(|found| found.impossible.as_ref());
    if let Some(device) = unable.filter(|_| op == Operation::Discard) {
        return Some(format!(
            "{device} does not support discard (discard_max_bytes of its queue in /sys is 0); leave out \
             --trim, or choose another device"
        ));
    }
    // The kernel refuses both of blocks that are in its cache and not yet on the device (EBUSY).
    if is_cached(target, facts) && target.write_ratio > 0 {
        return Some(format!(
            "the kernel refuses {plural} of dirty blocks in the page cache; leave out -Sb, or -w"
        ));
    }
    let block = facts.direct.map_or(0, |needs| needs.offset.into());
    let off = off_grid(target, block)?;
    Some(format!(
        "{plural} must be aligned to the device's logical blocks of {block} bytes; {off} not a multiple of it"
    ))
}

fn partial_support(target: &Target, facts: &TargetFacts) -> Option<Finding> {
    let unit = facts.discards.as_ref().map_or(0, |found| found.unit);
    let off = off_grid(target, unit)?;
    let whose = match facts.kind {
        TargetKind::BlockDevice | TargetKind::NvmeNamespace => "the device (discard_granularity)",
        _ => "the file system",
    };
    let message = format!(
        "--trim: '{}': {whose} frees whole units of {unit} bytes, but {off} not a multiple of it: a discard \
         frees only the units within it, the rest is ignored or overwritten with zeros",
        target.path
    );
    Some(Finding::warning(message).on_target(&target.path))
}

/// Returns the settings that are not multiples of a unit, as the start of a sentence. `None` if all are,
/// or the unit is unknown (0).
fn off_grid(target: &Target, unit: u64) -> Option<String> {
    let settings = [
        ("block size (-b)", u64::from(target.block_size)),
        ("stride or alignment (-s, -r)", target.stride()),
        ("base offset (-B)", target.base_file_offset),
    ];
    let off = settings.into_iter().filter(|(_, value)| unit > 0 && value % unit != 0);
    let off: Vec<String> = off.map(|(name, value)| format!("the {name} of {value}")).collect();
    match off.len() {
        0 => None,
        1 => Some(format!("{} is", off[0])),
        _ => Some(format!("{} are", off.join(" and "))),
    }
}
