//! Events that are only counted, by the kernel on every CPU.

use super::Machine;
use diskspd_base::message_error::MessageError;
use diskspd_host::root::Root;
use diskspd_host::tracing::network::NetworkCounters;
use diskspd_host::tracing::refusal::TracingError;
use diskspd_machine::tracing::{EVENTS, EventRow, Source, TraceClass};
use diskspd_results::EventCount;
use diskspd_sys::perf::{CounterGroup, Event, Tracepoint};
use std::io;

#[derive(Debug)]
pub(super) struct Counters {
    rows: Vec<(&'static EventRow, CounterSource)>,
    /// Counter groups by CPU, with the same order of events.
    groups: Vec<CounterGroup>,
    root: Root,
    /// Counters before and after the window.
    network: Option<(NetworkCounters, NetworkCounters)>,
    counts: Option<io::Result<Vec<u64>>>,
    failed: Option<io::Error>,
}

#[derive(Debug)]
enum CounterSource {
    Group(usize),
    Network(&'static [(&'static str, &'static str)]),
    Nowhere(String),
}

impl Counters {
    /// Opens the counters of these classes.
    ///
    /// # Errors
    /// Fails if they cannot be opened, or a class does not have any.
    pub(super) fn open(classes: &[TraceClass], machine: &Machine) -> Result<Counters, TracingError> {
        let mut events = Vec::new();
        let mut rows = Vec::new();
        for row in EVENTS.iter().filter(|row| classes.contains(&row.class)) {
            let place = match row.source {
                Source::Network(counters) => CounterSource::Network(counters),
                Source::Nowhere(why) => CounterSource::Nowhere(why.into()),
                Source::MajorFaults => at_end(&mut events, Event::MajorFaults),
                Source::MinorFaults => at_end(&mut events, Event::MinorFaults),
                Source::Tracepoint { name, filter } => match find_tracepoint(machine, name, filter)? {
                    Ok(point) => at_end(&mut events, Event::Tracepoint(point)),
                    Err(why) => CounterSource::Nowhere(why.into()),
                },
            };
            rows.push((row, place));
        }
        for class in classes {
            uncounted_text(*class, &rows)
                .map_or(Ok(()), |names| Err(TracingError::NoTracepoint { names }))?;
        }
        let groups = open_groups(&machine.cpus, &events).map_err(|error| machine.refusal(error))?;
        let network = rows.iter().any(|(_, place)| matches!(place, CounterSource::Network(_)));
        let network = network.then(Default::default);
        Ok(Counters { rows, groups, root: machine.root.clone(), network, counts: None, failed: None })
    }

    pub(super) fn begin(&mut self) {
        if let Some((before, _)) = &mut self.network {
            *before = NetworkCounters::read(&self.root);
        }
        self.failed = self.groups.iter().try_for_each(CounterGroup::start).err();
    }

    pub(super) fn end(&mut self) {
        let stopped = self.groups.iter().try_for_each(CounterGroup::stop);
        if let Some((_, after)) = &mut self.network {
            *after = NetworkCounters::read(&self.root);
        }
        let started = self.failed.take().map_or(Ok(()), Err);
        self.counts = Some(started.and(stopped).and_then(|()| sum_counters(&self.groups)));
    }

