//! What rank 0 sets up before the others are told: what is to be run, and where its report goes.

use crate::cli::{Exit, RunRequest};
use crate::commands::console::{Console, Manner};
use crate::commands::load::{self, ToRun};
use crate::commands::measure;
use crate::commands::not_done::NotDone;
use crate::commands::output::{OutFile, Outputs, StandardOutput};
use crate::commands::{ctrl_c, run, save};
use crate::profile::{Profile, ResultFormat};
use crate::run::{Control, Events, Executed, Listener, Patience};
use crate::sys::standard_error::say;
use std::any::Any;
use std::sync::Arc;

pub struct LeadSetup {
    pub asked: ToRun,
    /// `-ys -yf -yr`, on rank 0.
    pub events: Events,
    files: Arc<Vec<OutFile>>,
    standard_output: StandardOutput,
    document: bool,
    patience: Patience,
    _watch: Box<dyn Any>,
}

impl LeadSetup {
    /// Reads and judges the command line.
    ///
    /// # Errors
    /// It can't be run so.
    pub fn new(request: &RunRequest, control: &Arc<Control>) -> Result<LeadSetup, NotDone> {
        if !request.quiet {
            request.warnings.iter().for_each(say);
        }
        let asked = load::requested_run(request)?;
        run::check(&asked.run, request)?;
        let refusals = find_refusals(request, &asked);
        if !refusals.is_empty() {
            return Err(NotDone::misused(refusals));
        }
        if !request.quiet {
            run::warn_of_what_does_nothing(&asked, request);
        }
        let patience = Patience::of_run(control);
        save::try_out(request, &patience)?;
        let (events, stop) = measure::open_events(request)?;
        let Outputs { files, standard_output, .. } = Outputs::open(request, &asked.run, &patience)?;
        let document =
            standard_output != StandardOutput::Report || asked.run.profile.result_format == ResultFormat::Xml;
        let watch = Box::new(ctrl_c::ends_a_run(control, stop, document)?);
        let files = Arc::new(files);
        Ok(LeadSetup { asked, events, files, standard_output, document, patience, _watch: watch })
    }

    /// Who hears how the run goes on here. Files get the report of the whole, at the end.
    pub fn listener(&self, quiet: bool) -> Arc<dyn Listener> {
        let (verbose, document) = (self.asked.run.profile.verbose, self.document);
        let manner = Manner { verbose, quiet, document, turn: String::new() };
        Arc::new(Console::new(manner, None, Arc::default()))
    }

    /// Whether ranks on one machine divide its CPUs: not where the user says who runs where.
    pub fn shares_cpus(&self) -> bool {
        let spans = &self.asked.run.profile.time_spans;
        let chosen = spans.iter().any(|span| span.disable_affinity || !span.affinity.is_empty());
        !chosen && !self.asked.run.run_options.virtual_time()
    }

    pub fn report(&self, executed: &Executed, request: &RunRequest) -> Exit {
        measure::report_on(executed, request, &self.files, self.standard_output, &self.patience, None)
    }
}

/// What several ranks can't do together: each with the reason, and what to do.
fn find_refusals(request: &RunRequest, asked: &ToRun) -> Vec<&'static str> {
    let by_rank = |path: &std::path::Path| {
        let text = path.to_string_lossy();
        text.contains("%r") || text.contains("%h")
    };
    let refused = [
        (
            request.stream.is_some(),
            "--stream shows one rank only: leave it out, and use -D for intervals of all ranks in the report",
        ),
        (
            request.repeat.is_some(),
            "--repeat can't be used with several ranks: repeat the launcher's command with --save=NAME; \
             diskspd compare @NAME @OTHER treats these runs as repetitions",
        ),
        (
            request.out.iter().any(|out| by_rank(&out.path)),
            "--out: rank 0 alone writes the report of all ranks, so that %r and %h in its path mean nothing: \
             name one file",
        ),
        (
            asked.run.run_options.explain.is_some(),
            "--explain shows the slowest I/Os of one host: leave it out, and explain a run of that host \
             alone",
        ),
        (
            request.with.is_some(),
            "--with starts another DISKSPD, which cannot join the ranks: run it on each host without the \
             launcher, and add up the results (diskspd merge)",
        ),
        (request.dry_run, "--dry-run shows one host's plan: start it without the launcher"),
        (
            request.io_log.as_deref().is_some_and(|path| !by_rank(path)),
            "--io-log: every rank writes a log of its own; put %r (the rank) or %h (the host) into its path",
        ),
        (
            request.journal.as_deref().is_some_and(|path| !by_rank(path)),
            "--journal: every rank writes a journal of its own; put %r (the rank) or %h (the host) into its \
             path",
        ),
        (no_work(&asked.run.profile), "there is nothing to run: the profile has no time span"),
    ];
    refused.into_iter().filter(|(is, _)| *is).map(|(_, why)| why).collect()
}

fn no_work(profile: &Profile) -> bool {
    profile.time_spans.is_empty()
}
