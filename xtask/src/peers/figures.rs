//! Parsed output of the tools.

use super::Workload;
use serde_json::Value;

/// Results of a tool. Latencies are in µs from before the submission to the reap; `None` = not reported.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Figures {
    /// I/Os per second.
    pub iops: f64,
    /// I/Os of the whole run, the divisor of its CPU time.
    pub ios: f64,
    pub mean: Option<f64>,
    pub p50: Option<f64>,
    /// 99th percentile.
    pub p99: Option<f64>,
    /// 99.9th percentile.
    pub p999: Option<f64>,
}

impl Figures {
    /// Figures of reads and writes together, without percentiles, which cannot be combined.
    fn of_both(reads: Figures, writes: Figures) -> Figures {
        let ios = reads.ios + writes.ios;
        let mean = reads.mean.zip(writes.mean);
        Figures {
            iops: reads.iops + writes.iops,
            ios,
            mean: mean.map(|(read, write)| (read * reads.ios + write * writes.ios) / ios),
            ..Figures::default()
        }
    }
}

/// Parses the first row of totals, `total: bytes | I/Os | MiB/s | I/O per s | AvgLat ..`, and the
/// percentiles.
pub fn of_diskspd(text: &str, w: &Workload) -> Option<Figures> {
    let total = text.lines().find_map(|line| line.trim_start().strip_prefix("total:"))?;
    let cells: Vec<f64> = total.split('|').map(|cell| cell.trim().parse().unwrap_or(f64::NAN)).collect();
    let latency = |row: &str| {
        let line = text.lines().find(|line| line.trim_start().starts_with(row) && line.contains('|'))?;
        Some(line.rsplit('|').next()?.trim().parse::<f64>().ok()? * 1000.0)
    };
    Some(Figures {
        iops: *cells.get(3).filter(|iops| iops.is_finite())?,
        ios: *cells.get(1)?,
        mean: cells.get(4).filter(|ms| w.latency && ms.is_finite()).map(|ms| ms * 1000.0),
        p50: latency("50th"),
        p99: latency("99th"),
        p999: latency("3-nines"),
    })
}

/// Parses `lat_ns`, which includes submission and completion; `clat` begins after the submitting call.
pub fn of_fio(text: &str, _: &Workload) -> Option<Figures> {
    let json: Value =
        serde_json::Deserializer::from_str(&text[text.find('{')?..]).into_iter().next()?.ok()?;
    let job = json.get("jobs")?.get(0)?;
    let of = |direction: &str| {
        let found = job.get(direction)?;
        let latency = found.get("lat_ns");
        let micros = |value: Option<&Value>| Some(value?.as_f64()? / 1000.0).filter(|micros| *micros > 0.0);
        let percentile = |name: &str| micros(latency?.get("percentile")?.get(name));
        let figures = Figures {
            iops: found.get("iops")?.as_f64()?,
            ios: found.get("total_ios")?.as_f64()?,
            mean: micros(latency.and_then(|latency| latency.get("mean"))),
            p50: percentile("50.000000"),
            p99: percentile("99.000000"),
            p999: percentile("99.900000"),
        };
        (figures.ios > 0.0).then_some(figures)
    };
    match (of("read"), of("write")) {
        (Some(reads), Some(writes)) => Some(Figures::of_both(reads, writes)),
        (one, other) => one.or(other),
    }
}

/// Parses a line per second, `IOPS=1.23M, ..`, and percentiles in ns if the rate of the counter is known.
pub fn of_io_uring(text: &str, w: &Workload) -> Option<Figures> {
    let rate = |line: &str| {
        let number = line.strip_prefix("IOPS=")?.split(',').next()?;
        let factor = if number.ends_with('M') {
            1e6
        } else if number.ends_with('K') {
            1e3
        } else {
            1.0
        };
        Some(number.trim_end_matches(['M', 'K']).parse::<f64>().ok()? * factor)
    };
    let rates: Vec<f64> = text.lines().filter_map(rate).collect();
    let percentile = |name: &str| {
        let (_, rest) = text.split_once(&format!("{name}th=["))?;
        let number: f64 = rest.split(']').next()?.trim().parse().ok()?;
        let micros = if text.contains("(nsec)") { number / 1000.0 } else { number };
        Some(micros).filter(|_| !text.contains("tsc ticks"))
    };
    let iops = rates.iter().sum::<f64>() / rates.len() as f64;
    iops.is_finite().then(|| Figures {
        iops,
        ios: iops * f64::from(w.seconds + 1),
        mean: None,
        p50: percentile("50.0000"),
        p99: percentile("99.0000"),
        p999: percentile("99.9000"),
    })
}

