//! fio's log files beside a result: the course of a figure.
//!
//! A line is `time (ms), value, direction, size[, offset[, priority]]`; a value stands for one I/O, or for
//! all of an interval (`log_avg_msec`).

use super::jobs::FioJob;
use diskspd_model::limits;
use diskspd_model::results::{FioLogFiles, FioSeries, FioSeriesOf};

/// Largest log file that is read, bytes.
pub const MAX_LOG_BYTES: u64 = limits::FIO_RESULTS.bytes;

/// A course has at most so many intervals.
const MOST_INTERVALS: f64 = 600.0;

/// Times beyond this are counted from 1970 (`log_unix_epoch`), ms.
const SINCE_1970: u64 = 100_000_000_000;

/// The kinds of logs: the option that asks for them, what their files' names have behind the prefix.
const KINDS: [(&str, FioSeriesOf); 4] = [
    ("write_lat_log", FioSeriesOf::Latency),
    ("write_lat_log", FioSeriesOf::CompletionLatency),
    ("write_iops_log", FioSeriesOf::Iops),
    ("write_bw_log", FioSeriesOf::MibPerS),
];

/// What stands in a log file's name between the prefix and the number: `lat` of `a_lat.1.log`.
fn kind_of_file(of: FioSeriesOf) -> &'static str {
    match of {
        FioSeriesOf::Latency => "lat",
        FioSeriesOf::CompletionLatency => "clat",
        FioSeriesOf::Iops => "iops",
        FioSeriesOf::MibPerS => "bw",
    }
}

/// The log files that the jobs of each group were asked to write.
pub fn files_of(groups: &[Vec<FioJob>]) -> Vec<Vec<FioLogFiles>> {
    let threads = |job: &FioJob, group: &[FioJob]| {
        let clones = job.option(&["numjobs"]).and_then(|jobs| jobs.parse::<u32>().ok()).unwrap_or(1);
        let alone = group.iter().filter(|other| other.name == job.name).count() == 1;
        if alone { clones } else { 1 }
    };
    // fio numbers the files by thread, from 1, over all jobs.
    let mut first = 1_u32;
    let mut all = Vec::new();
    for group in groups {
        let count = group.iter().map(|job| threads(job, group)).fold(0_u32, u32::saturating_add);
        let last = if groups.len() == 1 { u32::MAX } else { first.saturating_add(count).saturating_sub(1) };
        let mut files: Vec<FioLogFiles> = Vec::new();
        for job in group {
            for (option, of) in KINDS {
                let Some(prefix) = job.option(&[option]) else { continue };
                let prefix = if prefix.is_empty() { job.name } else { prefix };
                // A log is looked for beside the result, wherever it was written to.
                let prefix = prefix.rsplit('/').next().unwrap_or_default().to_owned();
                let found = FioLogFiles { of, prefix, first, last, in_us: job.has_times_in_us() };
                if !found.prefix.is_empty() && !files.contains(&found) {
                    files.push(found);
                }
            }
        }
        first = first.saturating_add(count);
        all.push(files);
    }
    all
}

/// Whether a file of this name is one of these logs: `a_lat.1.log`, or of all threads `a_lat.log`.
pub fn is_log_of(name: &str, files: &FioLogFiles) -> bool {
    let behind = name.strip_prefix(files.prefix.as_str()).and_then(|rest| rest.strip_prefix('_'));
    let number = behind
        .and_then(|rest| rest.strip_prefix(kind_of_file(files.of)))
        .and_then(|rest| rest.strip_suffix(".log"));
    match number {
        Some("") => true,
        Some(number) => number
            .strip_prefix('.')
            .and_then(|number| number.parse::<u32>().ok())
            .is_some_and(|number| (files.first..=files.last).contains(&number)),
        None => false,
    }
}

/// Whether a file is called as fio calls its logs.
pub fn is_any_log(name: &str) -> bool {
    let kinds = ["_lat.", "_clat.", "_slat.", "_iops.", "_bw."];
    name.ends_with(".log") && kinds.iter().any(|kind| name.contains(kind))
}

/// The course of a figure out of the content of the log files of all threads, by direction. Lines that are
/// none are left out. Rates of the threads add up; of latencies it is the mean of what is logged.
pub fn series(logs: &FioLogFiles, files: &[Vec<u8>]) -> Vec<FioSeries> {
    let (of, times_per_ms) = (logs.of, if logs.in_us { 1e3 } else { 1e6 });
    let lines =
        |file: &[u8]| -> Vec<LogLine> { file.split(|byte| *byte == b'\n').filter_map(line).collect() };
    let files: Vec<Vec<LogLine>> = files.iter().map(|file| lines(file)).collect();
    let times = || files.iter().flatten().map(|line| line.at_ms);
    let (Some(first), Some(last)) = (times().min(), times().max()) else { return Vec::new() };
    let start = if first > SINCE_1970 { first } else { 0 };
    let step = files.iter().filter_map(|file| step_ms(file)).min().unwrap_or(0);
    let interval_ms = interval_ms(last - start, step);
    let count = ((last - start) / interval_ms + 1) as usize;
    let directions = [(0, "read"), (1, "write"), (2, "trim")];
    directions
        .into_iter()
        .filter_map(|(number, name)| {
            let mut sums = vec![(0.0, 0_u64); count];
            let mut rates = vec![None; count];
            for file in &files {
                let mut own = vec![(0.0, 0_u64); count];
                for line in file.iter().filter(|line| line.direction == number) {
                    let place = &mut own[((line.at_ms - start) / interval_ms) as usize];
                    *place = (place.0 + line.value as f64, place.1 + 1);
                }
                for ((all, rate), (sum, lines)) in sums.iter_mut().zip(&mut rates).zip(own) {
                    *all = (all.0 + sum, all.1 + lines);
                    if lines > 0 {
                        *rate = Some(rate.unwrap_or(0.0) + sum / lines as f64);
                    }
                }
            }
            let means = || sums.iter().map(|(sum, lines)| (*lines > 0).then(|| sum / *lines as f64));
            let values: Vec<Option<f64>> = match of {
                FioSeriesOf::Latency | FioSeriesOf::CompletionLatency => {
                    means().map(|mean| mean.map(|time| time / times_per_ms)).collect()
                }
                FioSeriesOf::Iops => rates,
                FioSeriesOf::MibPerS => rates.into_iter().map(|rate| rate.map(|kib| kib / 1024.0)).collect(),
            };
            let interval_s = interval_ms as f64 / 1000.0;
            let any = values.iter().any(Option::is_some);
            any.then(|| FioSeries { of, direction: name.to_owned(), interval_s, values })
        })
        .collect()
}

