//! I/O limits of control groups. Each applies to one device, so it affects only targets on that device.

use super::REACHED_SHARES;
use crate::device::Part;
use crate::{Finding, Severity, SpanContext, memory};
use diskspd_figures::units::{seconds_of_ns, seconds_of_us};
use diskspd_machine::io_limit::{IoControl, IoLimit};
use diskspd_machine::stack::Layer;
use diskspd_results::{ResourceUsage, TargetResults};

/// Minimum share of the time that a limit must be in force to limit a run.
const LONG: f64 = 0.1;
/// Minimum number of I/Os at a limit in a window, so that one I/O is negligible.
const WINDOW_IOS: f64 = 20.0;
/// Maximum difference of a window from its limit; the kernel releases I/Os evenly.
const EVEN: f64 = 0.05;
/// Share of the windows with I/O that shows a limit, and the share that it needs at least in this number of
/// windows.
const EVEN_WINDOW_SHARE: f64 = 0.5;
const MIN_LIMITED_WINDOW_SHARE: f64 = 0.25;
const MIN_JUDGED_WINDOWS: usize = 8;

#[derive(Debug)]
pub(super) struct ReachedLimit<'a> {
    limit: &'a IoLimit,
    device: String,
    targets: Vec<String>,
    /// Period in s; `None` = the whole time.
    period: Option<(f64, f64)>,
}

/// Limits with their start and end in µs.
#[derive(Debug)]
struct Period<'a> {
    from: u64,
    to: u64,
    limits: &'a [IoLimit],
}

fn limit_periods<'a>(effort: &'a ResourceUsage, window: u64) -> Vec<Period<'a>> {
    let mut periods = vec![Period { from: 0, to: window, limits: &effort.io_limits }];
    for change in &effort.limit_changes {
        match periods.last_mut() {
            Some(last) if last.limits != change.io_limits => last.to = change.after_us.max(last.from),
            _ => continue,
        }
        periods.push(Period { from: change.observed_us, to: window, limits: &change.io_limits });
    }
    periods
}

/// Returns a limit's layer within a part. Old records do not number layers, so their disks are used.
fn limited_device<'a>(span: &SpanContext, part: &Part<'a>, limit: &IoLimit) -> Option<&'a Layer> {
    let disks = || span.system.environment.iter().flat_map(|environment| &environment.disks);
    let is = |layer: &&Layer| match &layer.number {
        Some(number) => *number == limit.device,
        None => disks().any(|disk| {
            disk.number == limit.device && disk.device.name.strip_prefix("/dev/") == Some(layer.name.as_str())
        }),
    };
    part.layers().into_iter().find(is)
}

pub(super) fn is_beneath(span: &SpanContext, limit: &IoLimit) -> bool {
    is_unknown(span) || span.parts.iter().any(|part| limited_device(span, part, limit).is_some())
}

fn is_unknown(span: &SpanContext) -> bool {
    !span.parts.iter().any(|part| part.has_devices())
}

type PerSecond = [f64; 4];

/// Returns the I/O limit that explains the rate, and was in force longest. A rate near the limit of another
/// device is chance, and so is a limit where the devices are unknown.
pub(super) fn at_limit<'a>(span: &SpanContext, effort: &'a ResourceUsage) -> Option<ReachedLimit<'a>> {
    let window = (span.measured.seconds * 1e6) as u64;
    let periods = limit_periods(effort, window);
    let whole = periods.len() == 1;
    let long = |period: &&Period| period.to.saturating_sub(period.from) as f64 >= LONG * window as f64;
    let mut found: Vec<(u64, ReachedLimit)> = Vec::new();
    for period in periods.iter().filter(long) {
        let shown = (!whole).then_some((seconds_of_us(period.from), seconds_of_us(period.to)));
        let length = period.to.saturating_sub(period.from);
        for limit in period.limits {
            for part in &span.parts {
                let Some(layer) = limited_device(span, part, limit) else { continue };
                // I/Os served from memory did not reach the device, and no limit held them back.
                if !reached_device(span, layer) {
                    continue;
                }
                let counted =
                    if whole { Some(rate_of_part(span, part)) } else { sampled_rates(span, part, period) };
                // The group may have used up its limit on the device with what the report doesn't count: a
                // journal, earlier writes.
                let own = whole.then(|| of_device(span, layer)).flatten();
                let is_reached = counted.into_iter().chain(own).any(|rates| reaches_limit(limit, &rates));
                if even_windows(span, layer, limit).map_or(is_reached, |even| even.show_limit(is_reached)) {
                    let device = layer.name.replace('!', "/");
                    let targets = target_names(span, layer);
                    found.push((length, ReachedLimit { limit, device, targets, period: shown }));
                }
            }
        }
    }
    // The first of those that are equally long.
    found.into_iter().rev().max_by_key(|(length, _)| *length).map(|(_, at)| at)
}

