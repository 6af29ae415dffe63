//! The group of ranks of `diskspd hosts` over ssh. The process that started the ranks passes their messages.
//!
//! Each rank has one stream to that process. A frame on it is the number of the other rank, the length, and
//! the message.

use super::error::GroupError;
use super::launcher::Launcher;
use super::{RankGroup, RankMessage};
use diskspd_sys::rank_socket::{self, RankSocket};
use std::collections::VecDeque;
use std::io::{self, ErrorKind, Read, Write};

/// Longest message in bytes.
const MAX_BYTES: usize = 1 << 30;
/// Bytes of the rank number and of the length.
const HEAD: usize = 8;

/// Special numbers of frames that do not come from or go to a rank.
pub mod notes {
    /// Text of standard output, sent to the starting process.
    pub const OUTPUT: u32 = u32::MAX;
    /// Exit code of the rank, sent to the starting process.
    pub const ENDED: u32 = u32::MAX - 1;
    /// Signal for the rank, sent to the host of the rank.
    pub const SIGNAL: u32 = u32::MAX - 2;
    /// Number of a lost rank and the reason, sent to a rank.
    pub const LOST: u32 = u32::MAX - 3;
    /// Command line of the rank, sent to the host of the rank.
    pub const START: u32 = u32::MAX - 4;
    /// Request of a rank to end all ranks.
    pub const ABORT: u32 = u32::MAX - 5;
}

pub fn encode_frame(to: u32, bytes: &[u8]) -> Vec<u8> {
    [&to.to_le_bytes(), &(bytes.len() as u32).to_le_bytes(), bytes].concat()
}

/// Reads the next frame; `None` = the stream has ended.
///
/// # Errors
/// Fails if the stream breaks off, or the frame is too long.
pub fn read_frame(stream: &mut impl Read) -> io::Result<Option<(u32, Vec<u8>)>> {
    let mut head = [0; HEAD];
    if stream.read(&mut head[..1])? == 0 {
        return Ok(None);
    }
    stream.read_exact(&mut head[1..])?;
    let (number, length) = parse_head(&head).ok_or(ErrorKind::InvalidData)?;
    let (mut bytes, mut piece) = (Vec::new(), [0; 65536]);
    while bytes.len() < length {
        let most = piece.len().min(length - bytes.len());
        match stream.read(&mut piece[..most])? {
            0 => return Err(ErrorKind::UnexpectedEof.into()),
            count => bytes.extend_from_slice(&piece[..count]),
        }
    }
    Ok(Some((number, bytes)))
}

fn parse_head(head: &[u8; HEAD]) -> Option<(u32, usize)> {
    let (number, length) = head.split_first_chunk::<4>()?;
    let length = u32::from_le_bytes(*length.first_chunk::<4>()?) as usize;
    (length <= MAX_BYTES).then_some((u32::from_le_bytes(*number), length))
}

#[derive(Debug)]
pub struct Relay {
    rank: usize,
    size: usize,
    stream: RankSocket,
    /// Bytes not accepted by the stream yet.
    unsent: VecDeque<u8>,
    /// Bytes of incomplete frames.
    partial: Vec<u8>,
    received: VecDeque<(u32, Vec<u8>)>,
    /// Reason for the end of the messages, until it is reported.
    broken: Option<String>,
    is_broken: bool,
}

impl Relay {
    /// Joins the ranks by the stream on standard input.
    ///
    /// # Errors
    /// Fails if standard input is not such a stream, or the launcher does not report rank and size.
    pub fn join(launcher: &Launcher) -> io::Result<Relay> {
        let (Some(rank), Some(size)) = (launcher.rank, launcher.size) else {
            return Err(ErrorKind::InvalidInput.into());
        };
        if rank >= size {
            return Err(ErrorKind::InvalidInput.into());
        }
        Ok(Relay::new(rank, size, rank_socket::take_standard_input()?))
    }

    fn new(rank: usize, size: usize, stream: RankSocket) -> Relay {
        let (unsent, partial, received, broken, is_broken) = Default::default();
        Relay { rank, size, stream, unsent, partial, received, broken, is_broken }
    }

    fn send(&mut self, to: u32, bytes: &[u8]) {
        self.unsent.extend(encode_frame(to, bytes));
        self.send_rest();
    }

    fn send_rest(&mut self) {
        while !self.unsent.is_empty() && !self.is_broken {
            match (&self.stream).write(self.unsent.as_slices().0) {
                Ok(sent) => drop(self.unsent.drain(..sent)),
                Err(why) if why.kind() == ErrorKind::WouldBlock => return,
                Err(why) if why.kind() == ErrorKind::Interrupted => {}
                Err(why) => self.break_off(&why.to_string()),
            }
        }
    }

