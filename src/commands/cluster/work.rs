//! Work of a rank on its machine: inspection of its targets, creation of its files, and the run.

use super::job;
use super::messages::{
    CheckReply, RankAnswer, RankClaims, RankName, RankOutcome, RankRequest, Roles, RunTask,
};
use super::targets;
use crate::clock::{self, Nanos, SECOND};
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::runs::runnable::Runnable;
use crate::finding::Finding;
use crate::host::claims::{ClaimOwner, Claims};
use crate::host::target;
use crate::plan::{self, JobRank, SpanPlan};
use crate::profile::{Profile, RawText, TargetIds};
use crate::ranks::part::{self, SplitError, TargetPart};
use crate::report::plan_text;
use crate::results::Results;
use crate::run::{
    self, BarrierPoint, Control, ExecutedRun, FileToCreate, Options, PeerRanks, PrecreateError, RunError,
    RunObserver, RunReporter, Session,
};
use crate::sys::mutex::LockUnpoisoned;
use crate::sys::standard_error::print_line;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

const POLL_INTERVAL: Duration = Duration::from_millis(50);
/// A client of NFS keeps attributes of files and folders for up to 60 s (acregmax, acdirmax).
const PEER_ERROR_TIME_NS: Nanos = 70 * SECOND;

#[derive(Debug)]
pub(super) struct RankWork {
    task: RunTask,
    run: Runnable,
    rank: usize,
    /// Ranks that see the same devices by the same paths, this one included: the first claims for all.
    beside: Vec<usize>,
    /// Files of `-c` that this rank creates, also for other ranks.
    made: Vec<FileToCreate>,
    claims: Option<Claims>,
}

impl RankWork {
    pub(super) fn new(task: RunTask, rank: usize) -> RankWork {
        let run = job::part(&task.run, rank, &hosts(&task));
        let view = task.ranks.get(rank).map(|own| own.view.clone()).filter(|view| !view.is_empty());
        let same = |other: &RankName| view.as_ref() == Some(&other.view);
        let beside = (0..task.ranks.len()).filter(|other| same(&task.ranks[*other])).collect();
        RankWork { task, run, rank, beside, made: Vec::new(), claims: None }
    }

    fn rank_claimant(&self) -> ClaimOwner {
        if self.beside.len() > 1 { ClaimOwner::Job } else { ClaimOwner::Alone }
    }

    fn claim_targets(&mut self) -> Vec<String> {
        if self.rank_claimant() == ClaimOwner::Alone
            || self.beside[0] != self.rank
            || self.run.run_options.simulated()
        {
            return Vec::new();
        }
        let hosts = hosts(&self.task);
        let profile_of = |rank: &usize| job::part(&self.task.run, *rank, &hosts).profile;
        let profiles: Vec<Profile> = self.beside.iter().map(profile_of).collect();
        match run::claim(&profiles, &self.check_options()) {
            Ok(claims) => {
                self.claims = Some(claims);
                Vec::new()
            }
            Err(refused) => refused,
        }
    }

    fn claims_for_others(&self) -> Option<RankClaims> {
        let claims = self.claims.as_ref()?;
        Some(RankClaims { process: std::process::id(), claims: claims.to_share() })
    }

    /// Shares the claims of the machine's first rank, which may end earlier.
    pub(super) fn share_claims(&mut self, claims: &[Option<RankClaims>]) {
        let first = self.beside.first().filter(|first| **first != self.rank);
        let Some(Some(claimed)) = first.and_then(|first| claims.get(*first)) else { return };
        match Claims::shared_with(claimed.process, &claimed.claims) {
            Ok(claims) => self.claims = Some(claims),
            // One of them reports it.
            Err(why) if self.beside.get(1) == Some(&self.rank) => print_line(Finding::warning(format!(
                "rank {}: cannot also claim the devices of rank {}: {why}; if that rank is lost, others \
                 could mount them while the run continues",
                self.rank, self.beside[0]
            ))),
            Err(_) => {}
        }
    }

    fn check_options(&self) -> Options {
        Options { claimant: self.rank_claimant(), ..self.run.options() }
    }

