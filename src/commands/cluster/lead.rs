//! Rank 0's part: it decides at the end of each round, and gives the record of a run to the command.

use super::job::{JobRequest, Order};
use super::kept::{self, RankKeeper};
use super::live::{LiveBoard, LiveOutbox};
use super::merge_ranks::{self, RankPart, WholeRun};
use super::messages::{
    CheckReply, HelloReply, NextTask, RankAnswer, RankName, RankOutcome, RankRequest, RankState,
    ReadBackTask, RunTask, SharedTargets, StartDecision, StepReply, unpack,
};
use super::names::{by_message, exit_of, ranks};
use super::{arguments, names, verified, zoned};
use crate::cli::Exit;
use crate::clock::{self, Nanos, SECOND};
use crate::commands::shared::job_command::RankReply;
use crate::commands::shared::runs::runnable::Runnable;
use crate::finding::Finding;
use crate::plan::PlanError;
use crate::profile::{RateTotal, RawText, TargetIds, Volume};
use crate::ranks::RankLink;
use crate::ranks::cpus::{RankCpus, share};
use crate::ranks::offset::Offset;
use crate::ranks::part::TargetPart;
use crate::ranks::target_location::{TargetLocation, group_places};
use crate::run::{Control, ExecutedRun, RunError, Session, Subscriptions};
use crate::sys::standard_error::print_line;
use crate::units::amount;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::sync::mpsc::Sender;

/// Minimum time between the start decision and the start, so that it reaches all ranks.
const START_NOTICE: Nanos = SECOND / 4;
const NOTICE_TIME_PER_RANK: Nanos = SECOND / 1000;
/// Additional round trips of the farthest rank, because a lost message is resent after some of them.
const NOTICE_TRIPS: Nanos = 10;
/// Maximum total time of the notices.
const MAX_NOTICE_NS: Nanos = 10 * SECOND;
const MESSAGE_DELAY: Nanos = 10 * SECOND;
const ENDED_BEFORE: &str = "ended before it began, without a measurement";

pub(super) struct Coordinator {
    name: String,
    quiet: bool,
    control: Arc<Control>,
    hosts: Vec<String>,
    ranks: Vec<RankName>,
    seats: Vec<Option<RankCpus>>,
    waiting: (Nanos, bool),
    first_with_clock: Vec<usize>,
    /// Number of ranks with a part in the current task, which are the first ones.
    taking_part: usize,
    /// Sentences for the whole job that are already printed.
    said: HashSet<String>,
    going: Option<ActiveRun>,
    asking: Option<Sender<Vec<RankReply>>>,
}

struct ActiveRun {
    order: Order,
    before: Vec<Option<Offset>>,
    outcomes: Vec<Option<RankOutcome>>,
    board: LiveBoard,
    silent: HashSet<usize>,
}

impl Coordinator {
    pub(super) fn new(quiet: bool, control: &Arc<Control>, size: usize) -> Coordinator {
        Coordinator {
            name: kept::new_job(),
            quiet,
            control: Arc::clone(control),
            hosts: vec![String::new(); size],
            ranks: Vec::new(),
            seats: Vec::new(),
            waiting: (0, false),
            first_with_clock: (0..size).collect(),
            taking_part: size,
            said: HashSet::new(),
            going: None,
            asking: None,
        }
    }

    pub(super) fn begins_to_wait(&mut self) {
        self.waiting = (clock::monotonic(), false);
    }

    pub(super) fn wait_for_ranks(&mut self, link: &RankLink) {
        let (since, said) = self.waiting;
        if !said && clock::monotonic().saturating_sub(since) > MESSAGE_DELAY {
            self.waiting.1 = true;
            print_line(format_args!("waiting for {}", ranks(&link.awaited(), &self.hosts)));
        }
    }

    /// Returns the session for rank 0's own part of the run.
    pub(super) fn session(
        &mut self,
        keeper: &Arc<RankKeeper>,
        outbox: &Arc<LiveOutbox>,
        wants: Subscriptions,
    ) -> Session {
        let session = self.going.as_mut().map(|going| {
            let asked = &mut going.order.session;
            Session {
                one_of_several: asked.one_of_several,
                options: std::mem::take(&mut asked.options),
                listener: Arc::clone(&asked.listener),
                control: Arc::clone(&asked.control),
            }
        });
        RankKeeper::attach_keeper(keeper, outbox, wants, session.unwrap_or_default())
    }

