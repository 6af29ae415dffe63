//! A part of the cost of an I/O.

use crate::harness::Failure;
use diskspd::run::exact_loop::Cost;

pub(super) struct Part<'a> {
    pub(super) name: String,
    pub(super) work: Box<dyn FnMut(u64) -> Result<Cost, Failure> + 'a>,
}
