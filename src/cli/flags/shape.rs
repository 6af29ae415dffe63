//! Options beyond DISKSPD: shapes of random distributions, and content of writes by shares.

use crate::cli::draft::RunRequestBuilder;
use crate::cli::error::ValueError;
use crate::cli::flag::{CarriedByFile, Compatibility::*, DISKSPD, Flag, Name::Long, Print, Read};
use crate::cli::words::{optional_word, switch, when};
use crate::experiments::sweep::ValueForm;
use crate::profile::{AddressSpread, ContentShape, SizeShare, SpreadError, Target};
use crate::units;
use diskspd_base::operation::Operation;

pub(super) const FLAGS: &[Flag] = &[
    Flag {
        name: Long("mix"),
        forms: &[(
            "--mix <share>:<options>;..",
            "mix several access patterns on each target, in these \
             shares",
        )],
        default: "one workload, set by the other options",
        notes: "As in --mix '70:-b8K -r -w0; 20:-b64K -s -w100'. A part may have -b, -r, -rs, -rd, -s, -w, \
                -B, -f, --distribution and --bs-split. With --mix give them only inside parts; -B and -f \
                may also be outside. Parts share outstanding I/Os, threads and all else; each sequential \
                part of a thread has its own position. Results by part are at the end of the text report. \
                Not with -si, -p, and -g in bytes.",
        compatibility: LinuxOnly,
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "mixes"],
        print: Print::Work(|_, target| {
            let parts: Vec<String> = target.mix.iter().map(ToString::to_string).collect();
            when(!parts.is_empty(), parts.join("; "))
        }),
        read: Read::Text(|draft, value| {
            draft.mix = Some(value.to_vec());
            Ok(())
        }),
        ..DISKSPD
    },
    Flag {
        name: Long("bs-split"),
        forms: &[("--bs-split <size>/<share>:..", "I/Os of several sizes, in these shares")],
        default: "all have the size of -b",
        notes: "As in 4K/60:8K/30:64K/10, instead of -b. Each I/O begins at a multiple of its size, or of \
                the alignment of -r or -s; a sequential one at the next such offset. Results by size are \
                at the end of the text report. Not with -si, -p, and -g in bytes.",
        compatibility: LinuxOnly,
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "mixes"],
        values: &["4K/60:8K/30:64K/10"],
        print: Print::Work(|_, target| {
            when(target.mix.is_empty() && !target.sizes.is_empty(), SizeShare::print_list(&target.sizes))
        }),
        read: Read::Text(read_sizes),
        ..DISKSPD
    },
    Flag {
        name: Long("each-once"),
        forms: &[("--each-once", "do each block once before any twice, in random order")],
        default: "blocks are drawn independently: some come twice before others come once",
        notes: "Needs -r. If a drawn block was already done, the next block that was not is done instead; \
                after the last block the search continues at the first. When all blocks are done, it \
                starts again. Each thread has its own map, with one bit for each block: 32 MiB for 1 TiB \
                in blocks of 4 KiB. Several sizes (--bs-split) need -r<smallest size>, and an I/O that \
                would reach a block that was done is shortened to end before it. Not with -rd, \
                --distribution, --mix, --zoned and --replay.",
        compatibility: LinuxOnly,
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "each_once"],
        read: Read::Switch(|draft| draft.target.each_once = true),
        print: Print::Work(|_, target| switch(target.each_once)),
        ..DISKSPD
    },
    Flag {
        name: Long("distribution"),
        forms: &[
            ("--distribution zipf:<theta>", "random I/O goes to block number k with a weight of 1/k^theta"),
            (
                "--distribution normal:<deviation>%",
                "normally distributed around the middle, with this \
                 deviation",
            ),
            (
                "--distribution hot:<area>%/<share>%[,moves=<s>s]",
                "<share>% of the I/O goes to <area>% of the area, which moves on by its own length every <s> \
                 seconds",
            ),
        ],
        default: "uniform, or as -rd says",
        notes: "Percentages are of the area that I/O may touch, in whole blocks. With zipf the blocks that \
                are used most lie far apart, the same for all threads. Needs -r or -rs; not with -rd.",
        compatibility: LinuxOnly,
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "spreads"],
        values: &["zipf:1.1", "normal:10%", "hot:10%/90%"],
        print: Print::Work(|_, target| optional_word(target.spread)),
        read: Read::Text(read_distribution),
        ..DISKSPD
    },
    Flag {
        name: Long("compress"),
        forms: &[("--compress <percent>", "write content that compresses by this percentage")],
        default: "the content of -Z, else bytes 0, 1, ..., 255, repeated",
        notes: "0 to 99. Each 4 KiB of a write begin with random bytes and end with that percentage of \
                zeros; a compressor may find more. Made for every write, before it is submitted. Not with \
                -Z.",
        compatibility: LinuxOnly,
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "write_content"],
        values: &["0", "50"],
        swept: Some(ValueForm::SIZE),
        print: Print::Work(|_, target| optional_word(target.content.map(|content| content.compress))),
        read: Read::Text(|draft, value| {
            content_shape(draft).compress = parse_percent(value)?;
            Ok(())
        }),
        ..DISKSPD
    },
    Flag {
        name: Long("dedupe"),
        forms: &[("--dedupe <percent>", "write this percentage of duplicate blocks of 4 KiB")],
        default: "0 with --compress, else as with --compress",
        notes: "0 to 99. Each duplicate repeats a block of the same thread and target, with 4 to 8 MiB of \
                new blocks between them: beyond the window of most compressors. Without --compress the \
                rest cannot be compressed. Not with -Z.",
        compatibility: LinuxOnly,
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "write_content"],
        values: &["0", "25"],
        swept: Some(ValueForm::SIZE),
        print: Print::Work(|_, target| {
            optional_word(target.content.map(|content| content.dedupe).filter(|dedupe| *dedupe > 0))
        }),
        read: Read::Text(|draft, value| {
            content_shape(draft).dedupe = parse_percent(value)?;
            Ok(())
        }),
        ..DISKSPD
    },
    Flag {
        name: Long("trim"),
        forms: &[("--trim <percent>", "replace this percentage of the I/Os by discards")],
        default: "0: all I/Os read or write",
        notes: "1 to 100. This share of all I/Os is picked first, at random; -w divides the rest. A \
                discard destroys data, so a run with --trim counts as one that writes, also with -w0. \
                Block devices discard, in files holes are punched. Counts and latencies are at the end of \
                the text report and are in no other figure. With engines uring and sync; not with -Sm, -x \
                and --poll.",
        compatibility: LinuxOnly,
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "trims"],
        values: &["10", "100"],
        swept: Some(ValueForm::SIZE),
        print: Print::Work(|_, target| share_of(target, Operation::Discard)),
        read: Read::Text(|draft, value| {
            draft
                .target
                .shares
                .set(Operation::Discard, parse_share(value, "leave out --trim for no discards")?);
            Ok(())
        }),
        ..DISKSPD
    },
    Flag {
        name: Long("write-zeroes"),
        forms: &[("--write-zeroes <percent>", "replace this percentage of the I/Os by write zeroes")],
        default: "0: all I/Os read or write",
        notes: "1 to 100; together with --trim at most 100. As with --trim, but the blocks hold zeros \
                afterwards: the device gets a command without data, and the kernel writes zeros where the \
                device lacks it; file systems note that the range is zero. A run with it counts as one \
                that writes, also with -w0. Counts and latencies are at the end of the text report and are \
                in no other figure. With engines uring and sync; not with -Sm, -x, --poll and --verify.",
        compatibility: LinuxOnly,
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "write_zeroes"],
        values: &["10", "100"],
        swept: Some(ValueForm::SIZE),
        print: Print::Work(|_, target| share_of(target, Operation::WriteZeroes)),
        read: Read::Text(|draft, value| {
            let percent = parse_share(value, "for no such writes, omit --write-zeroes")?;
            draft.target.shares.set(Operation::WriteZeroes, percent);
            Ok(())
        }),
        ..DISKSPD
    },
    Flag {
        name: Long("fua"),
        forms: &[("--fua <percent>", "make this percentage of the writes durable (RWF_DSYNC)")],
        default: "0: writes are as durable as -S makes them",
        notes: "1 to 100, picked at random without a change of addresses. Such a write completes when its \
                data is on the medium: the device writes it with FUA, or is flushed. Counts and latencies \
                are at the end of the text report; all other figures count them as writes. With engines \
                uring, aio, sync and nvme; not with -Sw, -Sh, -Sm, -x, --poll and --zoned.",
        compatibility: LinuxOnly,
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "fua"],
        values: &["10", "100"],
        swept: Some(ValueForm::SIZE),
        print: Print::Work(|_, target| share_of(target, Operation::DurableWrite)),
        read: Read::Text(|draft, value| {
            draft
                .target
                .shares
                .set(Operation::DurableWrite, parse_share(value, "for no such writes, omit --fua")?);
            Ok(())
        }),
        ..DISKSPD
    },
];

