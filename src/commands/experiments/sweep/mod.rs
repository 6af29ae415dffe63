//! `diskspd sweep`: a command line with ranges is run point by point, and yields a table and an answer.

mod folder;
mod outputs;
mod page;
mod plan;
mod progress;
mod walk;

use crate::checks::Verdict;
use crate::cli::shell_quote::quoted;
use crate::cli::{Exit, SweepRequest};
use crate::commands::shared::command_error::{CommandError, report_error};
use crate::experiments::sweep::{PointRow, SweepOutcome, estimate, findings_text};
use crate::sys::standard_error::{self, print_line};
use crate::sys::standard_output;
use crate::sys::{privileges, process};
use crate::units::visible;
use folder::Folder;
pub(crate) use folder::StoredSweep;
use outputs::TableOutlets;
use plan::Plan;
use walk::SweepWalk;

/// Plans the sweep, runs its points and reports the answer.
///
/// # Errors
/// Fails if a run is not possible, or cannot be kept.
pub(crate) fn sweep(request: &SweepRequest) -> Result<Exit, CommandError> {
    if request.between.is_some() && privileges::are_above_users() {
        return Err(CommandError::usage_errors([
            "--between: this copy of the program has more rights than its user (set-uid, set-gid, or \
             capabilities) and so starts no command; use a copy without them",
        ]));
    }
    let plan = Plan::from_request(request)?;
    if request.adds_latency && !request.quiet {
        print_line("-L is added, because the knee needs latencies; --iops-only measures IOPS without it");
    }
    if request.dry_run {
        return crate::commands::shared::output::print::print(&plan.listed());
    }
    if !request.quiet {
        plan.warnings.iter().for_each(print_line);
    }
    run(request, &plan)
}

fn run(request: &SweepRequest, plan: &Plan) -> Result<Exit, CommandError> {
    let places = TableOutlets::open(request, plan)?;
    let (folder, history) = match &request.folder {
        Some(path) => Folder::open(path, request).map(|(folder, history)| (Some(folder), history))?,
        // In simulated time it's run anew in less time than it takes to keep it.
        None if plan.is_simulated() => (None, Vec::new()),
        None => (Folder::spare(request), Vec::new()),
    };
    let to_come = estimate(&plan.sweep, &history);
    let needed = history.iter().map(|ran| ran.seconds).sum::<f64>() + to_come.seconds;
    if !request.quiet {
        if !history.is_empty() {
            let there = match history.len() {
                1 => "continuing after 1 earlier run".to_owned(),
                runs => format!("continuing after {runs} earlier runs"),
            };
            print_line(there);
        }
        let points = plan.sweep.points.len().max(plan.sweep.settings.curve.len());
        print_line(format_args!("{points} points, {}", plan::planned_text(&to_come, "runs to come")));
    }
    plan.fits_budget(&history, needed)?;
    let mut walk = SweepWalk::new(request, plan, folder, history);
    if let Some(path) = walk.spare_folder().filter(|_| !request.quiet) {
        print_line(format_args!(
            "until it has ended, points are kept in {}",
            visible::line(&path.to_string_lossy())
        ));
    }
    let ended = walk.run_points()?;
    let exit = report_sweep(request, plan, &walk, ended, &places);
    if ended != SweepOutcome::Interrupted || walk.history.is_empty() {
        walk.tidy_up();
    }
    if walk.left_behind {
        process::end(exit.code());
    }
    Ok(exit)
}

/// Prints table, findings and answer, and writes the files.
fn report_sweep(
    request: &SweepRequest,
    plan: &Plan,
    walk: &SweepWalk,
    ended: SweepOutcome,
    places: &TableOutlets,
) -> Exit {
    let result = page::result(plan, walk, ended);
    let rows = &result.points;
    let mut exit = report_error(crate::commands::shared::output::print_sentences(&visible::lines(
        &result.text(standard_output::room()),
    )));
    standard_error::write(&findings_text(rows, !request.quiet));
    let page = if places.have_page() { page::bytes(&result, walk) } else { Vec::new() };
    if let Err(unwritten) = places.write(&result.csv(), &result.json(), &page) {
        exit = exit.max(unwritten.report());
    }
    match ended {
        SweepOutcome::Complete => {}
        SweepOutcome::OutOfBudget => {
            print_line("NOTE: the budget is exhausted; points have fewer repetitions than requested")
        }
        SweepOutcome::Interrupted => {
            exit = CommandError::failed([interrupted_text(request, walk)]).report();
        }
    }
    if !walk.troubles.is_empty() {
        exit = CommandError::failed(walk.troubles.iter().map(String::as_str)).report();
    }
    if rows.iter().any(|row| row.failure.is_some()) {
        exit = Exit::RunFailed;
    }
    if exit == Exit::Success && request.strict && rows.iter().any(is_doubtful) {
        Exit::Doubtful
    } else {
        exit
    }
}

fn interrupted_text(request: &SweepRequest, walk: &SweepWalk) -> String {
    let kept = walk.spare_folder().filter(|_| !walk.history.is_empty());
    match (&request.folder, kept) {
        (Some(_), _) => "the sweep was interrupted; repeat the command to continue".into(),
        (None, Some(path)) => {
            let path = quoted(&[path.as_os_str().to_owned()]);
            format!(
                "the sweep was interrupted and its points are kept; continue with:\ndiskspd sweep --dir \
                 {path} {}",
                quoted(&request.given)
            )
        }
        (None, None) => {
            "the sweep was interrupted, and no point is kept; use --dir FOLDER to be able to continue".into()
        }
    }
}

fn is_doubtful(row: &PointRow) -> bool {
    let unseen = Verdict::Unknown.word().to_ascii_lowercase();
    row.figures.as_ref().is_some_and(|figures| {
        figures.verdict.is_wrong() || figures.findings.iter().any(|finding| finding.name == unseen)
    })
}
