//! Long options: what DISKSPD does not have.

use crate::cli::draft::Draft;
use crate::cli::error::Problem;
use crate::cli::flag::{Compatibility::*, Flag, Name::Long, Read, Scope};
use crate::cli::{Invocation, OutRequest, StreamRequest, UsageExtent};
use crate::engines::EngineKind;
use crate::lab::repeat::Repeat;
use crate::profile::{Arrivals, Compat, Prefill, RateTotal, RawText, Volume};
use crate::{presets, units};

pub const FLAGS: &[Flag] = &[
    Flag {
        name: Long("compat"),
        forms: &[("--compat <version>", "follow the defaults, rules and output of DISKSPD 2.2 or 2.3")],
        default: "2.2",
        scope: Scope::Profile,
        notes: "The options of both versions are understood in either case. 2.3 has its reports and \
                profiles (without TABs, with the placement of threads and buffers), takes performance \
                cores first, keeps buffers apart (-bsp), and allows 65536 outstanding I/Os at most. \
                Profiles of both versions are read. With 2.2 a setting that only 2.3 knows holds for the \
                run, and is in the record; 2.2's XML has no form for it, which -Rpxml warns of.",
        compatibility: LinuxOnly,
        tested: &["command_lines", "compat"],
        with_profile: true,
        values: &["2.2", "2.3"],
        read: Read::Text(compat),
    },
    Flag {
        name: Long("engine"),
        forms: &[(
            "--engine <name>",
            "the I/O engine: auto, uring, aio, sync, mmap, null or sim; help lists them",
        )],
        default: "auto: chosen by the workload and the targets",
        scope: Scope::Profile,
        notes: "auto: one outstanding I/O means sync, -Sm means mmap, and sync where the target completes \
                every I/O in the submitting call (zram, tmpfs, cached writes on ext4), where a thread can't \
                have more than one in flight; else uring. --dry-run, -v and the record say why. aio is Linux \
                AIO, which has more than one I/O in flight only without the cache (-Su, -Sh). null completes \
                at once and measures the program itself; sim serves I/O from a seeded model of a device, \
                sim:cliff, sim:throttle, sim:drift and sim:stall from ones whose speed changes in mid-run.",
        compatibility: LinuxOnly,
        tested: &["command_lines", "engines", "end_to_end"],
        with_profile: true,
        values: &[
            "auto",
            "uring",
            "aio",
            "sync",
            "mmap",
            "null",
            "sim",
            "sim:cliff",
            "sim:throttle",
            "sim:drift",
            "sim:stall",
            "help",
        ],
        read: Read::Text(engine),
    },
    Flag {
        name: Long("poll"),
        forms: &[(
            "--poll",
            "poll the device for completions instead of waiting for interrupts; needs -Su or -Sh",
        )],
        default: "the device interrupts",
        scope: Scope::Profile,
        notes: "With io_uring only, which then also serves one outstanding I/O. Refused where the device has \
                no poll queues (/sys/block/<device>/queue/io_poll).",
        compatibility: LinuxOnly,
        tested: &["engine_choice"],
        with_profile: true,
        values: &[],
        read: Read::Switch(|draft| draft.request.method.poll = true),
    },
    Flag {
        name: Long("out"),
        forms: &[
            ("--out <file>", "write a further report to this file, its form by the ending; may be repeated"),
            (
                "--out <form>:<file>",
                "the same in this form: text, xml, json, html (a page), or csv (by intervals, -D)",
            ),
        ],
        default: "standard output only",
        scope: Scope::Invocation,
        notes: "Files are made before the run and written whole, after each time span; pipes and devices get one report, \
                at the end. - is standard output, whose text report the named one then replaces. A record (json) holds \
                everything; diskspd report prints it again.",
        compatibility: LinuxOnly,
        tested: &["command_lines", "outputs", "reports", "schemas", "records"],
        with_profile: true,
        values: &[],
        read: Read::Text(out),
    },
    Flag {
        name: Long("stream"),
        forms: &[(
            "--stream <file>",
            "write a line of JSON for each interval while the run goes on; - is standard output, fd:<n> an open \
             descriptor",
        )],
        default: "no lines",
        scope: Scope::Invocation,
        notes: "Intervals are those of -D, but at least 100 ms; without -D a second. Lines that the reader is too slow \
                for are left out, and counted.",
        compatibility: LinuxOnly,
        tested: &["outputs", "reports", "schemas"],
        with_profile: true,
        values: &[],
        read: Read::Text(stream),
    },
    Flag {
        name: Long("io-log"),
        forms: &[(
            "--io-log <file>",
            "log every I/O to this file, a line each (CSV); - is standard output, so that the report needs \
             another place (--out)",
        )],
        default: "no log",
        scope: Scope::Invocation,
        notes: "thread,target,direction,offset,size,start_ns,latency_ns,due_ns; start counts from the start signal of the \
                time span, warm-up and cool-down included. The log never slows the run down: I/Os that come faster \
                than they can be written are left out, and their number is said at the end.",
        compatibility: LinuxOnly,
        tested: &["loop_options", "outputs", "bad_input"],
        with_profile: true,
        values: &[],
        read: Read::Text(io_log),
    },
    Flag {
        name: Long("dry-run"),
        forms: &[("--dry-run", "show what would be done, and do nothing")],
        default: "off",
        scope: Scope::Invocation,
        notes: "Not with --out, --stream, --io-log: nothing is measured.",
        compatibility: LinuxOnly,
        tested: &["command_lines", "end_to_end"],
        with_profile: true,
        values: &[],
        read: Read::Switch(|draft| draft.request.dry_run = true),
    },
    Flag {
        name: Long("repeat"),
        forms: &[
            ("--repeat <n>", "run n times, and summarize the runs"),
            ("--repeat until=<p>%", "repeat until the mean IOPS are known to so many percent"),
        ],
        default: "once",
        scope: Scope::Invocation,
        notes: "Standard error gets each run's headline, then mean, deviation and the 95 % interval of the \
                mean over runs, and which runs don't fit. Standard output gets one report after the other, \
                so XML is one <Results> per run. Files of --out in text and XML hold all of them; JSON and \
                CSV get a file per run, numbered before the ending. until: at least 3 runs, at most 30. Not \
                with --stream, --io-log, -ys, -yf, -yr, -yp.",
        compatibility: LinuxOnly,
        tested: &["command_lines", "repetitions"],
        with_profile: true,
        values: &[],
        read: Read::Text(repeat),
    },
    Flag {
        name: Long("recreate"),
        forms: &[("--recreate", "rewrite the files of -c even if they are complete")],
        default: "off",
        scope: Scope::Invocation,
        notes: "",
        compatibility: LinuxOnly,
        tested: &["command_lines", "end_to_end", "profiles"],
        with_profile: true,
        values: &[],
        read: Read::Switch(|draft| draft.request.recreate = true),
    },
    Flag {
        name: Long("destroy"),
        forms: &[(
            "--destroy",
            "permit writing to a block device that carries a file system or partition table",
        )],
        default: "such devices are refused",
        scope: Scope::Invocation,
        notes: "",
        compatibility: LinuxOnly,
        tested: &["command_lines", "refusals", "device_kinds"],
        with_profile: true,
        values: &[],
        read: Read::Switch(|draft| draft.request.destroy = true),
    },
    Flag {
        name: Long("strict"),
        forms: &[("--strict", "exit code 2 if the figures are not what they seem to be")],
        default: "findings are printed, the exit code is 0",
        scope: Scope::Invocation,
        notes: "For scripts: verdicts and findings that are printed as WRONG fail. Notes and warnings don't.",
        compatibility: LinuxOnly,
        tested: &["command_lines", "truth"],
        with_profile: true,
        values: &[],
        read: Read::Switch(|draft| draft.request.strict = true),
    },
    Flag {
        name: Long("quiet"),
        forms: &[("--quiet", "print only errors and wrong figures, a line each")],
        default: "progress, the verdict, warnings, and what limited the run are told",
        scope: Scope::Invocation,
        notes: "For loops of many runs: errors, and what is printed as WRONG, without its details. No \
                progress, no warnings, nothing that is good to know; with --repeat no line per run and no \
                figures over runs. Reports, record and exit code are the same.",
        compatibility: LinuxOnly,
        tested: &["command_lines", "truth", "repetitions"],
        with_profile: true,
        values: &[],
        read: Read::Switch(|draft| draft.request.quiet = true),
    },
    Flag {
        name: Long("until-steady"),
        forms: &[(
            "--until-steady[=<s>]",
            "extend the warm-up until the run is steady, to <s> seconds at most",
        )],
        default: "the warm-up takes the time of -W; without <s> an hour at most",
        scope: Scope::Profile,
        notes: "At least ten seconds, -W included. Steady is: the last half of the warm-up shows no trend and no change \
                of level beyond 10 %. When the time is over it measures all the same, and says that it never became \
                steady. Not in simulated time.",
        compatibility: LinuxOnly,
        tested: &["command_lines", "steady"],
        with_profile: true,
        values: &[],
        read: Read::Optional(until_steady),
    },
    Flag {
        name: Long("until-written"),
        forms: &[(
            "--until-written <size>|<n>x",
            "end measuring when this much has been written, or n times the area of the targets",
        )],
        default: "it ends when the time of -d is over",
        scope: Scope::Profile,
        notes: "In each time span; at the latest when the time of -d is over. 2x: twice the bytes that \
                -f and -B leave of the targets that are written to, each target once. What warm-up and \
                cool-down write doesn't count. Looked at ten times a second and when it is due: what is \
                written beyond it is what is done between two looks and what is in flight. Not in \
                simulated time, nor where nothing is written.",
        compatibility: LinuxOnly,
        tested: &["command_lines", "until_volume"],
        with_profile: true,
        values: &["2x"],
        read: Read::Text(until_written),
    },
    Flag {
        name: Long("until-read"),
        forms: &[(
            "--until-read <size>|<n>x",
            "end measuring when this much has been read, or n times the area of the targets",
        )],
        default: "it ends when the time of -d is over",
        scope: Scope::Profile,
        notes: "As --until-written. With both it ends at what comes first.",
        compatibility: LinuxOnly,
        tested: &["command_lines", "until_volume"],
        with_profile: true,
        values: &["2x"],
        read: Read::Text(until_read),
    },
    Flag {
        name: Long("flush-after"),
        forms: &[("--flush-after", "flush the dirty pages left at the end, and report the time it took")],
        default: "it is left to the kernel",
        scope: Scope::Profile,
        notes: "After each time span, not part of its figures: fsync of every target that was written to.",
        compatibility: LinuxOnly,
        tested: &["command_lines", "truth_device"],
        with_profile: true,
        values: &[],
        read: Read::Switch(|draft| draft.request.method.flush_after = true),
    },
    Flag {
        name: Long("preset"),
        forms: &[("--preset <name>", "run a named workload; diskspd preset lists them")],
        default: "the workload is the options",
        scope: Scope::Profile,
        notes: "Other options stand behind those of the preset, in each of its parts, and go before \
                them. Not with -X. docs/presets.md has reasons and sources.",
        compatibility: LinuxOnly,
        tested: &["presets"],
        with_profile: false,
        values: &[],
        read: Read::Text(preset),
    },
    Flag {
        name: Long("fsync-every"),
        forms: &[("--fsync-every <n>", "each thread flushes a target after every n writes on it")],
        default: "nothing is flushed but what -Sw or -N flush",
        scope: Scope::Profile,
        notes: "With fdatasync, or what it is to the engine; msync with -Sm. The request of the write \
                does the flush before its next I/O. Flushes are counted and timed by themselves, at the \
                end of the text report, and are in no other figure. Not with -x and --poll.",
        compatibility: LinuxOnly,
        tested: &["command_lines", "fsync_every"],
        with_profile: true,
        values: &["1"],
        read: Read::Text(fsync_every),
    },
    Flag {
        name: Long("cpu-latency"),
        forms: &[(
            "--cpu-latency <us>",
            "keep processors out of idle states with a longer wake-up time; 0 keeps them awake",
        )],
        default: "the machine's idle states",
        scope: Scope::Profile,
        notes: "From before the start signal to the end of each time span's I/O, for all processors and programs of the \
                machine: latencies then hold no waking up. Idle processors take more power, in a virtual machine CPU \
                time of the host. Needs root, or permission to write to /dev/cpu_dma_latency; refused before anything \
                is created if it can't be had, and in simulated time.",
        compatibility: LinuxOnly,
        tested: &["command_lines", "cpu_latency", "advice"],
        with_profile: true,
        values: &["0"],
        read: Read::Text(cpu_latency),
    },
    Flag {
        name: Long("rate-total"),
        forms: &[(
            "--rate-total <n>[,poisson|uniform]",
            "start n I/Os per second on all targets and by all threads together (K: 1000, M: 1000000)",
        )],
        default: "limited by -o, or by -g",
        scope: Scope::Profile,
        notes: "Each thread gets an equal part on each of its targets. poisson, the default: at random \
                times, as many users who know nothing of each other would; uniform: evenly, dealt out to \
                the threads in turn. What can't start in time starts later, nothing is left out. With -L \
                response times, from when each I/O was due, stand at the end of the text report. Not with \
                -g, -i and -j, -x, nor with -F and -O.",
        compatibility: LinuxOnly,
        tested: &["command_lines", "rate_total"],
        with_profile: true,
        values: &[],
        read: Read::Text(rate_total),
    },
    Flag {
        name: Long("xml-verdict"),
        forms: &[(
            "--xml-verdict",
            "append verdict and findings to each TimeSpan and System of the XML results",
        )],
        default: "XML has what DISKSPD's has, nothing else",
        scope: Scope::Invocation,
        notes: "The elements DeviceVerdict and Findings; all that is before them is unchanged.",
        compatibility: LinuxOnly,
        tested: &["command_lines", "truth", "truth_device"],
        with_profile: true,
        values: &[],
        read: Read::Switch(|draft| draft.request.xml_verdict = true),
    },
    Flag {
        name: Long("text-verdict"),
        forms: &[("--text-verdict", "append verdict and findings to the text report")],
        default: "the text report has what DISKSPD's has; verdict and findings go to standard error alone",
        scope: Scope::Invocation,
        notes: "For diskspd .. > result.txt and --out result.txt, which otherwise keep the figures without \
                the verdict. They stand behind a line 'Verdict:'; all that is before it is unchanged. On \
                standard error they are told all the same.",
        compatibility: LinuxOnly,
        tested: &["command_lines", "truth"],
        with_profile: true,
        values: &[],
        read: Read::Switch(|draft| draft.request.text_verdict = true),
    },
    Flag {
        name: Long("prefill"),
        forms: &[(
            "--prefill[=<content>]",
            "fill unwritten parts before reading: auto, random, pattern or zero",
        )],
        default: "unwritten parts are reported and left; without <content> auto",
        scope: Scope::Profile,
        notes: "Holes and unwritten extents of the files that are read, over their whole size; what is there stays. auto \
                and random write random bytes, none of them zero; pattern what -c writes. Of a block device the part \
                that is read is written over, only with --destroy; auto does so only when it finds nothing but zeros.",
        compatibility: LinuxOnly,
        tested: &["command_lines", "truth_content"],
        with_profile: true,
        values: &["auto", "random", "pattern", "zero"],
        read: Read::Optional(prefill),
    },
    Flag {
        name: Long("help"),
        forms: &[
            (
                "--help[=<topic>]",
                "print the options of every day by topic, or all of a topic: --help caching",
            ),
            ("--help all", "print the usage: every option with all its forms, as -? does"),
        ],
        default: "off",
        scope: Scope::Profile,
        notes: "",
        compatibility: LinuxOnly,
        tested: &["command_lines", "first_hour"],
        with_profile: true,
        values: super::TOPICS,
        read: Read::Word(help),
    },
    Flag {
        name: Long("version"),
        forms: &[("--version", "print the version")],
        default: "off",
        scope: Scope::Profile,
        notes: "",
        compatibility: LinuxOnly,
        tested: &["command_lines"],
        with_profile: true,
        values: &[],
        read: Read::Switch(|draft| draft.answer = Some(Invocation::Version)),
    },
];