/// Short windows of another program's I/O. It may pause, and its rate may be near a limit at random.
#[derive(Debug, Default, Clone, Copy)]
struct EvenWindows {
    with_io: usize,
    at_limit: usize,
    /// Whether the mean from the first to the last I/O equals the limit.
    is_mean_at_limit: bool,
}

impl EvenWindows {
    fn show_limit(self, is_reached: bool) -> bool {
        let share = self.at_limit as f64 / self.with_io.max(1) as f64;
        let is_chance = self.with_io >= MIN_JUDGED_WINDOWS && share < MIN_LIMITED_WINDOW_SHARE;
        share >= EVEN_WINDOW_SHARE || (is_reached || self.is_mean_at_limit) && !is_chance
    }

    /// Counts windows of I/Os. `at_limit` = I/Os per tick at the limit.
    fn count(beats: &[u64], at_limit: f64) -> EvenWindows {
        // The first and the last one are filled in part.
        let active = active_beats(beats);
        let beats = active.get(1..active.len().saturating_sub(1)).unwrap_or_default();
        let length = (WINDOW_IOS / at_limit).ceil().clamp(1.0, beats.len().max(1) as f64) as usize;
        let is_near = |sum: u64, beats: usize| {
            let expected = at_limit * beats as f64;
            (sum as f64 - expected).abs() <= (EVEN * expected).max(1.0)
        };
        let sums = beats.chunks_exact(length).map(|window| window.iter().sum::<u64>());
        let with_io: Vec<u64> = sums.filter(|sum| *sum > 0).collect();
        EvenWindows {
            with_io: with_io.len(),
            at_limit: with_io.iter().filter(|sum| is_near(**sum, length)).count(),
            is_mean_at_limit: !with_io.is_empty() && is_near(beats.iter().sum(), beats.len()),
        }
    }
}

/// Returns the ticks from the first to the last I/O; empty = no I/Os.
fn active_beats(beats: &[u64]) -> &[u64] {
    let first = beats.iter().position(|ios| *ios > 0).unwrap_or(beats.len());
    let last = beats.iter().rposition(|ios| *ios > 0).map_or(first, |last| last + 1);
    &beats[first..last]
}

/// Returns the windows of another program's I/O for the value of a limit that fits best; `None` = unknown, or
/// a run of this program, whose threads do not pause.
fn even_windows(span: &SpanContext, layer: &Layer, limit: &IoLimit) -> Option<EvenWindows> {
    span.program?;
    let beats = span.results.observed.as_ref()?.ticks.as_ref()?;
    let rates = of_device(span, layer)?;
    let ios = rates[2] + rates[3];
    let windows = limit_values(limit).into_iter().zip(rates).filter_map(|(limit, rate)| {
        // At the limit this direction has its share of the I/Os.
        let per_second = limit? as f64 * ios / rate;
        let at_limit = per_second * seconds_of_us(beats.width_us);
        (rate > 0.0 && at_limit > 0.0).then(|| EvenWindows::count(&beats.ios.0, at_limit))
    });
    windows.max_by_key(|windows| windows.at_limit)
}