    /// Returns the counts; `None` = the window was not closed.
    pub(super) fn finish(self) -> Option<Vec<EventCount>> {
        let sums = self.counts?;
        let count = |(row, place): (&EventRow, CounterSource)| {
            let (count, reason) = match place {
                CounterSource::Nowhere(why) => (None, Some(why)),
                CounterSource::Group(place) => match &sums {
                    Ok(sums) => (sums.get(place).copied(), None),
                    Err(error) => (None, Some(error.to_string())),
                },
                CounterSource::Network(counters) => {
                    let between = self.network.as_ref().and_then(|(before, after)| {
                        Some(after.sum(counters)?.saturating_sub(before.sum(counters)?))
                    });
                    (between, between.is_none().then(|| "/proc/net/snmp does not have this counter".into()))
                }
            };
            EventCount { event: row.event, count, reason }
        };
        Some(self.rows.into_iter().map(count).collect())
    }
}

fn at_end(events: &mut Vec<Event>, event: Event) -> CounterSource {
    events.push(event);
    CounterSource::Group(events.len() - 1)
}

/// Returns a tracepoint of this kernel, or the reason why it lacks such a tracepoint.
fn find_tracepoint(
    machine: &Machine,
    name: &str,
    filter: &str,
) -> Result<Result<Tracepoint, MessageError>, TracingError> {
    let Some(format) = machine.format(name)? else {
        return Ok(Err(format!("this kernel has no tracepoint {name}").into()));
    };
    Ok(match format.missing(filter) {
        Some(field) => Err(format!("the tracepoint {name} of this kernel has no field {field}").into()),
        None => Ok(Tracepoint { id: format.id, filter: filter.into() }),
    })
}

/// Lists the tracepoints of a class without countable events.
fn uncounted_text(class: TraceClass, rows: &[(&'static EventRow, CounterSource)]) -> Option<String> {
    let mut of_class = rows.iter().filter(|(row, _)| row.class == class);
    if of_class.clone().any(|(_, place)| !matches!(place, CounterSource::Nowhere(_))) {
        return None;
    }
    of_class.find_map(|(row, _)| match row.source {
        Source::Tracepoint { name, .. } => Some(name.to_owned()),
        _ => None,
    })
}

fn open_groups(cpus: &[u32], events: &[Event]) -> io::Result<Vec<CounterGroup>> {
    if events.is_empty() {
        return Ok(Vec::new());
    }
    let groups = cpus.iter().map(|cpu| CounterGroup::open(*cpu, events));
    groups.filter(|group| !group.as_ref().is_err_and(super::is_offline)).collect()
}

fn sum_counters(groups: &[CounterGroup]) -> io::Result<Vec<u64>> {
    let mut sums: Vec<u64> = Vec::new();
    for group in groups {
        let counts = group.counts()?;
        sums.resize(sums.len().max(counts.len()), 0);
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    Ok(sums)
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_machine::tracing::TraceEvent::{self, *};
    use std::io::{Read, Write};
    use std::net::{TcpListener, TcpStream, UdpSocket};

    fn count_events(classes: &[TraceClass], work: impl FnOnce()) -> Option<Vec<EventCount>> {
        let opened = Machine::read_machine(classes).and_then(|machine| Counters::open(classes, &machine));
        let mut counters = match opened {
            Ok(counters) => counters,
            Err(refusal) => {
                eprintln!("SKIPPED: {refusal}");
                return None;
            }
        };
        counters.begin();
        work();
        counters.end();
        counters.finish()
    }

    #[track_caller]
    fn at_least(counts: &[EventCount], event: TraceEvent, least: u64) {
        let found = counts.iter().find(|count| count.event == event).expect("a row");
        match &found.reason {
            Some(why) => assert_eq!(found.count, None, "{event:?}: {why}"),
            None => assert!(found.count >= Some(least), "{event:?}: {:?}", found.count),
        }
    }

    #[test]
    fn processes_threads_and_page_faults_are_counted() {
        let classes = [TraceClass::PageFaults, TraceClass::Process, TraceClass::Thread];
        let work = || {
            for _ in 0..5 {
                std::thread::spawn(|| ()).join().expect("a thread");
                let ended = std::process::Command::new("true").status();
                assert!(ended.expect("a program").success());
            }
            // So much comes fresh from the kernel every time.
            drop(std::hint::black_box(vec![1u8; 40 << 20]));
        };
        let Some(counts) = count_events(&classes, work) else { return };
        for (event, least) in [
            (ProcessStart, 5),
            (ProcessEnd, 5),
            (ThreadStart, 10),
            (ThreadEnd, 5),
            (TransitionFault, 100),
            (HardFault, 0),
        ] {
            at_least(&counts, event, least);
        }
        let of = |event| counts.iter().find(|count| count.event == event).and_then(|count| count.count);
        assert!(of(ThreadStart) > of(ProcessStart), "every process has a thread");
        assert_eq!(of(CopyOnWriteFault), None);
    }

    #[test]
    fn connections_and_their_traffic_are_counted() {
        let work = || {
            let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
            let at = listener.local_addr().expect("an address");
            for _ in 0..3 {
                let mut client = TcpStream::connect(at).expect("connect");
                let (mut server, _) = listener.accept().expect("accept");
                client.write_all(b"x").expect("send");
                server.read_exact(&mut [0]).expect("receive");
                drop(server);
                assert_eq!(client.read(&mut [0]).expect("the end"), 0);
            }
            let (one, other) = (
                UdpSocket::bind("127.0.0.1:0").expect("a port"),
                UdpSocket::bind("127.0.0.1:0").expect("a port"),
            );
            one.send_to(b"x", other.local_addr().expect("an address")).expect("send");
            other.recv(&mut [0]).expect("receive");
        };
        let Some(counts) = count_events(&[TraceClass::Network], work) else { return };
        for (event, least) in [
            (Accept, 3),
            (Connect, 3),
            (Disconnect, 3),
            (Retransmit, 0),
            (TcpSend, 9),
            (TcpReceive, 9),
            (UdpSend, 1),
            (UdpReceive, 1),
        ] {
            at_least(&counts, event, least);
        }
        assert!(counts.iter().any(|count| count.event == Reconnect && count.count.is_none()));
    }
}
