//! Tests of recorded I/Os: the lines of each format, invalid lines, totals, and the same work by the
//! resulting profile.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::directory;
use crate::common::random::Random;
use crate::common::samples::is_sample;
use diskspd::operation::Operation;
use diskspd::prelude::*;
use diskspd::profile::validate::validate;
use diskspd::profile::xml;
use diskspd::report::profile_xml;
use diskspd::trace::formats::{
    self, RecordedEvent, RecordedIo, RequestView, TakenIos, TraceError, TraceFormat,
};
use diskspd::trace::{
    FittedProfile, IoCollector, IoFigures, IoTrace, RateChoice, TraceSource, TracedIo, fit, text,
};
use std::io::BufReader;

const HEADER: &str = "thread,target,direction,offset,size,start_ns,latency_ns,due_ns\n";

const BLKPARSE: &str = "  8,0    3        1     5.000000000   697  A   W 1000 + 8 <- (8,1) 936
  8,0    3        2     5.000000100   697  Q   W 1000 + 8 [kjournald]
  8,0    3        3     5.000000200   697  P   N [kjournald]
  8,0    3        4     5.000000300   697  D  WS 1000 + 8 [kjournald]
  8,0    3        5     5.000000400   697  m   N cfq697 dispatch
  8,0    1        6     5.000000500     0  D   R 64 + 16 [fio]
  8,0    1        7     5.000000600     0  D FWS 0 + 0 [fio]
  8,0    1        8     5.000000700     0  D   D 4096 + 1024 [fstrim]
  8,0    1        9     5.000001300     0  C  WS 1000 + 8 [0]
CPU0 (sda):
 Reads Queued:           1,       64KiB\t Writes Queued:           1,        4KiB
";

const DATABASE: &str = "  7,0    0        4     0.000000000   100  Q   R 2048 + 16 [postgres]
  7,0    0        7     0.000000030   100  D   R 2048 + 16 [postgres]
  7,0    0        8     0.000000040   100  Q FWS [postgres]
  7,0    0        9     0.000000045   102  Q FWS [my db writer]
  7,0    0       10     0.000000050   101  D  FN [jbd2/loop0-8]
  7,0    0       11     0.000000060     0  C   R 2048 + 16 [0]
  7,0    0       12     0.000000070     0  C  FN 0 [0]
  7,0    0       13     0.000000071     0  C FWS 0 [0]
  7,0    0       14     0.000000080   101  Q FWFS 4096 + 8 [jbd2/loop0-8]
  7,0    0       15     0.000000090   101  D WFS 4096 + 8 (      10) [jbd2/loop0-8]
  7,0    0       16     0.000000099     0  C WFS 4096 + 8 [0]
  7,0    0       17     0.000000100   102  Q   D 65536 + 2048 [my db writer]
  7,0    0       18     0.000000110   102  D  DS 65536 + 2048 [my db writer]
  7,0    0       19     0.000000130     0  C   D 65536 + 2048 [0]
  7,0    0       20     0.000000140   100  D   R 36 (12 00 00 00 24 00 ..) [postgres]
  7,0    0       21     0.000000150     0  C   R (12 00 00 00 24 00 ..) [0]
  7,0    0       23     0.000000170   100  U   N [postgres] 1
CPU0 (tr):
";

/// Trace of a bio-based device, whose driver has no queue.
const BIOS: &str = "252,0 0 1 0.000000000 7 Q R 8 + 8 [x]\n252,0 0 2 0.000002000 7 C R 8 + 8 [0]\n";

const FIO_2: &str = "fio version 2 iolog\n/dev/sdb add\n/dev/sdb open\n/dev/sdb read 0 4096\n/dev/sdb wait 150\n\
    /dev/sdb write 8192 512\n/dev/sdb wait 200\n/dev/sdb sync\n/dev/sdb read 4096 4096\n/dev/sdb close\n";

const FIO_3: &str = "fio version 3 iolog\n22 /a/b add\n168 /a/b open\n173 /a/b read 61440 4096\n\
    376 /a/b trim 0 4096\n376 /a/b write 774144 4096\n2000217 /a/b close\n";

