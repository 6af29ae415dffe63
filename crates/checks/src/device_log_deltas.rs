//! Device logs before and after the measured time: volume limits, heat, errors.

use super::{Finding, Limiter, Severity, SpanContext};
use diskspd_figures::units::{self, seconds_of_ns, seconds_of_us};
use diskspd_machine::device_log::{DeviceLogDelta, Health, VolumeCounters};
use diskspd_profile::Target;

/// Minimum share of time above a volume's limit that makes it the limit of the run. With a full queue at
/// the limit it is nearly 1.
const MIN_CAUSE_SHARE: f64 = 0.5;
const NOTICEABLE: f64 = 0.01;
/// Used share of the rated endurance in percent.
const WORN: u8 = 100;

#[derive(Debug)]
pub(super) struct OverLimit<'a> {
    statement: &'a DeviceLogDelta,
    limit: &'static VolumeLimit,
    us: u64,
}

#[derive(Debug)]
struct VolumeLimit {
    name: &'static str,
    remedy: &'static str,
    us: fn(&VolumeCounters) -> u64,
}

const LIMITS: [VolumeLimit; 4] = [
    VolumeLimit {
        name: "the volume's IOPS limit",
        remedy: "provision more IOPS for the volume",
        us: |counted| counted.over_volume_iops_us,
    },
    VolumeLimit {
        name: "the volume's throughput limit",
        remedy: "provision more throughput for the volume",
        us: |counted| counted.over_volume_throughput_us,
    },
    VolumeLimit {
        name: "the instance's IOPS limit",
        remedy: "use a larger instance, or fewer volumes at a time",
        us: |counted| counted.over_instance_iops_us,
    },
    VolumeLimit {
        name: "the instance's throughput limit",
        remedy: "use a larger instance, or fewer volumes at a time",
        us: |counted| counted.over_instance_throughput_us,
    },
];

impl OverLimit<'_> {
    /// `the volume's IOPS limit: it held the run back for 4.2 of 10.0 s (nvme1n1, by Amazon EBS)`
    pub(super) fn describe(&self) -> String {
        let source = self.statement.source.row().name;
        format!(
            "{}: it held I/Os back for {:.1} of {:.1} s, as {} reports ({source})",
            self.limit.name,
            seconds_of_us(self.us),
            seconds_of_ns(self.statement.interval_ns),
            self.statement.device
        )
    }

    pub(super) fn remedy(&self) -> &'static str {
        self.limit.remedy
    }

    fn time_share(&self) -> f64 {
        self.us as f64 * 1e3 / self.statement.interval_ns.max(1) as f64
    }
}

fn device_statements<'a>(span: &SpanContext<'a>) -> &'a [DeviceLogDelta] {
    span.results.observed.as_ref().map_or(&[], |observed| &observed.device_logs)
}

fn exceeded_limits<'a>(span: &SpanContext<'a>) -> Vec<OverLimit<'a>> {
    let of = |statement: &'a DeviceLogDelta| {
        let counted = statement.volume()?;
        Some(LIMITS.iter().map(move |limit| OverLimit { statement, limit, us: (limit.us)(&counted) }))
    };
    let all = device_statements(span).iter().filter_map(of).flatten();
    all.filter(|over| over.us > 0 && over.time_share() >= NOTICEABLE).collect()
}

/// Returns the limit that was exceeded for the longest time; the first of equal ones.
pub(super) fn most_over<'a>(span: &SpanContext<'a>) -> Option<OverLimit<'a>> {
    exceeded_limits(span).into_iter().rev().max_by(|a, b| a.time_share().total_cmp(&b.time_share()))
}

pub(super) fn limits(span: &SpanContext) -> bool {
    most_over(span).is_some_and(|over| over.time_share() >= MIN_CAUSE_SHARE)
}

/// Returns the devices with own limits that could not be queried.
pub(super) fn unread_logs(span: &SpanContext) -> Vec<String> {
    let unheard = device_statements(span).iter().filter_map(|statement| {
        let (device, name) = (&statement.device, statement.source.row().name);
        let why = match &statement.error {
            Some(why) => why.clone(),
            None if statement.health().is_none()
                && statement.volume().is_none()
                && statement.media().is_none() =>
            {
                "its counters were reset during the run".to_owned()
            }
            None => return None,
        };
        Some(format!("{device}'s own statistics ({name}) are unavailable: {why}"))
    });
    unheard.collect()
}

