//! How fast a job goes: `rate`, `rate_iops`, `thinktime`.

use super::each::{Each, WrongValue};
use super::settings::JobSettings;
use super::shape::{JobShape, JobWay};
use diskspd_model::profile::{SizeShare, Throughput};

/// Limit of each thread, or its I/Os per second at random times.
pub(super) fn rate(settings: &JobSettings, shape: &JobShape) -> Option<(Option<Throughput>, Option<u64>)> {
    let Some(name) = settings.last_of(&["rate", "rate_iops"]) else { return Some((None, None)) };
    let each = settings.read(name, |text| {
        Each::<Option<u64>>::parse(text, |text| settings.bytes(text).map_err(WrongValue::from))
    })?;
    if [each.read, each.write, each.trim].iter().all(|limit| limit.unwrap_or(0) == 0) {
        return Some((None, None));
    }
    let limit = match shape.way {
        JobWay::Read => each.read,
        JobWay::Write => each.write,
        JobWay::Trim => each.trim,
        JobWay::Mixed(_) => {
            let reason =
                "fio limits reads and writes each, which changes their shares; -g limits both together";
            settings.refuse(name, reason, "use two jobs, one that reads and one that writes");
            return None;
        }
    };
    let Some(limit) = limit.filter(|limit| *limit > 0) else { return Some((None, None)) };
    let sizes = match shape.way {
        JobWay::Write | JobWay::Mixed(_) => &shape.sizes.write,
        JobWay::Read => &shape.sizes.read,
        JobWay::Trim => &shape.sizes.trim,
    };
    let smallest = sizes.iter().map(|size| u64::from(size.block_size)).min().unwrap_or(1);
    match settings.text("rate_process") {
        None | Some("linear") => {}
        Some("poisson") => {
            // fio's own division, of a rate in bytes too.
            let ios = if name == "rate" { limit / smallest } else { limit };
            if ios == 0 {
                settings.refuse(name, "this is less than one I/O per second", "raise it, or use rate_iops");
                return None;
            }
            return Some((None, Some(ios)));
        }
        Some(_) => {
            settings.refuse("rate_process", "possible are linear and poisson", "give one of them");
            return None;
        }
    }
    // Of several sizes fio keeps I/Os per second with bssplit alone; else the bytes that they would be.
    let keeps_ios = name == "rate_iops" && (sizes.len() == 1 || settings.has("bssplit"));
    if keeps_ios {
        return match u32::try_from(limit) {
            Ok(limit) => Some((Some(Throughput::Iops(limit)), None)),
            Err(_) => {
                settings.refuse(name, "the rate is too high to be kept", "leave it out");
                None
            }
        };
    }
    let bytes = if name == "rate" { limit } else { limit.saturating_mul(smallest) };
    in_bytes(settings, name, bytes, sizes, shape.shortens()).map(|kept| (Some(kept), None))
}

/// What a rate may be off where it can't be stated exactly, as a part of it.
const OFF: f64 = 0.005;

/// How a rate in bytes per second is kept: as I/Os per second where those are whole; else as bytes per ms, of
/// one size, or as the nearest number of I/Os.
fn in_bytes(
    settings: &JobSettings,
    name: &'static str,
    bytes: u64,
    sizes: &[SizeShare],
    shortens: bool,
) -> Option<Throughput> {
    if shortens {
        let reason =
            "I/Os are shortened where a block behind them was done: how many a rate in bytes is isn't known";
        settings.refuse(name, reason, "add norandommap=1, or use rate_iops with bssplit");
        return None;
    }
    let ios = bytes as f64 / JobShape::mean(sizes);
    let off = |kept: f64| (kept - bytes as f64).abs() / bytes as f64;
    let whole = Some(ios.round()).filter(|ios| (1.0..=f64::from(u32::MAX)).contains(ios));
    let of_ios = whole.map(|whole| (whole as u32, off(whole * JobShape::mean(sizes))));
    let per_ms = bytes / 1000 + u64::from(bytes % 1000 >= 500);
    let of_ms = u32::try_from(per_ms).ok().filter(|per_ms| *per_ms > 0 && sizes.len() == 1);
    let of_ms = of_ms.map(|per_ms| (per_ms, off(f64::from(per_ms) * 1000.0)));
    // The one that is nearer; both alike, I/Os per second.
    let of_ms = of_ms.filter(|(_, off)| of_ios.is_none_or(|(_, other)| *off < other));
    match (of_ios, of_ms) {
        (_, Some((per_ms, off))) if off <= OFF => {
            if off > 0.0 {
                settings
                    .tell(name, format!("rates are whole bytes per ms: {} B/s", u64::from(per_ms) * 1000));
            }
            Some(Throughput::BytesPerMillisecond(per_ms))
        }
        (Some((ios, off)), None) if off <= OFF => {
            if off > 0.0 || sizes.len() > 1 {
                settings.tell(name, format!("the rate in bytes is kept as {ios} I/Os per second"));
            }
            Some(Throughput::Iops(ios))
        }
        _ => {
            let reason = "a rate in bytes is kept as whole bytes per millisecond or whole I/Os per second, \
                          and neither comes near it";
            settings.refuse(name, reason, "use rate_iops, or another rate");
            None
        }
    }
}

/// I/Os of a thread between two pauses, and those, ms.
pub(super) fn pause(settings: &JobSettings) -> Option<Option<(u32, u32)>> {
    let Some(micros) = settings.micros("thinktime").filter(|micros| *micros > 0) else { return Some(None) };
    let blocks = settings.number("thinktime_blocks", 1..=u64::from(u32::MAX)).unwrap_or(1) as u32;
    let after_issue = settings.text("thinktime_blocks_type") == Some("issue");
    match u32::try_from(micros / 1000) {
        Ok(ms) if micros.is_multiple_of(1000) && !after_issue => Some(Some((blocks, ms))),
        _ => {
            let reason = "pauses are whole milliseconds, behind I/Os that have completed";
            settings.refuse("thinktime", reason, "give whole milliseconds, such as thinktime=2ms");
            None
        }
    }
}
