//! The trace (`-e`) in the text report: DISKSPD's sections, then a comparison of device times with
//! measured times.

use super::trace_sections::sections;
use crate::secondary::{DEVICE_TIMES, ruled_cells, ruled_heads};
use diskspd_results::{CompletionFigures, DeviceFigures, TraceFigures, TraceSession};

pub(super) fn write_trace(out: &mut Vec<u8>, trace: &TraceFigures) {
    put!(out, "\n\n\nETW:\n----\n\n");
    for section in sections(&trace.counts) {
        let Some(counts) = section.counts(&trace.counts) else { continue };
        put!(out, "\t{}\n", section.heading);
        for (label, _, counted) in counts {
            match counted.count {
                Some(count) => put!(out, "\t\t{label}: {count}\n"),
                // Zero would say that it didn't happen.
                None => put!(out, "\t\t{label}: N/A\n"),
            }
        }
    }
    write_session(out, &trace.session);
    if let Some(devices) = &trace.devices {
        write_devices(out, devices);
        if trace.session.lost_events > 0 {
            put!(
                out,
                "{} events were not recorded: requests and times above cover recorded events only\n",
                trace.session.lost_events
            );
        }
    }
}

fn write_session(out: &mut Vec<u8>, session: &TraceSession) {
    let TraceSession { buffer_kib, buffers, read, lost_events: lost, .. } = session;
    put!(out, "\n\n          ETW Buffer Settings & Statistics\n{}\n", "-".repeat(56));
    put!(out, "(KB)                           Buffers   (Secs)   (Mins)\n");
    put!(out, "Size  | Min |  Max  |  Free  | Written  | Flush    Age\n");
    // Buffers are neither added nor taken away; they are read all the time and never grow old.
    put!(out, "{buffer_kib:<5} {buffers:5}     {buffers:<5}  {buffers:<2}  {read:8}  {:8} {:8}\n\n", 0, 0);
    put!(out, "Allocated Buffers:\t{buffers}\nLost Events:\t\t{lost}\n");
    put!(out, "Lost Log Buffers:\t0\nLost Real Time Buffers:\t0\n");
}

fn write_devices(out: &mut Vec<u8>, devices: &[DeviceFigures]) {
    put!(out, "\nDevice completion time (ms), issue to complete in the block layer\n");
    if devices.is_empty() {
        put!(out, "no block device is below the targets\n");
        return;
    }
    put!(out, "device           | type  |{}\n", ruled_heads(DEVICE_TIMES, ""));
    put!(out, "{}\n", "-".repeat(88));
    for device in devices {
        if let Some(reason) = &device.reason {
            put!(out, "{:<16} | not traced: {reason}\n", device.device);
            continue;
        }
        for (kind, figures) in [("read", &device.read), ("write", &device.write)] {
            write_row(out, &device.device, kind, figures);
        }
    }
    for device in devices.iter().filter(|device| device.flushes > 0) {
        put!(
            out,
            "{}: {} flushes of its write cache are not among its writes\n",
            device.device,
            device.flushes
        );
    }
    for device in devices {
        for (kind, figures) in [("reads", &device.read), ("writes", &device.write)] {
            let untimed = figures.requests - figures.timed.min(figures.requests);
            if untimed > 0 {
                put!(
                    out,
                    "{}: {untimed} of {} {kind} have no time: issued before the trace began, or lost\n",
                    device.device,
                    figures.requests
                );
            }
        }
    }
}

