//! Stamps and checks (`--verify`). Before the start stamps of I/Os and behind those of their ends, so that no
//! latency holds what they take; content isn't made twice, because no other may be asked for.

use super::Loop;
use diskspd_engine::Done;

impl Loop<'_> {
    pub(super) fn stamp(&mut self) {
        if let Some(checker) = &mut self.checker {
            checker.begin(&self.batch, &mut *self.engine);
        }
    }

    /// Looks at what came back when the span was over: what was written then is known to later ones.
    pub(super) fn check_rest(&mut self) {
        let done = std::mem::take(&mut self.done);
        self.check(&done);
        self.done = done;
    }

    /// Looks at what has completed, before its requests do something else.
    pub(super) fn check(&mut self, done: &[Done]) {
        if let Some(checker) = &mut self.checker {
            checker.ended(done, &*self.engine);
        }
    }
}