    /// Returns local obstacles and the identity of the targets. Claims devices, without further changes.
    pub(super) fn check(&mut self) -> CheckReply {
        let mut checked = CheckReply { refusals: self.claim_targets(), ..CheckReply::default() };
        checked.claims = self.claims_for_others();
        let system = run::machine_for(&self.run.profile);
        for outlook in self.run.outlooks(&system, &self.check_options()) {
            checked.is_usage |= outlook.is_usage();
            checked.refusals.extend(outlook.messages());
        }
        if let Err(errors) = self.run.preflight() {
            checked.refusals.extend(errors.iter().map(ToString::to_string));
        }
        if self.target_paths().len() != TargetIds::from_profile(&self.task.run.profile).paths().len() {
            checked.refusals.push("two targets become the same path when %r and %h are filled in".into());
        }
        checked.refusals.dedup();
        if !self.run.run_options.simulated() {
            checked.places = targets::places(&self.run.profile);
        }
        checked
    }

    /// Returns the plan of this rank's part, and the obstacles.
    pub(super) fn plan(&self) -> RankAnswer {
        let system = run::machine_for(&self.run.profile);
        let mut answer = RankAnswer::default();
        let mut failures: Vec<String> =
            self.run.preflight().err().iter().flatten().map(ToString::to_string).collect();
        for (number, outlook) in self.run.outlooks(&system, &self.check_options()).enumerate() {
            if let Ok(plan) = &outlook.plan {
                let text = |plan: &SpanPlan| {
                    let mut text = Vec::new();
                    plan_text::write_plan(&mut text, number + 1, plan);
                    String::from_utf8_lossy(&text).into_owned()
                };
                answer.text += &text(plan);
                answer.key += &text(&self.without_rank(plan));
                for warning in &plan.warnings {
                    answer.text += &format!("{}\n", warning.printed());
                }
            }
            failures.extend(outlook.messages());
        }
        failures.dedup();
        answer.failure = (!failures.is_empty()).then(|| failures.join("; "));
        answer
    }

    /// Returns the plan without the seeds, CPUs and names that differ by rank.
    fn without_rank(&self, plan: &SpanPlan) -> SpanPlan {
        let mut plan = plan.clone();
        let own = self.target_paths();
        let common = TargetIds::from_profile(&self.task.run.profile);
        for worker in &mut plan.workers {
            (worker.seed, worker.cpu) = Default::default();
            for target in &mut worker.targets {
                let path = own.iter().position(|path| *path == target.path);
                if let Some(path) = path.and_then(|id| common.paths().get(id)) {
                    target.path = path.clone();
                }
            }
        }
        plan
    }

    fn target_paths(&self) -> Vec<RawText> {
        TargetIds::from_profile(&self.run.profile).paths().to_vec()
    }

    /// Creates the files of `-c` that several ranks share and whose first rank this is. The run creates the
    /// files that are not shared.
    pub(super) fn make(
        &mut self,
        roles: &Roles,
        control: &Control,
        listener: Arc<dyn RunObserver>,
    ) -> Result<(), CommandError> {
        if self.run.run_options.simulated() {
            return Ok(());
        }
        let profile = run::resized(&self.run.profile);
        let ids = TargetIds::from_profile(&profile);
        let mut shared: BTreeMap<&RawText, (FileToCreate, TargetPart)> = BTreeMap::new();
        for target in profile.time_spans.iter().flat_map(|span| &span.targets).filter(|t| plan::creates(t)) {
            let ranks = ids.get(&target.path).and_then(|id| roles.get(id.index()));
            let role = ranks.and_then(|ranks| ranks.get(self.rank).copied().flatten());
            let Some(role) = role.filter(|role| role.of > 1) else { continue };
            let (path, zero) = (target.path.clone(), target.zero_write_buffers);
            let wanted = FileToCreate { path, size: target.file_size.unwrap_or(0), zero };
            let known = shared.entry(&target.path).or_insert((wanted.clone(), role));
            if known.0 != wanted {
                return Err(CommandError::from(format!(
                    "'{}' is shared by several ranks, but time spans create it differently (-c, -Z): create \
                     it first, or give every time span the same size",
                    target.path
                )));
            }
        }
        self.made = shared.values().map(|(file, _)| file.clone()).collect();
        let first = shared.into_values().filter(|(_, role)| role.part == 0).map(|(file, _)| file);
        match run::create(first.collect(), &self.check_options(), control, &RunReporter::new(listener)) {
            // An interrupted job ends before its first time span.
            Ok(()) | Err(PrecreateError::Interrupted) => Ok(()),
            Err(PrecreateError::Refused(why) | PrecreateError::Failed(why)) => Err(why.into()),
        }
    }

