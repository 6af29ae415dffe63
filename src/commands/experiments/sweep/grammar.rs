//! `diskspd sweep`: its own options, and a command line with ranges in it.

use super::Command;
use crate::cli::command_line::{CommandLine, Operands};
use crate::cli::error::CliError;
use crate::cli::option::OptionValue::{File, Folder, OneOf};
use crate::cli::option::{DRY_RUN, HTML, JSON, OUT, OptionRow, QUIET, STRICT, row, switch, text};
use crate::cli::requests::SweepRequest;
use crate::cli::{Invocation, SweepLine, TypedLine};
use crate::experiments::repeat::Repeat;
use crate::experiments::sweep::{Axis, MIN_SLICES, Objective, Settings, SweepOrder, curve, seconds};
use std::path::Path;

/// Default curve of an objective.
const CURVE: &str = "10%..100%";

/// Default budget of `--until-sure`, in s.
const UNTIL_SURE_S: f64 = 1800.0;

const REPEAT: OptionRow = text(
    "--repeat",
    "<n>|until=<p>%",
    "until=2%",
    "run every point n times, or until its mean IOPS are known to the given percentage",
)
.with_default("chosen; 1 with -d or -W");
const ORDER: OptionRow = row(
    "--order",
    OneOf(&["interleaved", "given", "random"]),
    "order of the points; with it, -d, -W or --repeat the sweep does not choose its runs",
)
.with_default("random; interleaved with -d, -W or --repeat");
const RECORDS: OptionRow =
    row("--dir", Folder, "keep every run's record in this folder; repeat the command to continue");
const DIAGONAL: OptionRow = switch("--diagonal", "only points whose threads x depth is the same");
const OF_MAXIMUM: OptionRow =
    text("--curve", "10%..100%", "20%..90%+5%", "find the maximum rate, then offer percentages of it");
const SLO: OptionRow = text(
    "--slo",
    "p99=<time>|p99.9=..|avg=..",
    "p99=5ms",
    "find the highest load that keeps this latency goal",
)
.with_choices(&["p99=", "p99.9=", "avg="]);
const ADAPTIVE: OptionRow = switch("--adaptive", "run a few points, then those around the knee");
const UNTIL_SURE: OptionRow = switch(
    "--until-sure",
    "repeat the points that keep the answer inconclusive; ends after --budget, by default 30m",
);
const BUDGET: OptionRow = text("--budget", "<time>", "30m", "time limit: start no pass that would exceed it");
const SETTLE: OptionRow = text("--settle", "<time>", "5s", "pause before each run").with_default("0s");
const BETWEEN: OptionRow = text("--between", "<command>", "", "shell command to run before each run");
const IOPS_ONLY: OptionRow =
    switch("--iops-only", "measure no latency (no -L): the answer has IOPS and no knee");
const CSV: OptionRow = row("--csv", File, "write the table, a line per run");
const EVERYTHING: OptionRow = JSON.with_help("write everything: points, runs, answers");
const PAGE: OptionRow = HTML.with_help("write a page: answer, curve, all points, findings");
const BY_ENDING: OptionRow = OUT.with_help("as --csv, --json or --html, by the file's ending");
const PLAN: OptionRow = DRY_RUN.with_help("check and list all points, estimate the time, and run nothing");

pub(super) const SWEEP: Command = Command {
    name: "sweep",
    arguments: "<option> .. <target> ..",
    help: "run a command line with ranges in it (-o1..64): a table of all points, and the answer",
    options: &[
        REPEAT, ORDER, RECORDS, DIAGONAL, OF_MAXIMUM, SLO, ADAPTIVE, UNTIL_SURE, BUDGET, SETTLE, BETWEEN,
        IOPS_ONLY, CSV, EVERYTHING, PAGE, BY_ENDING, PLAN, STRICT, QUIET,
    ],
    exclusive: &[
        &[ADAPTIVE, OF_MAXIMUM],
        &[DIAGONAL, OF_MAXIMUM],
        // Both decide by latencies.
        &[IOPS_ONLY, SLO],
        &[IOPS_ONLY, ADAPTIVE],
    ],
    takes: Operands::Line,
    examples: &[
        (
            "diskspd sweep -o1..64 -b4K -r -Su test.dat",
            "seven depths in short runs, the knee and the command line to use",
        ),
        (
            "diskspd sweep --slo p99=5ms -t4 -o32 -b4K -r -Su test.dat",
            "the highest rate with a p99 of at most 5 ms",
        ),
    ],
    make: build_invocation,
};