    fn receive(&mut self) {
        let mut piece = [0; 65536];
        while !self.is_broken {
            match (&self.stream).read(&mut piece) {
                Ok(0) => self.break_off("the connection to the process that started it has ended"),
                Ok(count) => self.partial.extend_from_slice(&piece[..count]),
                Err(why) if why.kind() == ErrorKind::WouldBlock => break,
                Err(why) if why.kind() == ErrorKind::Interrupted => {}
                Err(why) => self.break_off(&why.to_string()),
            }
        }
        while let Some(head) = self.partial.first_chunk::<HEAD>() {
            let Some((number, length)) = parse_head(head) else {
                return self.break_off("it received an invalid frame");
            };
            if self.partial.len() < HEAD + length {
                return;
            }
            let bytes = self.partial[HEAD..HEAD + length].to_vec();
            self.partial.drain(..HEAD + length);
            self.received.push_back((number, bytes));
        }
    }

    fn break_off(&mut self, why: &str) {
        if !std::mem::replace(&mut self.is_broken, true) {
            self.broken = Some(why.to_owned());
        }
    }

    /// Sends pending messages while `patience` returns true.
    pub fn flush(&mut self, mut patience: impl FnMut() -> bool) {
        self.send_rest();
        while !self.unsent.is_empty() && !self.is_broken && patience() {
            std::thread::sleep(std::time::Duration::from_millis(1));
            self.send_rest();
        }
    }

    /// Makes the starting process end all ranks.
    pub fn abort(&mut self, mut patience: impl FnMut() -> bool) {
        self.send(notes::ABORT, &[]);
        self.flush(&mut patience);
    }
}

impl RankGroup for Relay {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn post(&mut self, to: usize, bytes: &[u8]) -> Result<(), GroupError> {
        if to >= self.size {
            return Err(GroupError::NoRank(to));
        }
        self.send(to as u32, bytes);
        Ok(())
    }

    fn take(&mut self) -> Result<Option<RankMessage>, (usize, GroupError)> {
        self.send_rest();
        if self.received.is_empty() {
            self.receive();
        }
        match self.received.pop_front() {
            Some((notes::LOST, bytes)) => {
                let (rank, why) = bytes.split_first_chunk::<4>().unwrap_or((&[0; 4], &[]));
                let why = String::from_utf8_lossy(why).into_owned();
                let rank = (u32::from_le_bytes(*rank) as usize).min(self.size - 1);
                Err((rank, GroupError::Relay(why)))
            }
            Some((from, bytes)) if (from as usize) < self.size => Ok(Some((from as usize, bytes))),
            Some(_) => Ok(None),
            None => match self.broken.take() {
                // The other ranks are all behind this stream.
                Some(why) => Err((usize::from(self.rank == 0), GroupError::Relay(why))),
                None => Ok(None),
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pair(rank: usize) -> (Relay, RankSocket) {
        let (own, other) = RankSocket::pair().unwrap();
        own.set_nonblocking(true).unwrap();
        (Relay::new(rank, 3, own), other)
    }

    #[test]
    fn frames_cross_in_pieces_and_keep_order() {
        let (mut relay, mut other) = pair(0);
        relay.post(2, b"to two").unwrap();
        assert_eq!(read_frame(&mut other).unwrap(), Some((2, b"to two".to_vec())));
        let frames =
            [encode_frame(1, b"first"), encode_frame(2, b""), encode_frame(1, &[7; 100_000])].concat();
        for piece in frames.chunks(30_001) {
            other.write_all(piece).unwrap();
            // Reads do not wait for the rest.
            relay.receive();
        }
        assert_eq!(relay.take().unwrap(), Some((1, b"first".to_vec())));
        assert_eq!(relay.take().unwrap(), Some((2, Vec::new())));
        assert_eq!(relay.take().unwrap(), Some((1, vec![7; 100_000])));
        assert_eq!(relay.take().unwrap(), None);
        assert!(relay.post(3, b"").is_err());
    }

    #[test]
    fn lost_ranks_and_lost_stream_are_reported_once() {
        let (mut relay, mut other) = pair(0);
        let lost = [&2u32.to_le_bytes()[..], b"its host is gone"].concat();
        other.write_all(&encode_frame(notes::LOST, &lost)).unwrap();
        let (rank, why) = relay.take().unwrap_err();
        assert_eq!((rank, why.to_string()), (2, "its host is gone".to_owned()));
        drop(other);
        assert_eq!(relay.take().unwrap_err().0, 1);
        assert_eq!(relay.take().unwrap(), None);
        let (mut third, other) = pair(2);
        drop(other);
        assert_eq!(third.take().unwrap_err().0, 0);
    }

    #[test]
    fn broken_and_oversized_frames_are_refused() {
        let whole = encode_frame(1, b"some");
        for shorter in 1..whole.len() {
            assert!(read_frame(&mut &whole[..shorter]).is_err(), "{shorter}");
        }
        assert_eq!(read_frame(&mut &whole[..0]).unwrap(), None);
        let huge = [1u32.to_le_bytes(), (MAX_BYTES as u32 + 1).to_le_bytes()].concat();
        assert!(read_frame(&mut &huge[..]).is_err());
        let (mut relay, mut other) = pair(1);
        other.write_all(&huge).unwrap();
        assert_eq!(relay.take().unwrap_err().0, 0);
    }
}
