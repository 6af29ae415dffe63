//! The hub: connections with all hosts, and the messages between their ranks.

use super::greeting::stream_error;
use super::peer::{Peer, PeerEvent};
use crate::cli::{Exit, HostsStart};
use crate::clock::{self, Nanos, SECOND};
use crate::commands::cluster::{StartOrder, pack};
use crate::commands::shared::command_error::CommandError;
use crate::commands::shared::job::ctrl_c;
use crate::finding::Finding;
use crate::profile::RawText;
use crate::ranks::relay::{encode_frame, notes};
use crate::results::EndedBy;
use crate::run::Control;
use crate::sys::process_group::GroupSignal;
use crate::sys::standard_error::print_line;
use crate::sys::terminal;
use std::io::{self, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const POLL_INTERVAL: Duration = Duration::from_millis(50);
const CONNECT_TIMEOUT_NS: Nanos = 60 * SECOND;
/// Maximum time of the other ranks after the end of rank 0.
const LEAVING: Nanos = 10 * SECOND;

struct Hub {
    peers: Vec<Peer>,
    events: Receiver<(usize, PeerEvent)>,
    /// Exit code of each rank that has ended, or the code of a failed run if it is lost.
    ended: Vec<Option<u8>>,
    control: Arc<Control>,
    is_interrupted: bool,
    has_joined: bool,
}

/// Runs the job over ssh. Returns rank 0's exit code.
///
/// # Errors
/// Fails if a host cannot be reached, or has another version.
pub(super) fn run(start: &HostsStart, program: &str) -> Result<Exit, CommandError> {
    let control = Arc::<Control>::default();
    let _watch = ctrl_c::ends_silently(&control)?;
    let folder = std::env::current_dir().map_err(stream_error)?;
    let (send, events) = channel();
    let mut hub = Hub {
        peers: Vec::new(),
        events,
        ended: Vec::new(),
        control,
        is_interrupted: false,
        has_joined: false,
    };
    for (rank, host) in start.hosts.iter().enumerate() {
        match Peer::start(rank, host, program, send.clone()) {
            Ok(peer) => hub.peers.push(peer),
            Err(why) => {
                hub.end_all();
                return Err(CommandError::failed([format!(
                    "cannot start ssh: {why}; install OpenSSH's client"
                )]));
            }
        }
    }
    hub.ended = vec![None; hub.peers.len()];
    let reached = hub.reach_hosts();
    if let Err(why) = reached {
        hub.end_all();
        return Err(why);
    }
    let folder = RawText::from(folder.into_os_string());
    let words: Vec<RawText> = start.words.iter().cloned().map(RawText::from).collect();
    for (rank, peer) in hub.peers.iter().enumerate() {
        let (rank, size) = (rank as u32, hub.peers.len() as u32);
        let order =
            StartOrder { rank, size, folder: folder.clone(), words: words.clone(), screen: own_screen() };
        peer.send(encode_frame(notes::START, &pack(&order)));
    }
    let code = hub.relay();
    hub.end_all();
    Ok(Exit::ALL.into_iter().find(|exit| exit.code() == code).unwrap_or(Exit::RunFailed))
}

/// Returns the terminal of this process, on which rank 0 draws.
fn own_screen() -> Option<(usize, usize, String)> {
    let screen = terminal::screen()?;
    Some((screen.columns, screen.rows, std::env::var("TERM").unwrap_or_default()))
}

impl Hub {
    /// Waits for the program's answer from all hosts.
    fn reach_hosts(&mut self) -> Result<(), CommandError> {
        let until = clock::monotonic() + CONNECT_TIMEOUT_NS;
        let mut waiting = vec![true; self.peers.len()];
        let mut failures = Vec::new();
        while waiting.contains(&true) {
            if self.control.is_interrupted() {
                return Err(CommandError::failed(["ended before all hosts were reached"]));
            }
            if clock::monotonic() >= until {
                let late = waiting.iter().zip(&self.peers).filter(|(waits, _)| **waits);
                let late = late.map(|(_, peer)| {
                    format!("{}: no answer within {} s", peer.host, CONNECT_TIMEOUT_NS / SECOND)
                });
                failures.extend(late);
                break;
            }
            match self.events.recv_timeout(POLL_INTERVAL) {
                Ok((rank, PeerEvent::Closed(why))) => {
                    waiting[rank] = false;
                    let why = why.unwrap_or_else(|| self.peers[rank].failure());
                    failures.push(format!("{}: {why}", self.peers[rank].host));
                }
                Ok((rank, _)) => waiting[rank] = false,
                Err(_) => {}
            }
        }
        if failures.is_empty() { Ok(()) } else { Err(CommandError::failed(failures)) }
    }

    /// Passes messages until all ranks have ended. Returns rank 0's exit code.
    fn relay(&mut self) -> u8 {
        let mut until = Nanos::MAX;
        while self.ended.contains(&None) && clock::monotonic() < until {
            self.pass_interrupt();
            if let Ok((rank, event)) = self.events.recv_timeout(POLL_INTERVAL) {
                self.take_event(rank, event);
            }
            if self.ended[0].is_some() && until == Nanos::MAX {
                until = clock::monotonic() + LEAVING;
            }
        }
        self.ended[0].unwrap_or(Exit::RunFailed.code())
    }

    fn take_event(&mut self, rank: usize, event: PeerEvent) {
        match event {
            PeerEvent::Ready => {}
            PeerEvent::Closed(why) => {
                if self.ended[rank].is_none() {
                    let why = why.unwrap_or_else(|| self.peers[rank].failure());
                    self.lose(rank, &why);
                }
            }
            PeerEvent::Frame(notes::OUTPUT, text) if rank == 0 => {
                let mut output = io::stdout().lock();
                // Who has closed it needs no more of the report.
                drop(output.write_all(&text).and_then(|()| output.flush()));
            }
            PeerEvent::Frame(notes::OUTPUT, text) => print_line(String::from_utf8_lossy(&text)),
            PeerEvent::Frame(notes::ENDED, code) => {
                self.ended[rank] = Some(code.first().copied().unwrap_or(Exit::RunFailed.code()));
                match rank == 0 && !self.has_joined {
                    // The others would report the same obstacle.
                    true => self.signal_all(GroupSignal::Kill),
                    false => self.tell_lost(rank, "it ended early"),
                }
            }
            PeerEvent::Frame(notes::ABORT, _) => self.signal_all(GroupSignal::Kill),
            PeerEvent::Frame(to, bytes) => {
                self.has_joined |= rank == 0;
                // Other ranks exchange messages only with rank 0.
                if let Some(peer) = self.peers.get(to as usize).filter(|_| rank == 0 || to == 0) {
                    peer.send(encode_frame(rank as u32, &bytes));
                }
            }
        }
    }

    fn lose(&mut self, rank: usize, why: &str) {
        self.ended[rank] = Some(Exit::RunFailed.code());
        print_line(Finding::error(format!("rank {rank} ({}): {why}", self.peers[rank].host)));
        self.tell_lost(rank, why);
    }

    /// Reports a lost rank to the ranks that wait for its messages.
    fn tell_lost(&self, rank: usize, why: &str) {
        let note = [&(rank as u32).to_le_bytes()[..], why.as_bytes()].concat();
        let frame = encode_frame(notes::LOST, &note);
        let concerned = if rank == 0 { 1..self.peers.len() } else { 0..1 };
        self.peers[concerned].iter().for_each(|peer| peer.send(frame.clone()));
    }

    /// Passes termination signals to all ranks, once.
    fn pass_interrupt(&mut self) {
        if self.control.is_interrupted() && !std::mem::replace(&mut self.is_interrupted, true) {
            self.signal_all(match self.control.ended_by() {
                EndedBy::Terminate => GroupSignal::Terminate,
                EndedBy::Hangup => GroupSignal::Hangup,
                _ => GroupSignal::Interrupt,
            });
        }
    }

    fn signal_all(&self, signal: GroupSignal) {
        let frame = encode_frame(notes::SIGNAL, &[signal.number()]);
        self.peers.iter().for_each(|peer| peer.send(frame.clone()));
    }

    fn end_all(&mut self) {
        self.peers.iter_mut().for_each(Peer::end);
    }
}