fn help(draft: &mut Draft, value: &[u8]) -> Result<(), Problem> {
    let extent = match value {
        [] => Some(UsageExtent::Everyday),
        word => UsageExtent::named(word),
    };
    draft.answer = Some(Invocation::Usage(extent.ok_or_else(|| {
        Problem::new(0, "there is no such topic").expected(format!("one of {}", super::TOPICS.join(", ")))
    })?));
    Ok(())
}

fn engine(draft: &mut Draft, value: &[u8]) -> Result<(), Problem> {
    draft.request.method.engine = Some(match value {
        b"auto" => {
            draft.request.method.engine = None;
            return Ok(());
        }
        b"uring" => EngineKind::Uring,
        b"aio" => EngineKind::Aio,
        b"sync" => EngineKind::Sync,
        b"mmap" => EngineKind::Mmap,
        b"null" => EngineKind::Null,
        b"sim" => EngineKind::Sim,
        b"sim:cliff" => EngineKind::SimCliff,
        b"sim:throttle" => EngineKind::SimThrottle,
        b"sim:drift" => EngineKind::SimDrift,
        b"sim:stall" => EngineKind::SimStall,
        b"help" => {
            draft.answer = Some(Invocation::EngineHelp);
            return Ok(());
        }
        _ => {
            let what = if value.is_empty() { "the value is missing" } else { "unknown engine" };
            return Err(Problem::new(0, what)
                .expected("auto, uring, aio, sync, mmap, null or sim")
                .hint("diskspd --engine help describes them"));
        }
    });
    Ok(())
}

