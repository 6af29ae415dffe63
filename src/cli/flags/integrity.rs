//! Verification of written data (docs/reference/integrity.md).

use crate::cli::draft::RunRequestBuilder;
use crate::cli::error::ValueError;
use crate::cli::flag::{CarriedByFile, Flag, LINUX, Name::Long, Print, Read, Scope};
use crate::cli::words::{Words, optional_word};
use crate::profile::{RawText, RunOptions, VerifyMode};

pub(super) const FLAGS: &[Flag] = &[
    Flag {
        name: Long("verify"),
        forms: &[(
            "--verify[=<part>]",
            "stamp every sector that is written, check every one that is read: write, read or both; read:2,1 \
             gives the targets' positions in the run that stamped them; exit code 4 when any is wrong",
        )],
        default: "data is neither stamped nor checked; without <part> both",
        notes: "Every sector carries target, offset, version, thread and a CRC-32C. read checks a target \
                that an earlier run has stamped; name several in the order of that run, or give their \
                numbers there (read:2,1). Sectors that this run has not written are counted as unknown, \
                which is not an error. Not with -Z, -Zr, --compress and --dedupe, nor with engines sim and \
                null.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "integrity"],
        values: &["write", "read", "both"],
        print: Print::RunOptions(verify_words),
        read: Read::Optional(read_verify),
        ..LINUX
    },
    Flag {
        name: Long("journal"),
        forms: &[(
            "--journal <file>",
            "with --verify: record durable writes in this new file, on another disk; verify-after checks \
             them, e.g. after a power cut",
        )],
        default: "no journal",
        scope: Scope::Invocation,
        notes: "A write is recorded as durable when it completes (-Sw, -Sh, -Sm -Nv), else when its thread's \
                next flush completes (--fsync-every). The journal survives a power cut.",
        carried: CarriedByFile::UserOnly,
        tested: &["command_lines", "integrity", "integrity_runs"],
        read: Read::Text(read_journal),
        ..LINUX
    },
    Flag {
        name: Long("verify-after"),
        forms: &[(
            "--verify-after <journal>",
            "read back all sectors that a journal lists as durable; exit code 4 if any is wrong, 6 if \
             the journal is damaged",
        )],
        default: "off",
        notes: "The first option of its line: the command verify-after. The targets' present paths may \
                follow, in the journal's order.",
        carried: CarriedByFile::UserOnly,
        tested: &["command_lines", "integrity_runs"],
        read: Read::Text(verify_after),
        ..LINUX
    },
];

fn read_verify(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    let run_options = &mut draft.request.run_options;
    run_options.verify_as.clear();
    run_options.verify = Some(match (value, value.strip_prefix(b"read:")) {
        (b"", _) => VerifyMode::Both,
        (_, Some(numbers)) => {
            run_options.verify_as = target_numbers(numbers)?;
            VerifyMode::Read
        }
        (word, None) => VERIFIED_PARTS.read(word).ok_or_else(|| {
            ValueError::new(0, "unknown part").with_expected("write, read or both, or read:<numbers>")
        })?,
    });
    Ok(())
}

const VERIFIED_PARTS: Words<VerifyMode> =
    Words(&[("write", VerifyMode::Write), ("read", VerifyMode::Read), ("both", VerifyMode::Both)]);

fn verify_words(options: &RunOptions) -> Vec<String> {
    let numbers: Vec<String> = options.verify_as.iter().map(ToString::to_string).collect();
    let numbers = if numbers.is_empty() { String::new() } else { format!(":{}", numbers.join(",")) };
    optional_word(options.verify.map(|part| VERIFIED_PARTS.print(part) + &numbers))
}

/// Parses a list such as `2,1`.
fn target_numbers(value: &[u8]) -> Result<Vec<u32>, ValueError> {
    let number = |text: &[u8]| std::str::from_utf8(text).ok()?.parse().ok().filter(|number| *number > 0);
    let numbers: Option<Vec<u32>> = value.split(|byte| *byte == b',').map(number).collect();
    numbers.ok_or_else(|| {
        ValueError::new("read:".len(), "these are not the numbers of targets").with_expected(
            "the targets' positions (from 1) in the run that stamped them, separated by commas, as in \
             read:2,1",
        )
    })
}

fn read_journal(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    if value.is_empty() {
        return Err(ValueError::new(0, "the value is missing").with_expected("the name of a new file"));
    }
    draft.request.journal = Some(RawText::from(value.to_vec()).as_path().to_owned());
    Ok(())
}

/// Reports an error, because the command must be the first argument.
fn verify_after(_: &mut RunRequestBuilder, _: &[u8]) -> Result<(), ValueError> {
    Err(ValueError::new(0, "use it alone: diskspd --verify-after JOURNAL")
        .hint("only the targets' present paths may follow it"))
}
