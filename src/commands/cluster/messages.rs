//! Messages between the ranks in the rounds of a run: the answers of all ranks, and the decisions of rank
//! 0.

use crate::cli::{Journals, VerifyAfterRequest};
use crate::clock::Nanos;
use crate::commands::shared::runs::runnable::Runnable;
use crate::host::claims::SharedClaim;
use crate::limits;
use crate::message_error::MessageError;
use crate::profile::RawText;
use crate::ranks::part::{TargetPart, fill_in, shifted};
use crate::ranks::target_location::TargetLocation;
use crate::results::{IntervalFigures, Record, RecordMismatchError};
use crate::run::{MachineSpeed, Speed, Subscriptions};
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{BufWriter, Write};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct HelloReply {
    pub version: String,
    pub host: String,
    pub machine: String,
    pub clock: String,
    pub cpus: Vec<u32>,
    /// Identity shared with ranks that see the same devices by the same paths; empty = unknown.
    pub view: String,
    /// Arguments that must be equal on all ranks.
    pub arguments: Vec<RawText>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RankName {
    pub host: String,
    pub view: String,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum NextTask {
    Run(Box<RunTask>),
    ReadBack(ReadBackTask),
    /// All ranks plan their parts of the run (`--dry-run`).
    Plan(Box<RunTask>),
    /// The job ends with this exit code; whether all ranks are present, so that they can leave in order.
    Bye(u8, bool),
}

/// The first message of `diskspd hosts` to a host.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct StartOrder {
    pub rank: u32,
    pub size: u32,
    /// Working folder of the command, for relative paths.
    pub folder: RawText,
    pub words: Vec<RawText>,
    /// Columns, rows and kind of the hub's terminal.
    pub screen: Option<(usize, usize, String)>,
}

/// `verify-after` with one journal per rank.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct ReadBackTask {
    /// Path of the journal, or of the folder with `--campaign`, with `%r` and `%h`.
    pub journal: RawText,
    pub is_campaign: bool,
    pub targets: Vec<RawText>,
    pub atomic: bool,
    pub power_lost: bool,
    pub shift_ranks: u32,
    pub hosts: Vec<String>,
}

impl ReadBackTask {
    pub(super) fn from_request(request: &VerifyAfterRequest) -> ReadBackTask {
        let (path, is_campaign) = match &request.source {
            Journals::One(path) => (path, false),
            Journals::Campaign(path) => (path, true),
        };
        ReadBackTask {
            journal: RawText::from(path.clone().into_os_string()),
            is_campaign,
            targets: request.targets.clone(),
            atomic: request.atomic,
            power_lost: request.power_lost,
            shift_ranks: request.shift_ranks,
            hosts: Vec::new(),
        }
    }

    pub(super) fn of_rank(&self, rank: usize) -> VerifyAfterRequest {
        let data = shifted(rank, self.shift_ranks, self.hosts.len());
        let host = self.hosts.get(data).map_or("", String::as_str);
        let path = fill_in(&self.journal, data, host).as_path().to_owned();
        VerifyAfterRequest {
            source: if self.is_campaign { Journals::Campaign(path) } else { Journals::One(path) },
            targets: self.targets.iter().map(|target| fill_in(target, data, host)).collect(),
            atomic: self.atomic,
            power_lost: self.power_lost,
            shift_ranks: 0,
        }
    }
}

/// A rank's text and exit code, or the reason of its failure.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RankAnswer {
    pub text: String,
    /// Text without facts that differ by rank; empty without a plan.
    #[serde(default)]
    pub key: String,
    pub exit: u8,
    pub failure: Option<String>,
}

/// Decision after a round: the run continues or ends.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum StartDecision<T> {
    Go(T),
    End,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct RunTask {
    pub run: Runnable,
    pub one_of_several: bool,
    /// Name of the job, part of the names of kept records.
    pub job: String,
    /// CPUs of each rank; `None` = all CPUs from its start.
    pub cpus: Vec<Option<Vec<u32>>>,
    /// Ranks with I/O, which are the first ones.
    pub ranks: Vec<RankName>,
    /// Counters that rank 0 displays for each rank during the run.
    pub wants: Subscriptions,
}

/// A rank's state in the current second.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct RankState {
    /// Phase in words (warm-up, measured time or cool-down); empty = none.
    pub phase: String,
    pub left_ns: Nanos,
    pub speed: Option<Speed>,
    pub machine: MachineSpeed,
    /// New intervals with their time span, from 1, and number, from 0.
    pub intervals: Vec<(usize, u32, IntervalFigures)>,
}

impl RankState {
    /// Maximum number of intervals per second (`-D`); others are not sent.
    pub(super) const MAX_INTERVALS: usize = 64;
}

