//! Comparison of values by ranks: the shift between two samples, its confidence, and the effect of more
//! values. The method is distribution-free and robust to outliers.

mod law;
mod power;
mod shift;

pub use law::{MAX_EXACT_PAIRS, RankLaw};
pub use power::RankDesign;
pub use shift::{CONFIDENCE, MAX_INFORMATIVE_INTERVAL, Shift};
