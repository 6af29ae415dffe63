//! The end on a host (`diskspd hosts --serve`), which starts the rank and connects it with the hub.

use super::greeting::{greeting, stream_error};
use crate::cli::Exit;
use crate::clock::{self, Clock, Nanos, SECOND};
use crate::commands::cluster::{StartOrder, unpack};
use crate::commands::shared::command_error::CommandError;
use crate::profile::RawText;
use crate::ranks::launcher::{RELAYED_RANK, RELAYED_SCREEN, RELAYED_SIZE};
use crate::ranks::relay::{encode_frame, notes, read_frame};
use crate::sys::mutex::LockUnpoisoned;
use crate::sys::process_group::{self, GroupSignal};
use crate::sys::rank_socket::{self, RankSocket};
use std::io::{self, Read, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::Duration;

/// Maximum time for the end of a rank after a lost connection.
const ENDING: Nanos = 10 * SECOND;
const POLL_INTERVAL: Duration = Duration::from_millis(20);

type HubStream = Arc<Mutex<io::Stdout>>;

/// Serves one job.
///
/// # Errors
/// Fails if the hub does not send a job, or the rank cannot be started.
pub(super) fn serve() -> Result<Exit, CommandError> {
    let hub: HubStream = Arc::new(Mutex::new(io::stdout()));
    put_bytes(&hub, format!("{}\n", greeting()).as_bytes())?;
    let mut input = io::stdin();
    let order = match read_frame(&mut input).map_err(stream_error)? {
        Some((notes::START, bytes)) => unpack::<StartOrder>(&bytes).ok(),
        // The hub has found another obstacle.
        None => return Ok(Exit::RunFailed),
        Some(_) => None,
    };
    let order = order.ok_or_else(|| {
        CommandError::failed(["hosts --serve: standard input is not the stream of diskspd hosts"])
    })?;
    let (rank, own) = start_rank(&order)?;
    let rank = Arc::new(Mutex::new(rank));
    let output = rank.lock_anyway().stdout.take();
    let output = output.map(|output| pass_output(output, Arc::clone(&hub)));
    let messages = pass_messages(own.try_clone().map_err(stream_error)?, Arc::clone(&hub));
    let of_input = Arc::clone(&rank);
    // It ends with this process.
    drop(thread::Builder::new().name("hub".into()).spawn(move || obey_hub(&mut input, own, &of_input)));
    let code = exit_code(wait_for(&rank).map_err(stream_error)?);
    for thread in output.into_iter().chain([messages]) {
        let _ = thread.join();
    }
    put_bytes(&hub, &encode_frame(notes::ENDED, &[code]))?;
    crate::sys::process::end(0)
}

fn start_rank(order: &StartOrder) -> Result<(Child, RankSocket), CommandError> {
    let (own, of_rank) = rank_socket::socket_pair().map_err(stream_error)?;
    let program = std::env::current_exe().map_err(stream_error)?;
    let folder = order.folder.as_path();
    if !folder.is_dir() {
        return Err(CommandError::failed([format!(
            "rank {}: there is no folder '{}', in which diskspd hosts was started: start it in a folder \
             that all hosts have, such as /",
            order.rank, order.folder
        )]));
    }
    let mut command = Command::new(program);
    command.args(order.words.iter().map(RawText::as_path));
    command.env(RELAYED_RANK, order.rank.to_string()).env(RELAYED_SIZE, order.size.to_string());
    if let Some((columns, rows, kind)) = &order.screen {
        command.env(RELAYED_SCREEN, format!("{columns}x{rows}")).env("TERM", kind);
    }
    command.current_dir(folder).stdin(of_rank).stdout(Stdio::piped());
    process_group::lead_group(&mut command);
    let rank = command.spawn().map_err(stream_error)?;
    Ok((rank, own))
}

fn pass_output(mut output: impl Read + Send + 'static, hub: HubStream) -> JoinHandle<()> {
    thread::spawn(move || {
        let mut piece = [0; 65536];
        while let Ok(count @ 1..) = output.read(&mut piece) {
            if put_bytes(&hub, &encode_frame(notes::OUTPUT, &piece[..count])).is_err() {
                return;
            }
        }
    })
}

fn pass_messages(mut own: RankSocket, hub: HubStream) -> JoinHandle<()> {
    thread::spawn(move || {
        while let Ok(Some((to, bytes))) = read_frame(&mut own) {
            if put_bytes(&hub, &encode_frame(to, &bytes)).is_err() {
                return;
            }
        }
    })
}

/// Passes messages and signals to the rank. The rank ends when the connection to the hub is lost.
fn obey_hub(input: &mut impl Read, mut own: RankSocket, rank: &Mutex<Child>) {
    while let Ok(Some((from, bytes))) = read_frame(input) {
        match (from, bytes.first()) {
            (notes::SIGNAL, Some(signal)) => {
                let signal = GroupSignal::from_number(*signal);
                signal.into_iter().for_each(|signal| process_group::send(&rank.lock_anyway(), signal));
            }
            // A rank that has ended reads no more.
            _ => drop(own.write_all(&encode_frame(from, &bytes))),
        }
    }
    drop(own.shutdown(std::net::Shutdown::Both));
    process_group::send(&rank.lock_anyway(), GroupSignal::Terminate);
    Clock::Monotonic.sleep_until(clock::monotonic() + ENDING);
    process_group::send(&rank.lock_anyway(), GroupSignal::Kill);
}

fn wait_for(rank: &Mutex<Child>) -> io::Result<ExitStatus> {
    loop {
        if let Some(status) = rank.lock_anyway().try_wait()? {
            return Ok(status);
        }
        thread::sleep(POLL_INTERVAL);
    }
}

/// Exit code of the rank; a signal counts as a failed run.
fn exit_code(status: ExitStatus) -> u8 {
    status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(Exit::RunFailed.code())
}

fn put_bytes(hub: &HubStream, bytes: &[u8]) -> Result<(), CommandError> {
    let mut hub = hub.lock_anyway();
    hub.write_all(bytes).and_then(|()| hub.flush()).map_err(stream_error)
}