/// Second answer: whether the rank can execute the run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct CheckReply {
    pub refusals: Vec<String>,
    /// Whether the profile is the cause, not the machine.
    pub is_usage: bool,
    /// Identity of each target in order of ids; empty in simulated time.
    pub places: Vec<TargetLocation>,
    /// Devices claimed for other ranks on this machine; `None` = no claims for others.
    pub claims: Option<RankClaims>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct RankClaims {
    pub process: u32,
    pub claims: Vec<SharedClaim>,
}

#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(super) struct SharedTargets {
    pub roles: Roles,
    pub claims: Vec<Option<RankClaims>>,
}

/// By target, then rank, which of how many ranks that share it this one is; `None` = the
/// rank is lost.
pub(super) type Roles = Vec<Vec<Option<TargetPart>>>;

/// Answer of a rank during the time spans.
#[derive(Debug, Serialize, Deserialize)]
pub(super) enum RankRequest {
    /// A time span waits for the common moment, either ready to begin or warmed up (`--until-steady`). All
    /// ranks have the same profile and wait at the same place.
    Waits,
    Ended(Box<RankOutcome>),
    /// The rank does not perform I/O in this run (`--hosts`).
    Idle,
    Over,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub(super) struct RankOutcome {
    pub record: Option<Record>,
    /// Causes of the failure; empty = success.
    pub failures: Vec<String>,
    pub troubles: Vec<String>,
    /// Measured window of each time span on the rank's monotonic clock.
    pub windows: Vec<Option<(Nanos, Nanos)>>,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) enum StepReply {
    /// Start or continue at this time of each rank's monotonic clock.
    GoOn(Vec<Nanos>),
    Stop,
    /// The run is over. Whether rank 0 has the records of all present ranks, and reports them.
    Over(bool),
}

/// A message with bounds for its values.
pub(crate) trait RankMessage: Serialize + DeserializeOwned {
    fn check(&self) -> Result<(), RecordMismatchError> {
        Ok(())
    }
}

impl RankMessage for HelloReply {}
impl<T: Serialize + DeserializeOwned> RankMessage for StartDecision<T> {}
impl RankMessage for StartOrder {}
impl RankMessage for CheckReply {}
impl RankMessage for NextTask {}
impl RankMessage for RankAnswer {}
impl RankMessage for StepReply {}
/// Exit code of a job that ends before a run.
impl RankMessage for Option<u8> {}
impl RankMessage for RankState {
    fn check(&self) -> Result<(), RecordMismatchError> {
        let (found, most) = (self.intervals.len() as u64, RankState::MAX_INTERVALS as u64);
        if found > most { Err(RecordMismatchError::Intervals { found, most }) } else { Ok(()) }
    }
}

/// Report that the rank waits for the next task.
impl RankMessage for () {}
/// Reason why files of the run cannot be created.
impl RankMessage for Option<String> {}

impl RankMessage for RankRequest {
    fn check(&self) -> Result<(), RecordMismatchError> {
        match self {
            RankRequest::Ended(outcome) => match &outcome.record {
                Some(record) if record.hosts.is_empty() => Err(RecordMismatchError::Count {
                    place: "record".to_owned(),
                    what: "hosts".to_owned(),
                    expected: 1,
                    found: 0,
                }),
                Some(record) => record.check_intervals(limits::INTERVALS_OF_RANK),
                None => Ok(()),
            },
            RankRequest::Waits | RankRequest::Over | RankRequest::Idle => Ok(()),
        }
    }
}

pub(crate) fn pack(message: &impl Serialize) -> Vec<u8> {
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::fast());
    // Written and read as records are: every further way would be another writer and parser in the program.
    let mut buffered = BufWriter::new(&mut packed as &mut dyn Write);
    // Can't fail: memory takes everything, and messages have no maps whose keys JSON could refuse.
    let _ = serde_json::to_writer(&mut buffered, message);
    let _ = buffered.flush();
    drop(buffered);
    packed.finish().unwrap_or_default()
}

pub(crate) fn unpack<T: RankMessage>(bytes: &[u8]) -> Result<T, MessageError> {
    let text = limits::MESSAGE.read(DeflateDecoder::new(bytes)).map_err(|error| error.to_string())?;
    let message: T = crate::json_reader::read_json(&text).map_err(|error| error.to_string())?;
    message.check().map_err(|mismatch| mismatch.to_string())?;
    Ok(message)
}

/// Whether the bytes are a message of any kind.
pub(crate) fn is_any(bytes: &[u8]) -> bool {
    fn is_message<T: RankMessage>(bytes: &[u8]) -> bool {
        unpack::<T>(bytes).is_ok_and(|message| unpack::<T>(&pack(&message)).is_ok())
    }
    is_message::<HelloReply>(bytes)
        | is_message::<NextTask>(bytes)
        | is_message::<RankAnswer>(bytes)
        | is_message::<CheckReply>(bytes)
        | is_message::<StartDecision<SharedTargets>>(bytes)
        | is_message::<RankRequest>(bytes)
        | is_message::<StepReply>(bytes)
        | is_message::<RankState>(bytes)
        | is_message::<StartOrder>(bytes)
        | is_message::<Option<String>>(bytes)
}
