//! The log files of a result of fio: the course of a figure.
//!
//! A line is `time (ms), value, direction, size[, offset[, priority]]`. A value belongs to one I/O, or with
//! `log_avg_msec` to an interval, as its mean or maximum.

use super::jobs::FioJob;
use diskspd_base::limits;
use diskspd_results::{FioLogFiles, FioLogged, FioSeries, FioSeriesOf};

/// Maximum size of a log file in bytes.
pub const MAX_LOG_BYTES: u64 = limits::FIO_RESULTS.bytes;

const MAX_INTERVALS: f64 = 600.0;

/// Minimum of times in ms since 1970 (`log_unix_epoch`); smaller ones are relative.
const MIN_UNIX_TIME_MS: u64 = 100_000_000_000;

const KINDS: [(&str, FioSeriesOf); 4] = [
    ("write_lat_log", FioSeriesOf::Latency),
    ("write_lat_log", FioSeriesOf::CompletionLatency),
    ("write_iops_log", FioSeriesOf::Iops),
    ("write_bw_log", FioSeriesOf::MibPerS),
];

fn kind_of_file(of: FioSeriesOf) -> &'static str {
    match of {
        FioSeriesOf::Latency => "lat",
        FioSeriesOf::CompletionLatency => "clat",
        FioSeriesOf::Iops => "iops",
        FioSeriesOf::MibPerS => "bw",
    }
}

