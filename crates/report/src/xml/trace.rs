//! The trace (`-e`) in the XML results.

use super::secondary::write_elements;
use super::writer::Writer;
use crate::secondary::DEVICE_TIMES;
use crate::trace_sections::sections;
use diskspd_results::{CompletionFigures, DeviceFigures, TraceFigures, TraceSession};

/// Writes `ETW` and `ETWSessionInfo` at DISKSPD's positions, without unavailable counters.
pub(super) fn write(out: &mut Writer, trace: &TraceFigures) {
    out.open("ETW");
    for section in sections(&trace.counts) {
        let Some(counts) = section.counts(&trace.counts) else { continue };
        section.element.iter().for_each(|element| out.open(element));
        for (_, element, counted) in counts {
            counted.count.iter().for_each(|count| out.value(element, count));
        }
        section.element.iter().for_each(|element| out.close(element));
    }
    out.close("ETW");
    write_session(out, &trace.session);
}

fn write_session(out: &mut Writer, session: &TraceSession) {
    let TraceSession { buffer_kib, buffers, read, lost_events: lost, .. } = session;
    out.open("ETWSessionInfo");
    out.value("BufferSizeKB", buffer_kib);
    out.value("MinimimBuffers", buffers);
    out.value("MaximumBuffers", buffers);
    // DISKSPD forgets the line feed behind this one.
    out.lines(|text, indent| put!(text, "{:1$}<FreeBuffers>{buffers}</FreeBuffers>", "", indent));
    out.value("BuffersWritten", read);
    out.value("FlushTimerSeconds", 0);
    out.value("AgeLimitMinutes", 0);
    out.value("AllocatedBuffers", buffers);
    out.value("LostEvents", lost);
    out.value("LostLogBuffers", 0);
    out.value("LostRealTimeBuffers", 0);
    out.close("ETWSessionInfo");
}

/// Writes `DeviceCompletionTime`, an additional element at the end of a time span: device times next to
/// measured times.
pub(super) fn write_devices(out: &mut Writer, devices: &[DeviceFigures]) {
    out.open("DeviceCompletionTime");
    for device in devices {
        out.open("Device");
        out.text("Name", device.device.as_bytes());
        match &device.reason {
            Some(reason) => out.text("NotTraced", reason.as_bytes()),
            None => {
                write_direction(out, "Read", &device.read);
                write_direction(out, "Write", &device.write);
                if device.flushes > 0 {
                    out.value("Flushes", device.flushes);
                }
            }
        }
        out.close("Device");
    }
    out.close("DeviceCompletionTime");
}

fn write_direction(out: &mut Writer, name: &str, figures: &CompletionFigures) {
    out.open(name);
    write_elements(out, DEVICE_TIMES, figures);
    out.close(name);
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_figures::units::Millis;
    use diskspd_machine::tracing::TraceEvent::*;
    use diskspd_results::EventCount;

    #[test]
    fn xml_has_diskspd_elements_for_counted_values() {
        let count = |event, count| EventCount { event, count, reason: None };
        let counts = [
            (DiskRead, Some(1)),
            (DiskWrite, Some(2)),
            (HardFault, Some(3)),
            (ProcessStart, Some(4)),
            (ProcessEnd, None),
        ];
        let counts = counts.into_iter().map(|(event, number)| count(event, number)).collect();
        let session =
            TraceSession { buffer_kib: 64, buffers: 8, read: 9, lost_events: 10, ..TraceSession::default() };
        let read = CompletionFigures {
            requests: 1,
            timed: 1,
            mean: Some(Millis::new(0.0124)),
            ..CompletionFigures::default()
        };
        let device = |device: &str, reason| DeviceFigures {
            device: device.into(),
            read,
            write: CompletionFigures::default(),
            flushes: 0,
            reason,
        };
        let devices = [device("a&b", None), device("zram0", Some("no <queue>".into()))];
        let mut text = Vec::new();
        let mut out = Writer::new(&mut text);
        out.open("R");
        write(&mut out, &TraceFigures { counts, devices: None, session });
        write_devices(&mut out, &devices);
        out.finish("R").expect("memory takes everything");
        let expected = "<R>
  <ETW>
    <DiskIO>
      <Read>1</Read>
      <Write>2</Write>
    </DiskIO>
    <HardPageFault>3</HardPageFault>
    <Process>
      <Start>4</Start>
    </Process>
  </ETW>
  <ETWSessionInfo>
    <BufferSizeKB>64</BufferSizeKB>
    <MinimimBuffers>8</MinimimBuffers>
    <MaximumBuffers>8</MaximumBuffers>
    <FreeBuffers>8</FreeBuffers>    <BuffersWritten>9</BuffersWritten>
    <FlushTimerSeconds>0</FlushTimerSeconds>
    <AgeLimitMinutes>0</AgeLimitMinutes>
    <AllocatedBuffers>8</AllocatedBuffers>
    <LostEvents>10</LostEvents>
    <LostLogBuffers>0</LostLogBuffers>
    <LostRealTimeBuffers>0</LostRealTimeBuffers>
  </ETWSessionInfo>
  <DeviceCompletionTime>
    <Device>
      <Name>a&amp;b</Name>
      <Read>
        <Requests>1</Requests>
        <TimedRequests>1</TimedRequests>
        <AverageMilliseconds>0.012</AverageMilliseconds>
      </Read>
      <Write>
        <Requests>0</Requests>
        <TimedRequests>0</TimedRequests>
      </Write>
    </Device>
    <Device>
      <Name>zram0</Name>
      <NotTraced>no &lt;queue&gt;</NotTraced>
    </Device>
  </DeviceCompletionTime>
</R>";
        assert_eq!(String::from_utf8(text).expect("text"), expected);
    }
}
