//! The course of a job on one of several ranks, round by round. Rank 0 takes part as the other ranks do,
//! and decides.

use super::job::JobRequest;
use super::kept::{KeptRecord, RankKeeper};
use super::lead::Coordinator;
use super::live::LiveOutbox;
use super::messages::{
    CheckReply, HelloReply, NextTask, RankAnswer, RankMessage, RankRequest, ReadBackTask, RunTask,
    SharedTargets, StartDecision, StepReply, pack, unpack,
};
use super::names::exit_of;
use super::stop_controls::StopControls;
use super::targets;
use super::work::{RankWork, Running};
use crate::cli::{Exit, help};
use crate::clock;
use crate::commands::run::verify_after;
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::job::ctrl_c;
use crate::finding::Finding;
use crate::profile::RawText;
use crate::ranks::{RankLink, SeparationError};
use crate::run::{Control, Session};
use crate::sys::cpu;
use crate::sys::standard_error::print_line;
use std::any::Any;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::Duration;

/// Interval of checks for messages while this rank works.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

pub(super) struct RankProtocol<'a> {
    link: RankLink<'a>,
    stops: StopControls,
    host: String,
    arguments: Vec<RawText>,
    /// CPUs of this process at its start.
    cpus: Vec<u32>,
    /// State of rank 0 only.
    lead: Option<Box<Coordinator>>,
    /// Record of the last run, until rank 0 does not need it any more.
    kept: Option<KeptRecord>,
    left_behind: bool,
    outbox: Arc<LiveOutbox>,
    _watch: Box<dyn Any>,
}

