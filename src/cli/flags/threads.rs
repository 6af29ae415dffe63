//! `-t -F -o -O -a -n -x -I -g -i -j`: who issues how much at once, where and how fast.

use crate::cli::draft::Draft;
use crate::cli::error::Problem;
use crate::cli::flag::{Compatibility::*, Flag, Name::Letter, Read, Scope};
use crate::profile::{GroupCpu, IoPriority, Throughput};
use crate::units;

pub const FLAGS: &[Flag] = &[
    Flag {
        name: Letter(b't'),
        forms: &[("-t<count>", "threads per target")],
        default: "1",
        scope: Scope::Targets,
        notes: "",
        compatibility: Same,
        tested: &["command_lines", "address_streams", "end_to_end"],
        with_profile: false,
        values: &[],
        read: count("a number of threads, at least 1", |d, n| d.target.threads_per_file = n.unsigned_abs()),
    },
    Flag {
        name: Letter(b'F'),
        forms: &[("-F<count>", "threads in all, each working on every target")],
        default: "-t counts",
        scope: Scope::TimeSpan,
        notes: "Not with -t above 1.",
        compatibility: Same,
        tested: &["command_lines", "address_streams", "end_to_end", "profiles"],
        with_profile: false,
        values: &[],
        read: count("a number of threads, at least 1", |d, n| d.span.thread_count = n.unsigned_abs()),
    },
    Flag {
        name: Letter(b'o'),
        forms: &[("-o<count>", "queue depth: outstanding I/Os per thread and target")],
        default: "2",
        scope: Scope::Targets,
        notes: "A thread with one outstanding I/O in all does synchronous I/O.",
        compatibility: Differs(
            "where a target completes I/O in the submitting call (zram, tmpfs, writes to the page cache of ext4), the thread by \
             default does its I/Os itself, one after the other, because handing over several gains nothing; --engine \
             uring hands over as many as -o says",
        ),
        tested: &["command_lines", "engines", "end_to_end", "devices"],
        with_profile: false,
        values: &["1", "2", "4", "8", "16", "32", "64"],
        read: count("a number of outstanding I/Os, at least 1", |d, n| {
            d.target.request_count = n.unsigned_abs()
        }),
    },
    Flag {
        name: Letter(b'O'),
        forms: &[("-O<count>", "with -F: outstanding I/Os of a thread over all its targets")],
        default: "-o counts",
        scope: Scope::TimeSpan,
        notes: "Each I/O goes to a target drawn by weight; -o is ignored. Not with -g, -j, -p.",
        compatibility: Differs("without -F, where it has no effect, it gives a warning"),
        tested: &["command_lines", "address_streams", "end_to_end", "profiles"],
        with_profile: false,
        values: &[],
        read: count("a number of outstanding I/Os, at least 1", |d, n| {
            d.span.request_count = n.unsigned_abs()
        }),
    },
    Flag {
        name: Letter(b'a'),
        forms: &[
            ("-a[<cpu>[,<cpu>...]]", "bind thread i to entry i of this list, wrapping around"),
            ("-ag<group>,<cpu>[,<cpu>...][,g<group>,...]", "the same with processor groups"),
        ],
        default: "round robin over the CPUs",
        scope: Scope::TimeSpan,
        notes: "CPU numbers count within their group, group 0 unless given; several -a make one list. On Linux group \
                g holds the CPUs 64 g to 64 g + 63, so that -a0,1,2 means the CPUs 0, 1, 2. -a and -ag alone are the \
                default; -n binds nothing.",
        compatibility: Differs(
            "malformed lists such as -ag0, or -a1g2,3 are errors; groups are 64 CPUs each",
        ),
        tested: &["command_lines", "affinity", "topology", "bad_input"],
        with_profile: false,
        values: &["g"],
        read: Read::Text(affinity),
    },
    Flag {
        name: Letter(b'n'),
        forms: &[("-n", "don't bind threads to CPUs")],
        default: "threads are bound",
        scope: Scope::TimeSpan,
        notes: "Not with a list of CPUs (-a).",
        compatibility: Same,
        tested: &["command_lines", "end_to_end", "golden_reports"],
        with_profile: false,
        values: &[],
        read: Read::Switch(|draft| draft.span.disable_affinity = true),
    },
    Flag {
        name: Letter(b'x'),
        forms: &[("-x", "completion routines instead of completion ports")],
        default: "completion ports",
        scope: Scope::TimeSpan,
        notes: "Not with -g or -Sm. A thread with one outstanding I/O in all does synchronous I/O.",
        compatibility: Differs(
            "Linux has neither: each completion is stamped, counted and issued anew by itself; the first I/O of a request \
             goes to its own target, in DISKSPD to the thread's first",
        ),
        tested: &["command_lines", "loop_options", "write_content"],
        with_profile: false,
        values: &[],
        read: Read::Switch(|draft| draft.span.completion_routines = true),
    },
    Flag {
        name: Letter(b'I'),
        forms: &[("-I<priority>", "I/O priority: 1 very low, 2 low, 3 normal")],
        default: "3",
        scope: Scope::Targets,
        notes: "",
        compatibility: Differs(
            "1 is the idle class, 2 the lowest best-effort level; not every I/O scheduler heeds it",
        ),
        tested: &["command_lines", "io_priority"],
        with_profile: false,
        values: &["1", "2", "3"],
        read: Read::Integer {
            required: true,
            min: 1,
            max: 3,
            expected: "1 (very low), 2 (low) or 3 (normal)",
            set: |draft, priority| {
                draft.target.io_priority = match priority {
                    1 => IoPriority::VeryLow,
                    2 => IoPriority::Low,
                    _ => IoPriority::Normal,
                }
            },
        },
    },
    Flag {
        name: Letter(b'g'),
        forms: &[
            ("-g<n>", "limit the throughput of each thread and target to n bytes per millisecond"),
            ("-g<n>i", "the same to n I/Os per second"),
        ],
        default: "no limit",
        scope: Scope::Targets,
        notes: "Not with -x, nor with -F and -O. With -i and -j the limit wins and there are no pauses.",
        compatibility: Differs(
            "the limit is kept exactly, from 1 I/O per second up, and evenly, from the start signal on; DISKSPD wraps at \
             4 GiB/s, takes rates below 1 B/ms for no limit, and lets the time of the set-up be caught up with",
        ),
        tested: &["command_lines", "pace", "loop_options"],
        with_profile: false,
        values: &[],
        read: Read::Text(throughput),
    },
    Flag {
        name: Letter(b'i'),
        forms: &[("-i<count>", "I/Os per burst, shared by the target's threads; needs -j")],
        default: "no bursts",
        scope: Scope::Targets,
        notes: "",
        compatibility: Differs(
            "a burst of fewer I/Os than threads gives a warning, as it does where bursts have no effect: beside -g, and with \
             -x unless I/O is synchronous",
        ),
        tested: &["command_lines", "pace", "loop_options"],
        with_profile: false,
        values: &[],
        read: count("a number of I/Os, at least 1", |d, n| d.target.burst_size = Some(n.unsigned_abs())),
    },
    Flag {
        name: Letter(b'j'),
        forms: &[("-j<ms>", "pause between bursts in milliseconds; needs -i")],
        default: "no pauses",
        scope: Scope::Targets,
        notes: "",
        compatibility: Same,
        tested: &["command_lines", "pace", "loop_options"],
        with_profile: false,
        values: &[],
        read: count("a time in milliseconds, at least 1", |d, n| {
            d.target.think_time = Some(n.unsigned_abs())
        }),
    },
];