pub fn of_elbencho(text: &str, w: &Workload) -> Option<Figures> {
    let last = |name: &str| {
        let line = text.lines().find(|line| line.trim_start().starts_with(name))?;
        line.split_once(':')?.1.split_ascii_whitespace().last().map(str::to_owned)
    };
    let micros = |text: &str| {
        let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
        let factor = match &text[digits.len()..] {
            "us" => 1.0,
            "ms" => 1e3,
            "s" => 1e6,
            _ => return None,
        };
        Some(digits.parse::<f64>().ok()? * factor)
    };
    let iops: f64 = last("IOPS")?.parse().ok()?;
    let elapsed = last("Elapsed time").and_then(|time| micros(&time)).map(|micros| micros / 1e6);
    let mean = text.split_once("IO latency").and_then(|(_, rest)| rest.split_once("avg="));
    let percentile = |name: &str| {
        let (_, rest) = text.split_once("IO lat % us")?;
        let line = rest.lines().next()?;
        let entry = line.split([' ', '[', ']', ',']).find_map(|entry| entry.strip_prefix(name))?;
        entry.strip_prefix("<=")?.parse().ok()
    };
    Some(Figures {
        iops,
        ios: iops * elapsed.unwrap_or_else(|| f64::from(w.seconds)),
        mean: mean.and_then(|(_, rest)| micros(rest.split([' ', ']', ',']).next()?)),
        p50: percentile("50%"),
        p99: percentile("99%"),
        p999: percentile("99.9%"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn workload() -> Workload {
        Workload {
            target: "x".into(),
            size: 1 << 30,
            block: 4096,
            depth: 32,
            seconds: 2,
            writes: 0,
            sequential: false,
            buffered: false,
            latency: true,
            ours: Vec::new(),
        }
    }

    const DISKSPD: &str = "\
Total IO
thread |       bytes     |     I/Os     |    MiB/s   |  I/O per s |  AvgLat  | LatStdDev |  file
-----------------------------------------------------------------------------------------------------
     0 |        81920000 |        20000 |      39.06 |   10000.00 |    0.100 |     0.010 | x
-----------------------------------------------------------------------------------------------------
total:          81920000 |        20000 |      39.06 |   10000.00 |    0.100 |     0.010

Read IO
total:                 0 |            0 |       0.00 |       0.00 |    0.000 |       N/A

  %-ile |  Read (ms) | Write (ms) | Total (ms)
----------------------------------------------
   50th |      0.090 |        N/A |      0.090
   99th |      0.200 |        N/A |      0.200
3-nines |      0.300 |        N/A |      0.300
";

    const FIO: &str = r#"note: something
{"jobs": [{"read": {"iops": 10000.0, "total_ios": 20000, "clat_ns": {"mean": 5.0},
"lat_ns": {"mean": 100000.0, "percentile": {"50.000000": 90000, "99.000000": 200000, "99.900000": 300000}}},
"write": {"iops": 0, "total_ios": 0}}]}
"#;

    const IO_URING: &str = "\
submitter=0, tid=1, file=x, nfiles=1, node=-1
polled=0, fixedbufs=1/0, register_files=1, buffered=1, QD=32
IOPS=9.00K, BW=35MiB/s, IOS/call=32/31
IOPS=11.00K, BW=35MiB/s, IOS/call=32/31
Exiting on timeout
Maximum IOPS=11.00K
0: Latency percentiles:
    percentiles (nsec):
     | 50.0000th=[90000], 99.0000th=[200000],
     | 99.9000th=[300000]
";

    const ELBENCHO: &str = "\
OPERATION   RESULT TYPE         FIRST DONE   LAST DONE
READ        Elapsed time     :      2.000s      2.000s
            IOPS             :       10000       10000
            IO latency       : [ min=50us avg=100us max=1.2ms ]
            IO lat % us      : [ 1%<=64 50%<=90 75%<=99 99%<=200 99.9%<=300 ]
";

    #[test]
    fn figures_of_each_tool_are_parsed() {
        let all = Figures {
            iops: 10_000.0,
            ios: 20_000.0,
            mean: Some(100.0),
            p50: Some(90.0),
            p99: Some(200.0),
            p999: Some(300.0),
        };
        let round = |figures: Figures| {
            let one = |value: Option<f64>| value.map(|value| (value * 1000.0).round() / 1000.0);
            Figures {
                mean: one(figures.mean),
                p50: one(figures.p50),
                p99: one(figures.p99),
                p999: one(figures.p999),
                ..figures
            }
        };
        let w = workload();
        assert_eq!(of_diskspd(DISKSPD, &w).map(round), Some(all.clone()));
        assert_eq!(of_fio(FIO, &w).map(round), Some(all.clone()));
        // It runs a second longer, and knows no mean.
        assert_eq!(
            of_io_uring(IO_URING, &w).map(round),
            Some(Figures { ios: 30_000.0, mean: None, ..all.clone() })
        );
        // The elapsed time of the whole line is the last one.
        assert_eq!(of_elbencho(ELBENCHO, &w).map(round), Some(all));
    }

    #[test]
    fn failed_tool_has_no_figures() {
        let w = workload();
        for parse in [of_diskspd, of_fio, of_io_uring, of_elbencho] {
            assert_eq!(parse("x: Permission denied\n", &w), None);
        }
    }

    #[test]
    fn reads_and_writes_of_a_mix_are_added_up() {
        let mixed = FIO.replace(
            r#""write": {"iops": 0, "total_ios": 0}"#,
            r#""write": {"iops": 5000.0, "total_ios": 10000, "lat_ns": {"mean": 400000.0}}"#,
        );
        let both = of_fio(&mixed, &workload()).unwrap();
        assert_eq!((both.iops, both.ios, both.mean, both.p50), (15_000.0, 30_000.0, Some(200.0), None));
    }
}
