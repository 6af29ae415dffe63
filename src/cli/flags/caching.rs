//! `-S -h -N -l`: caching between the program and the storage.

use crate::cli::draft::RunRequestBuilder;
use crate::cli::error::ValueError;
use crate::cli::flag::{CarriedByFile, Compatibility::*, DISKSPD, Flag, Name::Letter, Print, Read};
use crate::cli::words::{Words, optional_word, switch, when};
use crate::experiments::sweep::ValueForm;
use crate::profile::{BypassIo, CacheMode, FlushType, Target, TimeSpan};

const UNBUFFERED: &str = match cfg!(windows) {
    true => "bypass the operating system's cache",
    false => "bypass the operating system's cache (O_DIRECT)",
};
const BYPASS_IO: &str = match cfg!(windows) {
    true => "BypassIO, which this program does not request: a run refuses it",
    false => "BypassIO, which Linux lacks: a run refuses it",
};

pub(super) const FLAGS: &[Flag] = &[
    Flag {
        name: Letter(b'S'),
        forms: &[
            ("-S[<bhmruwyY>]", "cache mode; letters combine (-Suw), each letter once; -S alone is -Su"),
            (
                "-Sb",
                "cached by the operating system: the default for files; block devices only if this is given",
            ),
            ("-Su", UNBUFFERED),
            ("-Sw", "write through to the medium (O_DSYNC)"),
            ("-Sh", "both: -Suw"),
            ("-Sm", "memory-mapped I/O; not on block devices"),
            ("-Sr", "bypass the local cache of a remote file system"),
            ("-Sy", BYPASS_IO),
            ("-SY", "BypassIO, entirely; also refused"),
        ],
        default: "files cached, block devices -Su",
        notes: "Unbuffered I/O needs offsets and sizes that suit the device's logical blocks. -Sm excludes \
                -Su, -Sh and -x; with -Sm, w stands for non-temporal stores. Memory-mapped I/O is \
                synchronous: a larger -o only adds buffers.",
        compatibility: Differs(
            "a block device (a disk, partition, volume) has no cache above it unless -Sb is given, as a \
             physical drive in Windows; reports and XML profiles read as in DISKSPD, and an XML profile \
             asks for -Sb by <DisableOSCache>false; r works on FUSE file systems too, which may or may not \
             be remote; non-temporal stores exist on x86-64, elsewhere copies are plain; a mapped file \
             that is made shorter during the run ends it with an error; y and Y are DISKSPD 2.3's, kept in \
             profiles, and no run has them, because Linux has no BypassIO (-Su is closest)",
        ),
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "devices", "file_systems", "memory_mapped", "share"],
        values: &["b", "h", "m", "r", "u", "w", "mw", "bw", "uy", "uY"],
        swept: Some(ValueForm::SIZE),
        print: Print::Work(caching_words),
        read: Read::Text(read_caching),
        ..DISKSPD
    },
    Flag {
        name: Letter(b'h'),
        forms: &[("-h", "as -Sh: no operating system cache, write through")],
        default: "files cached, block devices -Su",
        notes: "Not the help, which is -? or --help.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "end_to_end"],
        read: Read::Text(|draft, _| unbuffered_write_through(draft)),
        ..DISKSPD
    },
    Flag {
        name: Letter(b'N'),
        forms: &[
            ("-Nv", "with -Sm: flush the view after each write (msync)"),
            ("-Nn", "with -Sm: flush non-volatile memory after each write"),
            ("-Ni", "with -Sm: the same without waiting for it to drain"),
        ],
        default: "no flush",
        compatibility: Differs(
            "DISKSPD 2.3 (--compat 2.3) takes lower case alone; v is msync of the pages touched; n and i \
             need a file on a DAX file system and an x86-64 CPU, and are an error elsewhere; none of them \
             has an effect with -Smw, as in DISKSPD",
        ),
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "memory_mapped", "engines"],
        values: &["v", "n", "i"],
        swept: Some(ValueForm::SIZE),
        print: Print::Work(|_, target| optional_word(target.flush_type.map(|flush| FLUSHES.print(flush)))),
        read: Read::Text(flush_type),
        ..DISKSPD
    },
    Flag {
        name: Letter(b'l'),
        forms: &[("-l", "large pages for I/O buffers")],
        default: "off",
        notes: "Needs reserved huge pages: vm.nr_hugepages. A thread has one buffer for all its targets: one \
                target that asks for large pages is enough.",
        compatibility: Differs("huge pages of the default size, which the administrator has to reserve"),
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "large_pages", "engines"],
        print: Print::Work(|_, target| switch(target.use_large_pages)),
        read: Read::Switch(|draft| draft.target.use_large_pages = true),
        ..DISKSPD
    },
];

