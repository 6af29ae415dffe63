//! Conclusions about a time span, made before the checks.

use super::contention::{self, Contention};
use super::coordinated_omission::{self, CoordinatedOmission};
use super::device;
use super::{Limiter, Limits, Outage, SpanContext, SpanVerdict, Steadiness, limit, outages, steady};

/// Conclusions about a time span. Each follows from the view and the previous fields. The checks report
/// them later.
#[derive(Debug)]
pub(super) struct DerivedFacts<'a> {
    /// Threads that had to wait for a CPU for so long that the figures would be others without.
    pub contention: Option<Contention>,
    pub limits: Option<Limits>,
    pub late: Option<CoordinatedOmission<'a>>,
    /// Periods without completions, or with far fewer than usual; `None` = unknown.
    pub outages: Option<Vec<Outage>>,
    pub steadiness: Option<Steadiness>,
    pub verdict: Option<SpanVerdict>,
}

impl<'a> DerivedFacts<'a> {
    pub(crate) fn derive(span: &SpanContext<'a>) -> DerivedFacts<'a> {
        let contention = contention::judge(span);
        let limits = limit::judge(span, contention.as_ref());
        let late = coordinated_omission::judge(span, limits.as_ref());
        let outages = outages::judge(span);
        let steadiness = steady::judge(span, limits.as_ref(), outages.as_deref());
        let limiter = limits.as_ref().and_then(|limits| limits.limited_by);
        let verdict = device::verdict(span, limiter);
        DerivedFacts { contention, limits, late, outages, steadiness, verdict }
    }

    pub(crate) fn limiter(&self) -> Option<Limiter> {
        self.limits.as_ref()?.limited_by
    }
}
