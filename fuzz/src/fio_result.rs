//! Fuzz target: any bytes as fio's results and logs are rejected with a reason, or yield runs with
//! possible, printable figures. The number of parts equals the number of runs.

use diskspd::formats::fio::{parts, read, series};
use diskspd::report::run_text;
use diskspd::results::{FioLogFiles, FioLogged, FioSeriesOf};

pub fn check(data: &[u8]) {
    match read(data, "fuzz.json") {
        Ok(runs) => {
            assert!(!runs.is_empty());
            assert_eq!(parts(data).len(), runs.len());
            for run in &runs {
                assert!(!run_text::text(run, true, 80).is_empty());
                for span in run.time_spans.iter().flatten() {
                    let figures = [span.read, span.write, span.total];
                    let times = figures.iter().flat_map(|f| [f.mean_ms, f.min_ms, f.max_ms]);
                    assert!(times.flatten().all(|time| time.ms() >= 0.0));
                    assert!(figures.iter().filter_map(|f| f.iops).all(|iops| iops >= 0.0));
                    assert!(span.percentiles.iter().all(|row| row.percent > 0.0 && row.percent < 100.0));
                }
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    use FioLogged::{Maximum, Mean, MeanAndMaximum, SingleIo, Unknown};
    use FioSeriesOf::{Iops, Latency, MibPerS};
    for (of, in_us, logged) in [
        (Latency, false, Mean),
        (Latency, true, Maximum),
        (Iops, false, SingleIo),
        (MibPerS, false, Unknown),
        (Iops, false, MeanAndMaximum),
    ] {
        let logs = FioLogFiles { of, prefix: String::new(), first: 1, last: 2, in_us, logged };
        for course in series(&logs, &[data.to_vec(), data.to_vec()]) {
            assert!(course.interval_s > 0.0 && course.values.len() < 10_000);
        }
    }
}
