//! The requests that have no I/O in flight, first come, first served.

use diskspd_engine::CompletedIo;

/// A queue of request numbers that never allocates. Its capacity is twice the number of requests, so that
/// entries are rarely moved up.
#[derive(Debug)]
pub struct Idle {
    requests: Box<[u32]>,
    front: usize,
    end: usize,
}

impl Idle {
    pub fn all(depth: u32) -> Idle {
        Idle { requests: (0..depth).chain(0..depth).collect(), front: 0, end: depth as usize }
    }

    #[inline]
    pub fn len(&self) -> usize {
        self.end - self.front
    }

    /// Returns the requests in order.
    pub fn waiting(&self) -> &[u32] {
        &self.requests[self.front..self.end]
    }

    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Appends a request, which must not be in the queue.
    #[inline]
    pub fn push(&mut self, request: u32) {
        self.append(1)[0] = request;
    }

    /// Appends the requests of completed I/Os.
    #[inline]
    pub fn extend(&mut self, done: &[CompletedIo]) {
        let places = self.append(done.len());
        places.iter_mut().zip(done).for_each(|(place, done)| *place = done.request);
    }

    /// Extends the queue by `more` requests, which the caller must write.
    #[inline]
    pub fn append(&mut self, more: usize) -> &mut [u32] {
        if self.is_empty() {
            (self.front, self.end) = (0, 0);
        } else if self.end + more > self.requests.len() {
            self.move_up();
        }
        let from = self.end;
        self.end += more;
        &mut self.requests[from..self.end]
    }

    #[inline(never)]
    fn move_up(&mut self) {
        self.requests.copy_within(self.front..self.end, 0);
        (self.front, self.end) = (0, self.len());
    }

    /// Removes a request that was added recently.
    pub fn remove(&mut self, request: u32) {
        let place = self.waiting().iter().rposition(|waiting| *waiting == request);
        if let Some(place) = place {
            self.requests.copy_within(self.front + place + 1..self.end, self.front + place);
            self.end -= 1;
        }
    }

    #[inline]
    pub fn pop(&mut self) -> Option<u32> {
        let first = self.waiting().first().copied()?;
        self.front += 1;
        Some(first)
    }

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
    fn queue_is_shared_at_fixed_address() {
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
                            idle.extend(&[CompletedIo { request, result: 0 }]);
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
