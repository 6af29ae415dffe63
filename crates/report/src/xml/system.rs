//! The element `System`: the program and the machine.

use super::writer::{Writer, attribute};
use diskspd_figures::units::start_time::date_and_time;
use diskspd_machine::caches::{Cache, CacheKind};
use diskspd_machine::{CpuNode, System, Topology};
use diskspd_profile::Compat;
use diskspd_results::is_heterogeneous;

pub(super) fn write(out: &mut Writer, system: &System, compat: Compat, extension: impl FnOnce(&mut Writer)) {
    let power = &system.power_scheme;
    out.open("System");
    out.text("ComputerName", system.computer_name.as_bytes());
    if compat.is_2_3() {
        let name = system.cpu_model.split_ascii_whitespace().collect::<Vec<_>>().join(" ");
        out.text("ProcessorName", if name.is_empty() { b"<unknown>" } else { name.as_bytes() });
    }
    out.open("Tool");
    // Tools compare these with DISKSPD's; the version of this program is in the JSON record.
    out.value("Version", compat.version());
    out.value("VersionDate", compat.version_date());
    out.close("Tool");
    out.value("RunTime", system.start_time.and_then(date_and_time).unwrap_or_default());
    out.empty(
        "PowerScheme",
        &[
            ("Name", &attribute(power.name.as_deref().unwrap_or_default())),
            ("Guid", &attribute(power.guid.as_deref().unwrap_or_default())),
        ],
    );
    if compat.is_2_3() {
        out.value("PageSize", system.page_size);
    }
    let caches = if compat.is_2_3() { &system.caches[..] } else { &[] };
    write_topology(out, &system.topology, caches);
    extension(out);
    out.close("System");
}

fn write_topology(out: &mut Writer, topology: &Topology, caches: &[Cache]) {
    out.open_with("ProcessorTopology", &[("Heterogeneous", &is_heterogeneous(topology))]);
    for group in &topology.groups {
        out.empty(
            "Group",
            &[
                ("Group", &group.number),
                ("MaximumProcessors", &group.maximum),
                ("ActiveProcessors", &group.active),
                ("ActiveProcessorMask", &format_args!("{:#x}", group.mask)),
            ],
        );
    }
    topology.nodes.iter().for_each(|node| write_place(out, "Node", node));
    topology.sockets.iter().for_each(|socket| write_place(out, "Socket", socket));
    // A core whose CPUs are in two groups is shown once, in the group of its first CPU.
    for core in topology.cores.iter().filter(|core| !core.continued) {
        out.empty(
            "Core",
            &[
                ("Group", &core.group),
                ("Core", &core.number),
                ("Mask", &format_args!("{:#x}", core.mask)),
                ("EfficiencyClass", &core.efficiency_class),
            ],
        );
    }
    caches.iter().for_each(|cache| write_cache(out, cache));
    out.close("ProcessorTopology");
}

fn write_cache(out: &mut Writer, cache: &Cache) {
    let kind = match cache.kind {
        CacheKind::Unified => "Unified",
        CacheKind::Instruction => "Instruction",
        CacheKind::Data => "Data",
        CacheKind::Unknown => "Unknown",
    };
    out.open_with(
        "Cache",
        &[
            ("Level", &cache.level),
            ("Associativity", &cache.associativity),
            ("LineSize", &cache.line),
            ("CacheSize", &cache.size),
            ("Type", &kind),
        ],
    );
    write_masks(out, &cache.masks);
    out.close("Cache");
}

/// Writes a node or socket with its groups.
fn write_place(out: &mut Writer, name: &str, place: &CpuNode) {
    out.open_with(name, &[(name, &place.number)]);
    write_masks(out, &place.masks);
    out.close(name);
}

pub(super) fn write_masks(out: &mut Writer, masks: &[(u16, u64)]) {
    for (group, mask) in masks {
        out.empty("Group", &[("Group", group), ("Mask", &format_args!("{mask:#x}"))]);
    }
}