fn io(at_ns: u64, offset: u64, bytes: u32, write: bool) -> RecordedIo {
    RecordedIo { at_ns, offset, bytes, write }
}

/// Format, stream, whether it has times, and its events.
type Seen = (TraceFormat, String, bool, Vec<RecordedEvent>);

fn events(text: &str, wanted: Option<&str>) -> Result<Seen, TraceError> {
    viewed(text, wanted, RequestView::Asked)
}

fn viewed(text: &str, wanted: Option<&str>, view: RequestView) -> Result<Seen, TraceError> {
    let mut events = Vec::new();
    let found = formats::read(text.as_bytes(), &TakenIos { stream: wanted, view }, &mut |_, event| {
        match event {
            RecordedEvent::Forget => events.clear(),
            event => events.push(event),
        }
        Ok(())
    });
    found.map(|f| (f.format, f.stream, f.has_times, events))
}

#[test]
fn trace_formats_are_detected_by_content() {
    use RecordedEvent::{Completed, Discarded, Done, Issued, Skipped};
    let own = format!(
        "{HEADER}0,0,read,59752448,4096,12178644,26600,12000000\n1,0,write,512,1024,5,7,\n0,0,discard,0,512,6,7,\n"
    );
    let own_events = vec![
        Done(io(12_178_644, 59_752_448, 4096, false), 26_600),
        Done(io(5, 512, 1024, true), 7),
        Discarded(io(6, 0, 512, false)),
    ];
    let blkparse = vec![Issued(io(100, 512_000, 4096, true)), Completed(io(1300, 512_000, 4096, true))];
    let of_driver = vec![
        Issued(io(300, 512_000, 4096, true)),
        Issued(io(500, 32_768, 8192, false)),
        Skipped,
        Discarded(io(700, 4096 * 512, 1024 * 512, false)),
        Completed(io(1300, 512_000, 4096, true)),
    ];
    let bios = vec![Issued(io(0, 4096, 4096, false)), Completed(io(2000, 4096, 4096, false))];
    let fio_2 = vec![
        Issued(io(0, 0, 4096, false)),
        Issued(io(150_000, 8192, 512, true)),
        Skipped,
        Issued(io(350_000, 4096, 4096, false)),
    ];
    let fio_3 = vec![
        Issued(io(173_000, 61_440, 4096, false)),
        Discarded(io(376_000, 0, 4096, false)),
        Issued(io(376_000, 774_144, 4096, true)),
    ];
    let untimed = "fio version 2 iolog\nf read 0 1\n";
    for (text, format, stream, has_times, expected) in [
        (&own[..], TraceFormat::Own, "0", true, own_events),
        (BLKPARSE, TraceFormat::Blkparse, "8,0", true, blkparse),
        (BIOS, TraceFormat::Blkparse, "252,0", true, bios),
        (FIO_2, TraceFormat::Fio2, "/dev/sdb", true, fio_2),
        (FIO_3, TraceFormat::Fio3, "/a/b", true, fio_3),
        (untimed, TraceFormat::Fio2, "f", false, vec![Issued(io(0, 0, 1, false))]),
    ] {
        assert_eq!(events(text, None).unwrap(), (format, stream.to_owned(), has_times, expected), "{text}");
        // Line ends of other systems.
        let other = text.replace('\n', "\r\n");
        assert_eq!(events(&other, None).unwrap(), events(text, None).unwrap(), "{text}");
        // The mark of UTF-8 that editors and PowerShell put in front.
        assert_eq!(events(&format!("\u{feff}{text}"), None).unwrap(), events(text, None).unwrap(), "{text}");
    }
    let database = vec![
        Issued(io(0, 1 << 20, 8192, false)),
        Skipped,
        Skipped,
        Completed(io(60, 1 << 20, 8192, false)),
        Issued(io(80, 2 << 20, 4096, true)),
        Completed(io(99, 2 << 20, 4096, true)),
        Discarded(io(100, 32 << 20, 1 << 20, false)),
    ];
    assert_eq!(events(DATABASE, None).unwrap().3, database);
    let by_driver = viewed(DATABASE, None, RequestView::Driver).unwrap().3;
    assert_eq!(by_driver.iter().filter(|event| **event == Skipped).count(), 2, "a flush and a command");
    // Comments and what editors put before the text change nothing.
    for before in ["# recorded by hand\n", "\u{feff}\n  # two\n#\n\n"] {
        assert_eq!(events(&format!("{before}{DATABASE}"), None).unwrap().3, database, "{before:?}");
        let fio = format!("{before}{FIO_2}");
        assert_eq!(events(&fio, None).unwrap(), events(FIO_2, None).unwrap(), "{before:?}");
    }
    let commented = DATABASE.replacen('\n', "\n# a checkpoint\n", 3);
    assert_eq!(events(&commented, None).unwrap().3, database);
    // As the driver got them; and the other of both where a file doesn't have what is wanted.
    let driver = |text: &str| viewed(text, None, RequestView::Driver).unwrap().3;
    assert_eq!(driver(BLKPARSE), of_driver);
    assert_eq!(driver(BIOS), events(BIOS, None).unwrap().3);
    let without_q = BLKPARSE.replace("  Q   W ", "  G   W ");
    assert_eq!(events(&without_q, None).unwrap().3, of_driver);
}