fn build_invocation(line: CommandLine) -> Result<Invocation, CliError> {
    let usual = Settings::default();
    let typed = TypedLine::split(line.line.as_deref().unwrap_or_default())?;
    let slices = chooses_slices(&line, &typed);
    let (repeat, order) = match slices {
        true => (Repeat::Times(MIN_SLICES), SweepOrder::Random),
        false => (usual.repeat, usual.order),
    };
    let settings = Settings {
        repeat: line.read_value(&REPEAT, Repeat::parse)?.unwrap_or(repeat),
        order: line.read_value(&ORDER, SweepOrder::parse)?.unwrap_or(order),
        diagonal: line.has_option(&DIAGONAL),
        curve: line.read_value(&OF_MAXIMUM, curve)?.unwrap_or_default(),
        objective: line.read_value(&SLO, Objective::parse)?,
        adaptive: line.has_option(&ADAPTIVE),
        until_sure: line.has_option(&UNTIL_SURE),
        slices,
        budget_s: line.read_value(&BUDGET, seconds)?,
        settle_s: line.read_value(&SETTLE, seconds)?.unwrap_or(usual.settle_s),
    };
    let mut files = [&CSV, &EVERYTHING, &PAGE].map(|row| line.paths(row));
    for (path, kind) in line.paths(&BY_ENDING).into_iter().zip(line.read_values(&BY_ENDING, by_ending)?) {
        files[kind].push(path);
    }
    let [csv, json, html] = files;
    let iops_only = line.has_option(&IOPS_ONLY);
    let (typed, adds_latency) = with_latency(typed, iops_only)?;
    let swept = SweepLine::from_line(typed)?;
    Ok(Invocation::Sweep(Box::new(SweepRequest {
        settings: complete_settings(settings, &swept.axes)?,
        swept,
        iops_only,
        adds_latency,
        folder: line.path(&RECORDS)?,
        between: line.read_value(&BETWEEN, parse_command)?,
        csv,
        json,
        html,
        dry_run: line.has_option(&PLAN),
        strict: line.has_option(&STRICT),
        quiet: line.has_option(&QUIET),
        arguments: line.line.unwrap_or_default(),
        given: line.typed,
    })))
}

/// Letters of a run that state how long it is, or take a profile that does.
const TIMED_LETTERS: &[u8] = b"dWX";
/// Options that set the duration or the program of a run.
const TIMED_OPTIONS: [&str; 7] =
    ["preset", "until-steady", "until-written", "until-read", "replay", "each-once", "with"];

/// Whether the sweep chooses the duration and number of its runs.
fn chooses_slices(line: &CommandLine, typed: &TypedLine) -> bool {
    let is_stated = [&REPEAT, &ORDER, &ADAPTIVE, &OF_MAXIMUM].into_iter().any(|row| line.has_option(row));
    let is_timed = TIMED_LETTERS.iter().any(|letter| typed.has_letter(*letter))
        || TIMED_OPTIONS.iter().any(|name| typed.has_long(name));
    !is_stated && !is_timed
}

fn by_ending(name: &str) -> Result<usize, &'static str> {
    match Path::new(name).extension().and_then(|ending| ending.to_str()) {
        Some("csv") => Ok(0),
        Some("json") => Ok(1),
        Some("html" | "htm") => Ok(2),
        _ => Err("a file that ends with .csv, .json or .html"),
    }
}

fn parse_command(value: &str) -> Result<String, &'static str> {
    if value.is_empty() { Err("a command") } else { Ok(value.to_owned()) }
}

/// Adds `-L` if missing, because the knee needs latencies. Returns whether it was added.
fn with_latency(line: TypedLine, iops_only: bool) -> Result<(TypedLine, bool), CliError> {
    let measuring = line.options.iter().find(|given| given.is_letter(b'L') || given.is_letter(b'X'));
    match measuring {
        Some(given) if iops_only => {
            let hint = match given.is_letter(b'X') {
                true => "set MeasureLatency to false in the profile instead of --iops-only",
                false => "leave out one of them",
            };
            Err(CliError::at(&given.argument, 0, "--iops-only measures no latency").hint(hint))
        }
        None if !iops_only => Ok((line.with_leading_option("-L"), true)),
        _ => Ok((line, false)),
    }
}

