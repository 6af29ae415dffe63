//! How fast a job goes: `rate`, `rate_iops`, `thinktime`.

use super::each::{Each, WrongValue};
use super::settings::JobSettings;
use super::shape::{JobShape, JobWay};
use diskspd_model::profile::Throughput;

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
    let poisson = match settings.text("rate_process") {
        None | Some("linear") => false,
        Some("poisson") => true,
        Some(_) => {
            settings.refuse("rate_process", "possible are linear and poisson", "give one of them");
            return None;
        }
    };
    if name == "rate_iops" {
        return match (u32::try_from(limit), poisson) {
            (_, true) => Some((None, Some(limit))),
            (Ok(limit), false) => Some((Some(Throughput::Iops(limit)), None)),
            (Err(_), false) => {
                settings.refuse(name, "the rate is too high to be kept", "leave it out");
                None
            }
        };
    }
    let mixed = [&shape.sizes.read, &shape.sizes.write].iter().any(|sizes| sizes.len() > 1);
    let per_ms = limit / 1000 + u64::from(limit % 1000 >= 500);
    let off = per_ms.saturating_mul(1000).abs_diff(limit) as f64 / limit as f64;
    match u32::try_from(per_ms) {
        Ok(per_ms) if off <= 0.005 && !mixed && !poisson => {
            if off > 0.0 {
                settings.tell("rate", format!("rates are whole bytes per ms: {} B/s", per_ms * 1000));
            }
            Some((Some(Throughput::BytesPerMillisecond(per_ms)), None))
        }
        _ => {
            let reason = "a rate in bytes is whole bytes per millisecond, for blocks of one size, evenly";
            settings.refuse(name, reason, "use rate_iops");
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
