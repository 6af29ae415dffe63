//! Large pages on Windows, which are not reserved in advance; a lack of them is only known on request.

use diskspd_plan::SpanPlan;
use diskspd_sys::memory::LargePagesError;

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct Reserve;

impl Reserve {
    /// Before the threads of the span begin.
    pub(crate) fn reserve_for(_: &SpanPlan) -> Reserve {
        Reserve
    }

    /// Why a thread has got none, and what to do about it.
    pub(crate) fn explain(&self, why: &LargePagesError) -> String {
        format!("-l: {why}")
    }
}