#[test]
fn trace_target_is_selected_from_several() {
    let two = "fio version 3 iolog\n1 /a read 0 512\n2 /b write 512 512\n3 /b read 0 512\n";
    let refusal = events(two, None).unwrap_err().to_string();
    is_sample("cases", "trace: several targets", &refusal);
    let (_, stream, _, chosen) = events(two, Some("/b")).unwrap();
    assert_eq!((stream.as_str(), chosen.len()), ("/b", 2));
    let none = events(two, Some("/c")).unwrap_err().to_string();
    is_sample("cases", "trace: unknown target", &none);
}

#[test]
fn errors_name_their_line() {
    let own = |line: &str| format!("{HEADER}0,0,read,0,4096,1,1,\n{line}\n");
    let fio = |line: &str| format!("fio version 3 iolog\n1 /a read 0 512\n{line}\n");
    let block = |line: &str| format!("8,0 0 1 0.000000000 1 D R 0 + 8 [x]\n{line}\n");
    let long = format!("{HEADER}{}", "0".repeat(9000));
    for (text, why) in [
        (String::new(), "the file is empty: the run"),
        ("# made by hand\n\n".into(), "the file is empty"),
        ("\u{7}tae\0\0".into(), "a binary file of blktrace"),
        ("eat\u{7}\0\0".into(), "a binary file of blktrace"),
        ("3, 3342554, 0, 4096, 0\n".into(), "diskspd report RESULT.json"),
        ("200, 305, 0, 0\n".into(), "diskspd report RESULT.json"),
        ("500, 1, 2, 0, 0, 0, 0\n".into(), "diskspd report RESULT.json"),
        ("{\n  \"fio version\" : \"fio-3.33\"".into(), "diskspd report FILE"),
        ("\n\n".into(), "the file is empty"),
        ("offset,size\n".into(), "line 1: unknown format of recorded I/Os: 'offset,size'"),
        ("fio version 1 iolog\n".into(), "of fio's formats only versions 2 and 3 are supported"),
        ("e\u{FFFD}".into(), "blkparse -i DEVICE"),
        (HEADER.into(), "a log of --io-log, and has no read or write"),
        ("fio version 2 iolog\n/a add\n".into(), "version 2, and has no read or write"),
        (own("0,0,read,0,4096,1,1"), "line 3: the line has 7 values instead of 8"),
        (own("0,0,erase,0,4096,1,1,"), "line 3: 'erase' is not read, write or discard"),
        (own("0,0,discard,0,0,1,1,"), "line 3: an I/O of 0 bytes"),
        (fio("2 /a trim 0 0"), "line 3: a discard of 0 bytes"),
        (
            fio("2 /a trim 0 9000000000000000000"),
            "line 3: a discard of 9000000000000000000 bytes, not of 1 to ",
        ),
        (fio("2 /a trim 9223372036854775807 1"), "line 3: the offset 9223372036854775807 is beyond"),
        (fio("2 /a trim 512 18446744073709551615"), "a discard of 18446744073709551615 bytes"),
        (own("0,0,read,-1,4096,1,1,"), "line 3: '-1' is not an offset"),
        (own("0,0,read,0,0,1,1,"), "line 3: an I/O of 0 bytes"),
        (own("0,0,read,0,2147483648,1,1,"), "line 3: an I/O of 2147483648 bytes"),
        (own("0,0,read,9223372036854775807,1,1,1,"), "line 3: the offset 9223372036854775807 is beyond"),
        (own("0,0,read,0,1,18446744073709551616,1,"), "line 3: '18446744073709551616' is not a time"),
        (own("\n0,0,read,0,4096,1,1,"), "line 4: a second time span begins here"),
        (long, "line 2: the line is longer than 8192 bytes"),
        (fio("2 /a wait 100"), "line 3: 'wait': unknown or malformed action"),
        (fio("2 /a read 0"), "line 3: 'read': unknown or malformed action"),
        (fio("x /a read 0 512"), "line 3: 'x' is not a time in us"),
        (fio("18446744073709551 /a read 0 512"), "line 3: the time 18446744073709551 us"),
        (fio("2 /a"), "line 3: a file and an action"),
        (block("8,0 0 1 0.1 1 D R 0 + 8 [x]"), "line 2: '0.1' is not a time"),
        (block("8,0 0 1 0.000000001 1 D R 0 +"), "line 2: sector + sectors"),
        (block("8,0 0 1 0.000000001 1 Q R 0"), "line 2: sector + sectors"),
        (block("8,0 0 1 0.000000001 1 Q WS"), "line 2: sector + sectors"),
        (block("8,0 0 1 0.000000001 1 DD R 0 + 8"), "line 2: 'DD': unknown action of blktrace"),
        (block("hello"), "line 2: 'hello' is not a device"),
    ] {
        let found = events(&text, None).unwrap_err().to_string();
        assert!(found.contains(why), "{why}: {found}");
    }
}

