//! Result XML of several hosts: as far as figures add up. Amounts and rates do, means and deviations follow
//! from them with the number of I/Os, the extremes are those of all. Percentiles can't be had from
//! percentiles, and how busy all CPUs were not without knowing how many there are: they are left open.

use super::MergeError;
use diskspd_model::results::{KnownFigures, Origin, RunSummary, SpanSummary};
use diskspd_model::units::Millis;

/// All of these as one run.
///
/// # Errors
/// There is none, or they have not the same time spans.
pub fn merge_known(runs: &[RunSummary]) -> Result<RunSummary, MergeError> {
    let first = runs.first().ok_or(MergeError::Nothing)?;
    for run in runs {
        if let Some(what) = difference(first, run) {
            return Err(MergeError::Different { name: run.name.clone(), first: first.name.clone(), what });
        }
    }
    if let Some((copy, first)) = copies(runs) {
        return Err(MergeError::Twice { name: copy.name.clone(), first: first.name.clone() });
    }
    let all_known = runs.iter().all(|run| !run.hosts.is_empty());
    let spans = (0..first.time_spans.len()).map(|index| {
        let spans: Option<Vec<&SpanSummary>> =
            runs.iter().map(|run| run.time_spans.get(index)?.as_ref()).collect();
        spans.map(|spans| span(&spans))
    });
    let version = match &first.origin {
        Origin::ResultXml { version } => version.clone(),
        Origin::Record { .. } => None,
    };
    Ok(RunSummary {
        started_at: runs.iter().map(|run| run.started_at).min().flatten(),
        hosts: runs.iter().filter(|_| all_known).flat_map(|run| run.hosts.clone()).collect(),
        time_spans: spans.collect(),
        ..RunSummary::new(format!("{} hosts", runs.len()), Origin::ResultXml { version })
    })
}

/// Two that say the same, down to machine and time: a copy, and what it is a copy of. Simulated runs have no
/// time, and may be alike.
fn copies(runs: &[RunSummary]) -> Option<(&RunSummary, &RunSummary)> {
    let same = |a: &RunSummary, b: &RunSummary| {
        (a.started_at, &a.hosts, &a.time_spans) == (b.started_at, &b.hosts, &b.time_spans)
    };
    runs.iter().enumerate().filter(|(_, run)| run.started_at.is_some()).find_map(|(place, run)| {
        runs[..place].iter().find(|first| same(first, run)).map(|first| (run, first))
    })
}

/// What is to be the same, as far as it is known.
fn difference(first: &RunSummary, other: &RunSummary) -> Option<String> {
    let (own, its) = (first.time_spans.len(), other.time_spans.len());
    if own != its {
        return Some(format!("it has {its} time spans instead of {own}"));
    }
    first.time_spans.iter().zip(&other.time_spans).flat_map(|(a, b)| a.iter().zip(b)).find_map(|(a, b)| {
        let (a, b) = (&a.parameters, &b.parameters);
        let durations = [a.duration_s, b.duration_s];
        let access = |of: &diskspd_model::profile::Parameters| {
            (
                of.common(|access| access.block_size),
                of.common(|access| access.write_percent),
                of.common(|access| Some(access.shares)),
                of.common(|access| access.random_percent),
            )
        };
        if let [Some(own), Some(its)] = durations
            && own != its
        {
            return Some(format!("the duration is {its} s instead of {own} s"));
        }
        (access(a) != access(b)).then(|| "block size, mix or pattern".to_owned())
    })
}

fn span(spans: &[&SpanSummary]) -> SpanSummary {
    let of = |figures: fn(&SpanSummary) -> &KnownFigures| {
        figures_of(&spans.iter().map(|span| figures(span)).collect::<Vec<_>>())
    };
    let mut parameters = spans[0].parameters.clone();
    let sum = |of: fn(&SpanSummary) -> Option<u64>| spans.iter().map(|span| of(span)).sum::<Option<u64>>();
    parameters.threads = sum(|span| span.parameters.threads);
    parameters.in_flight = sum(|span| span.parameters.in_flight);
    let seconds = spans.iter().map(|span| span.seconds).collect::<Option<Vec<f64>>>();
    SpanSummary {
        parameters,
        seconds: seconds.map(|all| all.into_iter().fold(0.0, f64::max)),
        read: of(|span| &span.read),
        write: of(|span| &span.write),
        total: of(|span| &span.total),
        ..SpanSummary::default()
    }
}

