//! Pace of a job: `rate`, `rate_iops`, `thinktime`.

use super::each::{PerDirection, WrongValue};
use super::settings::JobSettings;
use super::shape::{JobDirection, JobShape};
use diskspd_profile::{SizeShare, Throughput};

#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct JobRate {
    pub(super) limit: Option<Throughput>,
    pub(super) poisson: Option<u64>,
    /// Share of reads in percent that results from the rates of both directions; `None` = share of the
    /// job.
    pub(super) reads: Option<u32>,
}

pub(super) fn rate(settings: &JobSettings, shape: &JobShape) -> Option<JobRate> {
    let Some(name) = settings.last_of(&["rate", "rate_iops"]) else { return Some(JobRate::default()) };
    let each = settings.read(name, |text| {
        PerDirection::<Option<u64>>::parse(text, |text| settings.bytes(text).map_err(WrongValue::from))
    })?;
    if [each.read, each.write, each.trim].iter().all(|limit| limit.unwrap_or(0) == 0) {
        return Some(JobRate::default());
    }
    let limit = match shape.way {
        JobDirection::Read => each.read,
        JobDirection::Write => each.write,
        JobDirection::Trim => each.trim,
        JobDirection::Mixed(_) => return mixed_rate(settings, name, &each, shape),
    };
    let Some(limit) = limit.filter(|limit| *limit > 0) else { return Some(JobRate::default()) };
    let sizes = match shape.way {
        JobDirection::Write | JobDirection::Mixed(_) => &shape.sizes.write,
        JobDirection::Read => &shape.sizes.read,
        JobDirection::Trim => &shape.sizes.trim,
    };
    if is_poisson(settings)? {
        let ios = of_poisson(settings, name, limit, sizes)?;
        return Some(JobRate { poisson: Some(ios), ..JobRate::default() });
    }
    let limit = if keeps_ios(settings, name, sizes) {
        of_ios(settings, name, limit)?
    } else {
        in_bytes(settings, name, bytes_per_second(name, limit, sizes), sizes, shape.shortens())?
    };
    Some(JobRate { limit: Some(limit), ..JobRate::default() })
}

/// Reads and writes that have a limit each. fio does an I/O of the other direction while one is ahead of its
/// rate, so that the rates decide the shares.
fn mixed_rate(
    settings: &JobSettings,
    name: &'static str,
    each: &PerDirection<Option<u64>>,
    shape: &JobShape,
) -> Option<JobRate> {
    let limits = [(each.read, &shape.sizes.read), (each.write, &shape.sizes.write)];
    let poisson = is_poisson(settings)?;
    let mut rates = [0.0; 2];
    for (rate, (limit, sizes)) in rates.iter_mut().zip(limits) {
        let Some(limit) = limit.filter(|limit| *limit > 0) else {
            let reason = "fio limits reads and writes each, and one of them has no limit here";
            settings.refuse(name, reason, "use two jobs, one that reads and one that writes");
            return None;
        };
        *rate = if poisson {
            of_poisson(settings, name, limit, sizes)? as f64
        } else if keeps_ios(settings, name, sizes) {
            limit as f64
        } else if shape.shortens() {
            settings.refuse(name, SHORTENED_IOS, KEEP_SIZES);
            return None;
        } else {
            bytes_per_second(name, limit, sizes) as f64 / JobShape::mean(sizes)
        };
    }
    let all = rates[0] + rates[1];
    let (whole, reads) = (all.round(), (100.0 * rates[0] / all).round() as u32);
    if (whole - all).abs() / all > MAX_RATE_ERROR || !(1..=99).contains(&reads) {
        let reason = "the rates of both directions do not come near whole I/Os per second and whole \
            percents";
        settings.refuse(name, reason, "use rate_iops, or other rates");
        return None;
    }
    let what = format!("the rates decide the shares: {whole} I/Os per second, {reads} % of them reads");
    settings.add_note(name, what);
    let reads = Some(reads);
    match poisson {
        true => Some(JobRate { poisson: Some(whole as u64), limit: None, reads }),
        false => Some(JobRate { limit: Some(of_ios(settings, name, whole as u64)?), poisson: None, reads }),
    }
}

fn is_poisson(settings: &JobSettings) -> Option<bool> {
    match settings.text("rate_process") {
        None | Some("linear") => Some(false),
        Some("poisson") => Some(true),
        Some(_) => {
            settings.refuse("rate_process", "possible values: linear, poisson", "use linear or poisson");
            None
        }
    }
}

