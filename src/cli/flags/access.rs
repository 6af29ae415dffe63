//! `-r -s -p -T`: in which order the blocks are touched.

use super::distribution;
use crate::cli::draft::RunRequestBuilder;
use crate::cli::error::ValueError;
use crate::cli::flag::{CarriedByFile, DISKSPD, Flag, Name::Letter, Print, Read};
use crate::cli::quantity::Quantity;
use crate::cli::words::{size, switch, when};
use crate::experiments::sweep::ValueForm;
use crate::profile::{Target, TimeSpan};
use crate::units;

pub(super) const FLAGS: &[Flag] = &[
    Flag {
        name: Letter(b'r'),
        forms: &[
            ("-r[<align>]", "random I/O, aligned to this size (default: the block size)"),
            (
                "-rs<percent>",
                "this share of random I/O, the rest sequential; alignment by a further -r<align>",
            ),
            ("-rdpct<io>/<target>[:...]", "distribution: percent of the I/O / percent of the target"),
            ("-rdabs<io>/<size>[:...]", "distribution: percent of the I/O / size of the range"),
        ],
        default: "sequential",
        notes: "-rd needs -r or -rs. Its ranges follow one another from the base; the rest of the I/O goes \
                to the rest of the target; 0/<n> is a gap. -rdpct90/10:0/10:5/20 sends 90% of the I/O to the \
                first tenth, nothing to the second, 5% to the next 20% and 5% to the rest. -r excludes -s, \
                -T, -p.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "address_streams", "end_to_end"],
        values: &["s", "dpct", "dabs"],
        swept: Some(ValueForm { heads: &["s"], ..ValueForm::SIZE }),
        print: Print::Work(random_words),
        read: Read::Text(|draft, value| match value {
            [b's', percent @ ..] => read_mixed(draft, percent).map_err(|problem| problem.at(1)),
            [b'd', ranges @ ..] => {
                distribution::read(draft, ranges).map_err(|problem| problem.at(1).with_form("-rd"))
            }
            _ => read_random(draft, value),
        }),
        ..DISKSPD
    },
    Flag {
        name: Letter(b's'),
        forms: &[
            ("-s[<stride>]", "sequential I/O with this stride (default: the block size)"),
            ("-si[<stride>]", "sequential I/O with one position for all threads of a target"),
        ],
        default: "sequential, stride = block size",
        notes: "-s0 is the block size. Without -si, several threads each walk the target from the base.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "address_streams", "end_to_end"],
        values: &["i"],
        swept: Some(ValueForm::SIZE),
        print: Print::Work(sequential_words),
        read: Read::Text(read_sequential),
        ..DISKSPD
    },
    Flag {
        name: Letter(b'p'),
        forms: &[(
            "-p",
            "each outstanding I/O of a thread walks the same sequence of offsets separately, from the same \
             start",
        )],
        default: "off",
        notes: "Makes a difference with -o2 or more. Not with random I/O, -si, or -F with -O.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "address_streams", "end_to_end"],
        print: Print::Work(|_, target| switch(target.mix.is_empty() && target.parallel_async_io)),
        read: Read::Switch(|draft| draft.target.parallel_async_io = true),
        ..DISKSPD
    },
    Flag {
        name: Letter(b'T'),
        forms: &[("-T<size>", "distance between the starting positions of a target's threads")],
        default: "all start at the base",
        notes: "Sequential I/O with more than one thread only.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "address_streams", "end_to_end", "bad_input"],
        swept: Some(ValueForm::SIZE),
        print: Print::Work(|_, target| {
            when(target.mix.is_empty() && target.thread_stride > 0, size(target.thread_stride))
        }),
        read: Read::Size { min: 1, set: |draft, size| draft.target.thread_stride = size },
        ..DISKSPD
    },
];

// The state that `-r`, `-rs` and `-s` are judged against is the random ratio (0 = none so far) and the
// alignment. `-rs100` leaves the state of a plain `-r` without alignment, `-s0` leaves none: both as in
// DISKSPD.

fn read_random(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    let alignment = match value {
        [] => draft.block_size(),
        _ => units::parse_size(value, draft.block_size())?,
    };
    if alignment == 0 {
        return Err(ValueError::new(0, "the alignment must be at least 1"));
    }
    if draft.alignment.is_some() {
        return Err(match draft.target.random_ratio {
            0 => ValueError::new(0, "random I/O after sequential I/O (-s)").hint(MIXED_HINT),
            _ => ValueError::new(0, "random I/O is requested twice").hint("give -r once, with the alignment"),
        });
    }
    draft.alignment = Some(alignment);
    draft.alignment_given = !value.is_empty();
    if draft.target.random_ratio == 0 {
        draft.target.random_ratio = 100;
    }
    Ok(())
}

const MIXED_HINT: &str = "give one of them; a mix is -rs<percent>, its stride -r<size>";

const PERCENTAGE: &str = "a percentage from 1 to 100";

fn read_mixed(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    let percent = draft.lenient_integer(("-rs", ""), value, Quantity::Plain, PERCENTAGE)?;
    if !(1..=100).contains(&percent) {
        return Err(ValueError::new(0, "this is not a percentage of random I/O").with_expected(PERCENTAGE));
    }
    match draft.target.random_ratio {
        0 if draft.alignment.is_some() => {
            return Err(ValueError::new(0, "random I/O after sequential I/O (-s)").hint(MIXED_HINT));
        }
        0 | 100 => draft.target.random_ratio = percent.unsigned_abs(),
        _ => return Err(ValueError::new(0, "the share of random I/O is given twice")),
    }
    Ok(())
}

fn read_sequential(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    let (interlocked, stride) = match value {
        [b'i', stride @ ..] => (true, stride),
        stride => (false, stride),
    };
    let size = match stride {
        [] => draft.block_size(),
        _ => units::parse_size(stride, draft.block_size())
            .map_err(|error| ValueError::from(error).at(usize::from(interlocked)))?,
    };
    if draft.target.random_ratio != 0 {
        return Err(ValueError::new(0, "sequential I/O after random I/O (-r)").hint(MIXED_HINT));
    }
    if draft.alignment.is_some() {
        return Err(
            ValueError::new(0, "sequential I/O is requested twice").hint("give -s once, with the stride")
        );
    }
    draft.alignment = (size != 0).then_some(size);
    draft.alignment_given = !stride.is_empty();
    draft.target.interlocked_sequential |= interlocked;
    Ok(())
}

fn random_words(_: &TimeSpan, target: &Target) -> Vec<String> {
    if !target.mix.is_empty() || target.random_ratio == 0 {
        return Vec::new();
    }
    let percent = when(target.random_ratio < 100, format!("s{}", target.random_ratio));
    let ranges = target.distribution.as_ref().map(|distribution| format!("d{distribution}"));
    std::iter::once(alignment_text(target)).chain(percent).chain(ranges).collect()
}

fn sequential_words(_: &TimeSpan, target: &Target) -> Vec<String> {
    let shared = if target.interlocked_sequential { "i" } else { "" };
    when(target.mix.is_empty() && target.random_ratio == 0, shared.to_owned() + &alignment_text(target))
}

/// Prints the alignment or stride if it differs from the block size.
fn alignment_text(target: &Target) -> String {
    let is_block_size = !target.is_mixed() && target.block_alignment == u64::from(target.block_size);
    if target.block_alignment == 0 || is_block_size { String::new() } else { size(target.block_alignment) }
}
