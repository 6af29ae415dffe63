//! Stamps and checks (`--verify`). They run before the start and after the end timestamp of I/Os, so that
//! latencies exclude them. Other content options are excluded, so content is not generated twice.

use super::WorkerLoop;
use diskspd_engine::CompletedIo;

impl WorkerLoop<'_> {
    pub(super) fn stamp(&mut self) {
        if let Some(checker) = &mut self.checker {
            checker.begin(&self.batch, &mut *self.engine);
        }
    }

    /// Checks I/Os completed after the span, so that later spans know the written content.
    pub(super) fn check_rest(&mut self) {
        let done = std::mem::take(&mut self.done);
        self.check(&done);
        self.done = done;
    }

    /// Checks completed I/Os before their requests are reused.
    pub(super) fn check(&mut self, done: &[CompletedIo]) {
        if let Some(checker) = &mut self.checker {
            checker.ended(done, &*self.engine);
        }
    }
}
