//! Targets that share devices, and what was counted on each side.

use crate::truth::SpanView;
use diskspd_model::machine::io_counters::{DeviceFacts, TargetDevices};
use diskspd_model::machine::stack::{Layer, LayerKind};
use diskspd_model::operation::Operation;
use diskspd_model::profile::{Target, TargetId};
use diskspd_model::results::TargetResults;

/// What the workers counted in one direction.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Counted {
    pub bytes: u64,
    pub ios: u64,
}

/// The targets of a span that lie on the same devices, directly or further down.
#[derive(Debug)]
pub struct Part<'a> {
    pub targets: Vec<&'a TargetDevices>,
    /// What was counted on each of them: read, written.
    pub each: Vec<(Counted, Counted)>,
    pub read: Counted,
    pub write: Counted,
    /// Discards (`--trim`), and what else leaves holes.
    pub discarded: Counted,
    /// Writes that had to be on the medium when they ended (`-Sw`, `-Sh`): each may ask for a flush.
    pub durable: u64,
    /// Bytes written that compress to next to nothing: zeros, or a pattern that repeats.
    pub easy: u64,
    /// I/Os that can be in flight at once, and their bytes: as much can be counted on one side of an edge
    /// of the window by the device and on the other by the worker.
    pub in_flight: Counted,
    /// The page cache may answer, for any of the targets.
    pub buffered: bool,
    /// Whether any target is a file: then the file system reads and writes for itself too.
    pub on_file_system: bool,
}

