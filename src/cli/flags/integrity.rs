//! Verification of what is written (docs/integrity.md).

use crate::cli::draft::Draft;
use crate::cli::error::Problem;
use crate::cli::flag::{Compatibility::*, Flag, Name::Long, Read, Scope};
use crate::profile::{RawText, VerifyMode};

pub const FLAGS: &[Flag] = &[
    Flag {
        name: Long("verify"),
        forms: &[(
            "--verify[=<part>]",
            "stamp every sector that is written, check every one that is read: write, read or both; exit \
             code 4 when any is wrong",
        )],
        default: "data is neither stamped nor checked; without <part> both",
        scope: Scope::Profile,
        notes: "Every sector carries target, offset, version, thread and a CRC-32C. read checks a target \
                that an earlier run has stamped. Sectors that this run has not written are counted as \
                unknown, and no alarm. Not with -Z, -Zr, --compress and --dedupe, nor with engines sim \
                and null.",
        compatibility: LinuxOnly,
        tested: &["command_lines", "integrity"],
        with_profile: true,
        values: &["write", "read", "both"],
        read: Read::Optional(verify),
    },
    Flag {
        name: Long("journal"),
        forms: &[(
            "--journal <file>",
            "with --verify: tell this new file, on another disk, which writes are durable; for \
             --verify-after",
        )],
        default: "no journal",
        scope: Scope::Invocation,
        notes: "A write counts when it has completed with -Sw, -Sh or -Sm -Nv, else when a flush of its \
                thread has (--fsync-every). It survives a power cut.",
        compatibility: LinuxOnly,
        tested: &["command_lines", "integrity", "integrity_runs"],
        with_profile: true,
        values: &[],
        read: Read::Text(journal),
    },
    Flag {
        name: Long("verify-after"),
        forms: &[(
            "--verify-after <journal>",
            "read everything back that a journal says is durable; exit code 4 when anything is wrong",
        )],
        default: "a run",
        scope: Scope::Profile,
        notes: "The first option of its line: the command verify-after. Behind the journal may stand where \
                the targets are now, in their order.",
        compatibility: LinuxOnly,
        tested: &["command_lines", "integrity_runs"],
        with_profile: true,
        values: &[],
        read: Read::Text(verify_after),
    },
];

fn verify(draft: &mut Draft, value: &[u8]) -> Result<(), Problem> {
    draft.request.method.verify = Some(match value {
        b"" | b"both" => VerifyMode::Both,
        b"write" => VerifyMode::Write,
        b"read" => VerifyMode::Read,
        _ => return Err(Problem::new(0, "unknown part").expected("write, read or both")),
    });
    Ok(())
}

fn journal(draft: &mut Draft, value: &[u8]) -> Result<(), Problem> {
    if value.is_empty() {
        return Err(Problem::new(0, "the value is missing").expected("the name of a new file"));
    }
    draft.request.journal = Some(RawText::from(value.to_vec()).as_path().to_owned());
    Ok(())
}

/// At the front it is the command, and never comes here.
fn verify_after(_: &mut Draft, _: &[u8]) -> Result<(), Problem> {
    Err(Problem::new(0, "it stands alone, as in diskspd --verify-after JOURNAL")
        .hint("it may be followed by where the targets are now, and by nothing else"))
}
