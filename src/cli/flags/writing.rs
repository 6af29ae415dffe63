//! `-w -Z`: share and content of writes.

use crate::cli::draft::RunRequestBuilder;
use crate::cli::error::ValueError;
use crate::cli::flag::{CarriedByFile, Compatibility::*, DISKSPD, Flag, Name::Letter, Print, Read};
use crate::cli::quantity::Quantity;
use crate::cli::words::{size, when};
use crate::experiments::sweep::ValueForm;
use crate::profile::{RandomDataSource, RawText, Target, TimeSpan};
use crate::units;

pub(super) const FLAGS: &[Flag] = &[
    Flag {
        name: Letter(b'w'),
        forms: &[("-w<percent>", "share of writes; writing destroys the targets' content")],
        default: "0, read only",
        notes: "The percentage must be given: -w alone is an error.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "address_streams", "end_to_end", "devices"],
        values: &["0", "30", "50", "100"],
        swept: Some(ValueForm::SIZE),
        print: Print::Work(|_, target| when(target.mix.is_empty(), target.write_ratio)),
        read: Read::Integer {
            required: true,
            min: 0,
            max: 100,
            quantity: Quantity::Plain,
            expected: "a percentage from 0 to 100",
            set: |draft, percent| draft.target.write_ratio = percent.unsigned_abs(),
        },
        ..DISKSPD
    },
    Flag {
        name: Letter(b'Z'),
        forms: &[
            ("-Z", "write zeros"),
            ("-Zr", "write fresh random content with every I/O (costs CPU time)"),
            ("-Z<size>", "write from random positions of a buffer of this size, filled with random content"),
            ("-Z<size>,<file>", "the same, filled from a file; repeated when the file is shorter"),
        ],
        default: "bytes 0, 1, ..., 255, repeated",
        notes: "The buffer must hold at least one block. If several forms are given, -Z<size> wins over -Z, \
                and -Z over -Zr.",
        compatibility: Differs(
            "with both -Z and -Z<size>, profiles name the sized buffer that is used; DISKSPD names zeros. \
             The content of -Zr is as in DISKSPD, byte for byte, and so are the addresses; but creating it \
             does not count as latency",
        ),
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "address_streams", "write_content", "bad_input"],
        values: &["r"],
        print: Print::Work(content_words),
        read: Read::Text(read_content),
        ..DISKSPD
    },
];

fn read_content(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    match value {
        b"" => draft.target.zero_write_buffers = true,
        b"r" => draft.span.random_write_data = true,
        _ => {
            let comma = value.iter().position(|b| *b == b',').unwrap_or(value.len());
            let file = value.get(comma + 1..).filter(|file| !file.is_empty());
            let size = units::parse_size(&value[..comma], draft.block_size())?;
            if size == 0 {
                return Err(ValueError::new(0, "the write buffer cannot be empty"));
            }
            let path = file.map(|file| RawText::from(file.to_vec()));
            draft.target.random_data_source = Some(RandomDataSource { size, path });
        }
    }
    Ok(())
}

fn content_words(span: &TimeSpan, target: &Target) -> Vec<String> {
    let source = target.random_data_source.as_ref().map(|source| {
        let file = source.path.as_ref().map_or(String::new(), |path| format!(",{path}"));
        size(source.size) + &file
    });
    let zeros = source.is_none() && target.content.is_none() && target.zero_write_buffers;
    source.into_iter().chain(when(zeros, "")).chain(when(span.random_write_data, "r")).collect()
}
