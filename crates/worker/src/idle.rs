//! The requests that have no I/O in flight, first come, first served.

use diskspd_engine::Done;

/// A queue of request numbers that never allocates: room for twice as many as there are, so that what is
/// taken from the front is moved up once in a while only.
#[derive(Debug)]
pub struct Idle {
    requests: Vec<u32>,
    front: usize,
    depth: usize,
}

impl Idle {
    /// All requests of a thread, in order.
    pub fn all(depth: u32) -> Idle {
        let mut requests = Vec::with_capacity(2 * depth as usize);
        requests.extend(0..depth);
        Idle { requests, front: 0, depth: depth as usize }
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.requests.len() - self.front
    }

    /// All of them, in order.
    pub fn waiting(&self) -> &[u32] {
        &self.requests[self.front..]
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Puts a request, which must not be in the queue, at the end.
    #[inline]
    pub fn push(&mut self, request: u32) {
        self.make_room(1);
        self.requests.push(request);
    }

    /// Puts the requests of I/Os that have completed at the end.
    #[inline]
    pub fn extend(&mut self, done: &[Done]) {
        self.make_room(done.len());
        self.requests.extend(done.iter().map(|done| done.request));
    }

    /// Takes out a request that was put into the queue not long ago.
    pub fn remove(&mut self, request: u32) {
        let place = self.requests[self.front..].iter().rposition(|waiting| *waiting == request);
        if let Some(place) = place {
            self.requests.remove(self.front + place);
        }
    }

    #[inline]
    fn make_room(&mut self, more: usize) {
        if self.is_empty() {
            self.requests.clear();
            self.front = 0;
        } else if self.requests.len() + more > 2 * self.depth {
            self.requests.copy_within(self.front.., 0);
            self.requests.truncate(self.len());
            self.front = 0;
        }
    }

    #[inline]
    pub fn pop(&mut self) -> Option<u32> {
        let first = self.requests.get(self.front).copied()?;
        self.front += 1;
        Some(first)
    }

    /// Takes the first ones, at most so many.
    #[inline]
    pub fn take(&mut self, most: usize) -> &[u32] {
        let from = self.front;
        self.front += self.len().min(most);
        &self.requests[from..self.front]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::VecDeque;

    #[test]
    fn it_is_a_queue_and_stays_where_it_is() {
        for depth in [1, 2, 7] {
            let mut idle = Idle::all(depth);
            let mut model: VecDeque<u32> = (0..depth).collect();
            let place = idle.requests.as_ptr();
            let mut state = 1u32;
            for _ in 0..10_000 {
                state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
                let n = (state >> 16) as usize % (depth as usize + 1);
                match state >> 30 {
                    0 => {
                        let taken = idle.take(n).to_vec();
                        assert!(taken.iter().copied().eq(model.drain(..n.min(model.len()))));
                    }
                    1 => assert_eq!(idle.pop(), model.pop_front()),
                    2 => (0..idle.len()).filter_map(|_| idle.pop()).collect::<Vec<_>>().into_iter().for_each(
                        |r| {
                            idle.push(r);
                        },
                    ),
                    _ => {
                        if let Some(request) = (0..depth).find(|request| !model.contains(request)) {
                            idle.extend(&[Done { request, result: 0 }]);
                            model.push_back(request);
                        }
                    }
                }
                assert_eq!((idle.len(), idle.is_empty()), (model.len(), model.is_empty()));
            }
            assert_eq!(idle.requests.as_ptr(), place, "nothing is allocated");
        }
    }
}
