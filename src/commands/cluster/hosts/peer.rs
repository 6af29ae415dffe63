//! The connection of the hub with one host.

use super::greeting::greeting;
use crate::ranks::relay::read_frame;
use std::io::{self, BufReader, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Sender, channel};
use std::thread;

/// Maximum text of a login before the greeting.
const MAX_LOGIN_BYTES: usize = 64 << 10;
/// ssh's exit code if it cannot connect.
const NO_CONNECTION: i32 = 255;
const NOT_FOUND: i32 = 127;

pub(super) enum PeerEvent {
    /// The host is ready and has the same version.
    Ready,
    Frame(u32, Vec<u8>),
    /// Reason for the end of the stream; `None` = the program or ssh ended.
    Closed(Option<String>),
}

pub(super) struct Peer {
    pub host: String,
    ssh: Child,
    frames: Sender<Vec<u8>>,
}

impl Peer {
    /// Starts ssh to a host. Its messages arrive in `events`, with the rank.
    pub(super) fn start(
        rank: usize,
        host: &str,
        program: &str,
        events: Sender<(usize, PeerEvent)>,
    ) -> io::Result<Peer> {
        let mut command = Command::new("ssh");
        // The host and the path have only letters that mean themselves.
        command.args(["-T", "-o", "BatchMode=yes", "--", host, &format!("exec {program} hosts --serve")]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        crate::sys::process_group::lead_group(&mut command);
        let mut ssh = command.spawn()?;
        let (input, output) = (ssh.stdin.take(), ssh.stdout.take());
        let (frames, unsent) = channel();
        thread::Builder::new().name("to host".into()).spawn(move || write_frames(input, unsent))?;
        thread::Builder::new().name("from host".into()).spawn(move || {
            let Some(output) = output else { return };
            read_events(BufReader::new(output), |event| events.send((rank, event)).is_ok());
        })?;
        Ok(Peer { host: host.to_owned(), ssh, frames })
    }

    pub(super) fn send(&self, frame: Vec<u8>) {
        let _ = self.frames.send(frame);
    }

    pub(super) fn failure(&mut self) -> String {
        match self.ssh.wait().ok().and_then(|status| status.code()) {
            Some(NO_CONNECTION) => {
                "ssh could not connect without questions, or lost its connection".to_owned()
            }
            Some(NOT_FOUND) => "the program is not there: name its path with --program".to_owned(),
            Some(code) => format!("the program ended with exit code {code}"),
            None => "ssh was ended by a signal".to_owned(),
        }
    }

    pub(super) fn end(&mut self) {
        let _ = self.ssh.kill();
        let _ = self.ssh.wait();
    }
}

fn write_frames(input: Option<ChildStdin>, frames: std::sync::mpsc::Receiver<Vec<u8>>) {
    let Some(mut input) = input else { return };
    for frame in frames {
        if input.write_all(&frame).and_then(|()| input.flush()).is_err() {
            return;
        }
    }
}

/// Reads the greeting and the frames until the end, or until `take` refuses one.
fn read_events(mut output: impl Read, mut take: impl FnMut(PeerEvent) -> bool) {
    match read_greeting(&mut output) {
        Ok(()) => {
            take(PeerEvent::Ready);
        }
        Err(why) => {
            take(PeerEvent::Closed(why));
            return;
        }
    }
    while let Ok(Some((to, bytes))) = read_frame(&mut output) {
        if !take(PeerEvent::Frame(to, bytes)) {
            return;
        }
    }
    take(PeerEvent::Closed(None));
}

/// Reads up to the greeting, after any text of the login.
fn read_greeting(output: &mut impl Read) -> Result<(), Option<String>> {
    let (expected, mut line, mut read) = (greeting(), Vec::new(), 0);
    let mut byte = [0];
    while output.read(&mut byte).map_err(|why| Some(why.to_string()))? > 0 {
        read += 1;
        if read > MAX_LOGIN_BYTES {
            return Err(Some("its login prints text without an end".to_owned()));
        }
        if byte[0] != b'\n' {
            line.push(byte[0]);
            continue;
        }
        let text = String::from_utf8_lossy(&line).into_owned();
        if text == expected {
            return Ok(());
        }
        if let Some(version) = text.strip_prefix("diskspd hosts: ") {
            let own = crate::cli::help::version();
            return Err(Some(format!("it runs {version}, and this is {own}: install the same version")));
        }
        line.clear();
    }
    Err(None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ranks::relay::encode_frame;

    fn events(bytes: &[u8]) -> Vec<String> {
        let mut found = Vec::new();
        read_events(bytes, |event| {
            found.push(match event {
                PeerEvent::Ready => "ready".to_owned(),
                PeerEvent::Frame(to, bytes) => format!("{to}: {}", bytes.len()),
                PeerEvent::Closed(why) => format!("closed: {}", why.unwrap_or_default()),
            });
            true
        });
        found
    }

    #[test]
    fn text_of_login_is_skipped_and_other_version_refused() {
        let frames = [encode_frame(0, b"ab"), encode_frame(7, b"")].concat();
        let stream = [b"Welcome\n", greeting().as_bytes(), b"\n", &frames].concat();
        assert_eq!(events(&stream), ["ready", "0: 2", "7: 0", "closed: "]);
        assert_eq!(events(b"Welcome\nbye"), ["closed: "]);
        let other = events(b"diskspd hosts: DiskSpd for Linux 0.0.1\n");
        assert!(other[0].contains("it runs DiskSpd for Linux 0.0.1"), "{other:?}");
        assert!(events(&vec![b'x'; MAX_LOGIN_BYTES + 1])[0].contains("without an end"));
    }
}
