//! A group whose ranks are threads of one process, for tests, with the same interface as MPI.

use super::error::GroupError;
use super::{RankGroup, RankMessage};
use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};

/// Messages in transit, by receiver, then sender.
type Messages = Arc<Vec<Vec<Mutex<VecDeque<Vec<u8>>>>>>;

/// A rank in a group of threads.
#[derive(Debug)]
pub struct ThreadRank {
    rank: usize,
    mail: Messages,
}

pub fn group(size: usize) -> Vec<ThreadRank> {
    let boxes = || (0..size).map(|_| Mutex::default()).collect();
    let mail: Messages = Arc::new((0..size).map(|_| boxes()).collect());
    (0..size).map(|rank| ThreadRank { rank, mail: Arc::clone(&mail) }).collect()
}

impl RankGroup for ThreadRank {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.mail.len()
    }

    fn post(&mut self, to: usize, bytes: &[u8]) -> Result<(), GroupError> {
        let boxes = self.mail.get(to).ok_or(GroupError::NoRank(to))?;
        boxes[self.rank].lock().unwrap_or_else(PoisonError::into_inner).push_back(bytes.to_vec());
        Ok(())
    }

    fn take(&mut self) -> Result<Option<RankMessage>, (usize, GroupError)> {
        let next = |place: &Mutex<VecDeque<Vec<u8>>>| {
            place.lock().unwrap_or_else(PoisonError::into_inner).pop_front()
        };
        let mut boxes = self.mail[self.rank].iter().enumerate();
        Ok(boxes.find_map(|(from, place)| Some((from, next(place)?))))
    }
}
