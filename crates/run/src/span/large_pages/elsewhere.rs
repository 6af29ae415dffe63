//! Large pages on Windows, which are not reserved in advance; a lack of them is only known on request.

use diskspd_plan::SpanPlan;
use diskspd_sys::memory::LargePagesError;

#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct HugePagePool;

impl HugePagePool {
    /// Reserves large pages before the start of the span's threads.
    pub(crate) fn reserve_for(_: &SpanPlan) -> HugePagePool {
        HugePagePool
    }

    /// Returns the reason for missing large pages, and the remedy.
    pub(crate) fn explain(&self, why: &LargePagesError) -> String {
        format!("-l: {why}")
    }
}