fn share_of(target: &Target, op: Operation) -> Vec<String> {
    optional_word(Some(target.shares.percent(op)).filter(|share| *share > 0))
}

fn parse_share(value: &[u8], none: &'static str) -> Result<u32, ValueError> {
    const EXPECTED: &str = "a percentage from 1 to 100, such as 10";
    let (number, digits) =
        units::parse_digits(value).map_err(|error| ValueError::from(error).with_expected(EXPECTED))?;
    match u32::try_from(number) {
        _ if digits < value.len() => {
            Err(ValueError::new(digits, "unexpected text after the percentage").with_expected(EXPECTED))
        }
        Ok(share) if (1..=100).contains(&share) => Ok(share),
        _ => Err(ValueError::new(0, "invalid percentage").with_expected(EXPECTED).hint(none)),
    }
}

fn read_distribution(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    // Text that is not UTF-8 matches no form.
    let text = std::str::from_utf8(value).unwrap_or("?");
    let wrong = |wrong: SpreadError| {
        let what = if value.is_empty() { "the value is missing" } else { wrong.what };
        ValueError::new(wrong.position, what).with_expected(AddressSpread::SPREAD_FORMS)
    };
    draft.target.spread = Some(AddressSpread::parse(text).map_err(wrong)?);
    Ok(())
}

fn read_sizes(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    let wrong = |(position, what)| {
        let what = if value.is_empty() { "the value is missing" } else { what };
        ValueError::new(position, what).with_expected(SizeShare::FORM)
    };
    draft.target.sizes = SizeShare::parse_list(value).map_err(wrong)?;
    Ok(())
}

fn content_shape(draft: &mut RunRequestBuilder) -> &mut ContentShape {
    draft.target.content.get_or_insert_default()
}

/// Parses strictly: an invalid number is an error, not 0.
fn parse_percent(value: &[u8]) -> Result<u32, ValueError> {
    const EXPECTED: &str = "a percentage from 0 to 99, such as 60";
    let (number, digits) =
        units::parse_digits(value).map_err(|error| ValueError::from(error).with_expected(EXPECTED))?;
    match u32::try_from(number) {
        _ if digits < value.len() => {
            Err(ValueError::new(digits, "unexpected text after the percentage").with_expected(EXPECTED))
        }
        Ok(share) if share <= ContentShape::MAX_SHARE => Ok(share),
        _ => Err(ValueError::new(0, "invalid percentage")
            .with_expected(EXPECTED)
            .hint("use -Z to write only zeros")),
    }
}