impl<'a> Part<'a> {
    /// All parts of a span: two targets are in the same one if any device is beneath both.
    pub fn all(span: &SpanView<'a>, facts: &'a DeviceFacts) -> Vec<Part<'a>> {
        let mut parts: Vec<Vec<&TargetDevices>> = Vec::new();
        for target in &facts.targets {
            let (mut together, apart) = parts
                .into_iter()
                .partition::<Vec<_>, _>(|part| part.iter().any(|other| share(other, target)));
            parts = apart;
            together.push(vec![target]);
            parts.push(together.concat());
        }
        parts.into_iter().map(|targets| Part::new(span, targets)).collect()
    }

    fn new(span: &SpanView<'a>, targets: Vec<&'a TargetDevices>) -> Part<'a> {
        let mut part = Part {
            read: Counted::default(),
            write: Counted::default(),
            discarded: Counted::default(),
            durable: 0,
            easy: 0,
            in_flight: Counted::default(),
            buffered: false,
            on_file_system: targets.iter().any(|target| target.stack.file_system.is_some()),
            each: vec![Default::default(); targets.len()],
            targets,
        };
        for got in span.rows() {
            if part.has(got.target) {
                let asked = span.targets().find(|asked| asked.id == got.target).map(|asked| asked.target);
                if asked.is_some_and(|asked| asked.write_through || asked.flush_type.is_some()) {
                    part.durable = part.durable.saturating_add(got.write.ios);
                }
                // Each flush may be a write of no bytes to the device, as those of durable writes.
                let flushes = got.other(Operation::Flush).map_or(0, |flushes| flushes.ios);
                part.durable = part.durable.saturating_add(flushes);
                // The program's own pattern, and zeros (-Z); random data and data of the user's don't count,
                // nor what is as reducible as the user wants it.
                let repeats = !span.asked.random_write_data;
                let plain = |asked: &Target| asked.random_data_source.is_none() && asked.content.is_none();
                if repeats && asked.is_some_and(plain) {
                    part.easy = part.easy.saturating_add(got.write.bytes);
                }
                let at = part.targets.iter().position(|target| target.target == got.target).unwrap_or(0);
                part.add_others(at, got);
                let Some((read, write)) = part.each.get_mut(at) else { continue };
                for (sum, more) in [
                    (&mut part.read, &got.read),
                    (&mut part.write, &got.write),
                    (read, &got.read),
                    (write, &got.write),
                ] {
                    sum.bytes = sum.bytes.saturating_add(more.bytes);
                    sum.ios = sum.ios.saturating_add(more.ios);
                }
            }
        }
        for asked in
            span.targets().filter(|asked| part.targets.iter().any(|target| target.target == asked.id))
        {
            let requests = requests(span, asked.target);
            part.in_flight.ios = part.in_flight.ios.saturating_add(requests);
            let bytes = requests.saturating_mul(u64::from(asked.target.block_size));
            part.in_flight.bytes = part.in_flight.bytes.saturating_add(bytes);
            part.buffered |= asked.target.memory_mapped_io || span.is_cached(asked);
        }
        part
    }

    /// Adds what was done to its target of this place beside reads and writes.
    fn add_others(&mut self, at: usize, got: &TargetResults) {
        for (op, _, share) in Operation::shared() {
            let Some(done) = got.other(op) else { continue };
            // What the kernel counts as writes of the device; a file system makes its own of it.
            let sums = match share.writes_on_devices && !self.on_file_system {
                true => [Some(&mut self.write), self.each.get_mut(at).map(|(_, write)| write)],
                false => [Some(&mut self.discarded), None],
            };
            for sum in sums.into_iter().flatten() {
                sum.bytes = sum.bytes.saturating_add(done.bytes);
                sum.ios = sum.ios.saturating_add(done.ios);
            }
        }
    }

    /// Whether this target is among them.
    pub fn has(&self, id: TargetId) -> bool {
        self.targets.iter().any(|target| target.target == id)
    }

    /// Whether there is a device to compare with.
    pub fn has_devices(&self) -> bool {
        self.targets.iter().all(|target| target.stack.without.is_none())
    }

    /// All devices, each once, upper ones first.
    pub fn layers(&self) -> Vec<&'a Layer> {
        let mut layers: Vec<&Layer> = Vec::new();
        for layer in self.targets.iter().flat_map(|target| &target.stack.layers) {
            if !layers.iter().any(|known| known.name == layer.name) {
                layers.push(layer);
            }
        }
        layers
    }

    /// The devices whose I/O together is that of the targets: those right beneath them, but not one that
    /// lies on another such one (a file on a partition beside the whole disk), whose I/O is in that one's.
    pub fn first(&self) -> Vec<&'a Layer> {
        let layers = self.layers();
        let first =
            |name: &str| self.targets.iter().any(|target| target.stack.first.iter().any(|n| n == name));
        let above_another = |layer: &Layer| {
            let mut below: Vec<&str> = layer.on.iter().map(String::as_str).collect();
            while let Some(name) = below.pop() {
                if first(name) {
                    return true;
                }
                let further = layers.iter().filter(|layer| layer.name == name).flat_map(|layer| &layer.on);
                below.extend(further.map(String::as_str));
            }
            false
        };
        layers.iter().copied().filter(|layer| first(&layer.name) && !above_another(layer)).collect()
    }

    /// The devices with nothing beneath them.
    pub fn leaves(&self) -> Vec<&'a Layer> {
        self.layers().into_iter().filter(|layer| layer.on.is_empty()).collect()
    }

    /// Whether every byte asked of the upper devices is asked once of the leaves, and nobody but others
    /// asks for more.
    pub fn is_faithful(&self) -> bool {
        self.layers().iter().all(|layer| layer.on.is_empty() || layer.faithful)
    }

    /// Whether a file made to look like a device is between the targets and the leaves.
    pub fn has_loop(&self) -> bool {
        self.layers().iter().any(|layer| layer.kind == LayerKind::Loop && !layer.on.is_empty())
    }

    /// What of the targets was in memory only at the end, bytes; `None` = not known, or nothing was written.
    pub fn unwritten(&self) -> Option<u64> {
        let known: Vec<u64> = self.targets.iter().filter_map(|target| target.unwritten).collect();
        (!known.is_empty()).then(|| known.into_iter().fold(0, u64::saturating_add))
    }
}

fn share(part: &TargetDevices, target: &TargetDevices) -> bool {
    match (&part.stack.without, &target.stack.without) {
        (None, None) => part.stack.layers.iter().any(|layer| target.stack.layer(&layer.name).is_some()),
        (one, other) => one == other,
    }
}

/// How many I/Os on a target can be in flight at once.
fn requests(span: &SpanView, target: &Target) -> u64 {
    let (threads, each) = match (span.asked.thread_count, span.asked.request_count) {
        (0, _) => (target.threads_per_file, target.request_count),
        (pool, 0) => (pool, target.request_count),
        (pool, floating) => (pool, floating),
    };
    u64::from(threads) * u64::from(each.max(1))
}
