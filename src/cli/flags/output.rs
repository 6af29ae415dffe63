//! `-L -D -P -R -v -: -e`: measured and printed results.

use crate::cli::draft::RunRequestBuilder;
use crate::cli::error::ValueError;
use crate::cli::flag::{CarriedByFile, Compatibility::*, DISKSPD, Flag, Name::Letter, Print, Read, Scope};
use crate::cli::quantity::Quantity;
use crate::cli::words::{switch, when};
use crate::experiments::sweep::ValueForm;
use crate::profile::{Etw, ResultFormat};

pub(super) const FLAGS: &[Flag] = &[
    Flag {
        name: Letter(b'L'),
        forms: &[("-L", "measure latency")],
        default: "off",
        scope: Scope::TimeSpan,
        compatibility: Differs(
            "DISKSPD looks for completions after every submitted I/O; here I/Os are submitted and reaped \
             in batches of 16 at most, the number that takes 16 us, and at most half of the queue depth: a \
             call per I/O would be slower than the device. Latencies can be too long by that time, never \
             too short",
        ),
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "stats", "golden_reports", "devices"],
        print: Print::Work(|span, _| switch(span.measure_latency)),
        read: Read::Switch(|draft| draft.span.measure_latency = true),
        ..DISKSPD
    },
    Flag {
        name: Letter(b'D'),
        forms: &[("-D[<ms>]", "IOPS per interval of <ms> milliseconds, and their standard deviation")],
        default: "off; intervals of 1000",
        scope: Scope::TimeSpan,
        compatibility: Differs("I/Os are submitted and reaped in batches, as with -L"),
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "stats", "golden_reports", "reports"],
        values: &["100", "250", "500", "1000"],
        swept: Some(ValueForm::SIZE),
        print: Print::Work(|span, _| when(span.calculate_iops_std_dev, span.io_bucket_duration)),
        read: Read::Integer {
            required: false,
            min: i32::MIN,
            max: i32::MAX,
            quantity: Quantity::Milliseconds,
            expected: "a time in milliseconds",
            set: |draft, milliseconds| {
                draft.span.calculate_iops_std_dev = true;
                if milliseconds > 0 {
                    draft.span.io_bucket_duration = milliseconds.unsigned_abs();
                }
            },
        },
        ..DISKSPD
    },
    Flag {
        name: Letter(b'P'),
        forms: &[("-P[<count>]", "print a dot after every <count> I/Os of a thread")],
        default: "off; 65536 I/Os",
        scope: Scope::Profile,
        compatibility: Differs(
            "where standard output is for programs (-Rxml, --out or --stream to it) the dots go to standard \
             error",
        ),
        carried: CarriedByFile::UserOnly,
        tested: &["command_lines", "end_to_end", "outputs"],
        read: Read::Integer {
            required: false,
            min: i32::MIN,
            max: i32::MAX,
            quantity: Quantity::Count,
            expected: "a number of I/Os",
            set: |draft, count| {
                draft.request.profile.progress = if count < 1 { 65536 } else { count.unsigned_abs() };
            },
        },
        ..DISKSPD
    },
    Flag {
        name: Letter(b'R'),
        forms: &[
            ("-R<text|xml>", "form of the report on standard output"),
            ("-Rp[text|xml]", "do not run: check the profile and print it"),
            ("-Rs[text|xml]", "do not run: print all facts about this machine; takes no other option"),
        ],
        default: "text",
        scope: Scope::Profile,
        notes: "The profile that -Rpxml prints can be run with -X. In it, bytes of a path that XML cannot \
                hold (not UTF-8, control characters) are the characters U+10FF00 + byte. -Rp measures \
                nothing: not with --out, --stream, --io-log. -Rs and its output are DISKSPD 2.3's.",
        compatibility: Differs(
            "profiles also name RandomWriteData (-Zr), which DISKSPD reads but never writes; text is \
             escaped, so that any path comes out well-formed and goes back in",
        ),
        carried: CarriedByFile::UserOnly,
        tested: &["command_lines", "golden_reports", "profiles", "reports", "compat"],
        with_profile: true,
        values: &["text", "xml", "p", "ptext", "pxml", "s", "stext", "sxml"],
        read: Read::Text(result_format),
        ..DISKSPD
    },
    Flag {
        name: Letter(b'v'),
        forms: &[
            ("-v", "show progress in detail, and all findings about the figures"),
            ("-vs", "add wait statistics to the report; does not imply -v"),
        ],
        default: "off",
        scope: Scope::Profile,
        compatibility: Differs(
            "a look-aside follows up to 16 I/Os, not each of them (see -L); where standard output is for \
             programs (-Rxml, --out or --stream to it) the lines of -v go to standard error",
        ),
        carried: CarriedByFile::UserOnly,
        tested: &["command_lines", "end_to_end", "loop_options", "golden_reports", "outputs"],
        with_profile: true,
        values: &["s"],
        read: Read::Text(read_verbose),
        ..DISKSPD
    },
    Flag {
        name: Letter(b':'),
        forms: &[(
            "-:<mask>",
            "experimental flags; bit 0: sleep until the next I/O is due under a throughput limit",
        )],
        default: "0",
        scope: Scope::Profile,
        compatibility: Differs(
            "bit 0 changes nothing: sleeps under a throughput limit always end when the next I/O is due",
        ),
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "profiles"],
        with_profile: true,
        read: Read::Integer {
            required: false,
            min: i32::MIN,
            max: i32::MAX,
            quantity: Quantity::Plain,
            expected: "a decimal bit mask",
            // A bit mask: negative numbers are their two's complement, as in DISKSPD.
            set: |draft, mask| draft.overrides.experiment_flags = Some(mask as u32),
        },
        ..DISKSPD
    },
    Flag {
        name: Letter(b'e'),
        forms: &[
            (
                "-e<class>",
                "count a class of the machine's events while measuring: PROCESS, THREAD, IMAGE_LOAD, \
                 DISK_IO (with device latencies next to the measured ones), MEMORY_PAGE_FAULTS, \
                 MEMORY_HARD_FAULTS, NETWORK or REGISTRY; may be repeated",
            ),
            ("-ep", "paged memory for the trace"),
            ("-eq", "trace timer: performance counter (CLOCK_MONOTONIC, which is used anyway)"),
            ("-es", "trace timer: system time"),
            ("-ec", "trace timer: cycle counter (CLOCK_MONOTONIC_RAW)"),
        ],
        default: "no tracing",
        scope: Scope::Profile,
        compatibility: Differs(
            "counted by the kernel's tracepoints and counters, which needs root (or CAP_PERFMON and the \
             group of tracefs); events without a counter on Linux are N/A; IMAGE_LOAD, REGISTRY, -ep and -es \
             are refused: they have no counterpart (docs/reference/measuring.md)",
        ),
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "profiles", "tracing"],
        values: &[
            "PROCESS",
            "THREAD",
            "IMAGE_LOAD",
            "DISK_IO",
            "MEMORY_PAGE_FAULTS",
            "MEMORY_HARD_FAULTS",
            "NETWORK",
            "REGISTRY",
        ],
        read: Read::Text(read_tracing),
        ..DISKSPD
    },
];