fn trace(latency_us: u64, ios: impl Iterator<Item = (u64, u32, bool)>) -> IoTrace {
    let mut collector = IoCollector::default();
    for (number, (offset, bytes, write)) in (0..).zip(ios) {
        collector.push(TracedIo::new(number * 1_000_000, offset, bytes, write).took(latency_us * 1000));
    }
    collector.finish()
}

const K: u64 = 1 << 10;
const COUNT: u64 = 20_000;

fn fitted(trace: &IoTrace) -> (IoFigures, FittedProfile) {
    let figures = IoFigures::from_trace(trace).unwrap();
    let fitted = fit(&figures, RateChoice::AsSeen);
    (figures, fitted)
}

/// Returns synthetic traces with the equivalent options.
fn synthetic() -> Vec<(&'static str, IoTrace, &'static str)> {
    let mut random = Random(1);
    let mut below = move |end: u64| random.number() % end;
    let draw = &mut below;
    let whole = |mut trace: IoTrace, size: u64| {
        trace.target_size = Some(size);
        trace
    };
    let size = (1 << 30) / (4 * K);
    let mixed: Vec<_> = (0..COUNT).map(|_| (draw(size) * 4 * K, 4096, draw(10) < 3)).collect();
    let sequential = (0..COUNT).map(|n| (n * 64 * K % (1 << 30), 65536, false));
    let mut next = 0;
    let jumps: Vec<_> = (0..COUNT)
        .map(|_| {
            let at = if draw(10) < 3 { draw(size) * 4 * K } else { next };
            next = at + 4 * K;
            (at, 4096, true)
        })
        .collect();
    let sizes: Vec<_> = (0..COUNT)
        .map(|_| {
            let bytes = [4 * K, 4 * K, 4 * K, 16 * K, 64 * K][draw(5) as usize];
            (draw((1 << 30) / bytes) * bytes, bytes as u32, false)
        })
        .collect();
    let hot: Vec<_> = (0..COUNT)
        .map(|_| {
            let end = if draw(10) < 8 { size / 10 } else { size };
            (draw(end) * 4 * K, 4096, false)
        })
        .collect();
    let mut log = 0;
    let database: Vec<_> = (0..COUNT)
        .map(|_| match draw(4) {
            0 => {
                log += 16 * K;
                (log, 16384, true)
            }
            _ => ((512 << 20) + draw(size / 2) * 4 * K, 4096, false),
        })
        .collect();
    let streams = (0..COUNT).map(|n| (n % 2 * (512 << 20) + n / 2 * 4 * K, 4096, false));
    vec![
        (
            "random reads and writes",
            whole(trace(7900, mixed.into_iter()), 1 << 30),
            "-b4096 -r -w30 -Su -t1 -o8 -g1000i",
        ),
        ("sequentially", whole(trace(3500, sequential), 1 << 30), "-b65536 -s -w0 -Su -t1 -o4 -g1000i"),
        (
            "sequential runs",
            whole(trace(500, jumps.into_iter()), 1 << 30),
            "-b4096 -r -rs30 -w100 -Su -t1 -o1 -g1000i",
        ),
        ("several sizes", whole(trace(500, sizes.into_iter()), 1 << 30), "--bs-split 4096/"),
        ("a hot part", whole(trace(500, hot.into_iter()), 1 << 30), "-b4096 -r -w0 -rdabs"),
        ("a log and data", trace(500, database.into_iter()), "--mix '"),
        ("two streams", trace(500, streams), "-b4096 -s -w0 -f"),
    ]
}

