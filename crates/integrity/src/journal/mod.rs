//! The journal of acknowledged writes (`--journal`), which must survive any failure.

mod encoding;
pub mod format;
mod layout;
mod pieces;
mod writer;

pub use format::{Acknowledged, JournalContent, JournalDamage, JournalReadError, JournalTarget, Mixing};
pub(crate) use layout::MAX_SECTOR_BYTES;
pub use writer::AckJournal;