fn complete_settings(mut settings: Settings, axes: &[Axis]) -> Result<Settings, CliError> {
    if settings.objective.is_some() && axes.is_empty() && settings.curve.is_empty() {
        settings.curve = curve(CURVE).map_err(CliError::new)?;
    }
    if settings.slices && !settings.curve.is_empty() {
        let Settings { repeat, order, .. } = Settings::default();
        settings = Settings { slices: false, repeat, order, ..settings };
    }
    if settings.until_sure {
        settings.budget_s.get_or_insert(UNTIL_SURE_S);
    }
    let is_curve = !settings.curve.is_empty();
    if let Some(axis) = axes.first().filter(|_| is_curve) {
        let what = format!("--curve varies the offered rate, but {} has a range too", axis.option);
        return Err(CliError::new(what)
            .hint("give one depth and one number of threads, high enough to reach the maximum"));
    }
    let chooses = settings.adaptive.then_some("--adaptive").or(settings.diagonal.then_some("--diagonal"));
    if let Some(option) = chooses.filter(|_| is_curve) {
        let what = format!("{option} and --slo exclude each other where no option has a range");
        return Err(CliError::new(what).hint("give one a range, as in -o1..64, or leave out one of the two"));
    }
    if axes.is_empty() && !is_curve {
        return Err(CliError::new("there is nothing to sweep: no option has more than one value")
            .hint("give an option a range, as in -o1..64, or a curve by rate: --curve 10%..100%"));
    }
    Ok(settings)
}

#[cfg(test)]
mod tests {
    use super::super::tests::parsed;
    use super::*;
    use std::ffi::OsString;
    use std::path::PathBuf;

    fn parse_request(line: &str) -> Result<SweepRequest, CliError> {
        match parsed(&format!("sweep {line}"))? {
            Invocation::Sweep(request) => Ok(*request),
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn sweep_takes_its_options_and_passes_the_rest() {
        let found =
            parse_request("--repeat 3 -o1..8 --settle=5s --engine sim -b4K --quiet --out a.csv f").unwrap();
        assert_eq!(found.arguments, ["-o1..8", "--engine", "sim", "-b4K", "f"].map(OsString::from));
        assert_eq!(found.settings.repeat, Repeat::Times(3));
        assert!(found.quiet && found.csv == [PathBuf::from("a.csv")]);
        assert!(!parse_request("--slo p99=5ms -o32 f").unwrap().settings.curve.is_empty());
        assert!(parse_request("--slo p99=5ms -o1..32 f").unwrap().settings.curve.is_empty());
        let budget = |line: &str| parse_request(line).unwrap().settings.budget_s;
        assert_eq!(budget("-o1..8 --until-sure f"), Some(1800.0));
        assert_eq!(budget("-o1..8 --until-sure --budget 1h f"), Some(3600.0));
        assert_eq!(budget("-o1..8 f"), None);
    }

    #[test]
    fn sweep_chooses_runs_unless_options_state_them() {
        for (line, slices) in [
            ("-o1..8 f", true),
            ("-o1..8 -b4K -L --budget 1m --until-sure f", true),
            ("-o1..8 --slo p99=5ms f", true),
            ("-t1..8 -o8 --diagonal --settle 1s f", true),
            ("-o1..8 -d3 f", false),
            ("-o1..8 -W0 f", false),
            ("-d1,2 f", false),
            ("-o1..8 --repeat 2 f", false),
            ("-o1..8 --order interleaved f", false),
            ("-o1..8 --adaptive f", false),
            ("-o8 --curve 10%..100% f", false),
            ("-o8 --slo p99=5ms f", false),
            ("-o1..8 --until-steady f", false),
            ("-o1..8 --preset fleet-general f", false),
        ] {
            let settings = parse_request(line).unwrap().settings;
            let (repeat, order) = match slices {
                true => (Repeat::Times(2), SweepOrder::Random),
                false if line.contains("--repeat") => (Repeat::Times(2), SweepOrder::Interleaved),
                false => (Repeat::Times(1), SweepOrder::Interleaved),
            };
            assert_eq!((settings.slices, settings.repeat, settings.order), (slices, repeat, order), "{line}");
        }
    }

    #[test]
    fn invalid_arguments_have_reason() {
        for (line, why) in [
            ("-o1..8 --iops-only -L f", "measures no latency"),
            ("-o1..8 --iops-only -Xp.xml f", "measures no latency"),
            ("-o1..8 --iops-only --adaptive f", "exclude each other"),
            ("--slo p99=5ms --iops-only -o1..8 f", "exclude each other"),
            ("-o8 f", "nothing to sweep"),
            ("-o1..8 --repeat 0 f", "not possible"),
            ("-o1..8 --order", "the value is missing"),
            ("-o1..8 --order backwards f", "not possible"),
            ("-o1..8 --quiet=1 f", "takes no value"),
            ("-o1..8 --curve 10%..100% f", "-o has a range too"),
            ("--curve 10%..100% --adaptive f", "--adaptive and --curve exclude each other"),
            ("-o8..1 f", "is descending"),
            ("-o1..8 --out a.txt f", "not possible"),
        ] {
            let error = parse_request(line).unwrap_err();
            assert!(error.what.contains(why), "{line}: {error}");
        }
    }
}
