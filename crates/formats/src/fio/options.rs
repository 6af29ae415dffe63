//! Options of jobs. fio lists only options that were set; others have fio's default.

use super::jobs::FioJob;
use diskspd_base::operation::Operation;
use diskspd_profile::{Access, CacheMode, Caching, OperationShares, Parameters, Rate, RawText, TargetGroup};

/// Engines with one I/O at a time, regardless of `iodepth`; the first is fio's default on Linux.
const SYNCHRONOUS: [&str; 7] = ["psync", "sync", "vsync", "pvsync", "pvsync2", "mmap", "ftruncate"];

pub(super) fn parameters(jobs: &[FioJob]) -> Parameters {
    let each: Vec<Option<RequestedWork>> = jobs.iter().map(|job| requested_work(job, jobs)).collect();
    let Some(each) = each.into_iter().collect::<Option<Vec<RequestedWork>>>() else {
        return Parameters::default();
    };
    let mut targets: Vec<TargetGroup> = Vec::new();
    for job in &each {
        add(&mut targets, job);
    }
    let in_flight = each.iter().try_fold(0_u64, |sum, job| {
        let ios = u64::from(job.access.threads?).checked_mul(u64::from(job.access.outstanding?))?;
        sum.checked_add(ios)
    });
    Parameters {
        threads: each.iter().map(|job| job.access.threads.map(u64::from)).sum(),
        in_flight,
        duration_s: common_value(jobs, |job| parse_seconds(job.option(&["runtime", "timeout"])?)),
        warmup_s: common_value(jobs, |job| parse_seconds(job.option(&["ramp_time"])?)),
        fsync_every: common_value(jobs, |job| job.option(&["fsync", "fdatasync"])?.parse().ok())
            .filter(|every| *every > 0),
        targets,
        ..Parameters::default()
    }
}

struct RequestedWork {
    paths: Vec<RawText>,
    access: Access,
}

fn add(targets: &mut Vec<TargetGroup>, job: &RequestedWork) {
    let apart = |access: &Access| Access { threads: None, ..*access };
    let same =
        |group: &&mut TargetGroup| group.paths == job.paths && apart(&group.access) == apart(&job.access);
    match targets.iter_mut().find(same) {
        Some(group) => {
            let sum = group.access.threads.zip(job.access.threads);
            group.access.threads = sum.and_then(|(a, b)| a.checked_add(b));
        }
        None => targets.push(TargetGroup { paths: job.paths.clone(), access: job.access }),
    }
}

fn common_value<T: PartialEq>(jobs: &[FioJob], of: impl Fn(&FioJob) -> Option<T>) -> Option<T> {
    let mut values = jobs.iter().map(of);
    let first = values.next()??;
    values.all(|value| value.as_ref() == Some(&first)).then_some(first)
}

/// Returns the options of a job; `None` if they are missing, or the entry covers several jobs.
fn requested_work(job: &FioJob, group: &[FioJob]) -> Option<RequestedWork> {
    if !job.states_options() {
        return None;
    }
    let clones = job.option(&["numjobs"]).map_or(Some(1), |jobs| jobs.parse::<u32>().ok())?;
    let is_same = |other: &&FioJob| (other.name, other.host) == (job.name, job.host);
    // Without group_reporting each clone has an entry of its own.
    let threads = if group.iter().filter(is_same).count() > 1 { 1 } else { clones };
    let busy_ms = job.value.get("job_runtime").and_then(serde_json::Value::as_f64).unwrap_or(0.0);
    let ms = job.runtime_ms() as f64;
    if ms >= 100.0 && busy_ms > (f64::from(threads) + 0.5) * ms {
        return None;
    }
    Some(RequestedWork {
        paths: file_paths(job),
        access: Access { threads: Some(threads), ..job_access(job) },
    })
}

/// Returns the job's files, separated by colons; the folder if fio names the files.
fn file_paths(job: &FioJob) -> Vec<RawText> {
    let named = job.file_names();
    if named.is_empty() {
        return job.option(&["directory"]).map(RawText::from).into_iter().collect();
    }
    named.into_iter().flat_map(|(names, folder)| paths_of(names, folder)).collect()
}

