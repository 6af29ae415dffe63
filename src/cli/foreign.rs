//! Other spellings, and their equivalents in DISKSPD: options of fio and other programs, `=` after a letter,
//! sizes with other units or decimals.

use super::quantity::{Quantity, amount};
use super::words;
use crate::fio_jobs::option_of_word;
use crate::units::parse_lenient_integer;

#[derive(Clone, Copy)]
enum Spelling {
    Explained,
    Size(&'static str),
    Number(&'static str),
    Seconds(&'static str),
    /// Percentage of reads, converted to one of writes.
    Reads,
    Words(&'static [(&'static str, &'static str)]),
    /// Target option, converted to a last word of the command line.
    Target,
}

use Spelling::{Explained, Number, Reads, Seconds, Size, Target, Words};

struct ForeignOption {
    names: &'static [&'static str],
    spelling: Spelling,
    meant: &'static str,
}

const fn option_row(
    names: &'static [&'static str],
    spelling: Spelling,
    meant: &'static str,
) -> ForeignOption {
    ForeignOption { names, spelling, meant }
}

const PATTERNS: Spelling = Words(&[
    ("read", "-w0"),
    ("write", "-w100"),
    ("randread", "-r -w0"),
    ("randwrite", "-r -w100"),
    ("rw", "-w50"),
    ("readwrite", "-w50"),
    ("randrw", "-r -w50"),
]);

const ENGINES: Spelling = Words(&[
    ("io_uring", "--engine uring"),
    ("libaio", "--engine aio"),
    ("sync", "--engine sync"),
    ("psync", "--engine sync"),
    ("vsync", "--engine sync"),
    ("pvsync", "--engine sync"),
    ("pvsync2", "--engine sync"),
    ("mmap", "--engine mmap"),
    ("io_uring_cmd", "--engine nvme"),
    ("null", "--engine null"),
]);

const CACHES: &str = "-Su bypasses the page cache, -Sh also makes writes durable, -Sb uses the cache";
const NAME: &str = "diskspd fio --name=.. runs a command line of fio; --save=NAME keeps a run under a name";
const WRITES: &str = "-w30 has 30 % writes, -w100 only writes; the rest are reads";

const OPTIONS: [ForeignOption; 32] = [
    option_row(&["name"], Explained, NAME),
    option_row(&["label"], Explained, "--save=NAME keeps a run under a name"),
    option_row(&["rw", "readwrite"], PATTERNS, "-r is random, -w30 has 30 % writes"),
    option_row(&["random", "randread"], Explained, "-r is random, -w30 has 30 % writes"),
    option_row(&["randwrite"], Explained, "-r is random, -w100 has only writes"),
    option_row(&["rwmixread"], Reads, WRITES),
    option_row(&["rwmixwrite"], Number("-w"), WRITES),
    option_row(&["read", "write"], Explained, WRITES),
    option_row(&["bs", "blocksize", "block-size", "block_size"], Size("-b"), "-b4K is the block size"),
    option_row(
        &["iodepth", "depth", "queue-depth", "qd"],
        Number("-o"),
        "-o32 keeps 32 I/Os outstanding for each thread",
    ),
    option_row(
        &["numjobs", "threads", "jobs", "workers"],
        Number("-t"),
        "-t4 has four threads for each target",
    ),
    option_row(&["runtime", "time", "duration"], Seconds("-d"), "-d30 measures for 30 seconds"),
    option_row(
        &["time_based", "time-based"],
        Explained,
        "-d30 measures for 30 seconds, regardless of the size",
    ),
    option_row(&["ramp_time", "warmup"], Seconds("-W"), "-W5 warms up for 5 seconds"),
    option_row(&["size", "filesize", "io_size"], Size("-c"), "-c1G makes a file of 1 GiB"),
    option_row(
        &["filename", "file", "target", "device"],
        Target,
        "targets come after all options: diskspd -b4K -r test.dat",
    ),
    option_row(&["ioengine"], ENGINES, "--engine uring, aio, sync or mmap; --engine help lists them"),
    option_row(&["direct"], Words(&[("1", "-Su"), ("0", "-Sb")]), CACHES),
    option_row(&["buffered"], Words(&[("1", "-Sb"), ("0", "-Su")]), CACHES),
    option_row(&["fsync", "fdatasync"], Number("--fsync-every "), "--fsync-every 1 flushes after each write"),
    option_row(
        &["rate", "rate_iops", "iops"],
        Explained,
        "--rate-total 2000 starts 2000 I/Os a second, -g100i 100 in each thread",
    ),
    option_row(&["randseed", "seed"], Number("-z"), "-z7 is the seed"),
    option_row(
        &["output", "output-format", "report"],
        Explained,
        "--out FILE.json, .html, .xml, .csv or .txt writes a report",
    ),
    option_row(&["group_reporting"], Explained, "leave it out; the totals always cover all threads"),
    option_row(&["thread"], Explained, "leave it out; workers are always threads"),
    option_row(&["lat", "latency"], Explained, "-L measures latencies"),
    option_row(
        &["prometheus", "prom", "openmetrics", "metrics", "grafana"],
        Explained,
        "--out FILE.prom writes metrics, --stream FILE.prom metrics of each interval",
    ),
    option_row(
        &["influx", "influxdb"],
        Explained,
        "--stream influx:- writes each interval in InfluxDB's line protocol",
    ),
    option_row(&["list", "devices"], Explained, "diskspd devices lists block devices"),
    option_row(&["verbose", "debug"], Explained, "-v prints all findings"),
    option_row(&["silent", "no-progress"], Explained, "--quiet prints neither progress nor warnings"),
    option_row(
        &["color", "colour", "no-color", "no-colour"],
        Explained,
        "NO_COLOR=1 in the environment leaves colours out",
    ),
];

impl Spelling {
    fn spell_value(self, value: &str) -> Option<String> {
        let seconds = || match Quantity::Seconds.convert(value.as_bytes()) {
            Some(converted) => Some(converted),
            None => u128::try_from(parse_lenient_integer(value.as_bytes())).ok(),
        };
        let is_number = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
        match self {
            Explained => None,
            Size(option) => {
                amount(value).filter(|size| *size > 0).map(|size| option.to_owned() + &words::size(size))
            }
            Number(option) => is_number.then(|| format!("{option}{value}")),
            Seconds(option) => {
                let seconds = seconds().filter(|_| value.starts_with(|c: char| c.is_ascii_digit()));
                seconds.map(|seconds| format!("{option}{seconds}"))
            }
            Reads => {
                let reads = value.parse::<u32>().ok().filter(|reads| *reads <= 100);
                reads.map(|reads| format!("-w{}", 100 - reads))
            }
            Words(known) => {
                known.iter().find(|(word, _)| *word == value).map(|(_, spelling)| (*spelling).to_owned())
            }
            Target => (!value.is_empty()).then(|| format!("'{value}' as the last word of the command line")),
        }
    }
}

/// Names of all options of other programs, for table tests.
#[cfg(test)]
pub(super) fn names() -> impl Iterator<Item = &'static str> {
    OPTIONS.iter().flat_map(|row| row.names.iter().copied())
}

/// The hint for an option of another program, which is given without its dashes: `bs=4k`.
pub(super) fn option(text: &str) -> Option<String> {
    let (name, value) = text.split_once('=').map_or((text, None), |(name, value)| (name, Some(value)));
    let Some(row) = OPTIONS.iter().find(|row| row.names.contains(&name)) else {
        let is_of_fio = option_of_word(&format!("--{name}"), None).is_some();
        return is_of_fio.then(|| format!("diskspd fio --{text} .. runs a command line of fio"));
    };
    Some(match value.and_then(|value| row.spelling.spell_value(value)) {
        Some(spelling) => format!("use {spelling}"),
        None => row.meant.to_owned(),
    })
}

/// The same with one dash, which DISKSPD reads as a letter with a value: `-rw=randread`. Words of one or two
/// letters need a `=` here, because `-bs` is an option of DISKSPD 2.3.
pub(super) fn with_one_dash(argument: &str) -> Option<String> {
    let text = argument.strip_prefix('-').filter(|text| !text.starts_with('-'))?;
    (text.contains('=') || text.len() > 2).then(|| option(text)).flatten()
}

/// The value with sizes as DISKSPD reads them: `1.5G:2GiB` is `1536M:2G`. `None` if there is nothing to
/// change.
pub(super) fn plain_sizes(value: &str) -> Option<String> {
    let mut plain = String::new();
    for part in value.split_inclusive(|c: char| !(c.is_ascii_alphanumeric() || c == '.')) {
        let end = part.trim_end_matches(|c: char| !(c.is_ascii_alphanumeric() || c == '.'));
        let unit = end.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
        match amount(end).filter(|_| end.contains('.') || unit.len() > 1) {
            Some(size) => plain.push_str(&words::size(size)),
            None => plain.push_str(end),
        }
        plain.push_str(&part[end.len()..]);
    }
    (plain != value).then_some(plain)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_option_hint_uses_own_spelling() {
        for (given, spelling) in [
            ("bs=4k", "use -b4K"),
            ("bs=4KiB", "use -b4K"),
            ("bs=512", "use -b512"),
            ("bs=4k,8k", "-b4K is the block size"),
            ("bs=0", "-b4K is the block size"),
            ("rw=randread", "use -r -w0"),
            ("rw=trim", "-r is random, -w30 has 30 % writes"),
            ("rwmixread=70", "use -w30"),
            ("rwmixread=700", WRITES),
            ("size=1.5g", "use -c1536M"),
            ("size=10%", "-c1G makes a file of 1 GiB"),
            ("runtime=30", "use -d30"),
            ("runtime=30s", "use -d30"),
            ("runtime=1m", "use -d60"),
            ("runtime=x", "-d30 measures for 30 seconds"),
            ("iodepth=32", "use -o32"),
            ("numjobs=4", "use -t4"),
            ("ioengine=libaio", "use --engine aio"),
            ("direct=1", "use -Su"),
            ("buffered=1", "use -Sb"),
            ("filename=/dev/sdb", "use '/dev/sdb' as the last word of the command line"),
            ("name=x", NAME),
            ("label=x", "--save=NAME keeps a run under a name"),
            ("loops=2", "diskspd fio --loops=2 .. runs a command line of fio"),
            ("directory=/tmp", "diskspd fio --directory=/tmp .. runs a command line of fio"),
            ("hipri", "diskspd fio --hipri .. runs a command line of fio"),
        ] {
            assert_eq!(option(given).as_deref(), Some(spelling), "{given}");
            assert_eq!(with_one_dash(&format!("-{given}")), option(given), "{given}");
        }
        for ours in ["-bs", "-bsn", "-rw", "-qd", "--bs=4k", "-b4K", "-d30", "-", ""] {
            assert_eq!(with_one_dash(ours), None, "{ours}");
        }
    }

    #[test]
    fn engines_in_hints_exist() {
        let Words(engines) = ENGINES else { panic!() };
        for (_, spelling) in engines {
            let name = spelling.strip_prefix("--engine ").unwrap();
            assert!(crate::engines::EngineKind::from_name(name).is_some(), "{name}");
        }
    }

    #[test]
    fn foreign_size_units_are_converted() {
        for (given, plain) in [
            ("4KiB", Some("4K")),
            ("4kb", Some("4K")),
            ("1.5G", Some("1536M")),
            ("4.5k", Some("4608")),
            ("1.5G:2GiB", Some("1536M:2G")),
            ("0.1K", None),
            ("4K", None),
            ("0.3G", Some("307M")),
            ("4Ki", Some("4K")),
            ("4B", None),
            ("1.5", None),
            ("x", None),
            ("", None),
        ] {
            assert_eq!(plain_sizes(given).as_deref(), plain, "{given}");
        }
    }
}