fn read_caching(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    if value.is_empty() {
        return set_unbuffered(draft, 0);
    }
    for (position, letter) in value.iter().enumerate() {
        match letter {
            b'b' => cache_mode(draft, position, CacheMode::Cached)?,
            b'u' => set_unbuffered(draft, position)?,
            b'r' => cache_mode(draft, position, CacheMode::DisableLocalCache)?,
            b'w' => write_through(draft, position)?,
            b'h' => {
                set_unbuffered(draft, position)?;
                write_through(draft, position)?;
            }
            b'm' => memory_mapped(draft, position)?,
            b'y' => bypass_io(draft, position, BypassIo::Partial)?,
            b'Y' => bypass_io(draft, position, BypassIo::Full)?,
            _ => {
                return Err(ValueError::new(position, "unknown caching flag")
                    .with_expected("letters of b, h, m, r, u, w, y, in lower case, or Y"));
            }
        }
    }
    Ok(())
}

fn cache_mode(draft: &mut RunRequestBuilder, position: usize, mode: CacheMode) -> Result<(), ValueError> {
    if draft.cache_mode.is_some() {
        return Err(ValueError::new(position, "the cache mode is given twice")
            .hint("b (cached), u or h (unbuffered) and r (no local cache) exclude each other"));
    }
    draft.cache_mode = Some(mode);
    Ok(())
}

fn set_unbuffered(draft: &mut RunRequestBuilder, position: usize) -> Result<(), ValueError> {
    if draft.target.memory_mapped_io {
        return Err(mapped_and_unbuffered(position));
    }
    cache_mode(draft, position, CacheMode::DisableOsCache)
}

fn mapped_and_unbuffered(position: usize) -> ValueError {
    ValueError::new(position, "memory-mapped I/O cannot bypass the cache")
        .hint("give m, or u or h, but not both; w is allowed with either")
}

fn write_through(draft: &mut RunRequestBuilder, position: usize) -> Result<(), ValueError> {
    if draft.target.write_through {
        return Err(ValueError::new(position, "write-through is given twice").hint("h already contains w"));
    }
    draft.target.write_through = true;
    Ok(())
}

fn memory_mapped(draft: &mut RunRequestBuilder, position: usize) -> Result<(), ValueError> {
    if draft.target.memory_mapped_io {
        return Err(ValueError::new(position, "memory-mapped I/O is given twice"));
    }
    if draft.cache_mode == Some(CacheMode::DisableOsCache) {
        return Err(mapped_and_unbuffered(position));
    }
    draft.target.memory_mapped_io = true;
    Ok(())
}

fn bypass_io(draft: &mut RunRequestBuilder, position: usize, mode: BypassIo) -> Result<(), ValueError> {
    if draft.target.bypass_io.is_some() {
        return Err(ValueError::new(position, "BypassIO is given twice").with_expected("y or Y, once"));
    }
    draft.target.bypass_io = Some(mode);
    Ok(())
}

fn unbuffered_write_through(draft: &mut RunRequestBuilder) -> Result<(), ValueError> {
    cache_mode(draft, 0, CacheMode::DisableOsCache)?;
    write_through(draft, 0)
}

fn flush_type(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    if draft.request.profile.compat.is_2_3() && value.iter().any(u8::is_ascii_uppercase) {
        return Err(ValueError::new(0, "unknown flush mode").with_expected("one of v, n, i, in lower case"));
    }
    let flush = FLUSHES.read(&value.to_ascii_lowercase());
    let what = if value.is_empty() { "the flush mode is missing" } else { "unknown flush mode" };
    let unknown = || ValueError::new(0, what).with_expected("one of v, n, i");
    draft.target.flush_type = Some(flush.ok_or_else(unknown)?);
    Ok(())
}

const FLUSHES: Words<FlushType> = Words(&[
    ("v", FlushType::ViewOfFile),
    ("n", FlushType::NonVolatileMemory),
    ("i", FlushType::NonVolatileMemoryNoDrain),
]);

fn caching_words(_: &TimeSpan, target: &Target) -> Vec<String> {
    let mode = match (target.cache_mode, target.uncached_devices) {
        (CacheMode::Cached, false) if !target.memory_mapped_io => "b",
        (CacheMode::Cached, _) => "",
        (CacheMode::DisableOsCache, _) => "u",
        (CacheMode::DisableLocalCache, _) => "r",
    };
    let w = if target.write_through { "w" } else { "" };
    let m = if target.memory_mapped_io { "m" } else { "" };
    let letters = [mode, w, m].concat().replace("uw", "h");
    when(!letters.is_empty(), letters)
}
