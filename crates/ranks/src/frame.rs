//! Encoding of messages between ranks.

use diskspd_sys::clock::Nanos;

/// A message: a type byte, then its numbers (little endian), then its payload.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Frame {
    Alive,
    /// Request to end the run, with the origin numbered as in `diskspd_results::EndedBy`.
    Stop(u8),
    Answer(u32, Vec<u8>),
    Decision(u32, Vec<u8>),
    /// Announcement of rank 0's clock queries.
    ClocksBegin,
    Ping(u32),
    /// Reply to rank 0: number, monotonic clock, and wall clock since 1970, in ns.
    Pong(u32, Nanos, i64),
    ClocksEnd,
    /// Notice from rank 0: the receiver was given up after this number of silent seconds.
    GivenUp(u32),
    /// State of the rank's run in the current second, for rank 0.
    State(Vec<u8>),
}

impl Frame {
    pub(crate) fn to_bytes(&self) -> Vec<u8> {
        let with = |kind: u8, parts: &[&[u8]]| [&[kind], parts.concat().as_slice()].concat();
        match self {
            Frame::Alive => with(0, &[]),
            Frame::Stop(by) => with(1, &[&[*by]]),
            Frame::Answer(round, bytes) => with(2, &[&round.to_le_bytes(), bytes]),
            Frame::Decision(round, bytes) => with(3, &[&round.to_le_bytes(), bytes]),
            Frame::ClocksBegin => with(4, &[]),
            Frame::Ping(number) => with(5, &[&number.to_le_bytes()]),
            Frame::Pong(number, monotonic, wall) => {
                with(6, &[&number.to_le_bytes(), &monotonic.to_le_bytes(), &wall.to_le_bytes()])
            }
            Frame::ClocksEnd => with(7, &[]),
            Frame::GivenUp(seconds) => with(8, &[&seconds.to_le_bytes()]),
            Frame::State(bytes) => with(9, &[bytes]),
        }
    }

    pub(crate) fn parse_frame(bytes: &[u8]) -> Option<Frame> {
        let (kind, mut rest) = bytes.split_first()?;
        let mut word = || {
            let (word, behind) = rest.split_first_chunk::<4>()?;
            rest = behind;
            Some(u32::from_le_bytes(*word))
        };
        Some(match kind {
            0 => Frame::Alive,
            1 => Frame::Stop(*rest.first()?),
            2 => Frame::Answer(word()?, rest.to_vec()),
            3 => Frame::Decision(word()?, rest.to_vec()),
            4 => Frame::ClocksBegin,
            5 => Frame::Ping(word()?),
            6 => {
                let number = word()?;
                let (monotonic, behind) = rest.split_first_chunk::<8>()?;
                let (wall, _) = behind.split_first_chunk::<8>()?;
                Frame::Pong(number, u64::from_le_bytes(*monotonic), i64::from_le_bytes(*wall))
            }
            7 => Frame::ClocksEnd,
            8 => Frame::GivenUp(word()?),
            9 => Frame::State(rest.to_vec()),
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frame_round_trips_and_rejects_partial_bytes() {
        let frames = [
            Frame::Alive,
            Frame::Stop(2),
            Frame::Answer(7, b"some".to_vec()),
            Frame::Decision(u32::MAX, Vec::new()),
            Frame::ClocksBegin,
            Frame::Ping(3),
            Frame::Pong(3, u64::MAX, i64::MIN),
            Frame::ClocksEnd,
            Frame::GivenUp(20),
            Frame::State(b"now".to_vec()),
        ];
        for frame in frames {
            let bytes = frame.to_bytes();
            assert_eq!(Frame::parse_frame(&bytes), Some(frame.clone()));
            for shorter in 0..bytes.len() {
                assert_ne!(Frame::parse_frame(&bytes[..shorter]), Some(frame.clone()));
            }
        }
        assert_eq!(Frame::parse_frame(&[200]), None);
    }
}