    /// Takes the states of the current run, and shows them. `own`: the state of rank 0.
    pub(super) fn watch_run(&mut self, link: &mut RankLink, own: Option<RankState>) {
        let states = link.take_states();
        let Some(going) = &mut self.going else { return };
        let now = clock::monotonic();
        own.into_iter().for_each(|own| going.board.add(0, own, now));
        for (rank, state) in states {
            match unpack(&state) {
                Ok(state) => going.board.add(rank, state, now),
                Err(why) => link.lose(rank, &format!("it sent an invalid message: {why}")),
            }
        }
        let (lost, silences) = (link.lost_ranks(), link.silences());
        for (rank, silence) in silences.iter().enumerate().take(going.outcomes.len()) {
            if *silence >= MESSAGE_DELAY && lost[rank].is_none() && going.silent.insert(rank) {
                going.order.session.listener.notice(&Finding::warning(format!(
                    "{} has been silent for {} s; without a message within {} s of silence the run ends \
                     with the figures so far",
                    names::ranks(&[rank], &self.hosts),
                    silence / SECOND,
                    link.limits().silence.as_secs()
                )));
            }
        }
        going.board.refresh(now, &lost, &silences);
    }

    fn say_once(&mut self, sentence: String) {
        if !self.quiet && !self.said.contains(&sentence) {
            print_line(&sentence);
            self.said.insert(sentence);
        }
    }

    /// Compares the greetings of all ranks. Returns the exit code if they do not match.
    pub(super) fn greet(&mut self, _: &mut RankLink, hellos: Vec<Option<HelloReply>>) -> Option<u8> {
        for (name, hello) in self.hosts.iter_mut().zip(&hellos) {
            name.clone_from(hello.as_ref().map_or(&String::new(), |hello| &hello.host));
        }
        let clocks = hellos.iter().map(|hello| hello.as_ref().map_or("", |hello| &hello.clock));
        self.first_with_clock = first_with_same(clocks);
        let refusals = by_message(rank_differences(&hellos), &self.hosts);
        if !refusals.is_empty() {
            refusals.into_iter().map(Finding::error).for_each(print_line);
            return Some(Exit::RunFailed.code());
        }
        let name = |hello: &Option<HelloReply>| match hello {
            Some(HelloReply { host, view, .. }) => RankName { host: host.clone(), view: view.clone() },
            None => RankName::default(),
        };
        self.ranks = hellos.iter().map(name).collect();
        let seat = |hello: HelloReply| RankCpus { machine: hello.machine, cpus: hello.cpus };
        self.seats = hellos.into_iter().map(|hello| hello.map(seat)).collect();
        None
    }

    pub(super) fn name(&self) -> &str {
        &self.name
    }

    pub(super) fn hosts(&self) -> &[String] {
        &self.hosts
    }

    /// Passes the answers of all ranks to the command.
    pub(super) fn all_answered(&mut self, link: &mut RankLink, answers: Vec<Option<RankAnswer>>) {
        let lost = link.lost_ranks();
        let reply = |(rank, answer): (usize, Option<RankAnswer>)| {
            let missing = || RankAnswer {
                failure: Some(format!("missing: {}", lost[rank].clone().unwrap_or_default())),
                ..RankAnswer::default()
            };
            let RankAnswer { text, key, exit, failure } = answer.unwrap_or_else(missing);
            RankReply { name: ranks(&[rank], &self.hosts), text, key, exit: exit_of(exit), failure }
        };
        let all = answers.into_iter().enumerate().take(self.taking_part).map(reply).collect();
        if let Some(reply) = self.asking.take() {
            let _ = reply.send(all);
        }
    }

    pub(super) fn preflight(&self, link: &RankLink, order: &Order) -> bool {
        link.is_complete() && !order.session.control.is_interrupted() && link.stop().is_none()
    }

    /// Passes the refusals of this run to the command.
    pub(super) fn refuse_run(&mut self, order: Order, link: &RankLink) {
        let lost = link.lost_ranks().into_iter().enumerate().filter_map(|(rank, why)| Some((rank, why?)));
        let lost = by_message(lost.map(|(rank, why)| (rank, format!("missing: {why}"))), &self.hosts);
        order.session.control.interrupt();
        let why = if lost.is_empty() { vec![ENDED_BEFORE.to_owned()] } else { lost };
        let executed = merge_ranks::without_results(&order.run, why);
        let _ = order.reply.send(Ok(executed));
    }

