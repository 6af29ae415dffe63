//! Systems that give no huge pages unasked.

use super::page_size;
use diskspd_base::access::HugePages;

pub(super) fn alignment(_: HugePages, _: usize) -> usize {
    page_size()
}

pub(super) fn granted(_: HugePages, _: usize) -> HugePages {
    HugePages::NotAskedFor
}
