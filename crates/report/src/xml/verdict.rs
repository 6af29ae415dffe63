//! The verdict about the devices: an element that DISKSPD's results do not have (`--xml-verdict`).

use super::findings::severity;
use super::writer::Writer;
use diskspd_checks::{Comparison, DeviceVerdict, SpanVerdict};

/// `<DeviceVerdict>` of a time span: the worst verdict, then one `<Part>` for all targets that share devices.
pub(super) fn write(out: &mut Writer, verdict: &SpanVerdict) {
    out.open("DeviceVerdict");
    out.value("Verdict", verdict.verdict.word());
    out.value("Severity", severity(verdict.severity));
    for part in &verdict.parts {
        write_part(out, part);
    }
    out.close("DeviceVerdict");
}

fn write_part(out: &mut Writer, part: &DeviceVerdict) {
    out.open("Part");
    for path in &part.targets {
        out.text("Path", path.as_bytes());
    }
    for device in &part.devices {
        out.text("Device", device.as_bytes());
    }
    out.value("Verdict", part.verdict.word());
    out.value("Severity", severity(part.severity));
    out.text("Message", part.message.as_bytes());
    for (name, comparison) in [("Read", &part.read), ("Write", &part.write)] {
        if let Some(Comparison { counted_bytes, counted_ios, device_bytes, device_ios, ratio }) = comparison {
            out.open(name);
            out.value("CountedBytes", counted_bytes);
            out.value("CountedIOs", counted_ios);
            out.value("DeviceBytes", device_bytes);
            out.value("DeviceIOs", device_ios);
            out.value("Ratio", format_args!("{ratio:.3}"));
            out.close(name);
        }
    }
    if let Some(flushes) = part.flushes {
        out.value("Flushes", flushes);
    }
    out.value("OthersBytes", part.others_bytes);
    if let Some(bytes) = part.unwritten_bytes {
        out.value("UnwrittenBytes", bytes);
    }
    if let Some(seconds) = part.flush_seconds {
        out.value("FlushSeconds", format_args!("{seconds:.3}"));
    }
    out.close("Part");
}
