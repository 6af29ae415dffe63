//! Number of I/Os in flight.

use super::TracedIo;

/// Number of I/Os in flight at each submission, including the submitted one.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub(super) struct DepthFigures {
    pub mean: f64,
    pub usual: u32,
    pub most: u32,
}

pub(super) fn depth_of<'a>(ios: impl Iterator<Item = &'a TracedIo>, duration_ns: u64) -> DepthFigures {
    let timed = ios.filter_map(|io| Some((io.at_ns, io.at_ns + io.latency_ns()?)));
    let (starts, mut ends): (Vec<u64>, Vec<u64>) = timed.unzip();
    let busy: f64 = starts.iter().zip(&ends).map(|(start, end)| (end - start) as f64).sum();
    ends.sort_unstable();
    let (mut ended, mut counts) = (0, Vec::new());
    for (begun, start) in starts.iter().enumerate() {
        while ended < begun && ends[ended] <= *start {
            ended += 1;
        }
        let depth = begun + 1 - ended;
        if counts.len() <= depth {
            counts.resize(depth + 1, 0u64);
        }
        counts[depth] += 1;
    }
    let wanted = (starts.len() as u64 * 95).div_ceil(100);
    let mut sum = 0;
    let usual = counts.iter().position(|count| {
        sum += count;
        sum >= wanted && wanted > 0
    });
    DepthFigures {
        mean: busy / duration_ns.max(1) as f64,
        usual: usual.unwrap_or(0) as u32,
        most: counts.len().saturating_sub(1) as u32,
    }
}