fn write_row(out: &mut Vec<u8>, device: &str, kind: &str, figures: &CompletionFigures) {
    put!(out, "{device:<16} | {kind:<5} | {}\n", ruled_cells(DEVICE_TIMES, figures));
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_figures::units::Millis;
    use diskspd_machine::tracing::TraceEvent::*;
    use diskspd_results::EventCount;

    fn text(trace: &TraceFigures) -> String {
        let mut out = Vec::new();
        write_trace(&mut out, trace);
        String::from_utf8(out).expect("text")
    }

    fn sample_counts(events: &[(diskspd_machine::tracing::TraceEvent, Option<u64>)]) -> Vec<EventCount> {
        events
            .iter()
            .map(|(event, count)| EventCount { event: *event, count: *count, reason: None })
            .collect()
    }

    #[test]
    fn sections_keep_order_and_uncounted_values_are_absent() {
        let session = TraceSession {
            buffer_kib: 4096,
            buffers: 2,
            read: 312,
            lost_events: 7,
            ..TraceSession::default()
        };
        let counts = sample_counts(&[
            (DiskRead, Some(135_498)),
            (DiskWrite, Some(0)),
            (CopyOnWriteFault, None),
            (DemandZeroFault, None),
            (GuardPageFault, None),
            (HardFault, Some(1)),
            (TransitionFault, Some(2112)),
            (ThreadStart, Some(3)),
            (ThreadEnd, Some(4)),
        ]);
        let read = CompletionFigures {
            requests: 135_000,
            timed: 134_990,
            mean: Some(Millis::new(0.1184)),
            median: Some(Millis::new(0.097)),
            p99: Some(Millis::new(0.22)),
            own: Some(Millis::new(0.177)),
        };
        let device = |name: &str, read, reason| DeviceFigures {
            device: name.into(),
            read,
            write: CompletionFigures::default(),
            flushes: if name == "vda" { 3 } else { 0 },
            reason,
        };
        let devices = vec![
            device("vda", read, None),
            device("zram0", CompletionFigures::default(), Some("it has no queue".into())),
        ];
        let expected = "\n\n\nETW:\n----\n\n\tDisk I/O\n\t\tRead: 135498\n\t\tWrite: 0\n\
             \tMemory Page Faults\n\t\tCopy on Write: N/A\n\t\tDemand Zero fault: N/A\n\
             \t\tGuard Page fault: N/A\n\t\tHard page fault: 1\n\
             \t\tTransition fault: 2112\n\tThread\n\t\tStart: 3\n\t\tEnd: 4\n\n\n\
             \x20         ETW Buffer Settings & Statistics\n\
             --------------------------------------------------------\n\
             (KB)                           Buffers   (Secs)   (Mins)\n\
             Size  | Min |  Max  |  Free  | Written  | Flush    Age\n\
             4096      2     2      2        312         0        0\n\n\
             Allocated Buffers:\t2\nLost Events:\t\t7\nLost Log Buffers:\t0\nLost Real Time Buffers:\t0\n\n\
             Device completion time (ms), issue to complete in the block layer\n\
             device           | type  |   requests   |   mean   |   50th   |   99th   | our AvgLat\n\
             ----------------------------------------------------------------------------------------\n\
             vda              | read  |       135000 |    0.118 |    0.097 |    0.220 |    0.177\n\
             vda              | write |            0 |      N/A |      N/A |      N/A |      N/A\n\
             zram0            | not traced: it has no queue\n\
             vda: 3 flushes of its write cache are not among its writes\n\
             vda: 10 of 135000 reads have no time: issued before the trace began, or lost\n\
             7 events were not recorded: requests and times above cover recorded events only\n";
        assert_eq!(text(&TraceFigures { counts, devices: Some(devices), session }), expected);
    }

    #[test]
    fn hard_faults_are_printed_without_device_section() {
        let trace = TraceFigures {
            counts: sample_counts(&[(HardFault, Some(5))]),
            devices: Some(Vec::new()),
            session: TraceSession::default(),
        };
        let text = text(&trace);
        assert!(text.contains("----\n\n\tMemory Hard Faults\n\t\tHard page fault: 5\n\n\n  "), "{text}");
        assert!(text.contains("\n0         0     0      0          0         0        0\n\n"), "{text}");
        assert!(text.ends_with("no block device is below the targets\n"), "{text}");
    }
}