/// Longest warm-up of `--until-steady` without a value, s.
const PATIENCE: u32 = 3600;

fn until_steady(draft: &mut Draft, value: &[u8]) -> Result<(), Problem> {
    let seconds = match value {
        b"" => Some(PATIENCE),
        digits => std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok()).filter(|s| *s > 0),
    };
    let wrong = || {
        Problem::new(0, "not a number of seconds")
            .expected("the maximum duration of the warm-up in seconds, as in --until-steady=600")
    };
    draft.request.method.until_steady_s = Some(seconds.ok_or_else(wrong)?);
    Ok(())
}

fn until_written(draft: &mut Draft, value: &[u8]) -> Result<(), Problem> {
    draft.request.method.until_written = Some(volume(draft, value)?);
    Ok(())
}

fn until_read(draft: &mut Draft, value: &[u8]) -> Result<(), Problem> {
    draft.request.method.until_read = Some(volume(draft, value)?);
    Ok(())
}

/// Reads a size, or `2x`.
fn volume(draft: &Draft, value: &[u8]) -> Result<Volume, Problem> {
    const VOLUME: &str = "a size, as in 500G, or a multiple of the area, as in 2x: 1 or more";
    if value.is_empty() {
        return Err(Problem::new(0, "the value is missing").expected(VOLUME));
    }
    let volume = match value {
        [digits @ .., b'x' | b'X'] => {
            let times =
                std::str::from_utf8(digits).ok().filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
            times.and_then(|digits| digits.parse().ok()).map(Volume::Times)
        }
        size => {
            let size = units::parse_size(size, draft.block_size())
                .map_err(|error| Problem::new(error.position, error.kind.to_string()).expected(VOLUME))?;
            Some(Volume::Bytes(size))
        }
    };
    let possible = volume.filter(|volume| !matches!(volume, Volume::Bytes(0) | Volume::Times(0)));
    possible.ok_or_else(|| Problem::new(0, "neither a size nor a number of times").expected(VOLUME))
}