#[test]
fn trace_becomes_equivalent_options() {
    for (name, trace, expected) in synthetic() {
        let (figures, fitted) = fitted(&trace);
        let (options, fit) = (&fitted.fit.options, &fitted.fit);
        assert!(options.starts_with(expected), "{name}: {options}");
        assert!(fit.sizes_covered > 0.99, "{name}");
        assert!((fit.mean_size.1 / fit.mean_size.0 - 1.0).abs() < 0.01, "{name}: {:?}", fit.mean_size);
        for (seen, said) in [fit.writes, fit.sequential] {
            assert!((seen - said).abs() < 0.011, "{name}: {seen}, {said}");
        }
        assert!(fit.distances.iter().all(|(_, distance)| *distance < 0.02), "{name}: {:?}", fit.distances);
        let findings = validate(&fitted.profile, true);
        assert!(findings.iter().all(|f| f.severity != Severity::Error), "{name}: {findings:?}");
        let source = TraceSource { name: name.into(), is_live: true };
        let told = text(&source, &figures, &fitted);
        assert!(told.contains(options) && told.contains("lost         0 events"), "{told}");
    }
    let (_, streams) = fitted(&synthetic().pop().unwrap().1);
    assert!(streams.fit.options.contains("-t2 -o1 -T"), "{}", streams.fit.options);
}

#[test]
fn discards_become_a_share_of_the_profile() {
    let mut collector = IoCollector::default();
    for number in 0..4000 {
        let at = number * 1_000_000;
        match number % 4 {
            0 => collector.discarded(65536),
            _ => collector
                .push(TracedIo::new(at, number * 7919 % 9973 * 4096, 4096, number % 2 == 0).took(500_000)),
        }
    }
    let trace = collector.finish();
    let (figures, FittedProfile { profile, fit }) = fitted(&trace);
    assert_eq!((figures.discards.ios, figures.discards.bytes, figures.all.ios), (1000, 1000 << 16, 3000));
    let target = &profile.time_spans[0].targets[0];
    assert_eq!(target.shares.percent(Operation::Discard), 25);
    assert!(fit.options.contains(" --trim 25") && fit.options.ends_with("-g1000i"), "{}", fit.options);
    let source = TraceSource { name: "x".into(), is_live: false };
    let told = text(&source, &figures, &FittedProfile { profile, fit });
    is_sample("answers", "trace: with discards", &told);
}

