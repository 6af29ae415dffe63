//! What rank 0 does besides: it decides at the end of each round, and reports.

use super::messages::{
    Checked, GoOrEnd, Hello, NextStep, RankName, RankOutcome, RankStep, RunTask, SharedTargets,
};
use super::names::{by_message, ranks};
use super::setup::LeadSetup;
use super::whole::{self, RankPart, WholeRun};
use super::{arguments, verified, zoned};
use crate::cli::{Exit, RunRequest};
use crate::clock::{self, Nanos, SECOND};
use crate::cluster::RankLink;
use crate::cluster::cpus::{Seat, share};
use crate::cluster::offset::Offset;
use crate::cluster::part::TargetPart;
use crate::cluster::place::{TargetPlace, together};
use crate::commands::not_done::NotDone;
use crate::finding::Finding;
use crate::profile::{RateTotal, RawText, TargetIds, Volume};
use crate::run::{Control, Events, Listener, Nobody};
use crate::sys::standard_error::say;
use crate::units::amount;
use std::collections::HashMap;
use std::sync::Arc;

/// From the decision to start until the start, at least: it has to reach all ranks.
const NOTICE: Nanos = SECOND / 4;
/// The same for each rank.
const NOTICE_EACH: Nanos = SECOND / 1000;
/// And so many round trips of the farthest rank: a message that got lost is sent again after some of them.
const NOTICE_TRIPS: Nanos = 10;
/// All of it at most.
const LONGEST_NOTICE: Nanos = 10 * SECOND;
/// After this somebody wants to know what is waited for.
const SILENT: Nanos = 10 * SECOND;

/// Rank 0's part.
pub struct Lead<'a> {
    request: &'a RunRequest,
    control: Arc<Control>,
    /// What is to be run and where its report goes; the exit code if that is not to be.
    setup: Result<LeadSetup, Exit>,
    /// Names of the hosts, by rank; empty = not known.
    hosts: Vec<String>,
    /// Since when the others are waited for, and whether that was said.
    waiting: (Nanos, bool),
    first_with_clock: Vec<usize>,
    before: Vec<Option<Offset>>,
    outcomes: Vec<Option<RankOutcome>>,
}