/// Longest limit of the kernel, us.
const LONGEST: u32 = i32::MAX as u32;

fn cpu_latency(draft: &mut Draft, value: &[u8]) -> Result<(), Problem> {
    // Strictly: what is no number must not become 0, the strongest of all limits.
    let digits = std::str::from_utf8(value).ok().filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
    let micros = digits.and_then(|digits| digits.parse().ok()).filter(|us| *us <= LONGEST);
    let what = if value.is_empty() { "the value is missing" } else { "not a number of microseconds" };
    let wrong = || Problem::new(0, what).expected("the maximum wake-up time, 0 to 2147483647 us");
    draft.request.method.cpu_latency_us = Some(micros.ok_or_else(wrong)?);
    Ok(())
}

/// Taken out of the command line before the other options are read.
fn preset(draft: &mut Draft, value: &[u8]) -> Result<(), Problem> {
    let name = String::from_utf8_lossy(value);
    let found =
        presets::find(&name).ok_or_else(|| Problem::new(0, "no such preset").expected(presets::names()));
    draft.request.method.preset = Some(found?.name.to_owned());
    Ok(())
}

fn fsync_every(draft: &mut Draft, value: &[u8]) -> Result<(), Problem> {
    let number = std::str::from_utf8(value).ok().filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
    let writes = number.and_then(|digits| digits.parse().ok()).filter(|writes| *writes > 0);
    let what = if value.is_empty() { "the value is missing" } else { "not a number of writes" };
    let wrong = || Problem::new(0, what).expected("the number of writes between two flushes, 1 or more");
    draft.request.method.fsync_every = Some(writes.ok_or_else(wrong)?);
    Ok(())
}

