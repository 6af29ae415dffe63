//! What I/Os ask of the kernel beside their data: options of our own.

use crate::cli::draft::Draft;
use crate::cli::error::Problem;
use crate::cli::flag::{Flag, LINUX, Name::Long, Print, Read, Scope};
use crate::cli::words::{given, switch};
use crate::lab::sweep::ValueForm;
use crate::profile::WriteLifetime;

pub const FLAGS: &[Flag] = &[
    Flag {
        name: Long("atomic"),
        forms: &[("--atomic", "write atomically (RWF_ATOMIC): no crash leaves a part of a write")],
        scope: Scope::Targets,
        with_profile: false,
        notes: "Needs -Su or -Sh on files, Linux 6.11, and a device or file system that guarantees it; \
                the sizes that it guarantees are powers of two, and each write begins at a multiple of its \
                size. All that is looked at before anything runs. Reads are as ever. With engines \
                uring, aio and sync.",
        tested: &["command_lines", "ways"],
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
        tested: &["command_lines", "ways"],
        read: Read::Switch(|draft| draft.target.dont_cache = true),
        print: Print::Work(|_, target| switch(target.dont_cache)),
        ..LINUX
    },
    Flag {
        name: Long("nowait"),
        forms: &[(
            "--nowait",
            "try each I/O without waiting first (RWF_NOWAIT); count what would have waited",
        )],
        scope: Scope::Targets,
        with_profile: false,
        notes: "What would have waited (a read of what isn't in the page cache, a write that must allocate, \
                a device without a free request) is done again without the flag, as one I/O: its latency \
                holds both. The misses stand in the report. Needs Linux 4.14 and file system support. Not \
                with -Sm. With engines uring, aio and sync.",
        tested: &["command_lines", "nowait"],
        read: Read::Switch(|draft| draft.target.no_wait = true),
        print: Print::Work(|_, target| switch(target.no_wait)),
        ..LINUX
    },
    Flag {
        name: Long("zoned"),
        forms: &[(
            "--zoned",
            "write zones at their write pointers, read below them; reset what is written again",
        )],
        scope: Scope::Targets,
        with_profile: false,
        notes: "For host-managed zoned devices. Each outstanding write has a zone of its own; threads share \
                the zones between -B and -f. When a zone is full, the next write goes to an active zone, \
                else to an empty one, else to a full one, which is reset first; in order, or at random with \
                -r. Resets are counted and timed by themselves. What a zone held is lost. Only -b sizes that \
                divide a zone.",
        tested: &["command_lines", "zoned"],
        read: Read::Switch(|draft| draft.target.zoned = true),
        print: Print::Work(|_, target| switch(target.zoned)),
        ..LINUX
    },
    Flag {
        name: Long("write-hint"),
        forms: &[(
            "--write-hint <life>",
            "say how long written data lives: none, short, medium, long, extreme",
        )],
        default: "nothing is said",
        scope: Scope::Targets,
        with_profile: false,
        notes: "F_SET_RW_HINT of fcntl(2), which file system and device may follow by putting data of \
                one lifetime together. The hint stays with the file until the kernel forgets its inode.",
        tested: &["command_lines", "ways"],
        values: WriteLifetime::NAMES,
        swept: Some(ValueForm::SIZE),
        read: Read::Text(lifetime),
        print: Print::Work(|_, target| given(target.write_hint.map(|lifetime| lifetime.name().to_owned()))),
        ..LINUX
    },
];

fn lifetime(draft: &mut Draft, value: &[u8]) -> Result<(), Problem> {
    let found = std::str::from_utf8(value).ok().and_then(WriteLifetime::from_name);
    let wrong = || Problem::new(0, "unknown lifetime").expected("none, short, medium, long or extreme");
    draft.target.write_hint = Some(found.ok_or_else(wrong)?);
    Ok(())
}