fn paths_of(names: &str, folder: Option<&str>) -> Vec<RawText> {
    let (mut paths, mut path) = (Vec::new(), String::new());
    let mut letters = names.chars().peekable();
    while let Some(letter) = letters.next() {
        match letter {
            '\\' if letters.peek() == Some(&':') => path.extend(letters.next()),
            ':' => paths.push(std::mem::take(&mut path)),
            letter => path.push(letter),
        }
    }
    paths.push(path);
    let folder = folder.filter(|folder| !folder.is_empty() && !folder.contains(':'));
    let whole = |name: String| match folder {
        Some(folder) => format!("{}/{name}", folder.trim_end_matches('/')).as_str().into(),
        None => name.as_str().into(),
    };
    paths.into_iter().filter(|path| !path.is_empty()).map(whole).collect()
}

fn job_access(job: &FioJob) -> Access {
    let pattern = RwPattern::parse_pattern(job.option(&["rw", "readwrite"]).unwrap_or("read"));
    let percent = |names: &[&str]| job.option(names).map(|share| share.parse::<u32>().ok());
    let writes = match pattern {
        // Of both options the one that was set; half of each by default.
        Some(RwPattern { mixed: true, .. }) => match (percent(&["rwmixread"]), percent(&["rwmixwrite"])) {
            (_, Some(writes)) => writes,
            (Some(reads), _) => reads.and_then(|reads| 100_u32.checked_sub(reads)),
            (None, None) => Some(50),
        },
        Some(pattern) => Some(pattern.write_percent),
        None => None,
    };
    let random = pattern.and_then(|pattern| match (pattern.random, percent(&["percentage_random"])) {
        (true, Some(share)) => share,
        (random, _) => Some(if random { 100 } else { 0 }),
    });
    let engine = job.option(&["ioengine"]).unwrap_or(SYNCHRONOUS[0]);
    let depth = || job.option(&["iodepth"]).map_or(Some(1), |depth| depth.parse().ok());
    Access {
        threads: None,
        outstanding: if SYNCHRONOUS.contains(&engine) { Some(1) } else { depth() },
        block_size: block_size(job, writes),
        write_percent: writes.filter(|writes| *writes <= 100),
        shares: OperationShares::default()
            .with(Operation::Discard, pattern.map_or(0, |pattern| pattern.trim_percent)),
        random_percent: random.filter(|share| *share <= 100),
        stride: None,
        rate: job_rate(job, writes),
        caching: Some(job_caching(job, engine)),
    }
}

#[derive(Clone, Copy)]
struct RwPattern {
    random: bool,
    mixed: bool,
    write_percent: u32,
    trim_percent: u32,
}

impl RwPattern {
    fn parse_pattern(written: &str) -> Option<RwPattern> {
        // `randread:8`: so many I/Os between two offsets.
        let name = written.split(':').next().unwrap_or_default();
        let (random, kind) = match name {
            "rw" | "readwrite" => (false, "rw"),
            name => name.strip_prefix("rand").map_or((false, name), |kind| (true, kind)),
        };
        let (mixed, write_percent, trim_percent) = match kind {
            "read" => (false, 0, 0),
            "write" => (false, 100, 0),
            "rw" => (true, 50, 0),
            "trim" => (false, 0, 100),
            "trimwrite" => (false, 100, 50),
            _ => return None,
        };
        Some(RwPattern { random, mixed, write_percent, trim_percent })
    }
}

/// The common size of all I/Os; `None` = several sizes, or the default of an engine.
fn block_size(job: &FioJob, writes: Option<u32>) -> Option<u32> {
    if job.option(&["bssplit", "bsrange", "blocksize_range", "bs_unaligned"]).is_some() {
        return None;
    }
    let written = job.option(&["bs", "blocksize"]).unwrap_or("4096");
    let decimal = job.option(&["kb_base"]) == Some("1000");
    let sizes: Vec<Option<u64>> = written.split(',').map(|size| parse_bytes(size, decimal)).collect();
    let reads = *sizes.first()?;
    let of_writes = sizes.get(1).copied().unwrap_or(reads);
    let size = match writes? {
        0 => reads,
        100 => of_writes,
        _ if reads == of_writes => reads,
        _ => None,
    };
    size?.try_into().ok().filter(|size| *size > 0)
}