fn rate_total(draft: &mut Draft, value: &[u8]) -> Result<(), Problem> {
    const RATE: &str = "I/Os per second, 1 to 1000M, optionally with a comma and their arrivals: poisson or \
                        uniform";
    let comma = value.iter().position(|byte| *byte == b',').unwrap_or(value.len());
    let ios_per_s = units::parse_count(&value[..comma])
        .map_err(|error| Problem::new(error.position, error.kind.to_string()).expected(RATE))?;
    if !(1..=RateTotal::HIGHEST).contains(&ios_per_s) {
        return Err(Problem::new(0, "no such rate").expected(RATE));
    }
    let arrivals = match value.get(comma + 1..) {
        None | Some(b"poisson") => Arrivals::Poisson,
        Some(b"uniform") => Arrivals::Uniform,
        Some(_) => return Err(Problem::new(comma + 1, "unknown kind of arrivals").expected(RATE)),
    };
    draft.request.method.rate_total = Some(RateTotal { ios_per_s, arrivals });
    Ok(())
}

fn prefill(draft: &mut Draft, value: &[u8]) -> Result<(), Problem> {
    draft.request.method.prefill = Some(match value {
        b"" | b"auto" => Prefill::Auto,
        b"random" => Prefill::Random,
        b"pattern" => Prefill::Pattern,
        b"zero" => Prefill::Zero,
        _ => return Err(Problem::new(0, "unknown content").expected("auto, random, pattern or zero")),
    });
    Ok(())
}

