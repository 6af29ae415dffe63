//! Distribution of the user's stop request to all ranks.

use super::kept;
use crate::ranks::RankLink;
use crate::results::EndedBy;
use crate::run::Control;
use crate::sys::standard_error::print_line;
use std::sync::Arc;

pub(super) struct StopControls {
    /// Control that ends the job at any time.
    job: Arc<Control>,
    run: Arc<Control>,
    /// Whether rank 0 ended the run, but not the job.
    run_ended: bool,
    said: bool,
    /// Name of the job, on rank 0.
    name: Option<String>,
}

impl StopControls {
    pub(super) fn new(job: Arc<Control>, name: Option<String>) -> StopControls {
        StopControls { run: Arc::clone(&job), job, run_ended: false, said: false, name }
    }

    pub(super) fn run(&self) -> Arc<Control> {
        Arc::clone(&self.run)
    }

    pub(super) fn begin(&mut self, run: Arc<Control>) {
        if self.job.is_interrupted() {
            run.interrupt_by(self.job.ended_by());
        }
        (self.run, self.run_ended) = (run, false);
    }

    /// Ends the run on this rank; the job continues.
    pub(super) fn end_run(&mut self) {
        self.run_ended = true;
        self.run.interrupt();
    }

    /// Ends the job because a rank is lost; rank 0 ends the run of the others.
    pub(super) fn end_after_loss(&mut self, link: &mut RankLink) {
        if self.said || self.run_ended || self.run.is_interrupted() {
            return;
        }
        self.run.interrupt_by(EndedBy::LostRank);
        self.heed(link);
    }

    /// Passes on the end of this rank, and ends it when another rank ends.
    pub(super) fn heed(&mut self, link: &mut RankLink) {
        if self.said {
            return;
        }
        let own = [(&self.job, true), (&self.run, !self.run_ended)];
        let own = own.into_iter().find(|(control, counts)| *counts && control.is_interrupted());
        let by = match (own, link.stop()) {
            (Some((control, _)), _) => {
                let by = control.ended_by();
                link.say_stop(by as u8);
                by
            }
            (None, Some(by)) => EndedBy::ALL.get(usize::from(by)).copied().unwrap_or(EndedBy::Interrupt),
            (None, None) => return,
        };
        self.said = true;
        self.job.interrupt_by(by);
        self.run.interrupt_by(by);
        if by == EndedBy::Terminate {
            link.hurry();
            if let Some(name) = &self.name {
                // It may be all that gets through: launchers end what takes longer than they wait.
                print_line(format_args!(
                    "SIGTERM: if the launcher ends the ranks before the report is complete, get it from \
                     their records: diskspd merge {}",
                    kept::of_all_ranks(name)
                ));
            }
        }
    }
}
