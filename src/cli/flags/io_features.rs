//! Additional options for I/O flags of the kernel.

use crate::cli::draft::RunRequestBuilder;
use crate::cli::error::ValueError;
use crate::cli::flag::{CarriedByFile, Flag, LINUX, Name::Long, Print, Read, Scope};
use crate::cli::words::{optional_word, switch, when};
use crate::experiments::sweep::ValueForm;
use crate::profile::{PlacementList, WriteLifetime};
use std::ops::RangeInclusive;

pub(super) const FLAGS: &[Flag] = &[
    Flag {
        name: Long("atomic"),
        forms: &[("--atomic", "write atomically (RWF_ATOMIC): no crash leaves a part of a write")],
        scope: Scope::Targets,
        with_profile: false,
        notes: "Needs -Su or -Sh on files, Linux 6.11, and a device or file system that guarantees it; the \
                sizes that it guarantees are powers of two, and each write begins at a multiple of its size. \
                All of this is checked before the run. Reads are unchanged. With engines uring, aio and \
                sync.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "io_features"],
        read: Read::Switch(|draft| draft.target.atomic = true),
        print: Print::Work(|_, target| switch(target.atomic)),
        ..LINUX
    },
    Flag {
        name: Long("dontcache"),
        forms: &[("--dontcache", "go through the page cache, but let nothing stay there (RWF_DONTCACHE)")],
        scope: Scope::Targets,
        with_profile: false,
        notes: "Needs Linux 6.14 and ext4, XFS or btrfs. At the end of measuring it is checked how much \
                stayed cached. Not with -Su, -Sh, -Sr, -Sm. With engines uring, aio and sync.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "io_features"],
        read: Read::Switch(|draft| draft.target.dont_cache = true),
        print: Print::Work(|_, target| switch(target.dont_cache)),
        ..LINUX
    },
    Flag {
        name: Long("nowait"),
        forms: &[(
            "--nowait",
            "try each I/O without waiting first (RWF_NOWAIT); count I/Os that would have waited",
        )],
        scope: Scope::Targets,
        with_profile: false,
        notes: "An I/O that would have waited (a read that is not in the page cache, a write that must \
                allocate, a device without a free request) is repeated without the flag, and counts as one \
                I/O: its latency covers both attempts. The report counts these misses. Needs Linux 4.14 \
                and file system support. Not with -Sm. With engines uring, aio and sync.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "nowait"],
        read: Read::Switch(|draft| draft.target.no_wait = true),
        print: Print::Work(|_, target| switch(target.no_wait)),
        ..LINUX
    },
    Flag {
        name: Long("zoned"),
        forms: &[(
            "--zoned",
            "write zones at their write pointers, read below them; reset a zone before it is written again",
        )],
        scope: Scope::Targets,
        with_profile: false,
        notes: "For host-managed zoned devices. Each outstanding write has its own zone; threads share the \
                zones between -B and -f. When a zone is full, the next write goes to an active zone, else \
                to an empty one, else to a full one, which is reset first; in order, or at random with -r. \
                Resets are counted and timed separately. A reset destroys the content of the zone. Only -b \
                sizes that divide a zone.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "zoned"],
        read: Read::Switch(|draft| draft.target.zoned = true),
        print: Print::Work(|_, target| switch(target.zoned)),
        ..LINUX
    },
    Flag {
        name: Long("write-hint"),
        forms: &[(
            "--write-hint <life>",
            "hint how long written data lives: none, short, medium, long, extreme",
        )],
        default: "no hint",
        scope: Scope::Targets,
        with_profile: false,
        notes: "F_SET_RW_HINT of fcntl(2), which file system and device may follow by putting data of \
                one lifetime together. The hint stays with the file until the kernel drops its inode.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "io_features"],
        values: WriteLifetime::NAMES,
        swept: Some(ValueForm::SIZE),
        read: Read::Text(read_lifetime),
        print: Print::Work(|_, target| {
            optional_word(target.write_hint.map(|lifetime| lifetime.name().to_owned()))
        }),
        ..LINUX
    },
    Flag {
        name: Long("fdp"),
        forms: &[("--fdp <handles>", "write to these placement handles of an NVMe namespace, by thread")],
        default: "writes name none: the device puts them where handle 0 goes",
        scope: Scope::Targets,
        with_profile: false,
        notes: "Flexible data placement, as in --fdp 0,1,2 or 0-2 (docs/reference/targets.md). The first \
                thread of a target writes to the first handle of the list, and so on, and from the first \
                again; a handle is named by its index, as the device lists them (Reclaim Unit Handle \
                Status). Only for engine nvme. The device is checked before the run; the write \
                amplification that it counted is among the findings.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "nvme"],
        values: &["0", "0,1", "0-2"],
        read: Read::Text(read_handles),
        print: Print::Work(|_, target| when(!target.fdp.is_empty(), &target.fdp)),
        ..LINUX
    },
    Flag {
        name: Long("write-stream"),
        forms: &[("--write-stream <streams>", "write in these streams of a block device, by thread")],
        default: "no stream, or the stream of --write-hint",
        scope: Scope::Targets,
        with_profile: false,
        notes: "As in --write-stream 1,2 or 1-3. The first thread of a target writes in the first stream of \
                the list, and so on, and from the first again. Needs Linux 6.16 and a block device with \
                streams (queue/max_write_streams; NVMe with data placement), without the page cache. With \
                engine uring alone, which is then chosen.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "nvme"],
        values: &["1", "1,2", "1-3"],
        read: Read::Text(read_streams),
        print: Print::Work(|_, target| when(!target.write_streams.is_empty(), &target.write_streams)),
        ..LINUX
    },
];

fn read_handles(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    draft.target.fdp = parse_list(value, PlacementList::HANDLES)?;
    Ok(())
}

fn read_streams(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    draft.target.write_streams = parse_list(value, PlacementList::STREAMS)?;
    Ok(())
}

fn parse_list(value: &[u8], range: RangeInclusive<u16>) -> Result<PlacementList, ValueError> {
    let (least, most) = (*range.start(), *range.end());
    PlacementList::parse(value, range).map_err(|(position, what)| {
        let what = if value.is_empty() { "the value is missing" } else { what };
        ValueError::new(position, what)
            .with_expected(format!("{}, from {least} to {most}", PlacementList::FORM))
    })
}

fn read_lifetime(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    let found = std::str::from_utf8(value).ok().and_then(WriteLifetime::from_name);
    let wrong =
        || ValueError::new(0, "unknown lifetime").with_expected("none, short, medium, long or extreme");
    draft.target.write_hint = Some(found.ok_or_else(wrong)?);
    Ok(())
}