fn figures_of(all: &[&KnownFigures]) -> KnownFigures {
    let each = |of: fn(&KnownFigures) -> Option<f64>| all.iter().map(move |figures| of(figures));
    let busy = || all.iter().filter(|figures| figures.ios != Some(0));
    let ios = all.iter().map(|figures| figures.ios).sum::<Option<u64>>();
    // (I/Os, mean, deviation) of those that did any.
    let parts: Option<Vec<(f64, f64, f64)>> =
        busy().map(|of| Some((of.ios? as f64, of.mean_ms?.ms(), of.std_dev_ms?.ms()))).collect();
    let moments = parts.filter(|parts| !parts.is_empty()).map(|parts| {
        let count: f64 = parts.iter().map(|(ios, ..)| ios).sum();
        let mean = parts.iter().map(|(ios, mean, _)| ios * mean).sum::<f64>() / count;
        let squares =
            parts.iter().map(|(ios, own, deviation)| ios * (deviation.powi(2) + (own - mean).powi(2)));
        (mean, (squares.sum::<f64>() / count).sqrt())
    });
    let extreme = |of: fn(&KnownFigures) -> Option<Millis>, choose: fn(Millis, Millis) -> Millis| {
        let known: Option<Vec<Millis>> = busy().map(|figures| of(figures)).collect();
        known?.into_iter().reduce(choose)
    };
    KnownFigures {
        ios,
        bytes: all.iter().map(|figures| figures.bytes).sum(),
        iops: each(|figures| figures.iops).sum(),
        mib_per_s: each(|figures| figures.mib_per_s).sum(),
        mean_ms: moments.map(|(mean, _)| Millis::new(mean)),
        std_dev_ms: moments.map(|(_, deviation)| Millis::new(deviation)),
        min_ms: extreme(|figures| figures.min_ms, Millis::min),
        max_ms: extreme(|figures| figures.max_ms, Millis::max),
        iops_std_dev: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What two hosts did is what one would have done that did both's I/Os: 1 and 3 ms, 5 and 5 ms.
    #[test]
    fn means_and_deviations_are_those_of_all_ios() {
        let of = |ios, mean, deviation, min, max| KnownFigures {
            ios: Some(ios),
            mean_ms: Some(Millis::new(mean)),
            std_dev_ms: Some(Millis::new(deviation)),
            min_ms: Some(Millis::new(min)),
            max_ms: Some(Millis::new(max)),
            iops: Some(7.0),
            ..KnownFigures::default()
        };
        let idle = KnownFigures { ios: Some(0), iops: Some(0.0), ..KnownFigures::default() };
        let both = figures_of(&[&of(2, 2.0, 1.0, 1.0, 3.0), &of(2, 5.0, 0.0, 5.0, 5.0), &idle]);
        assert_eq!((both.ios, both.iops, both.bytes), (Some(4), Some(14.0), None));
        assert_eq!([both.mean_ms, both.min_ms, both.max_ms], [3.5, 1.0, 5.0].map(|ms| Some(Millis::new(ms))));
        let squares = [1.0_f64, 3.0, 5.0, 5.0].map(|ms| (ms - 3.5).powi(2)).iter().sum::<f64>();
        assert!((both.std_dev_ms.unwrap().ms() - (squares / 4.0).sqrt()).abs() < 1e-12);
        let unknown = KnownFigures { ios: Some(1), ..KnownFigures::default() };
        assert_eq!(figures_of(&[&unknown, &of(1, 1.0, 0.0, 1.0, 1.0)]).mean_ms, None);
    }
}