    /// Waits until this rank sees the shared files as the first ranks created them.
    ///
    /// # Errors
    /// Fails if a file has another size on this host.
    pub(super) fn find_made(&self, control: &Control) -> Result<(), CommandError> {
        let until = clock::monotonic() + PEER_ERROR_TIME_NS;
        for file in &self.made {
            loop {
                look_into_folder(&file.path);
                let found = targets::size(&file.path);
                if found == file.size || control.is_interrupted() {
                    break;
                }
                if clock::monotonic() >= until {
                    return Err(CommandError::from(format!(
                        "'{}': another rank created it with {} bytes, but it has {found} here; name a path \
                         that is the same file on all hosts, or use %r or %h in the path for separate files",
                        file.path, file.size
                    )));
                }
                std::thread::sleep(POLL_INTERVAL);
            }
        }
        Ok(())
    }

    fn restrict_to_part(&mut self, roles: &Roles) -> Result<(), SplitError> {
        if !self.run.split {
            return Ok(());
        }
        for (path, ranks) in self.target_paths().iter().zip(roles) {
            if let Some(role) = ranks.get(self.rank).copied().flatten()
                && role.of > 1
            {
                let part = part::shifted(role.part as usize, self.run.shift_ranks, role.of as usize) as u64;
                let role = TargetPart { part, ..role };
                part::split(&mut self.run.profile, path, targets::size(path), role)?;
            }
        }
        Ok(())
    }

    pub(super) fn start(mut self, roles: &Roles, session: Session) -> Running {
        let (say, said) = channel();
        let (starts, start) = channel();
        let parted = self.restrict_to_part(roles);
        let options = Options {
            made: self.made.iter().map(|file| file.path.clone()).collect(),
            claimant: self.rank_claimant(),
            rank: JobRank { rank: self.rank as u32, of: self.task.ranks.len() as u32 },
            companions: Some(Arc::new(RankRendezvous {
                say: Mutex::new(say.clone()),
                start: Mutex::new(start),
            })),
            ..session.options
        };
        let session = Session { one_of_several: self.task.one_of_several, options, ..session };
        let windows = vec![None; self.run.profile.time_spans.len()];
        let claims = self.claims.take();
        let work = move || {
            let ended = match parted {
                Ok(()) => self.run.run_here(session),
                Err(too_small) => Ok(failed_run(too_small.to_string())),
            };
            let _ = say.send(Local::Ended(Box::new(ended)));
        };
        // Without it no one can report anything; this is reported as a defect.
        let _ = std::thread::Builder::new().name("rank".into()).spawn(work);
        Running { said, starts, windows, begun: 0, left_behind: false, _claims: claims }
    }
}

fn hosts(task: &RunTask) -> Vec<&str> {
    task.ranks.iter().map(|rank| rank.host.as_str()).collect()
}

/// Opens the folder of a file: a network file system then forgets that the file was missing.
fn look_into_folder(path: &RawText) {
    let at = target::locate(path.as_bytes()).ok();
    let folder = at.as_deref().and_then(Path::parent).filter(|folder| !folder.as_os_str().is_empty());
    drop(folder.map(std::fs::File::open));
}

fn failed_run(message: String) -> ExecutedRun {
    let record = crate::results::Record::new(Profile::default(), Default::default(), Results::default());
    ExecutedRun { record, failures: vec![message], troubles: Vec::new(), refused: false, left_behind: false }
}

enum Local {
    Waits(BarrierPoint),
    Measured(Nanos, Nanos),
    Ended(Box<Result<ExecutedRun, RunError>>),
}

#[derive(Debug)]
struct RankRendezvous {
    say: Mutex<Sender<Local>>,
    start: Mutex<Receiver<Option<Nanos>>>,
}

impl std::fmt::Debug for Local {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Local")
    }
}

impl PeerRanks for RankRendezvous {
    fn go_on_at(&self, from: BarrierPoint, control: &Control) -> Option<Nanos> {
        self.say.lock_anyway().send(Local::Waits(from)).ok()?;
        let start = self.start.lock_anyway();
        loop {
            match start.recv_timeout(POLL_INTERVAL) {
                Ok(at) => return at,
                Err(RecvTimeoutError::Timeout) if !control.is_interrupted() && !control.has_failed() => {}
                Err(_) => return None,
            }
        }
    }