    pub(super) fn begin(&mut self, link: &mut RankLink, wish: Option<JobRequest>) -> NextTask {
        self.taking_part = self.ranks.len();
        let order = match wish {
            Some(JobRequest::Run(order)) => *order,
            Some(JobRequest::Plan(run, reply)) => {
                self.asking = Some(reply);
                return NextTask::Plan(Box::new(self.task_of(*run)));
            }
            Some(JobRequest::ReadBack(task, reply)) => {
                self.asking = Some(reply);
                return NextTask::ReadBack(ReadBackTask { hosts: self.hosts.clone(), ..task });
            }
            Some(JobRequest::End(code)) => return NextTask::Bye(code, link.is_complete()),
            None => return NextTask::Bye(Exit::RunFailed.code(), false),
        };
        let task = self.task_of(order.run.clone());
        let listener = Arc::clone(&order.session.listener);
        let (one_of_several, wants) = (order.session.one_of_several, listener.wants());
        let outcomes = task.ranks.iter().map(|_| None).collect();
        let hosts = task.ranks.iter().map(|rank| rank.host.clone()).collect();
        let (board, silent) = (LiveBoard::new(listener, hosts), HashSet::new());
        self.going = Some(ActiveRun { order, before: Vec::new(), outcomes, board, silent });
        NextTask::Run(Box::new(RunTask { one_of_several, wants, ..task }))
    }

    /// Returns the task of a run without display.
    fn task_of(&mut self, run: Runnable) -> RunTask {
        let all = self.ranks.len();
        self.taking_part = run.hosts.map_or(all, |hosts| hosts as usize).min(all);
        let ranks = self.ranks[..self.taking_part].to_vec();
        self.tell_of_volumes(&run, ranks.len() as u64);
        let cpus = match shares_cpus(&run) {
            true => share(&self.seats[..ranks.len()]),
            false => vec![None; ranks.len()],
        };
        let wants = Subscriptions::default();
        RunTask { run, one_of_several: false, job: self.name.clone(), cpus, ranks, wants }
    }

    /// Passes the result of the run to the command.
    fn end<T>(&mut self, ended: Result<ExecutedRun, RunError>) -> StartDecision<T> {
        if let Some(going) = self.going.take() {
            let _ = going.order.reply.send(ended);
        }
        StartDecision::End
    }

    /// Ends the run before a measurement, for these reasons.
    fn end_for<T>(&mut self, refusals: Vec<String>, is_usage: bool) -> StartDecision<T> {
        let error = |text| if is_usage { PlanError::profile(text) } else { PlanError::target(text) };
        self.end(Err(RunError::Unfit(refusals.into_iter().map(error).collect())))
    }

    /// Whether a person, or a lost rank, has ended the run; then the command hears of it.
    fn is_ended(&mut self, link: &RankLink) -> bool {
        let Some(going) = &self.going else { return true };
        let ended = self.control.is_interrupted()
            || going.order.session.control.is_interrupted()
            || link.stop().is_some()
            || !link.is_complete();
        if ended && let Some(going) = self.going.take() {
            self.refuse_run(going.order, link);
        }
        ended
    }