/// A line of a log.
#[derive(Debug, Clone, Copy, PartialEq)]
struct LogLine {
    at_ms: u64,
    value: u64,
    direction: u8,
}

/// `None` = it is none.
fn line(bytes: &[u8]) -> Option<LogLine> {
    let text = std::str::from_utf8(bytes).ok()?;
    let mut cells = text.split(',').map(str::trim);
    let (at, value, direction) = (cells.next()?, cells.next()?, cells.next()?);
    Some(LogLine { at_ms: at.parse().ok()?, value: value.parse().ok()?, direction: direction.parse().ok()? })
}

/// The shortest time between lines of a direction, ms: of a log with an average for each interval its length.
fn step_ms(lines: &[LogLine]) -> Option<u64> {
    let of = |direction: u8| {
        let mut times = lines.iter().filter(move |line| line.direction == direction).map(|line| line.at_ms);
        let mut before = times.next();
        times.filter_map(move |at| before.replace(at).and_then(|before| at.checked_sub(before))).min()
    };
    (0..3).filter_map(of).min()
}

/// 100 ms, 200 ms, 500 ms, 1 s ..: no shorter than the log's own steps, and not too many of them.
fn interval_ms(lasted_ms: u64, step_ms: u64) -> u64 {
    let mut interval = 100_u64;
    for factor in [2, 5, 10].into_iter().cycle() {
        // Steps are a few ms shorter than was asked for at times.
        let is_long_enough = interval as f64 >= step_ms as f64 * 0.9;
        if is_long_enough && lasted_ms as f64 / interval as f64 <= MOST_INTERVALS {
            break;
        }
        let base = 10_u64.saturating_pow(interval.ilog10());
        interval = base.saturating_mul(factor);
        if interval >= u64::MAX / 10 {
            break;
        }
    }
    interval
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn intervals_are_as_long_as_the_logs_own() {
        assert_eq!(interval_ms(1000, 100), 100);
        assert_eq!(interval_ms(1000, 0), 100);
        assert_eq!(interval_ms(60_000, 500), 500);
        assert_eq!(interval_ms(60_000, 998), 1000);
        assert_eq!(interval_ms(3_600_000, 1000), 10_000);
        assert!(interval_ms(u64::MAX, u64::MAX) > 0);
    }

    fn logs(of: FioSeriesOf) -> FioLogFiles {
        FioLogFiles { of, prefix: "a".into(), first: 2, last: 3, in_us: false }
    }

    #[test]
    fn rates_of_threads_add_up_and_latencies_do_not() {
        let one = b"1000, 100, 0, 0, 0\n2000, 200, 0, 0, 0\n2000, 7, 1, 0, 0\nrubbish\n".to_vec();
        let other = b"1000, 300, 0, 0, 0\n".to_vec();
        let iops = series(&logs(FioSeriesOf::Iops), &[one.clone(), other.clone()]);
        assert_eq!(iops.len(), 2);
        assert_eq!((iops[0].direction.as_str(), iops[0].interval_s), ("read", 1.0));
        assert_eq!(iops[0].values, [None, Some(400.0), Some(200.0)]);
        assert_eq!(iops[1].values, [None, None, Some(7.0)]);
        let latency = |in_us| {
            let logs = FioLogFiles { in_us, ..logs(FioSeriesOf::Latency) };
            series(&logs, &[one.clone(), other.clone()])[0].values.clone()
        };
        assert_eq!(latency(false), [None, Some(0.0002), Some(0.0002)]);
        assert_eq!(latency(true), [None, Some(0.2), Some(0.2)]);
        assert!(series(&logs(FioSeriesOf::Iops), &[b"nothing".to_vec()]).is_empty());
    }

    #[test]
    fn logs_are_known_by_their_names() {
        let files = logs(FioSeriesOf::Latency);
        let names = ["a_lat.log", "a_lat.2.log", "a_lat.4.log", "a_clat.2.log", "b_lat.2.log", "a_lat.x.log"];
        assert_eq!(names.map(|name| is_log_of(name, &files)), [true, true, false, false, false, false]);
    }
}
