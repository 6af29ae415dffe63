//! The command lines that are compared: two, or one that two programs or two kernels run.

use crate::cli::command_line::LineParser;
use crate::cli::error::CliError;
use crate::cli::shell_quote::quoted;
use crate::cli::{BootPlan, Interleaved, Invocation, RunRequest, SideCommand};
use crate::presets;
use std::ffi::OsString;
use std::path::PathBuf;

/// Returns one command line for two kernels.
///
/// # Errors
/// Fails for two lines or programs, or if it is not a run.
pub(super) fn across_boots(
    repeat: u32,
    folder: PathBuf,
    with: &[Option<PathBuf>; 2],
    words: &[OsString],
    line: LineParser,
) -> Result<BootPlan, CliError> {
    if *with != [None, None] {
        return Err(CliError::new(
            "--dir compares two kernels, --with-a and --with-b two programs: choose one",
        )
        .hint("compare sequentially: on one kernel both programs, then one program on both kernels"));
    }
    if words.iter().any(|word| word == "::") {
        return Err(CliError::new("--dir runs one command line on two kernels, but :: separates two").hint(
            "leave out one of the two lines, or leave out --dir to run both on this kernel \
                alternately",
        ));
    }
    Ok(BootPlan { folder, repeat, request: run(words, line)?, typed: quoted(words) })
}

/// Returns two command lines, or one for two programs.
///
/// # Errors
/// Fails if a line is not a run, or contains options for single runs only.
pub(super) fn both_lines(
    repeat: Option<u32>,
    programs: [Option<PathBuf>; 2],
    lines: &[OsString],
    line: LineParser,
) -> Result<Interleaved, CliError> {
    if programs == [None, None] || lines.iter().any(|word| word == "::") {
        return Ok(Interleaved { programs, ..read_interleaved(repeat, lines, line)? });
    }
    let request = run(lines, line)?;
    let words = SideCommand::new(lines, &request, line);
    let typed = quoted(&words.options);
    Ok(Interleaved {
        repeat,
        order_seed: None,
        requests: [request.clone(), request],
        typed: [typed.clone(), typed],
        programs,
        lines: [words.clone(), words],
    })
}

impl SideCommand {
    fn new(words: &[OsString], request: &RunRequest, line: LineParser) -> SideCommand {
        let targets = trailing_targets(words, request);
        let options = words[..words.len() - targets.len()].to_vec();
        let seeded: Vec<OsString> =
            options.iter().cloned().chain(["-z1".into()]).chain(targets.iter().cloned()).collect();
        let takes_seed = run(&seeded, line).is_ok();
        SideCommand { options, targets, takes_seed }
    }
}

/// Parses `OPTIONS_A :: OPTIONS_B TARGET ..`: the targets apply to both, unless A has its own.
fn read_interleaved(
    repeat: Option<u32>,
    lines: &[OsString],
    line: LineParser,
) -> Result<Interleaved, CliError> {
    let middle = lines.iter().position(|word| word == "::").ok_or_else(|| {
        CliError::new("the :: between both command lines is missing")
            .hint("diskspd compare --repeat 8 -- -o1 -b4K -r -d10 :: -o8 -b4K -r -d10 FILE")
    })?;
    let (first, other) = (&lines[..middle], &lines[middle + 1..]);
    if other.iter().any(|word| word == "::") {
        return Err(CliError::new("compare takes two command lines, but there is a second ::"));
    }
    // The common targets are at the end. A value of a long option may be a separate word, so only the parser
    // finds them.
    let of_other = run(other, line)?;
    // Two devices: each line has its own.
    if let Some(own) = run(first, line).ok().filter(|own| !trailing_targets(first, own).is_empty()) {
        let lines = [SideCommand::new(first, &own, line), SideCommand::new(other, &of_other, line)];
        let typed = [quoted(first), quoted(other)];
        return Ok(Interleaved {
            repeat,
            order_seed: None,
            requests: [own, of_other],
            typed,
            programs: [None, None],
            lines,
        });
    }
    let targets: Vec<OsString> = trailing_targets(other, &of_other);
    let first: Vec<OsString> = first.iter().chain(&targets).cloned().collect();
    let typed = |words: &[OsString]| quoted(&words[..words.len() - targets.len()]);
    let typed = [typed(&first), typed(other)];
    let of_first = run(&first, line)?;
    let lines = [SideCommand::new(&first, &of_first, line), SideCommand::new(other, &of_other, line)];
    Ok(Interleaved {
        repeat,
        order_seed: None,
        requests: [of_first, of_other],
        typed,
        programs: [None, None],
        lines,
    })
}

fn trailing_targets(words: &[OsString], request: &RunRequest) -> Vec<OsString> {
    let count = match &request.profile_file {
        Some(profile) => profile.substitutions.len(),
        None => {
            let parts = request.run_options.preset.as_deref().and_then(presets::find);
            let all: usize = request.profile.time_spans.iter().map(|span| span.targets.len()).sum();
            all / parts.map_or(1, |preset| preset.parts.len())
        }
    };
    words[words.len().saturating_sub(count)..].to_vec()
}

const COMPARED: [&str; 3] = ["--save", "--store", "--quiet"];

fn run(words: &[OsString], line: LineParser) -> Result<RunRequest, CliError> {
    let arguments: Vec<OsString> = [OsString::from("diskspd")].iter().chain(words).cloned().collect();
    let request = match line(&arguments)? {
        Invocation::Run(request) if request.record.is_none() => *request,
        _ => return Err(CliError::new("on both sides of :: only a run's options are possible, no command")),
    };
    let elsewhere = request.of_one_run().find(|option| !COMPARED.contains(option));
    match elsewhere {
        None => Ok(request),
        Some(option) => Err(CliError::new(format!("{option} is for single runs, but these are repeated"))
            .hint("leave it out; --save keeps every run in the history")),
    }
}