    /// Evaluates the checks of all ranks: obstacles, and shared targets.
    pub(super) fn judge(
        &mut self,
        link: &mut RankLink,
        mut checked: Vec<Option<CheckReply>>,
    ) -> StartDecision<SharedTargets> {
        checked.truncate(self.going.as_ref().map_or(0, |going| going.outcomes.len()));
        let all = || checked.iter().enumerate().filter_map(|(rank, checked)| Some((rank, checked.as_ref()?)));
        let said = all().flat_map(|(rank, one)| one.refusals.iter().map(move |text| (rank, text.clone())));
        let refusals = by_message(said, &self.hosts);
        if !refusals.is_empty() {
            let is_usage = all().any(|(_, one)| one.is_usage);
            return self.end_for(refusals, is_usage);
        }
        if self.is_ended(link) {
            return StartDecision::End;
        }
        let Some(asked) = self.going.as_ref().map(|going| going.order.run.clone()) else {
            return StartDecision::End;
        };
        let (mode, split) = (asked.run_options.verify, asked.split);
        let mut refusals = verified::refusals(mode, &asked.profile, &checked, split, &self.hosts);
        refusals.extend(zoned::refusals(&asked.profile, &checked, &self.hosts));
        if !refusals.is_empty() {
            return self.end_for(refusals, false);
        }
        let ids = TargetIds::from_profile(&asked.profile);
        let mut roles = Vec::new();
        for (id, path) in ids.paths().iter().enumerate() {
            let real = all().all(|(_, one)| one.places.len() > id);
            let place = |one: &CheckReply| one.places.get(id).cloned().unwrap_or_default();
            let places: Vec<Option<TargetLocation>> =
                checked.iter().map(|one| one.as_ref().map(place)).collect();
            // Without real targets each rank has its own.
            let (groups, guessed) = match real || split {
                true => group_places(&places),
                false => (all().map(|(rank, _)| vec![rank]).collect(), false),
            };
            if real {
                self.tell_of_sharing(path, &groups, guessed, split);
            }
            let mut by_rank = vec![None; checked.len()];
            for group in groups {
                for (part, rank) in group.iter().enumerate() {
                    by_rank[*rank] = Some(TargetPart { part: part as u64, of: group.len() as u64 });
                }
            }
            roles.push(by_rank);
        }
        let claims = checked.into_iter().map(|one| one?.claims).collect();
        StartDecision::Go(SharedTargets { roles, claims })
    }

    /// Reports which volumes apply to each rank, and which to all together.
    fn tell_of_volumes(&mut self, run: &Runnable, ranks: u64) {
        let run_options = &run.run_options;
        if let Some(RateTotal { ios_per_s, .. }) = run_options.rate_total {
            let each = ios_per_s as f64 / ranks as f64;
            self.say_once(format!(
                "--rate-total: the {ranks} ranks start {ios_per_s} I/Os per second together, {each:.1} each"
            ));
        }
        for (option, done, volume) in [
            ("--until-written", "writes", run_options.until_written),
            ("--until-read", "reads", run_options.until_read),
        ] {
            if let Some(Volume::Bytes(bytes)) = volume {
                let all = amount(bytes.saturating_mul(ranks));
                let each = amount((bytes / ranks.max(1)).max(1));
                let bytes = amount(bytes);
                self.say_once(format!(
                    "{option}: each of the {ranks} ranks {done} {bytes}, {all} in all; for {bytes} in all \
                     use {each}"
                ));
            }
        }
    }

    fn tell_of_sharing(&mut self, path: &RawText, groups: &[Vec<usize>], guessed: bool, split: bool) {
        for group in groups.iter().filter(|group| group.len() > 1) {
            let names = ranks(group, &self.hosts);
            let how = match split {
                true => "each works on its own part of it (--split)",
                false => {
                    "their I/O overlaps; use --split for separate parts, or %r or %h in the path for \
                     separate files"
                }
            };
            self.say_once(match guessed {
                true => format!("'{path}' may be the same target for {names}; {how}"),
                false => format!("'{path}' is the same target for {names}: {how}"),
            });
        }
    }

    /// Evaluates the creation of shared files.
    pub(super) fn all_made(
        &mut self,
        link: &mut RankLink,
        failures: Vec<Option<Option<String>>>,
    ) -> StartDecision<()> {
        let said = failures.into_iter().enumerate().filter_map(|(rank, failure)| Some((rank, failure??)));
        let refusals = by_message(said, &self.hosts);
        if self.is_ended(link) {
            return StartDecision::End;
        }
        if refusals.is_empty() { StartDecision::Go(()) } else { self.end_for(refusals, false) }
    }

