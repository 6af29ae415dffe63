//! Repetition, rate and duration.

use crate::cli::draft::RunRequestBuilder;
use crate::cli::error::ValueError;
use crate::cli::flag::{CarriedByFile, Flag, LINUX, Name::Long, Print, Read, Scope};
use crate::cli::give_up::DEFAULT;
use crate::cli::words::{Words, in_words, optional_word, switch, time_ms};
use crate::experiments::repeat::Repeat;
use crate::experiments::sweep::ValueForm;
use crate::profile::{Arrivals, RateTotal, Volume};
use crate::units;
pub(super) const FLAGS: &[Flag] = &[
    Flag {
        name: Long("repeat"),
        forms: &[
            ("--repeat <n>", "run n times, and summarize the runs"),
            ("--repeat until=<p>%", "repeat until the mean IOPS are known to the given percentage"),
        ],
        default: "once",
        scope: Scope::Invocation,
        notes: "The report is the answer: mean, deviation and 95 % interval of the mean over runs, outliers, \
                the verdict, and a row for each run. Files of --out in text, CSV, JSON and HTML hold it too. \
                With --out r.json each run has a record: r-1.json, r-2.json. With -D CSV has such files too. \
                XML is one <Results> per run; the answer is then on standard error. until: at least 3 runs, \
                at most 30. Not with --stream, --io-log, -ys, -yf, -yr, -yp.",
        carried: CarriedByFile::UserOnly,
        tested: &["command_lines", "repetitions"],
        read: Read::Text(read_repeat),
        ..LINUX
    },
    Flag {
        name: Long("each"),
        forms: &[("--each", "print the report of each run of --repeat before the answer")],
        default: "the answer replaces the reports",
        scope: Scope::Invocation,
        notes: "Also in files of --out in text.",
        carried: CarriedByFile::UserOnly,
        tested: &["command_lines", "repetitions"],
        read: Read::Switch(|draft| draft.request.each = true),
        ..LINUX
    },
    Flag {
        name: Long("with"),
        forms: &[(
            "--with <command>",
            "let DISKSPD itself make the runs: diskspd.exe, or 'ssh host diskspd.exe'",
        )],
        default: "this program makes them",
        scope: Scope::Invocation,
        notes: "For single runs, --repeat, sweep, compare --repeat, suite and baseline check. This program \
                reads the version of DISKSPD (2.0 to 2.3), passes it an XML profile (-X), and reads its \
                result XML. Blanks separate the words of the command, quotes hold a word together; no \
                shell reads it. With ssh the profile is copied by sftp. What DISKSPD cannot do is refused \
                before the first run. Whether the I/O reached the device is not checked. Disks and volumes \
                are written to only with --destroy.",
        carried: CarriedByFile::UserOnly,
        tested: &["command_lines", "with"],
        read: Read::Text(read_with_command),
        ..LINUX
    },
    Flag {
        name: Long("rate-total"),
        forms: &[(
            "--rate-total <n>[,poisson|uniform]",
            "start n I/Os per second on all targets and by all threads together (K: 1000, M: 1000000)",
        )],
        default: "limited by -o, or by -g",
        notes: "Each thread gets an equal part on each of its targets. poisson, the default: at random \
                times, like many independent users; uniform: evenly, dealt out to the threads round-robin. \
                I/Os that cannot start in time start later; none is left out. With -L response times, from \
                when each I/O was due, are at the end of the text report. Not with -g, -i and -j, -x, nor \
                with -F and -O.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "rate_total"],
        swept: Some(ValueForm { endings: &[",poisson", ",uniform"], kilo: 1000, ..ValueForm::SIZE }),
        print: Print::RunOptions(|options| {
            let rate = |of: RateTotal| format!("{},{}", of.ios_per_s, ARRIVALS.print(of.arrivals));
            optional_word(options.rate_total.map(rate))
        }),
        read: Read::Text(rate_total),
        ..LINUX
    },
    Flag {
        name: Long("until-steady"),
        forms: &[(
            "--until-steady[=<s>]",
            "extend the warm-up until the run is steady, to <s> seconds at most",
        )],
        default: "the warm-up lasts as long as -W says; without <s> at most an hour",
        notes: "At least ten seconds and half of -d, up to a minute; -W counts. Steady: the last half of the \
                warm-up shows no trend and no change of level beyond 10 %. When the time is over it measures \
                all the same, and says that it never became steady. Not in simulated time.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "steady"],
        swept: Some(ValueForm::SIZE),
        print: Print::RunOptions(|options| optional_word(options.until_steady_s)),
        read: Read::Optional(until_steady),
        ..LINUX
    },
    Flag {
        name: Long("until-written"),
        forms: &[(
            "--until-written <size>|<n>x",
            "end measuring when this much has been written, or n times the area of the targets",
        )],
        default: "it ends when the time of -d is over",
        notes: "Holds for each time span, which ends at the latest when the time of -d is over. 2x: twice \
                the bytes that -f and -B leave of the targets that are written to, each target once. \
                Writes of warm-up and cool-down do not count. The threads stop when so much has been \
                submitted, rounded up to whole I/Os: each thread writes at most one I/O more, and its I/Os \
                in flight then. Not in simulated time, nor without writes.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "until_volume"],
        values: &["2x"],
        swept: Some(ValueForm::SIZE),
        print: Print::RunOptions(|options| optional_word(options.until_written)),
        read: Read::Text(until_written),
        ..LINUX
    },
    Flag {
        name: Long("until-read"),
        forms: &[(
            "--until-read <size>|<n>x",
            "end measuring when this much has been read, or n times the area of the targets",
        )],
        default: "it ends when the time of -d is over",
        notes: "As --until-written. With both, the time span ends at the first of the two.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "until_volume"],
        values: &["2x"],
        swept: Some(ValueForm::SIZE),
        print: Print::RunOptions(|options| optional_word(options.until_read)),
        read: Read::Text(until_read),
        ..LINUX
    },
    Flag {
        name: Long("stuck"),
        forms: &[(
            "--stuck <time>",
            "report each I/O in flight for longer than this during the run, e.g. 10s",
        )],
        default: "only I/Os that are still in flight when the run has ended are named",
        notes: "Within the measured time, checked once a second: target, offset, operation and age, each \
                I/O once, the first 16 of a time span. They are in the record too. Threads read the clock \
                for every I/O then, as with -L. Not in simulated time.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "outages"],
        values: &["10s"],
        print: Print::RunOptions(|options| optional_word(options.stuck_ms.map(in_words))),
        read: Read::Text(read_stuck),
        ..LINUX
    },
    Flag {
        name: Long("fail-on-outage"),
        forms: &[(
            "--fail-on-outage <time>",
            "end the run with exit code 5 when a target completes nothing for this long, e.g. 5s",
        )],
        default: "outages are named by the report",
        notes: "At least 1s. In an outage I/Os are in flight on a target and none completes; each target \
                counts separately, within the measured time. The report covers the time until then. If the \
                run was not ended, but its report names an outage that is as long, the exit code is 5 too. \
                Not in simulated time.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "outages"],
        values: &["5s"],
        print: Print::RunOptions(|options| optional_word(options.fail_on_outage_ms.map(in_words))),
        read: Read::Text(fail_on_outage),
        ..LINUX
    },
    Flag {
        name: Long("give-up"),
        forms: &[(
            "--give-up <time>",
            "end the command when its storage is not responding for this long, e.g. 60s",
        )],
        default: DEFAULT,
        carried: CarriedByFile::UserOnly,
        scope: Scope::Invocation,
        notes: "For every command, 100ms or more. A call hangs if it does not return and the counters of its \
                devices do not change; file systems without counters (FUSE, networks) have only the time. \
                After 10 s a line on standard error names the file, the call and the start. I/Os of the \
                measured time are not given up, see --fail-on-outage.",
        tested: &["command_lines", "hanging_storage"],
        values: &["60s"],
        read: Read::Text(set_give_up),
        ..LINUX
    },
    Flag {
        name: Long("explain"),
        forms: &[(
            "--explain[=<n>]",
            "trace the n slowest I/Os of each second and of the run (default 1000): where their time went",
        )],
        default: "no single I/O is kept",
        notes: "Covers the measured time. Combines the threads' time stamps with the kernel's events of \
                devices and threads (tracefs): needs root, or permission from the owner of tracefs. A \
                table after the text report has the time by stage, what held I/Os up, and the slowest \
                I/Os; the record has all of them. Unknown time is unattributed. The report says how much \
                of the threads' time recording took. Not with engines that do no I/O.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "explain"],
        values: &["100"],
        print: Print::RunOptions(|options| optional_word(options.explain)),
        read: Read::Optional(read_explain),
        ..LINUX
    },
    Flag {
        name: Long("fsync-every"),
        forms: &[("--fsync-every <n>", "each thread flushes a target after every n writes on it")],
        default: "no flushes, except by -Sw and -N",
        notes: "With fdatasync, or the engine's equivalent; msync with -Sm. The flush takes the write's \
                queue slot and comes before that slot's next I/O. Flushes are counted and timed \
                separately, at the end of the text report, and are in no other figure. Not with -x and \
                --poll.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "fsync_every"],
        values: &["1"],
        swept: Some(ValueForm::SIZE),
        print: Print::RunOptions(|options| optional_word(options.fsync_every)),
        read: Read::Text(fsync_every),
        ..LINUX
    },
    Flag {
        name: Long("flush-after"),
        forms: &[("--flush-after", "flush the dirty pages left at the end, and report the time it took")],
        default: "it is left to the kernel",
        notes: "After each time span, not part of its figures: fsync of every target that was written to.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "truth_device"],
        print: Print::RunOptions(|options| switch(options.flush_after)),
        read: Read::Switch(|draft| draft.request.run_options.flush_after = true),
        ..LINUX
    },
];