/// Returns the values of a limit in the order of [`PerSecond`].
fn limit_values(limit: &IoLimit) -> [Option<u64>; 4] {
    [limit.read_bytes, limit.write_bytes, limit.reads, limit.writes]
}

fn reaches_limit(limit: &IoLimit, rates: &PerSecond) -> bool {
    let at = |(limit, rate): (Option<u64>, &f64)| {
        limit.is_some_and(|limit| REACHED_SHARES.contains(&(rate / limit.max(1) as f64)))
    };
    limit_values(limit).into_iter().zip(rates).any(at)
}

fn rate_of_part(span: &SpanContext, part: &Part) -> PerSecond {
    let numbers = [part.read.bytes, part.write.bytes, part.read.ios, part.write.ios];
    let seconds = active_seconds(span).unwrap_or(span.measured.seconds);
    numbers.map(|number| number as f64 / seconds)
}

/// Time from the first to the last I/O of another program; `None` = unknown, or a run of this one.
fn active_seconds(span: &SpanContext) -> Option<f64> {
    span.program?;
    let beats = span.results.observed.as_ref()?.ticks.as_ref()?;
    let active = active_beats(&beats.ios.0);
    (!active.is_empty()).then(|| seconds_of_us(active.len() as u64 * beats.width_us))
}

fn sampled_rates(span: &SpanContext, part: &Part, period: &Period) -> Option<PerSecond> {
    // Woken a little late, a sample still belongs to its second.
    const EDGE: u64 = 50_000;
    let samples = &span.results.observed.as_ref()?.samples;
    let (mut begin, mut length, mut ios, mut bytes) = (0u64, 0u64, 0u64, 0u64);
    for sample in samples {
        if begin.saturating_add(EDGE) >= period.from && sample.end_us <= period.to.saturating_add(EDGE) {
            length = length.saturating_add(sample.end_us.saturating_sub(begin));
            ios = ios.saturating_add(sample.ios);
            bytes = bytes.saturating_add(sample.bytes);
        }
        begin = sample.end_us;
    }
    let total = &span.measured.total.total.throughput;
    let rate = |number: u64, part: u64, all: u64| {
        number as f64 * (part as f64 / all.max(1) as f64) / seconds_of_us(length)
    };
    (length > 0).then(|| {
        [
            rate(bytes, part.read.bytes, total.bytes),
            rate(bytes, part.write.bytes, total.bytes),
            rate(ios, part.read.ios, total.ios),
            rate(ios, part.write.ios, total.ios),
        ]
    })
}

/// Share of the counted bytes that a device did at least, if its limit held them back.
const REACHED_DEVICE: f64 = 0.5;

/// Whether the device did most of the bytes that its targets counted. Without counters it is assumed to.
fn reached_device(span: &SpanContext, layer: &Layer) -> bool {
    let targets = span.parts.iter().flat_map(|part| &part.targets);
    let on_device = targets.filter(|target| target.stack.layer(&layer.name).is_some());
    let bytes = |row: &TargetResults| row.read.bytes.saturating_add(row.write.bytes);
    let counted: u64 =
        on_device.map(|target| span.target_total(target.target, bytes)).fold(0, u64::saturating_add);
    let counted = counted as f64 / span.measured.seconds;
    of_device(span, layer).is_none_or(|[read, written, ..]| read + written >= REACHED_DEVICE * counted)
}

fn of_device(span: &SpanContext, layer: &Layer) -> Option<PerSecond> {
    let facts = span.devices()?;
    let done = &facts.devices.iter().find(|device| device.name == layer.name)?.activity;
    let seconds = seconds_of_ns(facts.elapsed.max(1));
    let numbers = [done.read.bytes, done.write.bytes, done.read.ios, done.write.ios];
    Some(numbers.map(|number| number as f64 / seconds))
}

/// Returns the targets on a device, if there are targets on other devices.
fn target_names(span: &SpanContext, layer: &Layer) -> Vec<String> {
    let all = || span.parts.iter().flat_map(|part| &part.targets);
    let on = all().filter(|target| target.stack.layer(&layer.name).is_some());
    let names: Vec<String> = on.map(|target| format!("'{}'", span.host.path(target.target))).collect();
    if names.len() == all().count() { Vec::new() } else { names }
}

