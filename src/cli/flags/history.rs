//! `--save --store`: stored runs.

use crate::cli::SaveRequest;
use crate::cli::draft::RunRequestBuilder;
use crate::cli::error::ValueError;
use crate::cli::flag::{CarriedByFile, Flag, LINUX, Name::Long, Read, Scope};
use crate::experiments::selection::check_word;
use crate::profile::RawText;

pub(super) const FLAGS: &[Flag] = &[
    Flag {
        name: Long("save"),
        forms: &[("--save[=<label>]", "keep the run in the history, which diskspd history lists")],
        default: "not kept",
        scope: Scope::Invocation,
        notes: "Runs of the same label are repetitions of each other for diskspd compare @label. A run is \
                flushed to disk before it is reported as kept.",
        carried: CarriedByFile::UserOnly,
        tested: &["history"],
        read: Read::Optional(save),
        ..LINUX
    },
    Flag {
        name: Long("store"),
        forms: &[("--store <folder>", "the folder of the history")],
        default: "$DISKSPD_STORE, else $XDG_DATA_HOME/diskspd, else ~/.local/share/diskspd",
        scope: Scope::Invocation,
        notes: "Only with --save, or rerun of an @label or @id; refused otherwise.",
        carried: CarriedByFile::UserOnly,
        tested: &["history"],
        read: Read::Text(read_store),
        ..LINUX
    },
];

fn save(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    let label = match value {
        b"" => None,
        value => Some(parse_label(value)?),
    };
    draft.request.save = Some(SaveRequest { label });
    Ok(())
}

fn parse_label(value: &[u8]) -> Result<String, ValueError> {
    let text = String::from_utf8_lossy(value).into_owned();
    check_word(&text)
        .map_err(|why| ValueError::new(0, why.to_string()).with_expected("a label, as in --save=baseline"))?;
    Ok(text)
}

fn read_store(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    if value.is_empty() {
        return Err(ValueError::new(0, "the value is missing").with_expected("the name of a folder"));
    }
    draft.request.store = Some(RawText::from(value.to_vec()).as_path().to_owned());
    Ok(())
}