fn read_repeat(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    let text = std::str::from_utf8(value).unwrap_or_default();
    let what = if value.is_empty() { "the value is missing" } else { "not a number of runs" };
    draft.request.repeat =
        Some(Repeat::parse(text).map_err(|expected| ValueError::new(0, what).with_expected(expected))?);
    Ok(())
}

fn read_with_command(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    let command = std::str::from_utf8(value).ok().filter(|command| !command.trim().is_empty());
    let wrong = || {
        ValueError::new(0, "the command is missing")
            .with_expected("what starts DISKSPD, as in --with 'ssh host diskspd.exe'")
    };
    draft.request.with = Some(command.ok_or_else(wrong)?.to_owned());
    Ok(())
}

const ARRIVALS: Words<Arrivals> = Words(&[("poisson", Arrivals::Poisson), ("uniform", Arrivals::Uniform)]);

fn rate_total(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    const RATE: &str = "I/Os per second, 1 to 1000M, optionally with a comma and their arrivals: poisson or \
                        uniform";
    let comma = value.iter().position(|byte| *byte == b',').unwrap_or(value.len());
    let ios_per_s = units::parse_count(&value[..comma])
        .map_err(|error| ValueError::new(error.position, error.kind.to_string()).with_expected(RATE))?;
    if !(1..=RateTotal::MAX_RATE).contains(&ios_per_s) {
        return Err(ValueError::new(0, "no such rate").with_expected(RATE));
    }
    let arrivals = value.get(comma + 1..).map_or(Some(Arrivals::Poisson), |word| ARRIVALS.read(word));
    let unknown = || ValueError::new(comma + 1, "unknown kind of arrivals").with_expected(RATE);
    let arrivals = arrivals.ok_or_else(unknown)?;
    draft.request.run_options.rate_total = Some(RateTotal { ios_per_s, arrivals });
    Ok(())
}

