//! Values compared by their ranks: how far those of one side are shifted against the other, how sure that is,
//! and what more values would tell. Nothing is assumed of the shape of the noise; a single wild value moves
//! nothing.

mod law;
mod power;
mod shift;

pub use law::{EXACT, RankLaw};
pub use power::RankDesign;
pub use shift::{CONFIDENCE, Shift, VAST_INTERVAL};
