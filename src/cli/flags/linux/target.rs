//! Programs and targets of a run.

use crate::cli::draft::RunRequestBuilder;
use crate::cli::error::ValueError;
use crate::cli::flag::{CarriedByFile, Flag, LINUX, Name::Long, Print, Read, Scope};
use crate::cli::words::{Words, optional_word};
use crate::experiments::sweep::ValueForm;
use crate::presets;
use crate::profile::Prefill;
pub(super) const FLAGS: &[Flag] = &[
    Flag {
        name: Long("preset"),
        forms: &[("--preset <name>", "run a named workload; diskspd preset lists them")],
        default: "the options define the workload",
        notes: "Other options override the options of the preset, in each part. Not with -X. \
                docs/reference/presets.md has reasons and sources.",
        carried: CarriedByFile::Workload,
        tested: &["presets"],
        with_profile: false,
        print: Print::RunOptions(|options| optional_word(options.preset.as_deref())),
        read: Read::Text(read_preset),
        ..LINUX
    },
    Flag {
        name: Long("prefill"),
        forms: &[(
            "--prefill[=<content>]",
            "write never-written parts before the run (auto, random, pattern, zero), so that reads reach the \
             device and writes need no new space",
        )],
        default: "unwritten parts are reported and left; without <content> auto",
        notes: "Fills holes and unwritten extents of the files, over their whole size; existing data is \
                kept. auto and random write random bytes, none of them zero; pattern what -c writes. On a \
                block device the area of the run is overwritten; needs --destroy; auto overwrites only if it \
                finds only zeros.",
        carried: CarriedByFile::Workload,
        tested: &["command_lines", "truth_content"],
        values: &["auto", "random", "pattern", "zero"],
        swept: Some(ValueForm::SIZE),
        print: Print::RunOptions(|options| {
            optional_word(options.prefill.map(|prefill| PREFILLS.print(prefill)))
        }),
        read: Read::Optional(read_prefill),
        ..LINUX
    },
    Flag {
        name: Long("recreate"),
        forms: &[("--recreate", "rewrite the files of -c even if they are complete")],
        scope: Scope::Invocation,
        carried: CarriedByFile::UserOnly,
        tested: &["command_lines", "end_to_end", "profiles"],
        read: Read::Switch(|draft| draft.request.recreate = true),
        ..LINUX
    },
    Flag {
        name: Long("destroy"),
        forms: &[(
            "--destroy",
            "permit writing to a block device that carries a file system or partition table",
        )],
        default: "such devices are refused",
        scope: Scope::Invocation,
        carried: CarriedByFile::UserOnly,
        tested: &["command_lines", "refusals", "device_kinds"],
        read: Read::Switch(|draft| draft.request.destroy = true),
        ..LINUX
    },
];

/// Presets are taken out of the command line before other options are read.
fn read_preset(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    let name = String::from_utf8_lossy(value);
    let found = presets::find(&name)
        .ok_or_else(|| ValueError::new(0, "no such preset").with_expected(presets::names()));
    draft.request.run_options.preset = Some(found?.name.to_owned());
    Ok(())
}

fn read_prefill(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    let word = if value.is_empty() { b"auto" } else { value };
    let unknown = || ValueError::new(0, "unknown content").with_expected("auto, random, pattern or zero");
    draft.request.run_options.prefill = Some(PREFILLS.read(word).ok_or_else(unknown)?);
    Ok(())
}

const PREFILLS: Words<Prefill> = Words(&[
    ("auto", Prefill::Auto),
    ("random", Prefill::Random),
    ("pattern", Prefill::Pattern),
    ("zero", Prefill::Zero),
]);
