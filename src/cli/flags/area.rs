//! `-b -B -c -f`: the target's blocks, bounds and file.

use super::ring;
use crate::cli::draft::RunRequestBuilder;
use crate::cli::error::SIZE;
use crate::cli::error::ValueError;
use crate::cli::flag::{CarriedByFile, Compatibility::*, DISKSPD, Flag, Name::Letter, Print, Read};
use crate::cli::words::{optional_word, size, when};
use crate::experiments::sweep::ValueForm;
use crate::profile::{Target, TimeSpan};
use crate::units;

pub(super) const FLAGS: &[Flag] = &[
    Flag {
        name: Letter(b'b'),
        forms: &[
            ("-b<size>", "block size: bytes of each I/O, and the unit of the size suffix B"),
            (
                "-bs<n|p>",
                "thread buffers: n page-aligned, p far enough apart to share no page directory entries",
            ),
        ],
        default: "64K; -bsn",
        notes: "At least 1, below 4294967295. -b is read before all other sizes, in any position; the last \
                one counts. A suffix B within -b is in units of the -b before it. -bs is DISKSPD 2.3's, of \
                the time span. -bsp is the default with --compat 2.3; each thread then has its own copy of \
                the buffer of -Z<size>. -l overrides -bs. -bs may be given with -X.",
        compatibility: Differs(
            "-b0, which divides by zero in DISKSPD, is an error; -bs with -X holds for every time span, \
             DISKSPD 2.3 drops it",
        ),
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "address_streams", "end_to_end", "compat"],
        values: &["4K", "8K", "64K", "128K", "1M"],
        swept: Some(ValueForm::SIZE),
        print: Print::Work(|_, target| when(!target.is_mixed(), size(target.block_size.into()))),
        read: Read::Text(block_size_or_separation),
        ..DISKSPD
    },
    Flag {
        name: Letter(b'B'),
        forms: &[
            ("-B<base>", "base: first byte of the target that I/O touches"),
            ("-B<base>:<length>", "the same, and the end of the area at base + length"),
        ],
        default: "0, no end",
        notes: "Given once, in one of the two forms. A length that makes the end 0 means no end.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "address_streams", "end_to_end", "device_kinds"],
        swept: Some(ValueForm::SIZE),
        print: Print::Work(|_, target| when(target.base_file_offset > 0, size(target.base_file_offset))),
        read: Read::Text(read_base),
        ..DISKSPD
    },
    Flag {
        name: Letter(b'c'),
        forms: &[(
            "-c<size>",
            "create the files with this size before the run; a complete file of this size is kept, any other \
             is overwritten",
        )],
        default: "files must exist",
        notes: "Exact: the size need not be a multiple of the block size. -c0 creates nothing. Files only, \
                not block devices.",
        compatibility: Differs(
            "a file is kept if it has the size, is fully written, and a sample of its blocks holds zeros or \
             data as -Z says (--recreate rewrites it); DISKSPD rewrites it every time. Numbers above 64 bits \
             are always an error; DISKSPD lets some of them wrap around",
        ),
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "prepare", "end_to_end", "bad_input"],
        swept: Some(ValueForm::SIZE),
        print: Print::Work(|_, target| optional_word(target.file_size.map(size))),
        read: Read::Size { min: 0, set: |draft, size| draft.target.file_size = Some(size) },
        ..DISKSPD
    },
    Flag {
        name: Letter(b'f'),
        forms: &[
            ("-f<size>", "end of the area that I/O touches, from the start of the target; 0 = its end"),
            ("-f<rst>", "access hints: r random access, s sequential scan, t temporary file"),
        ],
        default: "up to the end of the target; -f<rst>: no hints",
        notes: "Give the end once: here, or by -B<base>:<length>. Hints accumulate and are only hints: \
                random I/O is -r. The report keeps their Windows names.",
        compatibility: Differs(
            "r and s become posix_fadvise or madvise; t has no effect, which a warning says: it is only \
             reported",
        ),
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "address_streams", "end_to_end", "memory_mapped"],
        values: &["r", "s", "t"],
        swept: Some(ValueForm::SIZE),
        print: Print::Work(end_and_hints),
        read: Read::Text(end_or_hints),
        ..DISKSPD
    },
];

fn block_size_or_separation(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    match value {
        [b's', separation @ ..] => ring::separation(draft, separation),
        size => block_size(draft, size),
    }
}

fn block_size(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    let size = units::parse_size(value, draft.block_size())?;
    match u32::try_from(size) {
        Ok(size) if (1..u32::MAX).contains(&size) => {
            draft.target.block_size = size;
            Ok(())
        }
        _ => Err(ValueError::new(0, "this block size is not possible")
            .with_expected("a size from 1 to 4294967294 bytes")),
    }
}

fn read_base(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    if draft.base_given {
        return Err(ValueError::new(0, "the base is given twice"));
    }
    let (base, taken) = units::parse_size_prefix(value, draft.block_size())?;
    match &value[taken..] {
        [] => {}
        [b':', length @ ..] => {
            if draft.end_given {
                return Err(end_given_twice(taken));
            }
            let size = units::parse_size(length, draft.block_size())
                .map_err(|e| ValueError::from(e).at(taken + 1))?;
            let end = base.checked_add(size).ok_or_else(|| {
                ValueError::new(taken + 1, "base + length does not fit 64 bits")
                    .with_expected("an end of at most 18446744073709551615")
            })?;
            draft.target.max_file_size = end;
            draft.end_given = true;
        }
        _ => {
            return Err(ValueError::new(taken, "unexpected text after the base")
                .with_expected(": and a length, or nothing")
                .hint("a size has one suffix at most: -B5M:1M"));
        }
    }
    draft.target.base_file_offset = base;
    draft.base_given = true;
    Ok(())
}

fn end_given_twice(position: usize) -> ValueError {
    ValueError::new(position, "the end of the area is given twice")
        .hint("give -f<size> or -B<base>:<length>, not both")
}

fn end_or_hints(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    if value.first().is_some_and(u8::is_ascii_digit) {
        let end = units::parse_size(value, draft.block_size())?;
        if draft.end_given {
            return Err(end_given_twice(0));
        }
        draft.target.max_file_size = end;
        draft.end_given = true;
        return Ok(());
    }
    let expected = || format!("the letters r, s, t (access hints), or {SIZE}");
    if value.is_empty() {
        return Err(ValueError::new(0, "the value is missing").with_expected(expected()));
    }
    for (position, letter) in value.iter().enumerate() {
        match letter {
            b'r' => draft.target.random_access = true,
            b's' => draft.target.sequential_scan = true,
            b't' => draft.target.temporary_file = true,
            _ => return Err(ValueError::new(position, "unknown access hint").with_expected(expected())),
        }
    }
    Ok(())
}

fn end_and_hints(_: &TimeSpan, target: &Target) -> Vec<String> {
    let hints = [(target.random_access, "r"), (target.sequential_scan, "s"), (target.temporary_file, "t")];
    let hints = hints.into_iter().filter(|(given, _)| *given).map(|(_, letter)| letter.to_owned());
    when(target.max_file_size > 0, size(target.max_file_size)).into_iter().chain(hints).collect()
}
