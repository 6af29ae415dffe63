//! `diskspd precondition`: a device is purged on request, filled, and written in rounds until its steady
//! state. Every step is an ordinary command line.

mod lines;
mod steps;

use crate::checks::JudgedRecord;
use crate::cli::{Exit, PreconditionRequest, RunRequest};
use crate::commands::shared::command_error::{CommandError, report_error};
use crate::commands::shared::job::job_limits;
use crate::commands::shared::output::{self, Outputs, StandardOutput};
use crate::experiments::precondition::{self, WINDOW};
use crate::experiments::sweep::time_in_words;
use crate::run::HangGuard;
use crate::sys::process;
use crate::sys::standard_error::{self, print_line};
use crate::units::{amount, visible};
use lines::PreconditionLines;
use steps::{PreconditionSteps, StepsOutcome};

/// Validates, announces and executes all steps, and reports the result.
pub(crate) fn precondition(request: &PreconditionRequest) -> Result<Exit, CommandError> {
    if request.purge {
        job_limits::refuse("precondition --purge")?;
    }
    let asked = request.clone();
    // Looks at the target, which may not answer.
    let lines = HangGuard::default().attempt("the target", move || PreconditionLines::from_request(&asked));
    let lines = lines.map_err(|unanswered| format!("the target: {unanswered}"))??;
    if request.dry_run {
        return crate::commands::shared::output::print::print(&visible::lines(&announcement_text(
            request, &lines,
        )));
    }
    if !request.quiet {
        lines.warnings.iter().for_each(print_line);
        standard_error::write(&announcement_text(request, &lines));
    }
    let outs = RunRequest { out: request.out.clone(), ..RunRequest::default() };
    let Outputs { files, standard_output, .. } =
        Outputs::open(&outs, &lines.round.run, &HangGuard::default())?;
    let mut steps = PreconditionSteps::new(request, &lines);
    let ended = steps.run_steps();
    let mut exit = Exit::Success;
    if let Some(done) = steps.preconditioning() {
        if standard_output == StandardOutput::Report {
            let room = crate::sys::standard_output::room();
            exit = report_error(output::print_sentences(&visible::lines(&precondition::text(&done, room))));
        }
        if let Some(mut record) = steps.last_record.take() {
            record.preconditioning = Some(done.clone());
            exit = exit.max(output::save_all(&files, &JudgedRecord::new(&record)));
        }
    }
    if !steps.troubles.is_empty() {
        exit = CommandError::failed(steps.troubles.iter().map(String::as_str)).report();
    }
    let exit = exit.max(match ended {
        Ok(StepsOutcome::Steady) => Exit::Success,
        // What failed goes before what isn't steady.
        Ok(StepsOutcome::NotSteady) if exit == Exit::Success => Exit::Doubtful,
        Ok(StepsOutcome::NotSteady) => exit,
        Ok(StepsOutcome::Interrupted) => {
            CommandError::failed(["the preconditioning was interrupted; the target is not steady"]).report()
        }
        Err(fault) => fault.report(),
    });
    if steps.left_behind {
        process::end(exit.code());
    }
    Ok(exit)
}

fn announcement_text(request: &PreconditionRequest, lines: &PreconditionLines) -> String {
    let mut text = format!(
        "preconditioning of {}, {}, by {}\n",
        request.target.to_string_lossy(),
        amount(lines.size),
        request.standard.name()
    );
    if request.purge {
        text += "purge: ";
        text += if lines.simulated() { "nothing, the target is simulated\n" } else { "all of it\n" };
    }
    text += &match (&lines.fill, request.fill) {
        (Some(fill), Some(times)) => {
            let bytes = lines.size.saturating_mul(times.into());
            format!(
                "fill: {}, {} at 1 GiB/s; progress shows the real time left\n  {}\n",
                amount(bytes),
                time_in_words(bytes as f64 / f64::from(1 << 30)),
                fill.command
            )
        }
        (None, Some(_)) => "fill: nothing, the target is simulated\n".to_owned(),
        (_, None) => "fill: nothing (--fill none)\n".to_owned(),
    };
    let time = |rounds: u32| time_in_words(f64::from(rounds) * f64::from(request.round_s));
    let simulated = if lines.virtual_time() { " of simulated time" } else { "" };
    text + &format!(
        "rounds: {WINDOW} to {} of {} s, {} to {}{simulated}\n  {}\n",
        request.rounds,
        request.round_s,
        time(WINDOW as u32),
        time(request.rounds),
        lines.round.command
    )
}