/// Returns I/Os per second at random times, with fio's division of a rate in bytes.
fn of_poisson(settings: &JobSettings, name: &'static str, limit: u64, sizes: &[SizeShare]) -> Option<u64> {
    let ios = if name == "rate" { limit / smallest_size(sizes) } else { limit };
    if ios == 0 {
        settings.refuse(name, "this is less than one I/O per second", "raise it, or use rate_iops");
        return None;
    }
    Some(ios)
}

/// Whether fio limits I/Os per second. With `bssplit` it does so for several sizes; otherwise it limits
/// bytes.
fn keeps_ios(settings: &JobSettings, name: &'static str, sizes: &[SizeShare]) -> bool {
    name == "rate_iops" && (sizes.len() == 1 || settings.has_option("bssplit"))
}

fn bytes_per_second(name: &'static str, limit: u64, sizes: &[SizeShare]) -> u64 {
    if name == "rate" { limit } else { limit.saturating_mul(smallest_size(sizes)) }
}

fn smallest_size(sizes: &[SizeShare]) -> u64 {
    sizes.iter().map(|size| u64::from(size.block_size)).min().unwrap_or(1)
}

fn of_ios(settings: &JobSettings, name: &'static str, limit: u64) -> Option<Throughput> {
    let limit = u32::try_from(limit).ok();
    if limit.is_none() {
        settings.refuse(name, "the rate is too high to be kept", "leave it out");
    }
    limit.map(Throughput::Iops)
}

const SHORTENED_IOS: &str = "I/Os end before a block that an earlier I/O accessed, so a rate in bytes \
                             cannot be given in I/Os";
const KEEP_SIZES: &str = "add norandommap=1, or use rate_iops with bssplit";

/// Maximum relative error of a rate without an exact equivalent.
const MAX_RATE_ERROR: f64 = 0.005;

/// Converts a rate in bytes per second. The result is I/Os per second if they are whole. Otherwise it is
/// bytes per ms for one size, or the nearest number of I/Os.
fn in_bytes(
    settings: &JobSettings,
    name: &'static str,
    bytes: u64,
    sizes: &[SizeShare],
    shortens: bool,
) -> Option<Throughput> {
    if shortens {
        settings.refuse(name, SHORTENED_IOS, KEEP_SIZES);
        return None;
    }
    let ios = bytes as f64 / JobShape::mean(sizes);
    let off = |kept: f64| (kept - bytes as f64).abs() / bytes as f64;
    let whole = Some(ios.round()).filter(|ios| (1.0..=f64::from(u32::MAX)).contains(ios));
    let of_whole = whole.map(|whole| (whole as u32, off(whole * JobShape::mean(sizes))));
    let per_ms = bytes / 1000 + u64::from(bytes % 1000 >= 500);
    let of_ms = u32::try_from(per_ms).ok().filter(|per_ms| *per_ms > 0 && sizes.len() == 1);
    let of_ms = of_ms.map(|per_ms| (per_ms, off(f64::from(per_ms) * 1000.0)));
    // The one that is nearer; both alike, I/Os per second.
    let of_ms = of_ms.filter(|(_, off)| of_whole.is_none_or(|(_, other)| *off < other));
    match (of_whole, of_ms) {
        (_, Some((per_ms, off))) if off <= MAX_RATE_ERROR => {
            if off > 0.0 {
                settings.add_note(
                    name,
                    format!("rates are whole bytes per ms: {} B/s", u64::from(per_ms) * 1000),
                );
            }
            Some(Throughput::BytesPerMillisecond(per_ms))
        }
        (Some((ios, off)), None) if off <= MAX_RATE_ERROR => {
            if off > 0.0 || sizes.len() > 1 {
                settings.add_note(name, format!("the rate in bytes is kept as {ios} I/Os per second"));
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

/// Returns I/Os of a thread between two pauses, and the length of a pause in ms.
pub(super) fn pause(settings: &JobSettings) -> Option<Option<(u32, u32)>> {
    let Some(micros) = settings.micros("thinktime").filter(|micros| *micros > 0) else { return Some(None) };
    let blocks = settings.number("thinktime_blocks", 1..=u64::from(u32::MAX)).unwrap_or(1) as u32;
    let after_issue = settings.text("thinktime_blocks_type") == Some("issue");
    match u32::try_from(micros / 1000) {
        Ok(ms) if micros.is_multiple_of(1000) && !after_issue => Some(Some((blocks, ms))),
        _ => {
            let reason = "pauses are whole milliseconds, after I/Os that have completed";
            settings.refuse("thinktime", reason, "give whole milliseconds, such as thinktime=2ms");
            None
        }
    }
}
