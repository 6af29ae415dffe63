//! `diskspd preset`.

use super::Command;
use crate::cli::Invocation;
use crate::cli::command_line::Operands;
use crate::cli::option::{OptionRow, switch};
use crate::cli::requests::PresetRequest;

const SHOW: OptionRow = switch("--show", "show the named workload");
const MARKDOWN: OptionRow = switch("--markdown", "all of them, as a page");

pub(super) const PRESET: Command = Command {
    name: "preset",
    arguments: "[<name> [--show]] [--markdown]",
    help: "list the named workloads for --preset, or show one: command lines, reasons, sources",
    options: &[SHOW, MARKDOWN],
    exclusive: &[&[SHOW, MARKDOWN]],
    takes: Operands::OneOf(|| crate::presets::PRESETS.iter().map(|preset| preset.name).collect()),
    examples: &[
        ("diskspd preset", "list them"),
        ("diskspd preset sql-log --show", "its workload, the reasons, and its thresholds"),
    ],
    make: |line| match (&line.words[..], line.has_option(&MARKDOWN)) {
        ([], true) => Ok(Invocation::Preset(PresetRequest::Markdown)),
        ([], false) if !line.has_option(&SHOW) => Ok(Invocation::Preset(PresetRequest::List)),
        ([name], false) => Ok(Invocation::Preset(PresetRequest::Show(name.to_string_lossy().into_owned()))),
        _ => Err(line.wrong()),
    },
};
