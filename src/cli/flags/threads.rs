//! `-t -F -o -u -O -a -n -x -I -g -i -j`: threads, their concurrency, placement and speed.

use super::{affinity, ring};
use crate::cli::draft::RunRequestBuilder;
use crate::cli::error::ValueError;
use crate::cli::flag::{CarriedByFile, Compatibility::*, DISKSPD, Flag, Name::Letter, Print, Read, Scope};
use crate::cli::quantity::Quantity;
use crate::cli::words::{optional_word, switch, when};
use crate::experiments::sweep::ValueForm;
use crate::profile::{IoPriority, Throughput};

pub(super) const FLAGS: &[Flag] = &[
    Flag {
        name: Letter(b't'),
        forms: &[("-t<count>", "threads per target")],
        default: "1",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "address_streams", "end_to_end"],
        swept: Some(ValueForm::SIZE),
        print: Print::Work(|_, target| vec![target.threads_per_file.to_string()]),
        read: at_least_one(Quantity::Count, "a number of threads, at least 1", |d, n| {
            d.target.threads_per_file = n.unsigned_abs()
        }),
        ..DISKSPD
    },
    Flag {
        name: Letter(b'F'),
        forms: &[("-F<count>", "threads in all, each working on every target")],
        default: "-t counts",
        scope: Scope::TimeSpan,
        notes: "Not with -t above 1.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "address_streams", "end_to_end", "profiles"],
        swept: Some(ValueForm::SIZE),
        print: Print::Work(|span, _| when(span.thread_count > 0, span.thread_count)),
        read: at_least_one(Quantity::Count, "a number of threads, at least 1", |d, n| {
            d.span.thread_count = n.unsigned_abs()
        }),
        ..DISKSPD
    },
    Flag {
        name: Letter(b'o'),
        forms: &[
            ("-o<count>", "queue depth: outstanding I/Os per thread and target"),
            ("-oc<count>", "completions reaped at a time, 1 to 16"),
        ],
        default: "2; -oc: all that completed",
        notes: "A thread with one outstanding I/O in all does synchronous I/O. -oc is DISKSPD 2.3's, of the \
                time span, and not for -x; without it all completions are reaped at once.",
        compatibility: Differs(
            "where a target completes I/O in the submitting call (zram, tmpfs, writes to the page cache of \
             ext4), a thread by default does its I/Os synchronously, because submitting several gains \
             nothing; --engine uring submits up to -o",
        ),
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "engines", "end_to_end", "devices"],
        values: &["1", "2", "4", "8", "16", "32", "64"],
        swept: Some(ValueForm { heads: &["c"], ..ValueForm::SIZE }),
        print: Print::Work(|_, target| vec![target.request_count.to_string()]),
        read: Read::Text(ring::requests),
        ..DISKSPD
    },
    Flag {
        name: Letter(b'u'),
        forms: &[
            ("-u[<count>[p]]", "io_uring with registered buffers, in batches of n I/Os (p: percent of all)"),
            ("-un[<count>[p]]", "the same without registered buffers"),
        ],
        default: "off; 25p",
        scope: Scope::TimeSpan,
        notes: "DISKSPD 2.3's. All idle requests are submitted in one call, which waits for one batch of \
                completions. Also for one outstanding I/O. Not with -x, -Sm or another --engine.",
        compatibility: Differs(
            "io_uring in place of IoRing, of DISKSPD 2.3: -Zr and -Z<size> take effect with registered \
             buffers too; where the kernel does not register them a warning says so",
        ),
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "compat"],
        values: &["n"],
        swept: Some(ValueForm { tail: "p", ..ValueForm::SIZE }),
        read: Read::Text(ring::io_ring),
        ..DISKSPD
    },
    Flag {
        name: Letter(b'O'),
        forms: &[("-O<count>", "with -F: outstanding I/Os of a thread over all its targets")],
        default: "-o counts",
        scope: Scope::TimeSpan,
        notes: "Each I/O goes to a target drawn by weight; -o is ignored. Not with -g, -j, -p.",
        compatibility: Differs("without -F, where it has no effect, it gives a warning"),
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "address_streams", "end_to_end", "profiles"],
        swept: Some(ValueForm::SIZE),
        print: Print::Work(|span, _| when(span.is_floating_pool(), span.request_count)),
        read: at_least_one(Quantity::Count, "a number of outstanding I/Os, at least 1", |d, n| {
            d.span.request_count = n.unsigned_abs()
        }),
        ..DISKSPD
    },
    Flag {
        name: Letter(b'a'),
        forms: &[
            ("-a[<cpu>[-<cpu>][,...]]", "bind thread i to entry i of this list, wrapping around"),
            ("-ag<group>,<cpu>[-<cpu>][,...][,g<group>,...]", "the same with processor groups"),
            ("-ag<group>", "the same, all active CPUs of a group"),
            (
                "-a<cspPeE>",
                "the order: c cores first, s spanning groups, p or P performance, e or E efficiency cores \
                 first",
            ),
            ("-aup", "the order: ignore the kinds of cores"),
        ],
        default: "round robin over the CPUs",
        scope: Scope::TimeSpan,
        notes: "CPU numbers count within their group, group 0 unless given; several -a make one list. On \
                Linux group g holds the CPUs 64 g to 64 g + 63, so that -a0,1,2 means the CPUs 0, 1, 2. -a \
                and -ag alone are the default; -n binds nothing. The letters are DISKSPD 2.3's: c takes one \
                CPU of every core before the second of any, s goes over all groups instead of group after \
                group; p and e put the cores of one kind first, P and E all CPUs of that kind. The kernel \
                reports the kind of each core. With a letter, or with --compat 2.3, a list is sorted too; \
                its order decides among equals.",
        compatibility: Differs(
            "malformed lists such as -ag0, or -a1g2,3 are errors; groups are 64 CPUs each; ranges, whole \
             groups and letters are as in DISKSPD 2.3, whose order by default (performance cores first) \
             needs --compat 2.3",
        ),
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "affinity", "topology", "bad_input"],
        values: &["g", "c", "s", "p", "P", "e", "E", "up"],
        print: Print::Work(affinity::words),
        read: Read::Text(affinity::read),
        ..DISKSPD
    },
    Flag {
        name: Letter(b'n'),
        forms: &[("-n", "do not bind threads to CPUs")],
        default: "threads are bound",
        scope: Scope::TimeSpan,
        notes: "Not with a list of CPUs (-a).",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "end_to_end", "golden_reports"],
        print: Print::Work(|span, _| switch(span.disable_affinity)),
        read: Read::Switch(|draft| draft.span.disable_affinity = true),
        ..DISKSPD
    },
    Flag {
        name: Letter(b'x'),
        forms: &[("-x", "completion routines instead of completion ports")],
        default: "completion ports",
        scope: Scope::TimeSpan,
        notes: "Not with -g or -Sm. A thread with one outstanding I/O in all does synchronous I/O.",
        compatibility: Differs(
            "Linux has neither: each completion is stamped and counted separately, and its next I/O issued \
             at once; the first I/O of a request goes to its own target, in DISKSPD to the thread's first",
        ),
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "loop_options", "write_content"],
        print: Print::Work(|span, _| switch(span.completion_routines)),
        read: Read::Switch(|draft| draft.span.completion_routines = true),
        ..DISKSPD
    },
    Flag {
        name: Letter(b'I'),
        forms: &[("-I<priority>", "I/O priority: 1 very low, 2 low, 3 normal")],
        default: "3",
        compatibility: Differs(
            "1 is the idle class, 2 the lowest best-effort level; not every I/O scheduler obeys it",
        ),
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "io_priority"],
        values: &["1", "2", "3"],
        swept: Some(ValueForm::SIZE),
        print: Print::Work(|_, target| {
            let said = target.io_priority != IoPriority::Normal;
            let number = PRIORITIES.iter().find(|(_, priority)| *priority == target.io_priority);
            optional_word(number.filter(|_| said).map(|(number, _)| number))
        }),
        read: Read::Integer {
            required: true,
            min: 1,
            max: 3,
            quantity: Quantity::Plain,
            expected: "1 (very low), 2 (low) or 3 (normal)",
            set: |draft, number| {
                let priority = PRIORITIES.iter().find(|(known, _)| *known == number);
                draft.target.io_priority = priority.map_or(IoPriority::Normal, |(_, priority)| *priority);
            },
        },
        ..DISKSPD
    },
    Flag {
        name: Letter(b'g'),
        forms: &[
            ("-g<n>", "limit the throughput of each thread and target to n bytes per millisecond"),
            ("-g<n>i", "the same to n I/Os per second"),
        ],
        default: "no limit",
        notes: "Not with -x, nor with -F and -O. With -i and -j the limit wins and there are no pauses.",
        compatibility: Differs(
            "the limit is kept exactly, from 1 I/O per second up, and evenly, from the start signal on; \
             DISKSPD wraps at 4 GiB/s, treats rates below 1 B/ms as no limit, and exceeds the rate at first \
             to catch up the set-up time",
        ),
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "pace", "loop_options"],
        swept: Some(ValueForm { tail: "i", ..ValueForm::SIZE }),
        print: Print::Work(|_, target| {
            optional_word(target.throughput.map(|limit| match limit {
                Throughput::BytesPerMillisecond(bytes) => bytes.to_string(),
                Throughput::Iops(iops) => format!("{iops}i"),
            }))
        }),
        read: Read::Text(read_throughput),
        ..DISKSPD
    },
    Flag {
        name: Letter(b'i'),
        forms: &[("-i<count>", "I/Os per burst, shared by the target's threads; needs -j")],
        default: "no bursts",
        compatibility: Differs(
            "a burst of fewer I/Os than threads gives a warning, as it does where bursts have no effect: \
             with -g, and with -x unless I/O is synchronous",
        ),
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "pace", "loop_options"],
        swept: Some(ValueForm::SIZE),
        print: Print::Work(|_, target| optional_word(target.burst_size)),
        read: at_least_one(Quantity::Count, "a number of I/Os, at least 1", |d, n| {
            d.target.burst_size = Some(n.unsigned_abs())
        }),
        ..DISKSPD
    },
    Flag {
        name: Letter(b'j'),
        forms: &[("-j<ms>", "pause between bursts in milliseconds; needs -i")],
        default: "no pauses",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "pace", "loop_options"],
        swept: Some(ValueForm::SIZE),
        print: Print::Work(|_, target| optional_word(target.think_time)),
        read: at_least_one(Quantity::Milliseconds, "a time in milliseconds, at least 1", |d, n| {
            d.target.think_time = Some(n.unsigned_abs())
        }),
        ..DISKSPD
    },
];

