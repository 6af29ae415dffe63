//! Conditions of the figures other than the target: machine, kernel, file systems, disks. Limited to the
//! recorded ones.

use super::input::Run;
use diskspd_figures::units::start_time::date_and_time;
use diskspd_figures::units::visible::line;
use diskspd_figures::units::{amount, count_of};
use diskspd_machine::environment::{Disk, Environment};
use diskspd_machine::storage::Storage;
use diskspd_report::number::grouped;
use diskspd_results::{EngineUse, Host, RunSummary};
use maud::{Markup, html};

/// Maximum number of listed targets and disks.
const MAX_ROWS: usize = 32;

type Fact = (&'static str, Option<String>);

pub(crate) fn environment(run: &Run) -> Markup {
    let Some(judged) = run.judged else { return of_known(&run.known) };
    let host = judged.record.host();
    let environment = host.system.environment.as_ref();
    html! {
        div.facts {
            (render_group("Machine", &machine_facts(host, environment)))
            (render_group("Kernel and processors", &kernel_facts(host, environment)))
            (render_group("How I/O was done", &engine_facts(host)))
            @for target in host.targets.iter().take(MAX_ROWS) {
                    (render_group("Target", &storage_facts(&target.storage)))
                }
            @for found in environment.iter().flat_map(|environment| environment.disks.iter().take(MAX_ROWS)) {
                (render_group("Disk", &disk_facts(found)))
            }
        }
        @if host.targets.len() > MAX_ROWS { p.quiet { (host.targets.len() - MAX_ROWS) " targets more" } }
        @if environment.is_none() { p.quiet { "The rest of the machine was not inspected." } }
        (render_vulnerabilities(environment))
    }
}

fn of_known(run: &RunSummary) -> Markup {
    let facts = [
        ("name", run.computer()),
        ("started", run.started_at.and_then(date_and_time)),
        ("results", Some(run.origin.to_string())),
        ("fingerprint", run.fingerprint.clone()),
    ];
    html! {
        div.facts { (render_group("Machine", &facts)) }
        p.quiet { "The record does not describe the rest of the machine." }
    }
}

fn render_group(title: &str, facts: &[Fact]) -> Markup {
    let known = || facts.iter().filter_map(|(name, value)| Some((name, value.as_ref()?)));
    html! {
        @if known().next().is_some() {
            div.group {
                p.name { (title) }
                dl { @for (name, value) in known() { div { dt { (name) } dd { (line(value)) } } } }
            }
        }
    }
}

fn text(value: &str) -> Option<String> {
    Some(value.to_owned()).filter(|value| !value.is_empty())
}

fn bytes_text(value: u64) -> Option<String> {
    (value > 0).then(|| amount(value))
}

fn machine_facts(host: &Host, environment: Option<&Environment>) -> Vec<Fact> {
    let system = &host.system;
    let platform = environment.map(|environment| &environment.platform);
    let hypervisor = platform
        .filter(|platform| platform.virtual_machine)
        .map(|platform| platform.hypervisor.clone().unwrap_or_else(|| "yes".into()));
    let product = platform.map(|platform| {
        [&platform.vendor, &platform.product].into_iter().flatten().cloned().collect::<Vec<_>>().join(" ")
    });
    let limits = environment.map(|environment| &environment.limits);
    let thousandths = limits.and_then(|limits| limits.cpu).map(|cpu| cpu as f64 / 1000.0);
    vec![
        ("name", text(&host.name)),
        ("started", system.start_time.and_then(date_and_time)),
        ("product", product.filter(|product| !product.is_empty())),
        ("virtual machine", hypervisor),
        ("cloud", platform.and_then(|platform| platform.cloud.clone())),
        ("container", platform.filter(|platform| platform.container).map(|_| "yes".into())),
        ("memory", bytes_text(system.memory_total)),
        ("memory available", bytes_text(system.memory_available)),
        ("limit of CPUs", thousandths.map(|cpus| cpus.to_string())),
        ("limit of memory", limits.and_then(|limits| limits.memory).map(amount)),
        ("fingerprint", system.fingerprint.as_ref().map(|fingerprint| fingerprint.hash.clone())),
    ]
}

fn kernel_facts(host: &Host, environment: Option<&Environment>) -> Vec<Fact> {
    let system = &host.system;
    let topology = &system.topology;
    let cpus = topology.active_cpus().count();
    let counted = format!(
        "{cpus} in {}, {}, {}",
        count_of(topology.core_count(), "core"),
        count_of(topology.sockets.len(), "socket"),
        count_of(topology.nodes.len(), "NUMA node")
    );
    let cpu = environment.map(|environment| &environment.cpu);
    let frequency = cpu.and_then(|cpu| cpu.frequency.as_ref());
    let states = cpu.map(|cpu| {
        let permitted = cpu.idle_states.iter().filter(|state| state.enabled);
        let named = permitted.map(|state| format!("{} ({} µs)", state.name, state.latency));
        named.collect::<Vec<_>>().join(", ")
    });
    let mhz = |khz: u64| format!("{} MHz", grouped(khz as f64 / 1e3));
    let parameters = environment.and_then(|environment| environment.kernel_command_line.clone());
    vec![
        ("kernel", text(&system.kernel)),
        ("processors", text(&system.cpu_model)),
        ("CPUs", (cpus > 0).then_some(counted)),
        ("governor", system.power_scheme.name.clone()),
        ("frequency driver", frequency.and_then(|frequency| frequency.driver.clone())),
        ("highest frequency", frequency.and_then(|frequency| frequency.max).map(mhz)),
        ("boost", cpu.and_then(|cpu| cpu.boost).map(|on| if on { "on" } else { "off" }.to_owned())),
        ("idle states", states.filter(|states| !states.is_empty())),
        ("clock source", environment.and_then(|environment| environment.clock_source.clone())),
        ("kernel parameters that matter", parameters.filter(|parameters| !parameters.is_empty())),
    ]
}

/// Returns the engines of the threads, without duplicates.
fn engine_facts(host: &Host) -> Vec<Fact> {
    let threads = host.results.time_spans.iter().flat_map(|span| &span.threads);
    let mut used: Vec<&EngineUse> = Vec::new();
    for engine in threads.filter_map(|thread| thread.engine.as_ref()) {
        if !used.contains(&engine) && used.len() < MAX_ROWS {
            used.push(engine);
        }
    }
    let joined = |of: fn(&EngineUse) -> &str| {
        let mut texts: Vec<&str> =
            used.iter().map(|engine| of(engine)).filter(|text| !text.is_empty()).collect();
        texts.dedup();
        text(&texts.join("; "))
    };
    vec![
        ("engine", joined(|engine| &engine.name)),
        ("because", joined(|engine| &engine.reason)),
        ("made use of", joined(|engine| &engine.features)),
        ("stamps from", joined(|engine| &engine.clock)),
    ]
}

fn storage_facts(storage: &Storage) -> Vec<Fact> {
    let system = storage.file_system.as_ref();
    let device = storage.device.as_ref();
    let model = device.and_then(|device| device.model.clone());
    let looked_at = system.is_some() || device.is_some();
    vec![
        ("path", Some(storage.path.to_string()).filter(|_| looked_at)),
        ("file system", system.map(|system| system.kind.clone())),
        ("mounted at", system.map(|system| system.mounted_at.clone())),
        ("options", system.map(|system| system.options.clone())),
        ("size of it", system.and_then(|system| system.size).map(amount)),
        ("available", system.and_then(|system| system.available).map(amount)),
        ("device", device.map(|device| device.name.clone())),
        ("model", model),
        ("capacity", device.and_then(|device| device.size).map(amount)),
    ]
}

fn disk_facts(disk: &Disk) -> Vec<Fact> {
    let device = &disk.device;
    let setting = |name: &str| device.queue.get(name).cloned();
    let link = disk.link.as_ref().map(|link| {
        let most = format!(" (of {} at {} MT/s)", link.max_width, grouped(link.max_speed as f64));
        format!("{} lanes at {} MT/s{most}", link.width, grouped(link.speed as f64))
    });
    vec![
        ("name", text(&device.name)),
        ("model", device.model.clone()),
        ("firmware", device.firmware.clone()),
        ("transport", disk.transport.clone()),
        ("link", link),
        ("NUMA node", disk.numa_node.map(|node| node.to_string())),
        ("scheduler", setting("scheduler")),
        ("requests", setting("nr_requests")),
        ("write cache", setting("write_cache")),
        ("rotational", setting("rotational").map(|value| if value == "0" { "no" } else { "yes" }.to_owned())),
        ("block, logical", setting("logical_block_size").map(|size| format!("{size} bytes"))),
        ("misaligned partitions", text(&disk.misaligned.join(", "))),
    ]
}

fn render_vulnerabilities(environment: Option<&Environment>) -> Markup {
    let flaws = environment.map(|environment| &environment.vulnerabilities).filter(|flaws| !flaws.is_empty());
    html! {
        @if let Some(flaws) = flaws {
            details {
                summary {
                    "CPU flaws, and the kernel's mitigations" span.quiet { ", " (flaws.len()) }
                }
                dl.list { @for (name, state) in flaws { div { dt { (line(name)) } dd { (line(state)) } } } }
            }
        }
    }
}
