//! Inspection of the targets' content before they are read; the results are printed before the start.

use crate::located::SpanTargets;
use diskspd_checks as checks;
use diskspd_host::content::{self, Order};
use diskspd_machine::content::ContentFacts;
use diskspd_output::guard;
use diskspd_plan::{SpanPlan, WorkerTarget};
use diskspd_sys::clock::{Nanos, SECOND};
use diskspd_worker::RunReporter;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

/// Time limit for all targets in ns.
const TIME: Nanos = 300 * SECOND / 1000;
/// Maximum wait for a hanging read. A disk that must spin up needs ten times as long.
const MAX_READ_WAIT: Duration = Duration::from_millis(900);
const MAX_PARALLEL_FILES: usize = 8;

/// Inspects each target that is read, and warns of reads that do not reach the medium.
pub fn sample_content(plan: &SpanPlan, located: &SpanTargets, voice: &RunReporter) -> Vec<ContentFacts> {
    let facts = gather_facts(read_orders(plan, located));
    let paths = plan.paths();
    for (about, path) in facts.iter().filter_map(|about| Some((about, *paths.get(&about.target)?))) {
        checks::content_warnings(about, path).into_iter().for_each(|warning| voice.report_finding(warning));
    }
    facts
}

fn read_orders(plan: &SpanPlan, located: &SpanTargets) -> Vec<Order> {
    orders(plan, located, |target| target.workload.write_ratio < 100)
}

/// Returns the matching targets with the part that the workers use.
pub(crate) fn orders(plan: &SpanPlan, located: &SpanTargets, has: fn(&WorkerTarget) -> bool) -> Vec<Order> {
    let mut orders: Vec<Order> = Vec::new();
    let mut places: HashMap<&Path, usize> = HashMap::new();
    for target in plan.workers.iter().flat_map(|worker| &worker.targets) {
        let workload = &target.workload;
        // Of zones only what was written is read, wherever that is by then.
        if !has(target) || target.zones.is_some() {
            continue;
        }
        let (from, to) = (workload.base, workload.base.saturating_add(workload.region));
        // A missing file is reported when it is opened.
        let Some(located) = located.find(target).cloned() else { continue };
        match places.entry(&target.location) {
            Entry::Occupied(place) => {
                let order = &mut orders[*place.get()];
                (order.from, order.to) = (order.from.min(from), order.to.max(to));
            }
            Entry::Vacant(place) => {
                place.insert(orders.len());
                let direct = located.direct().map_or(0, |needs| needs.offset);
                let path = target.path.clone();
                orders.push(Order { target: target.id, path, located, from, to, direct });
            }
        }
    }
    orders
}

fn gather_facts(orders: Vec<Order>) -> Vec<ContentFacts> {
    let threads = orders.len().min(MAX_PARALLEL_FILES);
    let each = TIME * threads as u64 / orders.len().max(1) as u64;
    let orders = Arc::new(orders);
    let next = Arc::new(AtomicUsize::new(0));
    let (say, said) = mpsc::channel();
    for _ in 0..threads {
        let (orders, next, say) = (Arc::clone(&orders), Arc::clone(&next), say.clone());
        let work = move || {
            let _waited_for = guard::is_waited_for();
            while let Some((index, order)) = take_order(&orders, &next) {
                if say.send((index, content::sample_content(order, each))).is_err() {
                    return;
                }
            }
        };
        // Without a thread there are no facts; the run itself needs more of them and will say so.
        let _ = std::thread::Builder::new().name("content".into()).spawn(work);
    }
    drop(say);
    let end = Instant::now() + MAX_READ_WAIT;
    let mut facts = Vec::new();
    while let Ok((index, found)) = said.recv_timeout(end.saturating_duration_since(Instant::now())) {
        facts.extend(found.map(|found| (index, found)));
    }
    facts.sort_by_key(|(index, _)| *index);
    facts.into_iter().map(|(_, found)| found).collect()
}

fn take_order<'a>(orders: &'a [Order], next: &AtomicUsize) -> Option<(usize, &'a Order)> {
    let index = next.fetch_add(1, Ordering::Relaxed);
    Some((index, orders.get(index)?))
}
