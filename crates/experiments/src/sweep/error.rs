//! Errors in the axes of a sweep.

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AxisError {
    #[error("a value between the commas is missing")]
    Missing,
    #[error("more than {0} values")]
    ManyValues(usize),
    #[error("the value {0} is given twice")]
    Twice(String),
    #[error("'{0}' is not a number; a range is written 1..64 (doubling) or 1..16+1 (steps)")]
    NoNumber(String),
    /// The range ends before it begins.
    #[error("{from}..{to} is descending; write the smaller value first")]
    Descending { from: String, to: String },
    #[error("a step of 0 never ends; give a step of at least 1")]
    NoStep,
    /// A range from 0 needs a step.
    #[error("0 cannot be doubled; give steps, as in {from}..{to}+10")]
    FromZero {
        /// 0 as given.
        from: String,
        to: String,
    },
    #[error("these axes make more than {0} points; give fewer values, or larger steps")]
    ManyPoints(usize),
    /// `--diagonal` needs threads.
    #[error("--diagonal: give the threads a range, as in -t1..8")]
    NoThreads,
    /// `--diagonal` needs a depth.
    #[error("--diagonal: give the depth too, as in -t1..8 -o8 or -t1..8 -o1..8")]
    NoDepth,
    /// The depth is not divisible by the threads.
    #[error(
        "--diagonal: fewer than two points have threads x depth = {product}; choose a depth that the \
         threads divide"
    )]
    NoDiagonal { product: u64 },
}