fn result_format(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    let (profile_only, rest) = match value {
        [b'p', rest @ ..] => (true, rest),
        rest => (false, rest),
    };
    let (system_only, format) = match rest {
        [b's', format @ ..] => (true, format),
        format => (false, format),
    };
    let result_format = match format {
        b"" if profile_only || system_only || draft.request.profile_only => None,
        b"text" => Some(ResultFormat::Text),
        b"xml" => Some(ResultFormat::Xml),
        _ => {
            let what = if format.is_empty() { "the format is missing" } else { "unknown format" };
            return Err(ValueError::new(usize::from(profile_only) + usize::from(system_only), what)
                .with_expected(
                    "text or xml, in lower case; p before it to print the profile only, s the machine",
                ));
        }
    };
    draft.request.profile_only |= profile_only;
    draft.system_only |= system_only;
    draft.overrides.result_format = result_format.or(draft.overrides.result_format);
    Ok(())
}

fn read_verbose(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    match value {
        b"" => draft.overrides.verbose = true,
        b"s" => draft.overrides.verbose_stats = true,
        _ => {
            return Err(ValueError::new(0, "unknown verbose mode")
                .with_expected("no value, or s for wait statistics"));
        }
    }
    Ok(())
}

fn read_tracing(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    let mut etw = draft.request.profile.etw.clone().unwrap_or_default();
    *etw_switch(&mut etw, value).ok_or_else(|| {
        let what =
            if value.is_empty() { "the class of events is missing" } else { "unknown class of events" };
        ValueError::new(0, what).with_expected(
            "PROCESS, THREAD, IMAGE_LOAD, DISK_IO, MEMORY_PAGE_FAULTS, MEMORY_HARD_FAULTS, NETWORK or \
             REGISTRY, or one of the letters p, q, s, c",
        )
    })? = true;
    draft.request.profile.etw = Some(etw);
    Ok(())
}

/// Matches class names in full, but only the first letter of letter options, as in DISKSPD.
fn etw_switch<'a>(etw: &'a mut Etw, value: &[u8]) -> Option<&'a mut bool> {
    Some(match value {
        b"PROCESS" => &mut etw.process,
        b"THREAD" => &mut etw.thread,
        b"IMAGE_LOAD" => &mut etw.image_load,
        b"DISK_IO" => &mut etw.disk_io,
        b"MEMORY_PAGE_FAULTS" => &mut etw.memory_page_faults,
        b"MEMORY_HARD_FAULTS" => &mut etw.memory_hard_faults,
        b"NETWORK" => &mut etw.network,
        b"REGISTRY" => &mut etw.registry,
        [b'p', ..] => &mut etw.use_paged_memory,
        [b'q', ..] => &mut etw.use_perf_timer,
        [b's', ..] => &mut etw.use_system_timer,
        [b'c', ..] => &mut etw.use_cycles_counter,
        _ => return None,
    })
}
