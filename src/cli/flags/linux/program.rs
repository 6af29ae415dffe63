//! Output printed instead of a run.

use crate::cli::UsageExtent;
use crate::cli::answer::InfoRequest;
use crate::cli::draft::RunRequestBuilder;
use crate::cli::error::ValueError;
use crate::cli::flag::{CarriedByFile, Flag, LINUX, Name::Long, Read, Scope};
use crate::cli::topics::TOPICS;
pub(super) const FLAGS: &[Flag] = &[
    Flag {
        name: Long("dry-run"),
        forms: &[("--dry-run", "show what the run would do, and do nothing")],
        scope: Scope::Invocation,
        notes: "Not with --out, --stream, --io-log: there is no measurement.",
        carried: CarriedByFile::UserOnly,
        tested: &["command_lines", "end_to_end"],
        read: Read::Switch(|draft| draft.request.dry_run = true),
        ..LINUX
    },
    Flag {
        name: Long("help"),
        forms: &[
            ("--help[=<topic>]", "print the common options by topic, or all of a topic: --help caching"),
            ("--help all", "print the usage: every option with all its forms, as -? does"),
        ],
        carried: CarriedByFile::UserOnly,
        tested: &["command_lines", "first_hour"],
        values: TOPICS,
        read: Read::Word(read_help),
        ..LINUX
    },
    Flag {
        name: Long("version"),
        forms: &[("--version", "print the version")],
        carried: CarriedByFile::UserOnly,
        tested: &["command_lines"],
        read: Read::Switch(|draft| draft.answer = Some(InfoRequest::Version)),
        ..LINUX
    },
];

fn read_help(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    let extent = match value {
        [] => Some(UsageExtent::Everyday),
        word => UsageExtent::from_word(word),
    };
    draft.answer = Some(InfoRequest::Usage(extent.ok_or_else(|| {
        ValueError::new(0, "there is no such topic").with_expected(format!("one of {}", TOPICS.join(", ")))
    })?));
    Ok(())
}
