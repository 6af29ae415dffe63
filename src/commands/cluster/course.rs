//! The course of a run on one of several ranks, round by round. Rank 0 takes part as every other one does,
//! and decides besides.

use super::arguments;
use super::kept::{self, KeptRecord};
use super::lead::Lead;
use super::messages::{GoOrEnd, Hello, NextStep, RankMessage, RankStep, Roles, SharedTargets, pack, unpack};
use super::names::exit_of;
use super::targets;
use super::work::{RankWork, WorkFault};
use crate::cli::{Exit, RunRequest, help};
use crate::cluster::{RankLink, Separated};
use crate::commands::ctrl_c;
use crate::commands::not_done::NotDone;
use crate::finding::Finding;
use crate::profile::RawText;
use crate::results::EndedBy;
use crate::run::{Control, Events, Listener, Nobody};
use crate::sys::cpu;
use crate::sys::standard_error::say;
use std::any::Any;
use std::sync::Arc;
use std::time::Duration;

/// Between two looks for messages while this rank works.
const LOOK: Duration = Duration::from_millis(20);

pub struct RankCourse<'a> {
    link: RankLink<'a>,
    stops: Stops,
    arguments: Vec<RawText>,
    /// Rank 0 alone.
    lead: Option<Box<Lead<'a>>>,
    /// Somebody won't leave in order, so that nobody can.
    left_behind: bool,
    _watch: Option<Box<dyn Any>>,
}

/// How the end that a person wants reaches all ranks.
struct Stops {
    control: Arc<Control>,
    said: bool,
}

impl Stops {
    /// Passes on what this rank was told, and does what others were told.
    fn relay_stops(&mut self, link: &mut RankLink) {
        if self.said {
            return;
        }
        if self.control.is_interrupted() {
            self.said = true;
            link.say_stop(self.control.ended_by() as u8);
        } else if let Some(by) = link.stop() {
            self.said = true;
            let by = EndedBy::ALL.get(usize::from(by)).copied().unwrap_or(EndedBy::Interrupt);
            self.control.interrupt_by(by);
        }
        if self.said && self.control.ended_by() == EndedBy::Terminate {
            link.hurry();
            if link.rank() == 0 {
                // It may be all that gets through: launchers end what takes longer than they wait.
                say(format_args!(
                    "SIGTERM: if the launcher ends the ranks before the report is complete, get it from \
                     their records: diskspd merge {}",
                    kept::of_all_ranks(link.size())
                ));
            }
        }
    }

    fn end_run(&mut self) {
        self.said = true;
        self.control.interrupt();
    }
}