pub(super) fn check(span: &SpanContext, limiter: Option<Limiter>) -> Vec<Finding> {
    let told = (limiter == Some(Limiter::VolumeLimit)).then(|| most_over(span)).flatten();
    let is_reported = |over: &OverLimit| {
        told.as_ref().is_some_and(|told| {
            std::ptr::eq(told.statement, over.statement) && std::ptr::eq(told.limit, over.limit)
        })
    };
    let exceeded = exceeded_limits(span).into_iter().filter(|over| !is_reported(over)).map(|over| {
        let finding = Finding::new("volume-limit-exceeded", Severity::Warning, span, over.describe());
        finding.remedy(over.remedy())
    });
    let health =
        device_statements(span).iter().filter_map(|statement| Some((statement, statement.health()?)));
    let health = health.flat_map(|(statement, (before, after))| {
        let device = statement.device.as_str();
        let found = [
            thermal_slowdown(span, device, before, after),
            media_errors(span, device, before, after),
            critical_warning(span, device, before, after),
            worn_device(span, device, after),
        ];
        found.into_iter().flatten()
    });
    let media = device_statements(span).iter().filter_map(|statement| media_writes(span, statement));
    exceeded.chain(health).chain(media).collect()
}

fn media_writes(span: &SpanContext, statement: &DeviceLogDelta) -> Option<Finding> {
    let counted = statement.media()?;
    let amplification = counted.write_amplification()?;
    let [host, media, erased] =
        [counted.host_bytes, counted.media_bytes, counted.erased_bytes].map(units::Size);
    let message = format!(
        "write amplification {amplification:.2}, as {} reports: it wrote {media} to its media for {host} of \
         hosts ({})",
        statement.device,
        statement.source.row().name
    );
    let finding = Finding::new("write-amplification", Severity::Note, span, message);
    let finding = finding.shown_by(format!(
        "{erased} of the media were erased in {:.1} s; counted over all namespaces of the endurance group",
        seconds_of_ns(statement.interval_ns)
    ));
    // Users of data placement need to see its effect.
    let placed = |target: &Target| !target.fdp.is_empty() || !target.write_streams.is_empty();
    Some(if span.asked.targets.iter().any(placed) { finding.as_answer() } else { finding })
}

/// Reports thermal throttling, as shown by increased counters.
fn thermal_slowdown(span: &SpanContext, device: &str, before: &Health, after: &Health) -> Option<Finding> {
    let since = |of: fn(&Health) -> u32| of(after).saturating_sub(of(before));
    let (light, heavy) = (since(|health| health.light_throttled_s), since(|health| health.heavy_throttled_s));
    let times = since(|health| health.light_throttles).saturating_add(since(|health| health.heavy_throttles));
    if light == 0 && heavy == 0 && times == 0 {
        return None;
    }
    let message = format!(
        "{device} throttled itself {times} times because of heat: {light} s lightly and {heavy} s heavily"
    );
    let mut finding = Finding::new("thermal-throttling", Severity::Warning, span, message);
    if let Some(celsius) = after.celsius() {
        finding = finding.shown_by(format!("{celsius} °C when measuring ended"));
    }
    let (warned, critical) =
        (since(|health| health.warning_minutes), since(|health| health.critical_minutes));
    if warned > 0 || critical > 0 {
        finding = finding.shown_by(format!(
            "{warned} min beyond its warning temperature, {critical} min beyond its critical one"
        ));
    }
    Some(
        finding.remedy("cool the device, or measure longer: the throttled speed is its sustained speed here"),
    )
}

fn media_errors(span: &SpanContext, device: &str, before: &Health, after: &Health) -> Option<Finding> {
    let errors = after.media_errors.checked_sub(before.media_errors).filter(|errors| *errors > 0)?;
    let message =
        format!("{device} counted {errors} media errors during the run: some data is lost or wrong");
    let finding = Finding::new("media-errors", Severity::Warning, span, message);
    Some(finding.remedy("check dmesg and nvme smart-log, and save the data on it"))
}

fn critical_warning(span: &SpanContext, device: &str, before: &Health, after: &Health) -> Option<Finding> {
    if after.critical == 0 {
        return None;
    }
    let words = after.critical_words();
    let what = if words.is_empty() { "a reason unknown to this program".into() } else { words.join("; ") };
    let since = if before.critical == after.critical { "" } else { ", since this run" };
    let message = format!("{device} reports a critical state: {what}{since}");
    let finding = Finding::new("device-critical", Severity::Warning, span, message);
    Some(
        finding
            .remedy("check nvme smart-log: figures of a device in this state do not hold for a healthy one"),
    )
}

fn worn_device(span: &SpanContext, device: &str, after: &Health) -> Option<Finding> {
    let message = format!("{device} has used {} % of its rated endurance", after.used);
    (after.used >= WORN).then(|| Finding::new("device-worn", Severity::Note, span, message))
}