pub(super) fn files_of(groups: &[Vec<FioJob>]) -> Vec<Vec<FioLogFiles>> {
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
                let (in_us, logged) = (job.has_times_in_us(), logged_meaning(job));
                let found = FioLogFiles { of, prefix, first, last, in_us, logged };
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

/// Returns the meaning of a value in the logs of a job.
fn logged_meaning(job: &FioJob) -> FioLogged {
    let value = |names: &[&str]| job.option(names).map(|value| value.trim().to_ascii_lowercase());
    let is_zero = |value: &str| value.trim_start_matches('0').is_empty();
    match (value(&["log_avg_msec"]), value(&["log_window_value", "log_max_value"]).as_deref()) {
        (None, _) if !job.states_options() => FioLogged::Unknown,
        (None, _) => FioLogged::SingleIo,
        (Some(interval), _) if is_zero(&interval) => FioLogged::SingleIo,
        (Some(_), Some("1" | "max" | "maximum")) => FioLogged::Maximum,
        (Some(_), Some("both")) => FioLogged::MeanAndMaximum,
        (Some(_), _) => FioLogged::Mean,
    }
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

/// Whether a file has a name of fio's logs.
pub fn is_any_log(name: &str) -> bool {
    let kinds = ["_lat.", "_clat.", "_slat.", "_iops.", "_bw."];
    name.ends_with(".log") && kinds.iter().any(|kind| name.contains(kind))
}

/// Returns the time series of a figure by direction, combined from the log files of all threads. Rates of
/// the threads are added; latencies are means, or maxima if fio logged maxima.
pub fn series(logs: &FioLogFiles, files: &[Vec<u8>]) -> Vec<FioSeries> {
    let place = if logs.logged == FioLogged::MeanAndMaximum { 3 } else { 2 };
    let lines = |file: &[u8]| -> Vec<LogLine> {
        file.split(|byte| *byte == b'\n').filter_map(|bytes| parse_line(bytes, place)).collect()
    };
    let files: Vec<Vec<LogLine>> = files.iter().map(|file| lines(file)).collect();
    let all = || files.iter().flatten();
    let (Some(first), Some(last)) = (all().map(|line| line.at_ms).min(), all().map(|line| line.at_ms).max())
    else {
        return Vec::new();
    };
    // Lines of intervals have no size.
    let has_sizes = all().any(|line| line.size > 0);
    let logged = match logs.logged {
        FioLogged::SingleIo if !has_sizes => FioLogged::Unknown,
        FioLogged::Unknown if has_sizes => FioLogged::SingleIo,
        known => known,
    };
    let single = logged == FioLogged::SingleIo;
    let start = if first > MIN_UNIX_TIME_MS { first } else { 0 };
    let step = files.iter().filter_map(|file| step_ms(file)).min().unwrap_or(0);
    let interval_ms = interval_ms(last - start, if single { 0 } else { step });
    let places = (last - start) / interval_ms;
    // The last interval of single I/Os ended with the job: its rate is not known.
    let count = if single { places.max(1) } else { places + 1 } as usize;
    let interval_s = interval_ms as f64 / 1000.0;
    let directions = [(0, "read"), (1, "write"), (2, "trim")];
    let course = |(number, name): (u8, &str)| {
        let mut intervals = vec![Logged::default(); count];
        for file in &files {
            let mut own = vec![Logged::default(); count];
            for line in file.iter().filter(|line| line.direction == number) {
                let at = ((line.at_ms - start) / interval_ms) as usize;
                own.get_mut(at).into_iter().for_each(|interval| interval.add(line));
            }
            intervals.iter_mut().zip(own).for_each(|(all, own)| all.add_thread(&own));
        }
        let any = intervals.iter().any(|interval| interval.lines > 0);
        let value = |interval: &Logged| interval.value(logs, logged, interval_s);
        let values = intervals.iter().map(value).collect();
        any.then(|| FioSeries { of: logs.of, direction: name.to_owned(), logged, interval_s, values })
    };
    directions.into_iter().filter_map(course).collect()
}

#[derive(Debug, Clone, Copy, Default)]
struct Logged {
    lines: u64,
    sum: f64,
    maximum: f64,
    /// Total size of all I/Os in bytes.
    bytes: f64,
    /// Sum of the threads' means.
    rate: f64,
    /// Sum of the threads' maxima.
    highest_rate: f64,
}

impl Logged {
    fn add(&mut self, line: &LogLine) {
        let value = line.value as f64;
        self.lines += 1;
        self.sum += value;
        self.maximum = self.maximum.max(value);
        self.bytes += line.size as f64;
    }

    /// Adds the lines of one thread.
    fn add_thread(&mut self, thread: &Logged) {
        self.lines += thread.lines;
        self.sum += thread.sum;
        self.maximum = self.maximum.max(thread.maximum);
        self.bytes += thread.bytes;
        self.rate += thread.sum / thread.lines.max(1) as f64;
        self.highest_rate += thread.maximum;
    }

    /// Returns `None` if nothing was logged.
    fn value(&self, logs: &FioLogFiles, logged: FioLogged, interval_s: f64) -> Option<f64> {
        let times_per_ms = if logs.in_us { 1e3 } else { 1e6 };
        let (single, highest) = (logged == FioLogged::SingleIo, logged == FioLogged::Maximum);
        let known = |value: f64| (self.lines > 0).then_some(value);
        let rate = if highest { self.highest_rate } else { self.rate };
        match logs.of {
            FioSeriesOf::Latency | FioSeriesOf::CompletionLatency if highest => {
                known(self.maximum / times_per_ms)
            }
            FioSeriesOf::Latency | FioSeriesOf::CompletionLatency => {
                known(self.sum / self.lines.max(1) as f64 / times_per_ms)
            }
            FioSeriesOf::Iops if single => Some(self.lines as f64 / interval_s),
            FioSeriesOf::MibPerS if single => Some(self.bytes / interval_s / 1_048_576.0),
            FioSeriesOf::Iops => known(rate),
            FioSeriesOf::MibPerS => known(rate / 1024.0),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
struct LogLine {
    at_ms: u64,
    value: u64,
    direction: u8,
    /// Size of the I/O in bytes; 0 = an interval.
    size: u64,
}

/// Reads a line with its direction in this column, from 0; `None` = not a line of a log.
fn parse_line(bytes: &[u8], direction: usize) -> Option<LogLine> {
    let text = std::str::from_utf8(bytes).ok()?;
    let cells: Vec<&str> = text.split(',').map(str::trim).collect();
    let number = |column: usize| cells.get(column)?.parse::<u64>().ok();
    let size = number(direction + 1).unwrap_or(0);
    let direction = u8::try_from(number(direction)?).ok()?;
    Some(LogLine { at_ms: number(0)?, value: number(1)?, direction, size })
}

/// Returns the shortest time between lines of a direction in ms. For a log with averages it is the
/// interval length.
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
        // Steps are sometimes a few ms shorter than requested.
        let is_long_enough = interval as f64 >= step_ms as f64 * 0.9;
        if is_long_enough && lasted_ms as f64 / interval as f64 <= MAX_INTERVALS {
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
    fn log_interval_length_is_detected() {
        assert_eq!(interval_ms(1000, 100), 100);
        assert_eq!(interval_ms(1000, 0), 100);
        assert_eq!(interval_ms(60_000, 500), 500);
        assert_eq!(interval_ms(60_000, 998), 1000);
        assert_eq!(interval_ms(3_600_000, 1000), 10_000);
        assert!(interval_ms(u64::MAX, u64::MAX) > 0);
    }

    fn sample_logs(of: FioSeriesOf) -> FioLogFiles {
        FioLogFiles { of, prefix: "a".into(), first: 2, last: 3, in_us: false, logged: FioLogged::Mean }
    }

    #[test]
    fn thread_rates_are_summed_and_latencies_averaged() {
        let one = b"1000, 100, 0, 0, 0\n2000, 200, 0, 0, 0\n2000, 7, 1, 0, 0\nrubbish\n".to_vec();
        let other = b"1000, 300, 0, 0, 0\n".to_vec();
        let iops = series(&sample_logs(FioSeriesOf::Iops), &[one.clone(), other.clone()]);
        assert_eq!(iops.len(), 2);
        assert_eq!((iops[0].direction.as_str(), iops[0].interval_s), ("read", 1.0));
        assert_eq!(iops[0].values, [None, Some(400.0), Some(200.0)]);
        assert_eq!(iops[1].values, [None, None, Some(7.0)]);
        let latency = |in_us| {
            let logs = FioLogFiles { in_us, ..sample_logs(FioSeriesOf::Latency) };
            series(&logs, &[one.clone(), other.clone()])[0].values.clone()
        };
        assert_eq!(latency(false), [None, Some(0.0002), Some(0.0002)]);
        assert_eq!(latency(true), [None, Some(0.2), Some(0.2)]);
        assert!(series(&sample_logs(FioSeriesOf::Iops), &[b"nothing".to_vec()]).is_empty());
    }

    #[test]
    fn log_values_follow_fio_options() {
        // 20 I/Os of 4 KiB, one every 50 ms, of 1 and 3 ms; and what fio makes of them for each 500 ms.
        let single: String = (0..20)
            .map(|io| {
                format!("{}, {}, 0, 4096, 0\n", io * 50, if io % 2 == 0 { 1_000_000 } else { 3_000_000 })
            })
            .collect();
        let windows = "500, 2000000, 0, 0, 0\n1000, 3000000, 0, 0, 0\n";
        let both = "500, 2000000, 3000000, 0, 0, 0\n1000, 3000000, 9000000, 0, 0, 0\n";
        let read = |of, logged, text: &str| {
            let logs = FioLogFiles { logged, ..sample_logs(of) };
            let files = [text.as_bytes().to_vec(), text.as_bytes().to_vec()];
            let found = series(&logs, &files).remove(0);
            (found.logged, found.values.into_iter().flatten().fold(0.0, f64::max))
        };
        use FioLogged::{Maximum, Mean, MeanAndMaximum, SingleIo, Unknown};
        use FioSeriesOf::{Iops, Latency, MibPerS};
        let bandwidth = 2.0 * 20.0 * 4096.0 / 1_048_576.0;
        for (of, logged, text, expected) in [
            (Iops, SingleIo, single.as_str(), (SingleIo, 40.0)),
            (MibPerS, SingleIo, &single, (SingleIo, bandwidth)),
            (Latency, SingleIo, &single, (SingleIo, 2.0)),
            // The sizes of the lines show what the result doesn't list.
            (Iops, Unknown, &single, (SingleIo, 40.0)),
            (Latency, Unknown, windows, (Unknown, 3.0)),
            (Latency, SingleIo, windows, (Unknown, 3.0)),
            (Latency, Mean, windows, (Mean, 3.0)),
            (Latency, Maximum, windows, (Maximum, 3.0)),
            (Latency, MeanAndMaximum, both, (MeanAndMaximum, 3.0)),
            // Rates of threads add up.
            (Iops, Mean, "500, 200, 0, 0, 0\n1000, 100, 0, 0, 0\n", (Mean, 400.0)),
            (Iops, Maximum, "500, 200, 0, 0, 0\n505, 300, 0, 0, 0\n", (Maximum, 600.0)),
        ] {
            assert_eq!(read(of, logged, text), expected, "{of:?} {logged:?}");
        }
    }

    #[test]
    fn fio_logs_are_recognized_by_name() {
        let files = sample_logs(FioSeriesOf::Latency);
        let names = ["a_lat.log", "a_lat.2.log", "a_lat.4.log", "a_clat.2.log", "b_lat.2.log", "a_lat.x.log"];
        assert_eq!(names.map(|name| is_log_of(name, &files)), [true, true, false, false, false, false]);
    }
}