    /// Decides from the state of all ranks: start of the next time span, none, or the end.
    pub(super) fn step(&mut self, link: &mut RankLink, steps: Vec<Option<RankRequest>>) -> StepReply {
        let Some(going) = &mut self.going else { return StepReply::Over(true) };
        let (mut waiting, mut over) = (0, 0);
        for (rank, step) in steps.into_iter().enumerate() {
            match step {
                Some(RankRequest::Waits) => waiting += 1,
                Some(RankRequest::Ended(outcome)) => {
                    over += 1;
                    going.outcomes[rank] = Some(*outcome);
                }
                Some(RankRequest::Over) => over += 1,
                Some(RankRequest::Idle) | None => {}
            }
        }
        let is_stopped = going.order.session.control.is_interrupted() || !link.is_complete();
        if waiting == 0 {
            return StepReply::Over(self.finish_run(link));
        }
        if over > 0 || self.control.is_interrupted() || is_stopped || link.stop().is_some() {
            return StepReply::Stop;
        }
        let clocks = link.clocks(&self.first_with_clock);
        for (rank, clock) in clocks.iter().enumerate() {
            if clock.is_none() {
                link.lose(rank, "it did not reply to the clock query");
            }
        }
        let farthest = clocks.iter().flatten().map(|clock| clock.uncertainty_ns).max().unwrap_or(0);
        let notice = START_NOTICE + NOTICE_TIME_PER_RANK * link.size() as Nanos;
        let trips = farthest.saturating_mul(2 * NOTICE_TRIPS);
        let at = clock::monotonic() + notice.saturating_add(trips).min(MAX_NOTICE_NS.max(notice));
        let of_rank = |clock: &Option<Offset>| clock.map_or(at, |offset| offset.to_other(at));
        let starts = clocks.iter().map(of_rank).collect();
        if going.before.is_empty() {
            going.before = clocks;
        }
        StepReply::GoOn(starts)
    }

    /// Ends the run, and passes the merged record to the command. Returns whether it reports the available
    /// records of all ranks.
    fn finish_run(&mut self, link: &mut RankLink) -> bool {
        // The last states came with the answers.
        self.watch_run(link, None);
        let Some(going) = self.going.take() else { return true };
        let after = if going.before.is_empty() { Vec::new() } else { link.clocks(&self.first_with_clock) };
        let ActiveRun { order, before, outcomes, board, .. } = going;
        board.finish();
        let lost = link.lost_ranks();
        let mut parts = Vec::new();
        for (rank, outcome) in outcomes.into_iter().enumerate() {
            let clock = |clocks: &[Option<Offset>]| clocks.get(rank).copied().flatten();
            parts.push(RankPart {
                name: self.hosts[rank].clone(),
                lost: lost[rank].clone(),
                outcome,
                before: clock(&before),
                after: clock(&after),
            });
        }
        let WholeRun { mut executed, first_line } = merge_ranks::merge_ranks(&order.run, parts, &self.hosts);
        executed.troubles.extend(order.session.listener.run_ended());
        first_line.into_iter().map(Finding::error).for_each(print_line);
        let is_one = order.session.one_of_several;
        if !self.quiet && !is_one {
            merge_ranks::report_missing(&executed.record, &self.hosts);
        }
        if !link.is_complete() {
            // A command of several runs ends with this one.
            order.session.control.interrupt();
        }
        let _ = order.reply.send(Ok(executed));
        link.is_complete() || !is_one
    }
}

/// Whether ranks on one machine divide its CPUs. Affinity options exclude that.
fn shares_cpus(run: &Runnable) -> bool {
    let spans = &run.profile.time_spans;
    let chosen = spans.iter().any(|span| span.disable_affinity || !span.affinity.is_empty());
    !chosen && !run.run_options.virtual_time()
}

/// Returns the ranks that differ from rank 0 in version or arguments.
fn rank_differences(hellos: &[Option<HelloReply>]) -> Vec<(usize, String)> {
    let Some(Some(first)) = hellos.first() else { return Vec::new() };
    let difference = |own: &HelloReply| match own.version == first.version {
        true => arguments::difference(&own.arguments, &first.arguments),
        false => Some(format!(
            "it runs {}, and rank 0 {}: install the same version everywhere",
            own.version, first.version
        )),
    };
    let ranks = hellos.iter().enumerate();
    ranks.filter_map(|(rank, hello)| Some((rank, difference(hello.as_ref()?)?))).collect()
}

/// Returns for each rank the first rank with the same name, or itself if the name is empty.
fn first_with_same<'n>(names: impl Iterator<Item = &'n str>) -> Vec<usize> {
    let mut first = HashMap::new();
    let one = |(number, name): (usize, &'n str)| match name.is_empty() {
        true => number,
        false => *first.entry(name).or_insert(number),
    };
    names.enumerate().map(one).collect()
}