/// `64k`, `64kb`, `65536`, `0x1000`: bytes. `k` is 1024 and `ki` 1000, unless `kb_base` says it the right
/// way.
fn parse_bytes(written: &str, decimal: bool) -> Option<u64> {
    let text = written.trim().to_ascii_lowercase();
    if let Some(digits) = text.strip_prefix("0x") {
        return u64::from_str_radix(digits, 16).ok();
    }
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: u64 = text[..digits].parse().ok()?;
    let unit = text[digits..].trim_end_matches('b');
    let (unit, swapped) = unit.strip_suffix('i').map_or((unit, false), |unit| (unit, true));
    let power = ["", "k", "m", "g", "t", "p"].iter().position(|known| *known == unit)?;
    let base: u64 = if decimal != swapped { 1000 } else { 1024 };
    number.checked_mul(base.checked_pow(power.try_into().ok()?)?)
}

/// Parses whole seconds: `10`, `10s`, `5m`, `1h`; `None` for fractions or several values.
fn parse_seconds(written: &str) -> Option<u32> {
    let text = written.trim().to_ascii_lowercase();
    let digits = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let number: u32 = text[..digits].parse().ok()?;
    let factor = match &text[digits..] {
        "" | "s" => 1,
        "m" => 60,
        "h" => 3600,
        "d" => 86_400,
        "ms" if number.is_multiple_of(1000) => return Some(number / 1000),
        "us" if number.is_multiple_of(1_000_000) => return Some(number / 1_000_000),
        _ => return None,
    };
    number.checked_mul(factor)
}

/// The rate limit of a thread. fio's limits are per direction, so a mix has no single limit.
fn job_rate(job: &FioJob, writes: Option<u32>) -> Option<Rate> {
    let names = ["rate", "rate_iops"].map(|name| job.option(&[name]));
    match names {
        [None, None] => Some(Rate::Unlimited),
        [None, Some(limit)] if matches!(writes, Some(0 | 100)) => limit.parse().ok().map(Rate::Iops),
        _ => None,
    }
}

fn job_caching(job: &FioJob, engine: &str) -> Caching {
    let set = |name: &str| job.option(&[name]).is_some_and(|value| value != "0");
    let direct = set("direct") || job.option(&["buffered"]) == Some("0");
    let none = ["0", "none"];
    let written_through = |name: &str| job.option(&[name]).is_some_and(|value| !none.contains(&value));
    Caching {
        mode: if direct { CacheMode::DisableOsCache } else { CacheMode::Cached },
        write_through: written_through("sync"),
        memory_mapped: engine == "mmap",
        // I/O without direct is cached on block devices, too.
        cached_devices: !direct,
        block_device: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_match_fio() {
        let sizes = [
            ("4096", Some(4096)),
            ("4k", Some(4096)),
            ("4KB", Some(4096)),
            ("4ki", Some(4000)),
            ("0x1000", Some(4096)),
            ("1m", Some(1 << 20)),
            ("4k-8k", None),
            ("", None),
            ("99999999999p", None),
        ];
        for (written, expected) in sizes {
            assert_eq!(parse_bytes(written, false), expected, "{written}");
        }
        assert_eq!((parse_bytes("4k", true), parse_bytes("4kib", true)), (Some(4000), Some(4096)));
        let times = [("10", Some(10)), ("5m", Some(300)), ("1500ms", None), ("2000ms", Some(2)), ("x", None)];
        for (written, expected) in times {
            assert_eq!(parse_seconds(written), expected, "{written}");
        }
    }

    #[test]
    fn patterns_match_the_rw_option() {
        let of = |rw| {
            RwPattern::parse_pattern(rw).map(|pattern| (pattern.random, pattern.mixed, pattern.write_percent))
        };
        assert_eq!(of("randread:8"), Some((true, false, 0)));
        assert_eq!(of("readwrite"), Some((false, true, 50)));
        assert_eq!(of("randrw"), Some((true, true, 50)));
        assert_eq!(of("randtrimwrite"), Some((true, false, 100)));
        assert_eq!(of("sideways"), None);
    }
}