/// Default limit of the warm-up with `--until-steady`, in s.
const DEFAULT_WARM_UP_LIMIT: u32 = 3600;

fn until_steady(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    let seconds = match value {
        b"" => Some(DEFAULT_WARM_UP_LIMIT),
        digits => std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()).filter(|s| *s > 0),
    };
    let wrong = || {
        ValueError::new(0, "not a number of seconds")
            .with_expected("the maximum duration of the warm-up in seconds, as in --until-steady=600")
    };
    draft.request.run_options.until_steady_s = Some(seconds.ok_or_else(wrong)?);
    Ok(())
}

fn read_stuck(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    draft.request.run_options.stuck_ms = Some(time_ms(value, 1)?);
    Ok(())
}

fn fail_on_outage(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    draft.request.run_options.fail_on_outage_ms = Some(time_ms(value, 1000)?);
    Ok(())
}

/// Refuses the option in a file; the command line was read before.
fn set_give_up(_: &mut RunRequestBuilder, _: &[u8]) -> Result<(), ValueError> {
    Err(ValueError::new(0, "this option belongs on the command line of the command")
        .with_expected("no value"))
}

/// Default and maximum number of I/Os that `--explain` keeps.
const SLOWEST_KEPT: (u32, u32) = (1000, 100_000);

fn read_explain(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    let wanted = match value {
        b"" => Some(SLOWEST_KEPT.0),
        digits => std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()),
    };
    let wanted = wanted.filter(|wanted| (1..=SLOWEST_KEPT.1).contains(wanted));
    let wrong = || ValueError::new(0, "no such number").with_expected("how many I/Os to keep, 1 to 100000");
    draft.request.run_options.explain = Some(wanted.ok_or_else(wrong)?);
    Ok(())
}

fn until_written(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    draft.request.run_options.until_written = Some(parse_volume(draft, value)?);
    Ok(())
}

fn until_read(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    draft.request.run_options.until_read = Some(parse_volume(draft, value)?);
    Ok(())
}

/// Parses a size, or a multiple of the target's size (`2x`).
fn parse_volume(draft: &RunRequestBuilder, value: &[u8]) -> Result<Volume, ValueError> {
    const VOLUME: &str = "a size, as in 500G, or a multiple of the area, as in 2x: 1 or more";
    if value.is_empty() {
        return Err(ValueError::new(0, "the value is missing").with_expected(VOLUME));
    }
    let volume = match value {
        [digits @ .., b'x' | b'X'] => {
            let times =
                std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
            times.and_then(|digits| digits.parse().ok()).map(Volume::Times)
        }
        size => {
            let size = units::parse_size(size, draft.block_size()).map_err(|error| {
                ValueError::new(error.position, error.kind.to_string()).with_expected(VOLUME)
            })?;
            Some(Volume::Bytes(size))
        }
    };
    let possible = volume.filter(|volume| !matches!(volume, Volume::Bytes(0) | Volume::Times(0)));
    possible.ok_or_else(|| ValueError::new(0, "neither a size nor a number of times").with_expected(VOLUME))
}

fn fsync_every(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    let number = std::str::from_utf8(value).ok().filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
    let writes = number.and_then(|digits| digits.parse().ok()).filter(|writes| *writes > 0);
    let what = if value.is_empty() { "the value is missing" } else { "not a number of writes" };
    let wrong =
        || ValueError::new(0, what).with_expected("the number of writes between two flushes, 1 or more");
    draft.request.run_options.fsync_every = Some(writes.ok_or_else(wrong)?);
    Ok(())
}