/// Formats a limit: `of the control group G on sda (8:0: riops=300)`.
pub(super) fn limit_text(limit: &IoLimit, device: Option<&str>) -> String {
    let values: Vec<String> = limit.named_limits().map(|(name, value)| format!("{name}={value}")).collect();
    let on = match device {
        Some(name) => format!("{name} ({}: {})", limit.device, values.join(" ")),
        None => format!("device {} ({})", limit.device, values.join(" ")),
    };
    format!("of the control group {} on {on}", limit.group)
}

impl ReachedLimit<'_> {
    pub(super) fn describe(&self) -> String {
        let alone = match self.targets.as_slice() {
            [] => String::new(),
            targets => format!(", below {} alone", targets.join(" and ")),
        };
        let when = self.period.map_or(String::new(), |(from, to)| {
            let change = if from > 0.0 { "set during the run" } else { "changed or removed at the end" };
            format!(", from second {from:.1} to {to:.1} (it was {change})")
        });
        format!("the I/O limit {}{alone}{when}", limit_text(self.limit, Some(&self.device)))
    }
}

pub(super) fn device_name(span: &SpanContext, limit: &IoLimit) -> Option<String> {
    span.parts.iter().find_map(|part| Some(limited_device(span, part, limit)?.name.replace('!', "/")))
}

/// Returns the limits on devices of the targets.
fn own_limits(span: &SpanContext, limits: &[IoLimit]) -> Vec<IoLimit> {
    limits.iter().filter(|limit| is_beneath(span, limit)).cloned().collect()
}

pub(super) fn changed(span: &SpanContext, effort: &ResourceUsage) -> Option<Finding> {
    let mut before = &effort.io_limits;
    let mut evidence = Vec::new();
    for change in &effort.limit_changes {
        let (old, new) = (own_limits(span, before), own_limits(span, &change.io_limits));
        // What is kept of a change differs from what was before: if not these limits, then those of CPUs.
        let of_cpus = *before == change.io_limits;
        before = &change.io_limits;
        if old == new && !of_cpus {
            continue;
        }
        let mut what = Vec::new();
        if change.group_changed {
            what.push("this process was moved to another control group".to_owned());
        }
        let io = new
            .iter()
            .map(|limit| format!("an I/O limit {}", limit_text(limit, device_name(span, limit).as_deref())));
        what.extend(io.filter(|_| old != new));
        if old != new && new.is_empty() {
            what.push("no I/O limit on the targets' devices any more".into());
        }
        let cpus = change.cpus.iter();
        what.extend(
            cpus.map(|limit| format!("{:.2} CPUs for the control group {}", limit.cpus, limit.group)),
        );
        if of_cpus && change.cpus.is_empty() {
            what.push("no CPU quota any more".into());
        }
        let (after, seen) = (seconds_of_us(change.after_us), seconds_of_us(change.observed_us));
        evidence.push(format!("between second {after:.1} and {seen:.1}: {}", what.join("; ")));
    }
    evidence.extend(memory::changes(&effort.memory));
    let message = "the limits of this process's control groups changed during the measurement";
    let finding = Finding::new("limits-changed", Severity::Warning, span, message);
    let finding = evidence.iter().cloned().fold(finding, Finding::shown_by);
    (!evidence.is_empty()).then(|| finding.remedy("measure again with unchanged limits"))
}

/// Whether a limit or control of these groups was temporarily in force on the targets' devices. It may
/// have delayed I/Os although the rate is below it.
pub(super) fn in_force(span: &SpanContext, effort: &ResourceUsage) -> bool {
    let later = effort.limit_changes.iter().flat_map(|change| &change.io_limits);
    let limits = effort.io_limits.iter().chain(later).any(|limit| is_beneath(span, limit));
    let control = |control: &IoControl| {
        is_beneath(span, &IoLimit { device: control.device.clone(), ..IoLimit::default() })
    };
    limits || effort.io_controls.iter().any(control)
}

