//! `--replay`: recorded I/Os are done again.

use crate::cli::draft::RunRequestBuilder;
use crate::cli::error::ValueError;
use crate::cli::flag::{CarriedByFile, Flag, LINUX, Name::Long, Read};
use crate::experiments::sweep::ValueForm;
use crate::profile::{RawText, ReplayOptions, ReplayWrites};

pub(super) const FLAGS: &[Flag] = &[
    Flag {
        name: Long("replay"),
        forms: &[("--replay <file>", "replay the recorded I/Os of this file at their times")],
        default: "the options define the workload",
        notes: "A log of --io-log, the text of blkparse, or an iolog of fio (version 2 or 3), known by its \
                content. Its I/Os go to the one target of the command line. Threads do them round \
                robin; -o limits how many of a thread are in flight. No other option may shape the I/Os (-b, \
                -r, -s, -w, -g and the like). There is no warm-up unless -W is given. It ends when all are \
                done, at the latest after -d. The report has their delays. See docs/reference/trace.md.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "replays"],
        with_profile: false,
        read: Read::Text(read_file),
        ..LINUX
    },
    Flag {
        name: Long("replay-speed"),
        forms: &[("--replay-speed <n>x|max", "replay speed: a factor, or as fast as possible")],
        default: "1x",
        notes: "0.001x to 1000x, in thousandths. An iolog of fio of version 2 without wait has no times: \
                its I/Os go as fast as possible.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "replays"],
        with_profile: false,
        values: &["1x", "max"],
        swept: Some(ValueForm::SIZE),
        read: Read::Text(read_speed),
        ..LINUX
    },
    Flag {
        name: Long("replay-writes"),
        forms: &[(
            "--replay-writes issue|skip",
            "do the recorded writes, which overwrite the target, or skip them",
        )],
        default: "a file with writes is refused",
        notes: "Without writes nothing is opened for writing.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "replays"],
        with_profile: false,
        values: &["issue", "skip"],
        swept: Some(ValueForm::SIZE),
        read: Read::Text(read_writes),
        ..LINUX
    },
    Flag {
        name: Long("stream-of"),
        forms: &[("--stream-of <name>", "of a file with several targets, replay the I/Os of this one")],
        default: "a file with several is refused",
        notes: "Written as in the file: the number of the target in a log of --io-log, 8,0 in the text of \
                blkparse, the path in an iolog of fio.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "replays"],
        with_profile: false,
        read: Read::Text(|draft, value| {
            replay_options(draft).stream = Some(String::from_utf8_lossy(value).into_owned());
            Ok(())
        }),
        ..LINUX
    },
];

fn replay_options(draft: &mut RunRequestBuilder) -> &mut ReplayOptions {
    let as_recorded =
        || ReplayOptions { speed_thousandths: ReplayOptions::AS_RECORDED, ..ReplayOptions::default() };
    draft.request.run_options.replay.get_or_insert_with(as_recorded)
}

fn read_file(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    if value.is_empty() {
        return Err(ValueError::new(0, "the file is missing").with_expected("a file of recorded I/Os"));
    }
    replay_options(draft).file = RawText::from(value.to_vec());
    Ok(())
}

fn read_speed(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    let times = value.strip_suffix(b"x").and_then(|digits| std::str::from_utf8(digits).ok());
    let thousandths = match (value, times) {
        (b"max", _) => Some(0),
        (_, Some(text)) => parse_thousandths(text),
        _ => None,
    };
    let wrong = || ValueError::new(0, "no speed").with_expected("a speed factor, 0.001x to 1000x, or max");
    replay_options(draft).speed_thousandths = thousandths.ok_or_else(wrong)?;
    Ok(())
}

/// Parses a factor such as `2` or `0.5`.
fn parse_thousandths(text: &str) -> Option<u32> {
    let (whole, part) = text.split_once('.').unwrap_or((text, "0"));
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let known = digits(whole) && digits(part) && part.len() <= 3;
    let part: u32 = known.then(|| format!("{part:0<3}").parse().ok())??;
    let thousandths = whole.parse::<u32>().ok()?.checked_mul(1000)?.checked_add(part)?;
    (1..=1_000_000).contains(&thousandths).then_some(thousandths)
}

fn read_writes(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    replay_options(draft).writes = Some(match value {
        b"issue" => ReplayWrites::Issue,
        b"skip" => ReplayWrites::Skip,
        _ => return Err(ValueError::new(0, "neither of them").with_expected("issue or skip")),
    });
    Ok(())
}