#[test]
fn reordered_ios_keep_the_stream_count() {
    for every in [7, 100, 1501, 9000] {
        let mut order: Vec<u64> = (0..COUNT).collect();
        // The next but one is the next of the same stream.
        (0..COUNT as usize - 4).step_by(every).for_each(|at| order.swap(at, at + 2));
        let ios = order.iter().map(|n| (n % 2 * (512 << 20) + n / 2 * 4 * K, 4096, false));
        let (figures, fitted) = fitted(&trace(3500, ios));
        assert_eq!(figures.streams, 2, "every {every}");
        if figures.all.sequential_share() > 0.995 {
            let target = &fitted.profile.time_spans[0].targets[0];
            assert_eq!((target.threads_per_file, target.request_count), (2, 2), "every {every}");
        }
    }
}

#[test]
fn profile_repeats_the_traced_work() {
    let directory = directory();
    for (name, trace, _) in synthetic() {
        let (figures, fitted) = fitted(&trace);
        let mut written = Vec::new();
        profile_xml::write_profile(&mut written, &fitted.profile, 0);
        let mut profile = xml::read(&written).unwrap_or_else(|why| panic!("{name}: {why:?}"));
        assert!(profile.time_spans[0].targets[0].is_template(), "{name}: it names no device");
        profile.time_spans[0].targets[0].path = "a.dat".into();
        profile.time_spans[0].targets[0].file_size = Some(1 << 30);
        let log = directory.path().join(format!("{name}.csv"));
        let session = Session::from(Options { io_log: Some(log.clone()), ..Options::default() });
        let run_options = RunOptions { engine: Some(EngineKind::Sim), ..RunOptions::default() };
        let executed =
            execute(&profile, &run_options, &session).unwrap_or_else(|why| panic!("{name}: {why}"));
        assert!(executed.failures.is_empty(), "{name}: {:?}", executed.failures);
        let mut collector = IoCollector::default();
        let file = BufReader::new(std::fs::File::open(log).unwrap());
        let take = &mut |_, event| {
            collector.take(event);
            Ok(())
        };
        formats::read(file, &TakenIos::default(), take).unwrap();
        let done = IoFigures::from_trace(&collector.finish()).unwrap();
        let near = |what: &str, seen: f64, done: f64, by: f64| {
            assert!((seen - done).abs() <= by, "{name}: {what}: {seen} seen, {done} done");
        };
        near("writes", figures.write_share(), done.write_share(), 0.02);
        near("sequential", figures.all.sequential_share(), done.all.sequential_share(), 0.02);
        near("size", 1.0, done.all.mean_size() / figures.all.mean_size(), 0.03);
        near("rate", 1.0, done.ios_per_s() / figures.ios_per_s(), 0.01);
    }
}

#[test]
fn trace_requests_match_completions_despite_losses() {
    let mut collector = IoCollector::default();
    // In two parts; and one submitted before the trace began.
    collector.issued(1000, 0, 8192, false);
    collector.completed(1500, 65536, 4096, false);
    collector.completed(5096, 0, 4096, false);
    collector.completed(9192, 4096, 4096, false);
    // Three that the kernel made one request of, the first of them submitted before the trace began; the
    // last of them is done in two parts.
    collector.issued(2000, 1 << 20, 4096, true);
    collector.issued(2000, (1 << 20) + 4096, 8192, true);
    collector.completed(2640, (1 << 20) - 4096, 12_288, true);
    collector.completed(2704, (1 << 20) + 8192, 4096, true);
    // Its completion was lost, or could be another one's.
    collector.issued(10_000, 0, 4096, true);
    collector.add_lost_events(3);
    collector.completed(20_000, 0, 4096, true);
    let trace = collector.finish();
    let latencies: Vec<_> = trace.ios.iter().map(TracedIo::latency_ns).collect();
    assert_eq!(latencies, [Some(8192), Some(640), Some(704), None]);
    assert_eq!((trace.lost, trace.unasked), (3, 2));
    let (figures, fitted) = fitted(&trace);
    let told = text(&TraceSource { name: "x".into(), is_live: true }, &figures, &fitted);
    is_sample("answers", "trace: with lost events", &told);
    assert!(IoFigures::from_trace(&IoTrace::default()).is_none(), "of nothing there is no profile");
}