pub(super) fn io_changed(span: &SpanContext, effort: &ResourceUsage) -> bool {
    let before = own_limits(span, &effort.io_limits);
    effort.limit_changes.iter().any(|change| own_limits(span, &change.io_limits) != before)
}

/// Whether a group's CPU quota changed; stored changes are either of I/O limits or of CPU quotas.
pub(super) fn quota_changed(effort: &ResourceUsage) -> bool {
    let before = std::iter::once(&effort.io_limits);
    let before = before.chain(effort.limit_changes.iter().map(|change| &change.io_limits));
    effort.limit_changes.iter().zip(before).any(|(change, before)| change.io_limits == *before)
}

pub(super) fn not_reached(span: &SpanContext, effort: &ResourceUsage) -> Vec<String> {
    let limits =
        effort.io_limits.iter().filter(|limit| is_beneath(span, limit)).map(|limit| {
            match device_name(span, limit) {
                Some(name) => format!("the I/O limit {} was not reached", limit_text(limit, Some(&name))),
                None => format!(
                    "the I/O limit {} may not concern the targets, whose devices are unknown",
                    limit_text(limit, None)
                ),
            }
        });
    let controls = effort.io_controls.iter().filter_map(|IoControl { group, device, setting }| {
        let limit = IoLimit { device: device.clone(), ..IoLimit::default() };
        let name = device_name(span, &limit).unwrap_or_else(|| device.clone());
        is_beneath(span, &limit).then(|| {
            format!(
                "the control group {group} has {setting} on {name}: it may throttle I/O, and the kernel \
                 does not report by how much"
            )
        })
    });
    limits.chain(controls).chain(cost_lines(span, effort)).collect()
}

/// Returns lines about delays by the I/O cost controller.
fn cost_lines(span: &SpanContext, effort: &ResourceUsage) -> Vec<String> {
    let held_back = effort.io_costs.iter().filter_map(|cost| {
        let limit = IoLimit { device: cost.device.clone(), ..IoLimit::default() };
        let held_back = cost.held_back_us().filter(|us| *us > 0 && is_beneath(span, &limit))?;
        let name = device_name(span, &limit).unwrap_or_else(|| cost.device.clone());
        Some(format!(
            "io.cost held I/Os of the control group {} on {name} back for {:.2} s in all",
            cost.group,
            seconds_of_us(held_back)
        ))
    });
    held_back.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limit_follows_from_even_windows() {
        let shows = |beats: &[u64], at_limit: f64, is_reached| {
            EvenWindows::count(beats, at_limit).show_limit(is_reached)
        };
        // 64 KiB at 32 MiB/s in beats of 100 ms: throttled, with pauses, and a program's own rate below it.
        assert!(shows(&[0, 51, 51, 52, 51, 51, 52], 51.2, false));
        assert!(shows(&[51, 0, 49, 0, 0, 51, 49, 0, 0], 51.2, false));
        let below = [46, 51, 15, 54, 47, 47, 52, 49, 21, 60, 48, 57, 32, 51, 37, 49, 50, 34, 34];
        assert!(!shows(&below, 51.2, false));
        let near = [41, 79, 44, 31, 54, 50, 17, 56, 55, 35, 92, 14, 5, 81, 73, 17, 71, 71];
        assert!(!shows(&near, 51.2, true), "a rate near the limit by chance");
        // 1 MiB: few I/Os, so the mean decides.
        assert!(shows(&[0, 0, 0, 3, 3, 3, 3, 3, 4, 3, 3, 6, 0, 1], 3.2, false));
        assert!(!shows(&[0, 0, 2, 3, 3, 3, 1, 3, 3, 3, 3, 3, 1], 3.2, false));
        assert!(shows(&[9, 51, 0, 102, 0, 0, 153, 0, 102, 51, 1], 51.2, false), "late readings");
        assert!(!shows(&[], 51.2, false));
    }
}