impl<'a> RankProtocol<'a> {
    pub(super) fn new(
        link: RankLink<'a>,
        arguments: Vec<RawText>,
        quiet: bool,
    ) -> Result<RankProtocol<'a>, CommandError> {
        let job = Arc::new(Control::default());
        let watch = Box::new(ctrl_c::ends_silently(&job)?);
        let lead = (link.rank() == 0).then(|| Box::new(Coordinator::new(quiet, &job, link.size())));
        Ok(RankProtocol {
            link,
            stops: StopControls::new(job, lead.as_ref().map(|lead| lead.name().to_owned())),
            host: crate::host::name(),
            arguments,
            cpus: cpu::allowed(),
            lead,
            kept: None,
            left_behind: false,
            outbox: Arc::default(),
            _watch: watch,
        })
    }

    pub(super) fn is_complete(&self) -> bool {
        self.link.is_complete() && !self.left_behind
    }

    pub(super) fn rank(&self) -> usize {
        self.link.rank()
    }

    /// Names of the hosts, by rank; known on rank 0.
    pub(super) fn hosts(&self) -> Vec<String> {
        self.lead.as_ref().map(|lead| lead.hosts().to_vec()).unwrap_or_default()
    }

    /// Connects all ranks. Returns the exit code if the job ends with that.
    ///
    /// # Errors
    /// Fails if the connection to the other ranks is lost.
    pub(super) fn meet_ranks(&mut self) -> Result<Option<Exit>, SeparationError> {
        let hello = HelloReply {
            version: help::version(),
            host: self.host.clone(),
            machine: targets::machine(),
            clock: targets::clock(),
            cpus: self.cpus.clone(),
            view: targets::view(),
            arguments: self.arguments.clone(),
        };
        Ok(self.run_round(hello, Coordinator::greet)?.map(exit_of))
    }

    /// Executes the wishes of rank 0's command, to its end. `wishes`: on rank 0.
    ///
    /// # Errors
    /// Fails if the connection to the other ranks is lost.
    pub(super) fn serve(&mut self, wishes: Option<&Receiver<JobRequest>>) -> Result<Exit, SeparationError> {
        loop {
            let wish = wishes.map(|wishes| self.next_wish(wishes));
            let task = self.run_round((), |lead, link, _| lead.begin(link, wish))?;
            // Rank 0 has done with the run before.
            self.kept.take().into_iter().for_each(KeptRecord::remove);
            match task {
                NextTask::Run(task) if self.link.rank() >= task.ranks.len() => self.idle()?,
                NextTask::Run(task) => self.run(*task)?,
                NextTask::ReadBack(task) => self.read_back(&task)?,
                NextTask::Plan(task) => self.plan(*task)?,
                NextTask::Bye(code, complete) => {
                    self.left_behind |= !complete;
                    return Ok(exit_of(code));
                }
            }
        }
    }

    /// Stays in touch until the command wants something that the other ranks have to know.
    fn next_wish(&mut self, wishes: &Receiver<JobRequest>) -> JobRequest {
        loop {
            match wishes.recv_timeout(POLL_INTERVAL) {
                Ok(JobRequest::Run(order)) => {
                    self.stops.begin(Arc::clone(&order.session.control));
                    let lead = self.lead.as_mut().filter(|lead| !lead.preflight(&self.link, &order));
                    match lead {
                        Some(lead) => lead.refuse_run(*order, &self.link),
                        None => return JobRequest::Run(order),
                    }
                }
                Ok(wish) => return wish,
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => return JobRequest::End(Exit::RunFailed.code()),
            }
            let _ = self.link.tend();
            self.stops.heed(&mut self.link);
        }
    }

    /// Exchanges messages with the other ranks during a run. A lost rank ends the run of all.
    fn stay_in_touch(&mut self) {
        let separated = self.link.tend().is_err();
        self.pass_state(false);
        if separated || !self.link.is_complete() {
            self.stops.end_after_loss(&mut self.link);
        }
        self.stops.heed(&mut self.link);
    }

    /// Sends this rank's state to rank 0 for display.
    fn pass_state(&mut self, is_over: bool) {
        let own = self.outbox.take(clock::monotonic(), is_over);
        match &mut self.lead {
            Some(lead) => lead.watch_run(&mut self.link, own),
            None => own.iter().for_each(|own| self.link.send_state(pack(own))),
        }
    }

    /// Waits during a run in which this rank does not perform I/O.
    fn idle(&mut self) -> Result<(), SeparationError> {
        self.stops.begin(Arc::default());
        let StartDecision::Go(SharedTargets { .. }) =
            self.run_round(CheckReply::default(), Coordinator::judge)?
        else {
            return Ok(());
        };
        for _ in 0..2 {
            if self.run_round(None, Coordinator::all_made)? == StartDecision::End {
                return Ok(());
            }
        }
        while !matches!(self.run_round(RankRequest::Idle, Coordinator::step)?, StepReply::Over(_)) {}
        Ok(())
    }

    /// Reads back by this rank's journal.
    fn read_back(&mut self, task: &ReadBackTask) -> Result<(), SeparationError> {
        let request = task.of_rank(self.link.rank());
        let answer = self.run_busy(|_| match verify_after::read_back(&request) {
            Ok((text, exit)) => RankAnswer { text, exit: exit.code(), ..RankAnswer::default() },
            Err(why) => RankAnswer { failure: Some(why.to_string()), ..RankAnswer::default() },
        });
        self.run_round(answer, Coordinator::all_answered)
    }

    fn plan(&mut self, task: RunTask) -> Result<(), SeparationError> {
        self.stops.begin(Arc::default());
        let rank = self.link.rank();
        if rank >= task.ranks.len() {
            return self.run_round(RankAnswer::default(), Coordinator::all_answered);
        }
        self.use_share(&task);
        let work = RankWork::new(task, rank);
        let answer = self.run_busy(|_| work.plan());
        self.run_round(answer, Coordinator::all_answered)
    }

    fn use_share(&self, task: &RunTask) {
        let rank = self.link.rank();
        let own = task.cpus.get(rank).cloned().flatten().unwrap_or_else(|| self.cpus.clone());
        if let Err(why) = cpu::use_only(&own) {
            print_line(Finding::warning(format!(
                "rank {rank}: cannot limit it to its share of the CPUs: {why}"
            )));
        }
    }

    fn run(&mut self, task: RunTask) -> Result<(), SeparationError> {
        let rank = self.link.rank();
        if rank > 0 {
            self.stops.begin(Arc::default());
        }
        self.use_share(&task);
        let (size, job, wants) = (task.ranks.len(), task.job.clone(), task.wants);
        self.outbox = Arc::default();
        let mut work = RankWork::new(task, rank);
        let checked = self.run_busy(|_| work.check());
        let StartDecision::Go(SharedTargets { roles, claims }) =
            self.run_round(checked, Coordinator::judge)?
        else {
            return Ok(());
        };
        work.share_claims(&claims);
        let keeper = Arc::new(RankKeeper::new(rank, size, job));
        let session = match &mut self.lead {
            Some(lead) => lead.session(&keeper, &self.outbox, wants),
            None => {
                let session = Session { control: self.stops.run(), ..Session::default() };
                RankKeeper::attach_keeper(&keeper, &self.outbox, wants, session)
            }
        };
        let hears = Arc::clone(&session.listener);
        let said = |done: Result<(), CommandError>| done.err().map(|fault| fault.to_string());
        let made = self.run_busy(|control| said(work.make(&roles, control, hears)));
        if self.run_round(made, Coordinator::all_made)? == StartDecision::End {
            return Ok(());
        }
        let found = self.run_busy(|control| said(work.find_made(control)));
        if self.run_round(found, Coordinator::all_made)? == StartDecision::End {
            return Ok(());
        }
        self.measure_spans(work.start(&roles, session), &keeper)
    }

    /// Performs long work while this rank still handles messages.
    fn run_busy<T: Send>(&mut self, work: impl FnOnce(&Control) -> T + Send) -> T {
        let control = self.stops.run();
        std::thread::scope(|scope| {
            let work = scope.spawn(|| work(&control));
            while !work.is_finished() {
                // Whoever is alone finds that out in the next round.
                let _ = self.link.tend();
                self.stops.heed(&mut self.link);
                std::thread::sleep(POLL_INTERVAL);
            }
            work.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    fn run_round<A: RankMessage, D: RankMessage>(
        &mut self,
        own: A,
        decide: impl FnOnce(&mut Coordinator, &mut RankLink, Vec<Option<A>>) -> D,
    ) -> Result<D, SeparationError> {
        let (link, stops, own) = (&mut self.link, &mut self.stops, pack(&own));
        let Some(lead) = &mut self.lead else {
            let decision = link.answer(own, |link| stops.heed(link))?;
            return unpack(&decision).map_err(|why| SeparationError::NoRank0(why.into()));
        };
        lead.begins_to_wait();
        let answers = link.gather(own, |link| {
            stops.heed(link);
            lead.wait_for_ranks(link);
            lead.watch_run(link, None);
        });
        let mut understood = Vec::new();
        for (rank, answer) in answers.into_iter().enumerate() {
            let answer = answer.map(|bytes| unpack(&bytes)).transpose();
            if let Err(why) = &answer {
                link.lose(rank, &format!("it sent an invalid message: {why}"));
            }
            understood.push(answer.unwrap_or_default());
        }
        let decision = decide(lead, link, understood);
        link.decide(&pack(&decision));
        Ok(decision)
    }

    fn measure_spans(&mut self, mut running: Running, keeper: &RankKeeper) -> Result<(), SeparationError> {
        let rank = self.link.rank();
        let mut alone = None;
        let mut over = false;
        loop {
            let mut step = match over {
                true => RankRequest::Over,
                false => running.next(|| self.stay_in_touch()),
            };
            self.pass_state(true);
            self.left_behind |= running.left_behind;
            if let RankRequest::Ended(outcome) = &mut step {
                over = true;
                outcome.record.iter_mut().for_each(|record| keeper.keep(record));
            }
            if alone.is_none() {
                match self.run_round(step, Coordinator::step) {
                    Ok(StepReply::GoOn(at)) => running.answer_start(at.get(rank).copied()),
                    Ok(StepReply::Stop) => {
                        self.stops.end_run();
                        running.answer_start(None);
                    }
                    Ok(StepReply::Over(reported)) => {
                        self.kept = keeper.take();
                        if !reported {
                            tell_of_kept(rank, self.kept.take().as_ref());
                        }
                        if rank == 0 && !self.link.is_complete() {
                            self.stops.end_run();
                        }
                        return Ok(());
                    }
                    Err(ended) => alone = Some(ended),
                }
            }
            if let Some(ended) = &alone {
                self.stops.end_run();
                running.answer_start(None);
                if over {
                    tell_of_kept(rank, keeper.take().as_ref());
                    return Err(ended.clone());
                }
            }
        }
    }
}

fn tell_of_kept(rank: usize, kept: Option<&KeptRecord>) {
    if let Some(kept) = kept {
        print_line(format_args!(
            "rank {rank}: its results are in {}; print them with diskspd report",
            kept.path().display()
        ));
    }
}