impl<'a> RankCourse<'a> {
    /// Nothing is said yet.
    ///
    /// # Errors
    /// Ctrl-C can't be watched for.
    pub fn new(
        link: RankLink<'a>,
        control: Arc<Control>,
        request: &'a RunRequest,
    ) -> Result<RankCourse<'a>, NotDone> {
        let (mut lead, mut watch): (_, Option<Box<dyn Any>>) = (None, None);
        if link.rank() == 0 {
            lead = Some(Box::new(Lead::new(request, &control, link.size())));
        } else {
            watch = Some(Box::new(ctrl_c::ends_silently(&control)?));
        }
        let stops = Stops { control, said: false };
        let arguments = arguments::common(&request.typed);
        Ok(RankCourse { link, stops, arguments, lead, left_behind: false, _watch: watch })
    }

    /// Whether all ranks can leave in order.
    pub fn is_complete(&self) -> bool {
        self.link.is_complete() && !self.left_behind
    }

    /// All of it, to the end.
    pub fn take_part(&mut self) -> (Exit, bool) {
        match self.run_course() {
            Ok(exit) => (exit, true),
            Err(ended) => {
                say(Finding::error(format!("rank {}: {ended}", self.link.rank())));
                (Exit::RunFailed, false)
            }
        }
    }

    fn run_course(&mut self) -> Result<Exit, Separated> {
        let rank = self.link.rank();
        let hello = Hello {
            version: help::version(),
            host: crate::host::name(),
            machine: targets::machine(),
            clock: targets::clock(),
            cpus: cpu::allowed(),
            view: targets::view(),
            arguments: self.arguments.clone(),
        };
        let host = hello.host.clone();
        let task = match self.run_round(hello, Lead::greet)? {
            GoOrEnd::Go(task) => task,
            GoOrEnd::End(code) => return Ok(exit_of(code)),
        };
        if let Some(Some(own)) = task.cpus.get(rank)
            && let Err(why) = cpu::use_only(own)
        {
            say(Finding::warning(format!("rank {rank}: can't limit it to its share of the CPUs: {why}")));
        }
        let mut work = RankWork::new(task, rank, &host);
        let checked = self.run_busy(|_| work.check());
        let SharedTargets { roles, claims } = match self.run_round(checked, Lead::judge)? {
            GoOrEnd::Go(shared) => shared,
            GoOrEnd::End(code) => return Ok(exit_of(code)),
        };
        work.share_claims(&claims);
        let (listener, events) = self.make_listener();
        let hears = Arc::clone(&listener);
        let said = |done: Result<(), WorkFault>| done.err().map(|fault| fault.to_string());
        let made = self.run_busy(|control| said(work.make(&roles, control, hears)));
        if let GoOrEnd::End(code) = self.run_round(made, Lead::all_made)? {
            return Ok(exit_of(code));
        }
        let found = self.run_busy(|control| said(work.find_made(control)));
        match self.run_round(found, Lead::all_made)? {
            GoOrEnd::Go(()) => self.measure_spans(work, &roles, listener, events),
            GoOrEnd::End(code) => Ok(exit_of(code)),
        }
    }

    /// Does something that takes its time while this rank stays in touch.
    fn run_busy<T: Send>(&mut self, work: impl FnOnce(&Control) -> T + Send) -> T {
        let control = Arc::clone(&self.stops.control);
        std::thread::scope(|scope| {
            let work = scope.spawn(|| work(&control));
            while !work.is_finished() {
                // Whoever is alone finds that out in the next round.
                let _ = self.link.tend();
                self.stops.relay_stops(&mut self.link);
                std::thread::sleep(LOOK);
            }
            work.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    }

    /// A round: this rank's answer, and what rank 0 decides.
    fn run_round<A: RankMessage, D: RankMessage>(
        &mut self,
        own: A,
        decide: impl FnOnce(&mut Lead<'a>, &mut RankLink, Vec<Option<A>>) -> D,
    ) -> Result<D, Separated> {
        let (link, stops, own) = (&mut self.link, &mut self.stops, pack(&own));
        let Some(lead) = &mut self.lead else {
            let decision = link.answer(own, |link| stops.relay_stops(link))?;
            return unpack(&decision).map_err(|why| Separated::NoRank0(why.to_string()));
        };
        lead.begins_to_wait();
        let answers = link.gather(own, |link| {
            stops.relay_stops(link);
            lead.waits(link);
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

    fn make_listener(&mut self) -> (Arc<dyn Listener>, Events) {
        match &mut self.lead {
            Some(lead) => lead.listener(),
            None => (Arc::new(Nobody), Events::default()),
        }
    }

    /// The time spans, and the report of rank 0.
    fn measure_spans(
        &mut self,
        work: RankWork,
        roles: &Roles,
        listener: Arc<dyn Listener>,
        events: Events,
    ) -> Result<Exit, Separated> {
        let (rank, size) = (self.link.rank(), self.link.size());
        let mut running = work.start(roles, Arc::clone(&self.stops.control), listener, events);
        let mut alone = None;
        let mut kept: Option<KeptRecord> = None;
        let mut over = false;
        loop {
            let (link, stops) = (&mut self.link, &mut self.stops);
            let mut step = match over {
                true => RankStep::Over,
                false => running.next(|| {
                    let _ = link.tend();
                    stops.relay_stops(link);
                }),
            };
            self.left_behind |= running.left_behind;
            if let RankStep::Ended(outcome) = &mut step {
                over = true;
                kept = outcome.record.as_mut().and_then(|record| keep_record(record, rank, size));
            }
            if alone.is_none() {
                match self.run_round(step, Lead::step) {
                    Ok(NextStep::GoOn(at)) => running.go_on(at.get(rank).copied()),
                    Ok(NextStep::Stop) => {
                        self.stops.end_run();
                        running.go_on(None);
                    }
                    Ok(NextStep::Bye(code, complete)) => {
                        self.left_behind |= !complete;
                        kept.into_iter().for_each(KeptRecord::remove);
                        return Ok(exit_of(code));
                    }
                    Err(ended) => alone = Some(ended),
                }
            }
            if let Some(ended) = &alone {
                self.stops.end_run();
                running.go_on(None);
                if over {
                    tell_of_kept(rank, kept.as_ref());
                    return Err(ended.clone());
                }
            }
        }
    }
}

fn keep_record(record: &mut crate::results::Record, rank: usize, size: usize) -> Option<KeptRecord> {
    let host = record.host_mut();
    (host.rank, host.ranks) = (rank as u32, Some(size as u32));
    let kept = kept::keep(record, rank, size);
    kept.map_err(|why| say(Finding::warning(format!("rank {rank}: {why}")))).ok()
}

fn tell_of_kept(rank: usize, kept: Option<&KeptRecord>) {
    if let Some(kept) = kept {
        say(format_args!(
            "rank {rank}: its results are in {}; print them with diskspd report",
            kept.path().display()
        ));
    }
}