fn repeat(draft: &mut Draft, value: &[u8]) -> Result<(), Problem> {
    let text = std::str::from_utf8(value).unwrap_or_default();
    let what = if value.is_empty() { "the value is missing" } else { "not a number of runs" };
    draft.request.repeat =
        Some(Repeat::parse(text).map_err(|expected| Problem::new(0, what).expected(expected))?);
    Ok(())
}

fn out(draft: &mut Draft, value: &[u8]) -> Result<(), Problem> {
    let missing = || Problem::new(value.len(), "the file is missing").expected("the name of a file to write");
    draft.request.out.push(OutRequest::read(value).ok_or_else(missing)?);
    Ok(())
}

fn stream(draft: &mut Draft, value: &[u8]) -> Result<(), Problem> {
    draft.request.stream = Some(match value {
        b"" => {
            return Err(Problem::new(0, "the value is missing").expected("a file, - or fd:<n>"));
        }
        b"-" => StreamRequest::StandardOutput,
        [b'f', b'd', b':', number @ ..] => {
            let number = std::str::from_utf8(number).ok().and_then(|n| n.parse().ok()).filter(|n| *n >= 0);
            StreamRequest::Descriptor(number.ok_or_else(|| {
                Problem::new(3, "not a descriptor")
                    .expected("the number of an open file descriptor, as in fd:3")
            })?)
        }
        file => StreamRequest::File(RawText::from(file.to_vec()).as_path().to_owned()),
    });
    Ok(())
}

fn io_log(draft: &mut Draft, value: &[u8]) -> Result<(), Problem> {
    if value.is_empty() {
        return Err(Problem::new(0, "the value is missing").expected("the name of a file to write"));
    }
    draft.request.io_log = Some(RawText::from(value.to_vec()).as_path().to_owned());
    Ok(())
}

fn compat(draft: &mut Draft, value: &[u8]) -> Result<(), Problem> {
    let compat = match value {
        b"2.2" => Compat::V2_2,
        b"2.3" => Compat::V2_3,
        _ => return Err(Problem::new(0, "this version is not known").expected("2.2 or 2.3")),
    };
    draft.request.profile.compat = compat;
    draft.overrides.compat = Some(compat);
    Ok(())
}
