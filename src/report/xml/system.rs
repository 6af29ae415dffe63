//! The element `System`: the program and the machine.

use super::writer::{Writer, attribute};
use crate::profile::{COMPATIBLE_VERSION, COMPATIBLE_VERSION_DATE};
use crate::report::text::date_and_time;
use crate::results::is_heterogeneous;
use crate::system::{Place, System, Topology};

/// `extension` writes what comes at the very end.
pub fn write(out: &mut Writer, system: &System, extension: impl FnOnce(&mut Writer)) {
    let power = &system.power_scheme;
    out.open("System");
    out.text("ComputerName", system.computer_name.as_bytes());
    out.open("Tool");
    // Tools compare these with DISKSPD's; the version of this program is in the JSON record.
    out.value("Version", COMPATIBLE_VERSION);
    out.value("VersionDate", COMPATIBLE_VERSION_DATE);
    out.close("Tool");
    out.value("RunTime", system.start_time.and_then(date_and_time).unwrap_or_default());
    out.empty(
        "PowerScheme",
        &[
            ("Name", &attribute(power.name.as_deref().unwrap_or_default())),
            ("Guid", &attribute(power.guid.as_deref().unwrap_or_default())),
        ],
    );
    write_topology(out, &system.topology);
    extension(out);
    out.close("System");
}

fn write_topology(out: &mut Writer, topology: &Topology) {
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
    out.close("ProcessorTopology");
}

/// A node or socket with the groups that it spans.
fn write_place(out: &mut Writer, name: &str, place: &Place) {
    out.open_with(name, &[(name, &place.number)]);
    for (group, mask) in &place.masks {
        out.empty("Group", &[("Group", group), ("Mask", &format_args!("{mask:#x}"))]);
    }
    out.close(name);
}
