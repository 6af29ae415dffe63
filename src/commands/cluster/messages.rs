//! What the ranks of a run tell each other in its rounds: the answers of all, and the decisions of rank 0.

use crate::clock::Nanos;
use crate::cluster::part::TargetPart;
use crate::cluster::place::TargetPlace;
use crate::commands::runnable::Runnable;
use crate::host::claims::SharedClaim;
use crate::limits;
use crate::profile::RawText;
use crate::results::{Record, RecordMisfit};
use flate2::Compression;
use flate2::read::DeflateDecoder;
use flate2::write::DeflateEncoder;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::io::{self, BufWriter, Write};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Hello {
    pub version: String,
    pub host: String,
    pub machine: String,
    pub clock: String,
    /// CPUs that the rank may use.
    pub cpus: Vec<u32>,
    /// What it shares with ranks that see the same devices by the same paths; empty = unknown.
    pub view: String,
    /// The arguments of its command line that all ranks must share.
    pub arguments: Vec<RawText>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankName {
    pub host: String,
    pub view: String,
}

/// What follows from the answers of a round: it goes on like this, or ends with this exit code.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum GoOrEnd<T> {
    Go(T),
    End(u8),
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct RunTask {
    pub run: Runnable,
    pub split: bool,
    pub cpus: Vec<Option<Vec<u32>>>,
    pub ranks: Vec<RankName>,
}

/// Second answer: whether it can be run there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checked {
    pub refusals: Vec<String>,
    /// It is the profile that can't be run, and not the machine.
    pub is_usage: bool,
    /// What each target is, in the order of their ids; empty where nothing real is touched.
    pub places: Vec<TargetPlace>,
    /// The devices that it claims for the ranks beside it; `None` = it claims for nobody else.
    pub claims: Option<RankClaims>,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct RankClaims {
    pub process: u32,
    pub claims: Vec<SharedClaim>,
}

/// Second decision.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct SharedTargets {
    pub roles: Roles,
    pub claims: Vec<Option<RankClaims>>,
}

/// By target, then rank, which of how many ranks that share it this one is; `None` = the
/// rank is lost.
pub type Roles = Vec<Vec<Option<TargetPart>>>;

/// Answers from the time spans.
#[derive(Debug, Serialize, Deserialize)]
pub enum RankStep {
    /// A time span waits for the moment at which all go on: it is ready, or has warmed up
    /// (`--until-steady`). All have the same profile, so all wait at the same place.
    Waits,
    Ended(Box<RankOutcome>),
    /// It had ended before.
    Over,
}

#[derive(Debug, Default, Serialize, Deserialize)]
pub struct RankOutcome {
    pub record: Option<Record>,
    /// Why it failed; empty = it didn't.
    pub failures: Vec<String>,
    pub troubles: Vec<String>,
    /// When each time span was measured, by the rank's monotonic clock.
    pub windows: Vec<Option<(Nanos, Nanos)>>,
}

/// Decisions about the time spans.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub enum NextStep {
    /// What waits goes on at this time of each rank's monotonic clock.
    GoOn(Vec<Nanos>),
    /// It doesn't, and no further one begins.
    Stop,
    /// All is reported: end with this exit code; whether all ranks are there, so that they can leave in
    /// order.
    Bye(u8, bool),
}

/// A message, and its values that have a bound.
pub trait RankMessage: Serialize + DeserializeOwned {
    /// Whether its values are possible.
    ///
    /// # Errors
    /// What isn't.
    fn check(&self) -> Result<(), RecordMisfit> {
        Ok(())
    }
}

impl RankMessage for Hello {}
impl<T: Serialize + DeserializeOwned> RankMessage for GoOrEnd<T> {}
impl RankMessage for Checked {}
impl RankMessage for NextStep {}
/// Why files of the run can't be made there.
impl RankMessage for Option<String> {}

impl RankMessage for RankStep {
    fn check(&self) -> Result<(), RecordMisfit> {
        match self {
            RankStep::Ended(outcome) => match &outcome.record {
                Some(record) if record.hosts.is_empty() => Err(RecordMisfit::Count {
                    place: "record".to_owned(),
                    what: "hosts".to_owned(),
                    expected: 1,
                    found: 0,
                }),
                Some(record) => record.check_intervals(limits::INTERVALS_OF_RANK),
                None => Ok(()),
            },
            RankStep::Waits | RankStep::Over => Ok(()),
        }
    }
}

pub fn pack(message: &impl Serialize) -> Vec<u8> {
    let mut packed = DeflateEncoder::new(Vec::new(), Compression::fast());
    // Written and read as records are: every further way would be another writer and parser in the program.
    let mut buffered = BufWriter::new(&mut packed as &mut dyn Write);
    // Can't fail: memory takes everything, and messages have no maps whose keys JSON could refuse.
    let _ = serde_json::to_writer(&mut buffered, message);
    let _ = buffered.flush();
    drop(buffered);
    packed.finish().unwrap_or_default()
}

/// Bytes that are none of this program's messages.
#[derive(Debug, thiserror::Error)]
pub enum MessageError {
    /// They can't be unpacked, or hold too much.
    #[error(transparent)]
    Packed(#[from] io::Error),
    /// They say nothing that is understood.
    #[error(transparent)]
    Json(#[from] serde_json::Error),
    #[error(transparent)]
    Impossible(#[from] RecordMisfit),
}

/// Out of bytes.
///
/// # Errors
/// They are none of this program's messages.
pub fn unpack<T: RankMessage>(bytes: &[u8]) -> Result<T, MessageError> {
    let text = limits::MESSAGE.read(DeflateDecoder::new(bytes))?;
    let message: T = serde_json::from_slice(&text)?;
    message.check()?;
    Ok(message)
}

/// Reads bytes as each kind of message; whether they are one.
pub fn is_any(bytes: &[u8]) -> bool {
    fn is_message<T: RankMessage>(bytes: &[u8]) -> bool {
        unpack::<T>(bytes).is_ok_and(|message| unpack::<T>(&pack(&message)).is_ok())
    }
    is_message::<Hello>(bytes)
        | is_message::<GoOrEnd<RunTask>>(bytes)
        | is_message::<Checked>(bytes)
        | is_message::<GoOrEnd<SharedTargets>>(bytes)
        | is_message::<RankStep>(bytes)
        | is_message::<NextStep>(bytes)
        | is_message::<Option<String>>(bytes)
}