const PRIORITIES: [(i32, IoPriority); 3] =
    [(1, IoPriority::VeryLow), (2, IoPriority::Low), (3, IoPriority::Normal)];

const fn at_least_one(
    quantity: Quantity,
    expected: &'static str,
    set: fn(&mut RunRequestBuilder, i32),
) -> Read {
    Read::Integer { required: true, min: 1, max: i32::MAX, quantity, expected, set }
}

fn read_throughput(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    // The unit is no part of the number, and not dropped.
    let (number, ending) = value.strip_suffix(b"i").map_or((value, ""), |number| (number, "i"));
    let limit = draft.lenient_integer(("-g", ending), number, Quantity::Count, LIMIT)?;
    let unit: fn(u32) -> Throughput = match value.last() {
        Some(b'0'..=b'9') => Throughput::BytesPerMillisecond,
        Some(b'i') => Throughput::Iops,
        Some(_) => {
            return Err(ValueError::new(value.len() - 1, "unknown unit of throughput")
                .with_expected("i for I/Os per second, or a digit for bytes per millisecond"));
        }
        None => return Err(ValueError::new(0, "the value is missing").with_expected(LIMIT)),
    };
    if limit < 1 {
        return Err(ValueError::new(0, "invalid throughput limit").with_expected(LIMIT));
    }
    draft.target.throughput = Some(unit(limit.unsigned_abs()));
    Ok(())
}

const LIMIT: &str = "a number of at least 1: bytes per millisecond, or I/Os per second with i after it";
