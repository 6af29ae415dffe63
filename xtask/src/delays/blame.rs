//! Attribution of staged delays in a record.

use super::kinds::DelayKind;
use diskspd::results::{CulpritKind, IoStage, Record, SlowIo};
use std::time::Duration;

/// Staged delay in ns since 1970-01-01 00:00 UTC.
#[derive(Debug, Clone, Copy)]
pub struct StagedDelay {
    pub began_ns: i64,
    pub ended_ns: i64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blame {
    Right,
    /// The device is blamed, but was not involved.
    InnocentDevice,
    Other,
    /// Most of its time is unattributed.
    Unknown,
    /// There is no slow I/O at that time.
    Unseen,
}

pub fn blames(record: &Record, delays: &[StagedDelay], length: Duration, kind: &DelayKind) -> Vec<Blame> {
    let span = record.host().results.time_spans.first();
    let began_ns = span.and_then(|span| span.started_at).unwrap_or(0).saturating_mul(1_000_000);
    let slow = span.and_then(|span| span.observed.as_ref()).and_then(|observed| observed.slow.as_ref());
    if let Some(slow) = slow.filter(|slow| slow.lost_events > 0) {
        println!("{}: {} of {} events were lost", kind.name, slow.lost_events, slow.events);
    }
    let ios: &[SlowIo] = slow.map_or(&[], |slow| &slow.ios);
    let of = |delay: &StagedDelay| {
        // Which of several in one delay is longest depends on when each was submitted: all count.
        let in_it = ios.iter().filter(|io| {
            let from = began_ns + io.submitted_ns;
            let to = from + i64::try_from(io.latency_ns).unwrap_or(i64::MAX);
            let shared = to.min(delay.ended_ns) - from.max(delay.began_ns);
            shared >= i64::try_from(length.as_nanos() / 2).unwrap_or(i64::MAX)
        });
        worst(in_it.map(|io| blame(io, kind)))
    };
    delays.iter().map(of).collect()
}

fn worst(blames: impl Iterator<Item = Blame>) -> Blame {
    let blames: Vec<Blame> = blames.collect();
    let order = [Blame::InnocentDevice, Blame::Other, Blame::Unknown, Blame::Right];
    order.into_iter().find(|blame| blames.contains(blame)).unwrap_or(Blame::Unseen)
}

fn blame(io: &SlowIo, kind: &DelayKind) -> Blame {
    let longest = IoStage::ALL
        .into_iter()
        .max_by_key(|stage| io.stages.time_in(*stage))
        .unwrap_or(IoStage::Unattributed);
    let culprit = io.cause.as_ref().map(|culprit| culprit.kind);
    let is_it = (kind.is_it)(longest, io.cause.as_ref());
    if !is_it {
        println!("{}: {}", kind.name, words(io, longest));
    }
    match is_it {
        true => Blame::Right,
        false if culprit == Some(CulpritKind::Device) || longest == IoStage::Device => Blame::InnocentDevice,
        false if longest == IoStage::Unattributed => Blame::Unknown,
        false => Blame::Other,
    }
}

fn words(io: &SlowIo, longest: IoStage) -> String {
    let ms = |ns: u64| format!("{:.1} ms", ns as f64 / 1e6);
    let culprit = io.cause.as_ref().map_or_else(
        || "no cause is named".to_owned(),
        |culprit| format!("{} for {}", culprit.kind.words(&culprit.name), ms(culprit.duration_ns)),
    );
    let (all, most) = (ms(io.latency_ns), ms(io.stages.time_in(longest)));
    format!("an I/O of {all}, of these {most} {}; {culprit}", longest.words())
}

#[cfg(test)]
mod tests {
    use super::super::kinds::KINDS;
    use super::*;
    use diskspd::profile::Profile;
    use diskspd::results::{Culprit, Results, SlowIos, SpanResults, StageTimes};

    const MS: u64 = 1_000_000;

    fn io(submitted_ms: i64, stage: IoStage, culprit: Option<CulpritKind>) -> SlowIo {
        let mut stages = StageTimes::default();
        stages.add(stage, 60 * MS);
        SlowIo {
            thread: 0,
            target: Default::default(),
            operation: "read".into(),
            offset: 0,
            length: 4096,
            submitted_ns: submitted_ms * MS.cast_signed(),
            latency_ns: 60 * MS,
            stages,
            cause: culprit.map(|kind| Culprit { kind, name: String::new(), duration_ns: 60 * MS }),
        }
    }

    #[test]
    fn one_misattributed_io_makes_the_delay_wrong() {
        let stopped = Some(CulpritKind::Stopped);
        let ios = vec![
            io(10, IoStage::Wake, stopped),
            io(20, IoStage::Wake, stopped),
            io(210, IoStage::Wake, stopped),
            io(215, IoStage::Device, None),
            io(410, IoStage::Wake, Some(CulpritKind::Task)),
            io(610, IoStage::Unattributed, None),
            // Most of it is behind the delay.
            io(850, IoStage::Device, Some(CulpritKind::Device)),
        ];
        let slow = SlowIos { ios, ..SlowIos::default() };
        let mut span = SpanResults { started_at: Some(5), ..SpanResults::default() };
        span.observed.get_or_insert_default().slow = Some(slow);
        let results = Results { time_spans: vec![span] };
        let record = Record::new(Profile::default(), Default::default(), results);
        let delay = |at_ms: i64| {
            let began_ns = (5 + at_ms) * MS.cast_signed();
            StagedDelay { began_ns, ended_ns: began_ns + 70 * MS.cast_signed() }
        };
        let delays = [0, 200, 400, 600, 800].map(delay);
        let found = blames(&record, &delays, Duration::from_millis(60), &KINDS[0]);
        let expected = [Blame::Right, Blame::InnocentDevice, Blame::Other, Blame::Unknown, Blame::Unseen];
        assert_eq!(found, expected);
    }
}
