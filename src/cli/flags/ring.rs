//! The values of `-o`, `-u` and `-bs`.

use crate::cli::draft::RunRequestBuilder;
use crate::cli::error::ValueError;
use crate::cli::quantity::Quantity;
use crate::profile::{BufferSeparation, RingBatch};
use crate::units;

const REQUESTS: &str = "a number of outstanding I/Os, at least 1";
const DEPTH: &str = "a number of completions from 1 to 16";
const BATCH: &str = "a number of I/Os from 1 to 65536, or percent with p after it, from 1 to 100; n before \
                     it for buffers that are not registered";

/// Parses `-o<count>` and `-oc<count>`.
pub(super) fn requests(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    if let [b'c', value @ ..] = value {
        let depth = draft.lenient_integer(("-oc", ""), value, Quantity::Count, DEPTH)?;
        if !(1..=16).contains(&depth) {
            return Err(ValueError::new(1, "this completion depth is not possible").with_expected(DEPTH));
        }
        draft.span.completion_depth = Some(depth.unsigned_abs());
        return Ok(());
    }
    let requests = draft.lenient_integer(("-o", ""), value, Quantity::Count, REQUESTS)?;
    if requests < 1 {
        let what = if value.is_empty() { "the value is missing" } else { "this value is not possible" };
        return Err(ValueError::new(0, what).with_expected(REQUESTS));
    }
    draft.target.request_count = requests.unsigned_abs();
    Ok(())
}

/// Parses `-u`. Unnamed parts keep their earlier values, except `n`.
pub(super) fn io_ring(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    let (unregistered, count) = match value {
        [b'n', count @ ..] => (true, count),
        count => (false, count),
    };
    let ring = draft.span.io_ring.get_or_insert_default();
    ring.register_buffers = !unregistered;
    if count.is_empty() {
        return Ok(());
    }
    let refused = |what: &str| Err(ValueError::new(usize::from(unregistered), what).with_expected(BATCH));
    let (digits, percent) = match count {
        [digits @ .., b'p'] => (digits, true),
        digits => (digits, false),
    };
    ring.batch = match units::parse_seed(digits) {
        Err(_) | Ok(0) => return refused("this is not a batch size"),
        Ok(percent @ 1..=100) if count.ends_with(b"p") => RingBatch::Percent(percent),
        Ok(_) if percent => return refused("this is not a percentage of the outstanding I/Os"),
        Ok(count @ 1..=65536) => RingBatch::Count(count),
        Ok(_) => return refused("the batch is too large"),
    };
    Ok(())
}

pub(super) fn separation(draft: &mut RunRequestBuilder, value: &[u8]) -> Result<(), ValueError> {
    let separation = match value {
        b"n" => BufferSeparation::SystemDefault,
        b"p" => BufferSeparation::PageDirectories,
        _ => {
            return Err(ValueError::new(1, "unknown separation of buffers")
                .with_expected("-bsn (on pages) or -bsp (page directories apart)"));
        }
    };
    draft.overrides.buffer_separation = Some(separation);
    Ok(())
}
