//! `--dir`: two kernels, boot by boot. Each call executes the runs of one boot and names the kernel to boot
//! next.

mod folder;
mod turn;

use crate::commands::shared::console::display::{Display, Step};
pub(crate) use turn::BootRun;

use super::interleaved::{self, SideSetup};
use super::sides;
use crate::cli::shell_quote::quoted;
use crate::cli::{BootPlan, CompareRequest};
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::input::load_runs;
use crate::commands::shared::job::ctrl_c;
use crate::commands::shared::output::answer_files::AnswerFiles;
use crate::commands::shared::runs::{side_run, with};
use crate::experiments::compare::{MIN_BOOTS, Side, more_boots};
use crate::finding::Finding;
use crate::host;
use crate::host::root::Root;
use crate::machine::System;
use crate::run::{self, OutputPolicy};
use crate::sys::standard_error::print_line;
use crate::units::visible;
use folder::BootFolder;
use std::sync::Arc;
use turn::{BootTurn, Kernel};

pub(super) struct BootSides {
    /// A and B; `None` = only A is measured so far.
    pub sides: Option<[Side; 2]>,
    /// Seed of the boot order; `None` before the first boot.
    pub order_seed: Option<u64>,
    pub next: String,
    pub files: AnswerFiles,
}

/// Makes the runs of this boot. All refusals precede the first run.
///
/// # Errors
/// Fails if another kernel is due, the folder belongs to another comparison, or a run fails.
pub(super) fn run(
    asked: &BootPlan,
    request: &CompareRequest,
    open: impl FnOnce(OutputPolicy) -> Result<AnswerFiles, CommandError>,
) -> Result<BootSides, CommandError> {
    with::no_place(asked.request.with.as_deref(), "--dir, which compares two kernels of this machine")?;
    let mut line = interleaved::line(&asked.request, request)?;
    line.run.own.keeps.push(asked.folder.clone());
    let files = open(line.run.door(OutputPolicy::default()))?;
    let here = running_kernel()?;
    let system: System = run::surroundings(&line.run.profile, &line.run.run_options);
    let command_line = format!("diskspd compare {}", quoted(&request.given));
    let (folder, mut history) = BootFolder::open(asked, &command_line, &system)?;
    let dir = format!("--dir {}", visible::line(&asked.folder.to_string_lossy()));
    let repeat = asked.repeat as usize;
    let turn = turn::turn(&history, &here, repeat).map_err(|why| format!("{dir}: {why}"))?;
    if turn.cut_short && !request.quiet {
        print_line(Finding::note(
            "the previous boot has fewer runs than requested: this boot replaces it in the comparison",
        ));
    }
    make_run(&line, &folder, &mut history, &here, turn, asked)?;
    let known = turn::kernels(&history);
    let boots = u32::try_from(turn::whole_boots(&history, repeat)).unwrap_or(u32::MAX);
    let enough = match known[1] {
        Some(_) if boots < MIN_BOOTS => {
            let more = more_boots(boots);
            format!(" ({boots} whole boots; for the certainty of runs in random pairs: {more})")
        }
        _ => String::new(),
    };
    let next = format!("next: {}{enough}", turn::to_do(&known, turn::next_side(&history, repeat), turn.side));
    let sides = match known {
        [Some(a), Some(b)] => {
            let names = [a.name(Some(b)), b.name(Some(a))];
            Some(read(&folder, &history, asked, names)?)
                .filter(|sides| sides.iter().all(|side| !side.runs.is_empty()))
        }
        _ => None,
    };
    let order_seed = turn::order(&history).map(|order| u64::from(order.seed));
    Ok(BootSides { sides, order_seed, next, files })
}

fn running_kernel() -> Result<Kernel, CommandError> {
    let root = Root::live_system();
    let boot = host::boot(&root);
    let [release, version] =
        ["osrelease", "version"].map(|name| root.text(format!("/proc/sys/kernel/{name}")));
    match (release, version, boot) {
        (Some(release), Some(version), Some(boot)) => {
            let line = |text: String| text.trim().to_owned();
            Ok(Kernel { release: line(release), version: line(version), boot: line(boot) })
        }
        _ if cfg!(windows) => {
            Err("--dir compares two kernels of Linux, and is not available on Windows".to_owned().into())
        }
        _ => Err("--dir: /proc/sys/kernel does not show which kernel and boot this is; is /proc mounted?"
            .to_owned()
            .into()),
    }
}

fn make_run(
    line: &SideSetup,
    folder: &BootFolder,
    history: &mut Vec<BootRun>,
    here: &Kernel,
    turn: BootTurn,
    asked: &BootPlan,
) -> Result<(), CommandError> {
    let letter = ["A", "B"][turn.side];
    let control = Arc::default();
    let _watch = ctrl_c::ends_several(&control)?;
    let display = Display::new(line.request.quiet);
    let end = turn.made + turn.left;
    for number in turn.made..end {
        let name = format!("run {} of {} on {} ({letter})", number + 1, asked.repeat, here.release);
        let left_s = line.run.planned_seconds() * (end - number) as f64;
        display.begin(Step { name: name.clone(), left_s });
        let results = interleaved::run_one(line, history.len(), &display, &control)
            .map_err(|not_done| with_kept_runs(not_done, history.len()))?;
        let Some(record) = results.record() else { break };
        let made = results.side(&name);
        interleaved::report_run(&name, &made.known, line.request.quiet);
        // A clock that was set back doesn't change the order.
        let after = history.last().map_or(i64::MIN, |run: &BootRun| run.began_ms.saturating_add(1));
        let began_ms = made.began_ms.unwrap_or_default().max(after);
        let run = BootRun { side: turn.side, kernel: here.clone(), began_ms };
        folder.keep(history.len(), &run, record)?;
        history.push(run);
    }
    Ok(())
}

fn with_kept_runs(not_done: CommandError, runs: usize) -> CommandError {
    let kept = match runs {
        0 => "no run is kept yet".to_owned(),
        1 => "1 run is kept in the folder; repeat the command to continue".to_owned(),
        runs => format!("{runs} runs are kept in the folder; repeat the command to continue"),
    };
    let why = not_done.into_messages().into_iter().map(|why| match why == sides::INTERRUPTED {
        true => "the comparison was interrupted".to_owned(),
        false => why,
    });
    CommandError::failed(why.chain([kept]))
}

fn read(
    folder: &BootFolder,
    history: &[BootRun],
    asked: &BootPlan,
    kernels: [String; 2],
) -> Result<[Side; 2], CommandError> {
    let mut sides =
        kernels.map(|kernel| Side { name: format!("kernel {kernel}: {}", asked.typed), runs: Vec::new() });
    let compared = turn::compared(history, asked.repeat as usize);
    for (number, run) in history.iter().enumerate().filter(|(number, _)| compared[*number]) {
        let side = &mut sides[run.side];
        let record = load_runs::record(&folder.record(number))?;
        let mut made =
            side_run::of_record(&record, &format!("{}{}", ["A", "B"][run.side], side.runs.len() + 1));
        made.began_ms = Some(run.began_ms);
        made.boot = Some(run.kernel.boot.clone());
        made.environment.insert("kernel".into(), run.kernel.release.clone());
        side.runs.push(made);
    }
    Ok(sides)
}