/// A lenient integer of at least 1.
const fn count(expected: &'static str, set: fn(&mut Draft, i32)) -> Read {
    Read::Integer { required: true, min: 1, max: i32::MAX, expected, set }
}

fn throughput(draft: &mut Draft, value: &[u8]) -> Result<(), Problem> {
    // The unit is no part of the number, and not dropped.
    let limit = draft.lenient_integer("-g", value.strip_suffix(b"i").unwrap_or(value), LIMIT);
    let unit: fn(u32) -> Throughput = match value.last() {
        Some(b'0'..=b'9') => Throughput::BytesPerMillisecond,
        Some(b'i') => Throughput::Iops,
        Some(_) => {
            return Err(Problem::new(value.len() - 1, "unknown unit of throughput")
                .expected("i for I/Os per second, or a digit for bytes per millisecond"));
        }
        None => return Err(Problem::new(0, "the value is missing").expected(LIMIT)),
    };
    if limit < 1 {
        return Err(Problem::new(0, "this is no limit of throughput").expected(LIMIT));
    }
    draft.target.throughput = Some(unit(limit.unsigned_abs()));
    Ok(())
}

const LIMIT: &str = "a number of at least 1: bytes per millisecond, or with i behind it I/Os per second";

fn affinity(draft: &mut Draft, value: &[u8]) -> Result<(), Problem> {
    if value.is_empty() || value == b"g" {
        return Ok(());
    }
    let mut cpus = Vec::new();
    let mut group = 0;
    // Position of a group that no CPU has followed yet.
    let mut open_group = None;
    let mut start = 0;
    for item in value.split(|b| *b == b',') {
        match item {
            [b'g', digits @ ..] => {
                if let Some(position) = open_group {
                    return Err(Problem::new(position, "a group without a CPU").expected(CPUS));
                }
                group = affinity_number(digits, start + 1, "group", u16::MAX)?;
                open_group = Some(start);
            }
            digits => {
                let cpu = affinity_number(digits, start, "CPU", u8::MAX)?;
                cpus.push(GroupCpu { group, cpu });
                open_group = None;
            }
        }
        start += item.len() + 1;
    }
    if let Some(position) = open_group {
        return Err(Problem::new(position, "a group without a CPU").expected(CPUS));
    }
    draft.span.affinity.extend(cpus);
    Ok(())
}

const CPUS: &str =
    "CPU numbers and groups (g<number>) separated by commas, a CPU behind each group: -a0,1,g1,0";

fn affinity_number<T>(digits: &[u8], position: usize, kind: &str, max: T) -> Result<T, Problem>
where
    T: TryFrom<u64> + std::fmt::Display,
{
    match units::parse_digits(digits) {
        Err(error) if error.kind != units::UnitErrorKind::TooLarge => {
            Err(Problem::new(position, format!("the number of a {kind} is missing")).expected(CPUS))
        }
        Ok((_, taken)) if taken < digits.len() => {
            Err(Problem::new(position + taken, "this does not belong to the list").expected(CPUS))
        }
        Ok((number, _)) => T::try_from(number).map_err(|_| too_large(position, kind, max)),
        Err(_) => Err(too_large(position, kind, max)),
    }
}

fn too_large(position: usize, kind: &str, max: impl std::fmt::Display) -> Problem {
    Problem::new(position, format!("there is no such {kind}"))
        .expected(format!("a {kind} number of at most {max}"))
}