    fn set_window(&self, begin: Nanos, end: Nanos) {
        let _ = self.say.lock_anyway().send(Local::Measured(begin, end));
    }
}

#[derive(Debug)]
pub(super) struct Running {
    said: Receiver<Local>,
    starts: Sender<Option<Nanos>>,
    windows: Vec<Option<(Nanos, Nanos)>>,
    begun: usize,
    /// Claims until the end of all ranks.
    _claims: Option<Claims>,
    /// Whether threads still wait for the kernel, so that the process must end with
    /// [`crate::sys::process::end`].
    pub left_behind: bool,
}

impl Running {
    /// Returns the run's next step; calls `meanwhile` repeatedly during the wait.
    pub(super) fn next(&mut self, mut meanwhile: impl FnMut()) -> RankRequest {
        loop {
            match self.said.recv_timeout(POLL_INTERVAL) {
                Ok(Local::Waits(from)) => {
                    self.begun += usize::from(from == BarrierPoint::Ready);
                    return RankRequest::Waits;
                }
                Ok(Local::Measured(begin, end)) => {
                    if let Some(window) = self.begun.checked_sub(1).and_then(|at| self.windows.get_mut(at)) {
                        *window = Some((begin, end));
                    }
                }
                Ok(Local::Ended(ended)) => return RankRequest::Ended(Box::new(self.rank_outcome(*ended))),
                Err(RecvTimeoutError::Timeout) => meanwhile(),
                Err(RecvTimeoutError::Disconnected) => {
                    let failures = vec!["a defect of this program ended the run; please report it".into()];
                    let (troubles, windows) = Default::default();
                    return RankRequest::Ended(Box::new(RankOutcome {
                        record: None,
                        failures,
                        troubles,
                        windows,
                    }));
                }
            }
            meanwhile();
        }
    }

    fn rank_outcome(&mut self, ended: Result<ExecutedRun, RunError>) -> RankOutcome {
        let windows = std::mem::take(&mut self.windows);
        match ended {
            Ok(ExecutedRun { record, failures, troubles, left_behind, .. }) => {
                self.left_behind = left_behind;
                RankOutcome { record: Some(record), failures, troubles, windows }
            }
            Err(not) => {
                let (record, failures, troubles) = (None, vec![not.to_string()], Vec::new());
                RankOutcome { record, failures, troubles, windows }
            }
        }
    }

    /// Starts the waiting time span at this time; `None` = cancels it.
    pub(super) fn answer_start(&self, at: Option<Nanos>) {
        let _ = self.starts.send(at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample_run() -> (Running, RankRendezvous) {
        let ((say, said), (starts, start)) = (channel(), channel());
        let meeting = RankRendezvous { say: Mutex::new(say), start: Mutex::new(start) };
        let windows = vec![None; 2];
        (Running { said, starts, windows, begun: 0, left_behind: false, _claims: None }, meeting)
    }

    #[test]
    fn time_span_waits_for_peers_when_ready_and_warm() {
        let (mut running, meeting) = sample_run();
        let run = std::thread::spawn(move || {
            let control = Control::default();
            for span in [10, 20] {
                assert_eq!(meeting.go_on_at(BarrierPoint::Ready, &control), Some(span));
                assert_eq!(meeting.go_on_at(BarrierPoint::WarmedUp, &control), Some(span + 5));
                meeting.set_window(span + 5, span + 8);
            }
            // Nobody has a third one.
            assert_eq!(meeting.go_on_at(BarrierPoint::Ready, &control), None);
        });
        for at in [10, 15, 20, 25] {
            assert!(matches!(running.next(|| ()), RankRequest::Waits), "{at}");
            running.answer_start(Some(at));
        }
        assert!(matches!(running.next(|| ()), RankRequest::Waits));
        assert_eq!(running.windows, [Some((15, 18)), Some((25, 28))]);
        running.answer_start(None);
        run.join().unwrap();
    }

    #[test]
    fn failed_run_does_not_wait_for_ranks() {
        let (_running, meeting) = sample_run();
        let control = Control::default();
        control.fail("the disk is gone".to_owned());
        assert_eq!(meeting.go_on_at(BarrierPoint::WarmedUp, &control), None);
    }
}
