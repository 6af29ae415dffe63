//! Reasons for a run to have no value of a figure.

/// Minimum number of I/Os above a compared percentile. Fewer are random, and move it by more than a tenth.
pub const MIN_IOS_ABOVE: f64 = 100.0;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(super) enum MissingValueError {
    #[error("'{run}' ended before it was measured")]
    NotMeasured { run: String },
    #[error("'{run}' has no timed I/O")]
    Idle { run: String },
    #[error("'{run}' has no such figure")]
    NoFigure { run: String },
    #[error("'{run}' has no such part of the mix")]
    NoPart { run: String },
    /// Time in the last bin of a histogram.
    #[error("'{run}' took at least {at_least}: the last bin of its histogram has no upper end")]
    LowerBound {
        run: String,
        /// Lower bound of the time with its unit.
        at_least: String,
    },
    #[error(
        "only {beyond} of {MIN_IOS_ABOVE:.0} required I/Os of '{run}' exceed this percentile: use longer runs"
    )]
    TooFew { run: String, beyond: String },
}
