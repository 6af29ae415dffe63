//! Engines for I/Os.

use crate::cli::answer::InfoRequest;
use crate::cli::draft::RunRequestBuilder;
use crate::cli::error::ValueError;
use crate::cli::flag::{CarriedByFile, Flag, LINUX, Name::Long, Print, Read};
use crate::cli::words::{optional_word, switch};
use crate::engines::ENGINES;
use crate::experiments::sweep::ValueForm;
use crate::profile::Compat;
pub(super) const FLAGS: &[Flag] = &[
    Flag {
        name: Long("compat"),
        forms: &[("--compat <version>", "follow the defaults, rules and output of DISKSPD 2.2 or 2.3")],
        default: "2.2",
        notes: "The options of both versions are understood in either case. 2.3 has its reports and \
                profiles (without TABs, with the placement of threads and buffers), takes performance \
                cores first, keeps buffers apart (-bsp), and allows 65536 outstanding I/Os at most. \
                Profiles of both versions are read. With 2.2 a setting that only 2.3 knows holds for the \
                run, and is in the record; 2.2's XML has no form for it, which -Rpxml warns of.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "compat"],
        values: &["2.2", "2.3"],
        swept: Some(ValueForm::SIZE),
        read: Read::Text(read_compat),
        ..LINUX
    },
    Flag {
        name: Long("engine"),
        forms: &[(
            "--engine <name>",
            "the I/O engine: auto, uring, aio, sync, mmap, nvme, null or sim; Windows: iocp, apc; help lists \
             them",
        )],
        default: "auto: chosen by the workload and the targets",
        notes: "auto is mmap for -Sm; sync for one outstanding I/O, or where the target completes every \
                I/O in the submitting call (zram, tmpfs, cached writes on ext4), so that a thread has only \
                one in flight; else uring. --dry-run, -v and the record have the reason. aio is Linux AIO, \
                which has more than one I/O in flight only without the cache (-Su, -Sh). nvme sends NVMe \
                commands that bypass the block layer, to the character device of a namespace (/dev/ng0n1, \
                Linux 5.19; docs/reference/targets.md), and is chosen by it. null completes at once and \
                measures the program itself; sim serves I/O from a seeded model of a device, sim:cliff, \
                sim:throttle, sim:drift, sim:stall and sim:outage from models whose speed changes during \
                the run.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "engines", "end_to_end"],
        values: &[
            "auto",
            "uring",
            "aio",
            "sync",
            "mmap",
            "nvme",
            "null",
            "sim",
            "sim:cliff",
            "sim:throttle",
            "sim:drift",
            "sim:stall",
            "sim:outage",
            "help",
        ],
        swept: Some(ValueForm::SIZE),
        print: Print::RunOptions(|options| optional_word(options.engine.map(|engine| engine.row().name))),
        read: Read::Text(read_engine),
        ..LINUX
    },
    Flag {
        name: Long("poll"),
        forms: &[(
            "--poll",
            "poll the device for completions instead of waiting for interrupts; needs -Su or -Sh",
        )],
        default: "the device interrupts",
        notes: "With io_uring only, which then also serves one outstanding I/O. Refused where the device \
                has no poll queues (/sys/block/<device>/queue/io_poll).",
        carried: CarriedByFile::Workload,
        tested: &["engine_choice"],
        print: Print::RunOptions(|options| switch(options.poll)),
        read: Read::Switch(|draft| draft.request.run_options.poll = true),
        ..LINUX
    },
    Flag {
        name: Long("no-huge-pages"),
        forms: &[("--no-huge-pages", "use ordinary (4 KiB) pages for I/O buffers, as most programs do")],
        default: "buffers of 64 KiB or more, for I/Os above 4 KiB, use huge pages if some are free",
        notes: "In ordinary pages a large I/O consists of many pieces, and can become several requests of \
                the device: reads of 1 MiB can take twice as long. Use it to measure what programs without \
                huge pages get. With `always` in /sys/kernel/mm/transparent_hugepage/enabled the kernel may \
                give huge pages to any program. -l is a separate setting. --fio turns this on.",
        carried: CarriedByFile::Workload,
        tested: &["large_pages", "converted_jobs"],
        print: Print::RunOptions(|options| switch(options.no_huge_pages)),
        read: Read::Switch(|draft| draft.request.run_options.no_huge_pages = true),
        ..LINUX
    },
    Flag {
        name: Long("cpu-latency"),
        forms: &[(
            "--cpu-latency <us>",
            "keep CPUs out of idle states with a longer wake-up time; 0 keeps them awake",
        )],
        default: "the machine's idle states",
        notes: "From before the start signal to the end of each time span's I/O, for all CPUs and programs \
                of the machine: latencies then include no wake-up time. Idle CPUs take more power, in a \
                virtual machine CPU time of the host. Needs root, or permission to write to \
                /dev/cpu_dma_latency; refused before anything is created if it is not available, and in \
                simulated time.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "cpu_latency", "advice"],
        values: &["0"],
        swept: Some(ValueForm::SIZE),
        print: Print::RunOptions(|options| optional_word(options.cpu_latency_us)),
        read: Read::Text(cpu_latency),
        ..LINUX
    },
];

const NAMES_ELSEWHERE: [(&[&[u8]], &str); 4] = [
    (&[b"io_uring", b"iouring", b"io-uring", b"liburing"], "uring"),
    (&[b"libaio", b"linuxaio", b"native"], "aio"),
    (&[b"psync", b"pread", b"pvsync", b"pvsync2", b"vsync"], "sync"),
    (&[b"io_uring_cmd", b"xnvme"], "nvme"),
];

fn read_engine(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    let named = ENGINES.iter().find(|row| row.name.as_bytes() == value);
    match (value, named) {
        (b"auto", _) => draft.request.run_options.engine = None,
        (b"help", _) => draft.answer = Some(InfoRequest::Engines),
        (_, Some(row)) => draft.request.run_options.engine = Some(row.kind),
        _ => {
            let what = if value.is_empty() { "the value is missing" } else { "unknown engine" };
            let elsewhere = NAMES_ELSEWHERE.iter().find(|(names, _)| names.contains(&value));
            let meant = elsewhere.map(|(_, name)| format!("it is called {name} here; ")).unwrap_or_default();
            return Err(ValueError::new(0, what)
                .with_expected("auto, uring, aio, sync, mmap, nvme, null or sim; on Windows iocp or apc")
                .hint(format!("{meant}diskspd --engine help describes them")));
        }
    }
    Ok(())
}

/// The kernel's maximum in µs.
const MAX_LATENCY_US: u32 = i32::MAX as u32;

fn cpu_latency(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    // Strictly: what is no number must not become 0, the strongest of all limits.
    let digits = std::str::from_utf8(value).ok().filter(|text| text.bytes().all(|b| b.is_ascii_digit()));
    let micros = digits.and_then(|digits| digits.parse().ok()).filter(|us| *us <= MAX_LATENCY_US);
    let what = if value.is_empty() { "the value is missing" } else { "not a number of microseconds" };
    let wrong = || ValueError::new(0, what).with_expected("the maximum wake-up time, 0 to 2147483647 us");
    draft.request.run_options.cpu_latency_us = Some(micros.ok_or_else(wrong)?);
    Ok(())
}

fn read_compat(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    let compat = match value {
        b"2.2" => Compat::V2_2,
        b"2.3" => Compat::V2_3,
        _ => return Err(ValueError::new(0, "this version is unknown").with_expected("2.2 or 2.3")),
    };
    draft.request.profile.compat = compat;
    draft.overrides.compat = Some(compat);
    Ok(())
}