impl<'a> Lead<'a> {
    /// Reads and judges what the command line asks for; what stands against it is told at once.
    pub fn new(request: &'a RunRequest, control: &Arc<Control>, size: usize) -> Lead<'a> {
        let setup = LeadSetup::new(request, control).map_err(NotDone::tell);
        let outcomes = (0..size).map(|_| None).collect();
        Lead {
            request,
            control: Arc::clone(control),
            setup,
            hosts: vec![String::new(); size],
            waiting: (0, false),
            first_with_clock: (0..size).collect(),
            before: Vec::new(),
            outcomes,
        }
    }

    /// Others are waited for from now on.
    pub fn begins_to_wait(&mut self) {
        self.waiting = (clock::monotonic(), false);
    }

    pub fn waits(&mut self, link: &RankLink) {
        let (since, said) = self.waiting;
        if !said && clock::monotonic().saturating_sub(since) > SILENT {
            self.waiting.1 = true;
            say(format_args!("waiting for {}", ranks(&link.awaited(), &self.hosts)));
        }
    }

    /// Who hears how it goes on here, and the events of the command line.
    pub fn listener(&mut self) -> (Arc<dyn Listener>, Events) {
        match &mut self.setup {
            Ok(setup) => (setup.listener(self.request.quiet), std::mem::take(&mut setup.events)),
            Err(_) => (Arc::new(Nobody), Events::default()),
        }
    }

    fn refuse_run(&mut self, exit: Exit, messages: Vec<String>) -> u8 {
        messages.into_iter().map(Finding::error).for_each(say);
        exit.code()
    }

    /// Why nothing is to begin any more; `None` = nothing stands against it.
    fn end_reason(&mut self, link: &RankLink) -> Option<u8> {
        let ended = self.control.is_interrupted() || link.stop().is_some();
        ended.then(|| {
            self.refuse_run(Exit::RunFailed, vec!["ended before it began; nothing was measured".into()])
        })
    }

    /// All have said who they are: do they fit together? Then this is what is to be run.
    pub fn greet(&mut self, link: &mut RankLink, hellos: Vec<Option<Hello>>) -> GoOrEnd<RunTask> {
        for (name, hello) in self.hosts.iter_mut().zip(&hellos) {
            name.clone_from(hello.as_ref().map_or(&String::new(), |hello| &hello.host));
        }
        let clocks = hellos.iter().map(|hello| hello.as_ref().map_or("", |hello| &hello.clock));
        self.first_with_clock = first_with_same(clocks);
        let exit = match &self.setup {
            Err(exit) => Some(exit.code()),
            Ok(_) => self.end_reason(link),
        };
        if let Some(code) = exit {
            return GoOrEnd::End(code);
        }
        if !self.request.quiet {
            self.tell_of_volumes(hellos.iter().flatten().count());
        }
        let refusals = by_message(rank_differences(&hellos), &self.hosts);
        let (Ok(setup), true) = (&self.setup, refusals.is_empty()) else {
            return GoOrEnd::End(self.refuse_run(Exit::RunFailed, refusals));
        };
        let name = |hello: &Option<Hello>| match hello {
            Some(Hello { host, view, .. }) => RankName { host: host.clone(), view: view.clone() },
            None => RankName::default(),
        };
        let names = hellos.iter().map(name).collect();
        let seat = |hello: Hello| Seat { machine: hello.machine, cpus: hello.cpus };
        let seats: Vec<Option<Seat>> = hellos.into_iter().map(|hello| hello.map(seat)).collect();
        let cpus = if setup.shares_cpus() { share(&seats) } else { vec![None; seats.len()] };
        GoOrEnd::Go(RunTask { run: setup.asked.run.clone(), split: self.request.split, cpus, ranks: names })
    }

    /// All have looked: what stands against it, and who works on the same target.
    pub fn judge(&mut self, link: &mut RankLink, checked: Vec<Option<Checked>>) -> GoOrEnd<SharedTargets> {
        let all = || checked.iter().enumerate().filter_map(|(rank, checked)| Some((rank, checked.as_ref()?)));
        let said = all().flat_map(|(rank, one)| one.refusals.iter().map(move |text| (rank, text.clone())));
        let refusals = by_message(said, &self.hosts);
        if !refusals.is_empty() {
            let exit = if all().any(|(_, one)| one.is_usage) { Exit::Usage } else { Exit::RunFailed };
            return GoOrEnd::End(self.refuse_run(exit, refusals));
        }
        if let Some(code) = self.end_reason(link) {
            return GoOrEnd::End(code);
        }
        let Ok(setup) = &self.setup else { return GoOrEnd::End(Exit::RunFailed.code()) };
        let asked = &setup.asked.run;
        let (mode, split) = (asked.run_options.verify, self.request.split);
        let mut refusals = verified::refusals(mode, &asked.profile, &checked, split, &self.hosts);
        refusals.extend(zoned::refusals(&asked.profile, &checked, &self.hosts));
        if !refusals.is_empty() {
            return GoOrEnd::End(self.refuse_run(Exit::RunFailed, refusals));
        }
        let ids = TargetIds::from_profile(&asked.profile);
        let mut roles = Vec::new();
        for (id, path) in ids.paths().iter().enumerate() {
            let real = all().all(|(_, one)| one.places.len() > id);
            let place = |one: &Checked| one.places.get(id).cloned().unwrap_or_default();
            let places: Vec<Option<TargetPlace>> =
                checked.iter().map(|one| one.as_ref().map(place)).collect();
            // Simulated targets are nobody's and everybody's.
            let (groups, guessed) = match real || self.request.split {
                true => together(&places),
                false => (all().map(|(rank, _)| vec![rank]).collect(), false),
            };
            if real && !self.request.quiet {
                self.tell_of_sharing(path, &groups, guessed);
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
        GoOrEnd::Go(SharedTargets { roles, claims })
    }

    /// What `--until-written` and `--rate-total` ask of each rank is easily taken for what all do together.
    fn tell_of_volumes(&self, ranks: usize) {
        let Ok(setup) = &self.setup else { return };
        let run_options = &setup.asked.run.run_options;
        if let Some(RateTotal { ios_per_s, .. }) = run_options.rate_total {
            let all = ios_per_s.saturating_mul(ranks as u64);
            let each = (ios_per_s / ranks.max(1) as u64).max(1);
            say(format!(
                "--rate-total: each of the {ranks} ranks starts {ios_per_s} I/Os per second, {all} in all; \
                 for {ios_per_s} in all use {each}"
            ));
        }
        for (option, done, volume) in [
            ("--until-written", "writes", run_options.until_written),
            ("--until-read", "reads", run_options.until_read),
        ] {
            if let Some(Volume::Bytes(bytes)) = volume {
                let all = amount(bytes.saturating_mul(ranks as u64));
                let each = amount((bytes / ranks.max(1) as u64).max(1));
                let bytes = amount(bytes);
                say(format!(
                    "{option}: each of the {ranks} ranks {done} {bytes}, {all} in all; for {bytes} in all \
                     use {each}"
                ));
            }
        }
    }

    fn tell_of_sharing(&self, path: &RawText, groups: &[Vec<usize>], guessed: bool) {
        for group in groups.iter().filter(|group| group.len() > 1) {
            let names = ranks(group, &self.hosts);
            let how = match self.request.split {
                true => "each works on its own part of it (--split)",
                false => {
                    "their I/O overlaps; use --split for separate parts, or %r or %h in the path for \
                     separate files"
                }
            };
            say(match guessed {
                true => format!("'{path}' may be the same target for {names}; {how}"),
                false => format!("'{path}' is the same target for {names}: {how}"),
            });
        }
    }

    /// The files that are shared are made, or not.
    pub fn all_made(&mut self, link: &mut RankLink, failures: Vec<Option<Option<String>>>) -> GoOrEnd<()> {
        let said = failures.into_iter().enumerate().filter_map(|(rank, failure)| Some((rank, failure??)));
        let refusals = by_message(said, &self.hosts);
        match self.end_reason(link) {
            Some(code) => GoOrEnd::End(code),
            None if refusals.is_empty() => GoOrEnd::Go(()),
            None => GoOrEnd::End(self.refuse_run(Exit::RunFailed, refusals)),
        }
    }

    /// What follows from where all ranks are: the next time span starts, or none does, or all is over.
    pub fn step(&mut self, link: &mut RankLink, steps: Vec<Option<RankStep>>) -> NextStep {
        let (mut waiting, mut over) = (0, 0);
        for (rank, step) in steps.into_iter().enumerate() {
            match step {
                Some(RankStep::Waits) => waiting += 1,
                Some(RankStep::Ended(outcome)) => {
                    over += 1;
                    self.outcomes[rank] = Some(*outcome);
                }
                Some(RankStep::Over) => over += 1,
                None => {}
            }
        }
        if waiting == 0 {
            let exit = self.finish_run(link).code();
            return NextStep::Bye(exit, link.is_complete());
        }
        if over > 0 || self.control.is_interrupted() || link.stop().is_some() {
            return NextStep::Stop;
        }
        let clocks = link.clocks(&self.first_with_clock);
        for (rank, clock) in clocks.iter().enumerate() {
            if clock.is_none() {
                link.lose(rank, "it didn't reply to the clock query");
            }
        }
        let farthest = clocks.iter().flatten().map(|clock| clock.uncertainty_ns).max().unwrap_or(0);
        let notice = NOTICE + NOTICE_EACH * link.size() as Nanos;
        let trips = farthest.saturating_mul(2 * NOTICE_TRIPS);
        let at = clock::monotonic() + notice.saturating_add(trips).min(LONGEST_NOTICE.max(notice));
        let of_rank = |clock: &Option<Offset>| clock.map_or(at, |offset| offset.to_other(at));
        let starts = clocks.iter().map(of_rank).collect();
        if self.before.is_empty() {
            self.before = clocks;
        }
        NextStep::GoOn(starts)
    }

    /// All is over: the record of the whole, and its report.
    fn finish_run(&mut self, link: &mut RankLink) -> Exit {
        let after = if self.before.is_empty() { Vec::new() } else { link.clocks(&self.first_with_clock) };
        let lost = link.lost_ranks();
        let mut parts = Vec::new();
        for (rank, outcome) in self.outcomes.iter_mut().enumerate() {
            let clock = |clocks: &[Option<Offset>]| clocks.get(rank).copied().flatten();
            parts.push(RankPart {
                name: self.hosts[rank].clone(),
                lost: lost[rank].clone(),
                outcome: outcome.take(),
                before: clock(&self.before),
                after: clock(&after),
            });
        }
        let Ok(setup) = &self.setup else { return Exit::RunFailed };
        let WholeRun { executed, first_line } = whole::whole(&setup.asked.run, parts, &self.hosts);
        first_line.into_iter().map(Finding::error).for_each(say);
        if !self.request.quiet {
            whole::tell(&executed.record, &self.hosts);
        }
        setup.report(&executed, self.request)
    }
}

/// Why ranks cannot run together with rank 0: another version, or other arguments.
fn rank_differences(hellos: &[Option<Hello>]) -> Vec<(usize, String)> {
    let Some(Some(first)) = hellos.first() else { return Vec::new() };
    let difference = |own: &Hello| match own.version == first.version {
        true => arguments::difference(&own.arguments, &first.arguments),
        false => Some(format!(
            "it runs {}, and rank 0 {}: install the same version everywhere",
            own.version, first.version
        )),
    };
    let ranks = hellos.iter().enumerate();
    ranks.filter_map(|(rank, hello)| Some((rank, difference(hello.as_ref()?)?))).collect()
}

/// By number the first one that has the same name; those without one have it alone.
fn first_with_same<'n>(names: impl Iterator<Item = &'n str>) -> Vec<usize> {
    let mut first = HashMap::new();
    let one = |(number, name): (usize, &'n str)| match name.is_empty() {
        true => number,
        false => *first.entry(name).or_insert(number),
    };
    names.enumerate().map(one).collect()
}
