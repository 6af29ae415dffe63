//! Presets for people: the list, one of them, and the page of the documentation.

use super::{GradedLoad, PRESETS, Preset, Threshold};
use std::fmt::Write;

pub fn list() -> String {
    let width = PRESETS.iter().map(|preset| preset.name.len()).max().unwrap_or(0);
    let line = |preset: &Preset| format!("{:<width$}  {}\n", preset.name, preset.about);
    PRESETS.iter().map(line).collect()
}

/// Describes a preset: command lines, reasons, sources and thresholds.
pub fn show(preset: &Preset) -> String {
    let mut text = format!("{}: {}\n\n", preset.name, preset.about);
    for (options, about) in preset_lines(preset) {
        let _ = write!(text, "  # {about}\n  diskspd {options} TARGET\n");
    }
    let _ = writeln!(text, "\n{}\n", preset.reasons);
    for threshold in preset.thresholds {
        let _ = writeln!(text, "{}", threshold_sentence(threshold));
    }
    for source in preset.sources {
        let _ = writeln!(text, "Source: {source}");
    }
    text
}

pub fn markdown() -> String {
    let mut text = "# Presets\n\n\
        This page lists the named workloads (presets) with their command lines and sources.\n\
        `diskspd preset` lists them, `diskspd preset NAME --show` shows a preset with its XML profile, and\n\
        `diskspd --preset NAME TARGET` runs it.\n\n\
        * Other options override the options of the preset, in each part: `-d60`, `-o64`, `-c10G`.\n  \
        The target must exist unless `-c` creates it. `-X` is not possible.\n\
        * If the literature has thresholds, the finding `preset-threshold` grades the figures:\n  \
        a note, or a warning beyond the last grade.\n\
        * At full load an I/O waits for the other I/Os, so its latency shows their number. Data files are\n  \
        therefore graded only with a rate (`--rate-total 2000`), by response times from the due time.\n\
        \n\
        This page is made by `diskspd preset --markdown > docs/reference/presets.md`.\n"
        .to_owned();
    for preset in PRESETS {
        let _ = write!(text, "\n## {}\n\n{}.\n\n", preset.name, preset.about);
        for (options, about) in preset_lines(preset) {
            let _ = write!(text, "    # {about}\n    diskspd {options} TARGET\n");
        }
        let _ = write!(text, "\n{}\n", preset.reasons);
        for threshold in preset.thresholds {
            let _ = write!(text, "\n{}\n", threshold_sentence(threshold));
        }
        text.push_str("\nSources:\n");
        for source in preset.sources {
            let _ = writeln!(text, "* {source}");
        }
    }
    text
}

fn preset_lines(preset: &Preset) -> impl Iterator<Item = (&'static str, String)> {
    let several = preset.parts.iter().any(|part| part.time_span > 1);
    preset.parts.iter().map(move |part| {
        let when = if several { format!("time span {}: ", part.time_span) } else { String::new() };
        (part.options, when + part.about)
    })
}

fn threshold_sentence(threshold: &Threshold) -> String {
    let grades: Vec<String> =
        threshold.grades.iter().map(|grade| format!("up to {} ms {}", grade.up_to_ms, grade.word)).collect();
    let under = match threshold.under {
        GradedLoad::OneAtATime => "",
        GradedLoad::Rate => " at a rate that you state (--rate-total, -g)",
    };
    format!(
        "Judged by {}{under}: {}, beyond that {} ({}).",
        threshold.of.words(),
        grades.join(", "),
        threshold.beyond,
        threshold.source
    )
}
