//! Rules about disks, one finding for each disk.

use super::{HostFacts, new_finding};
use crate::{Finding, Severity};
use diskspd_machine::environment::{Disk, Link};
use diskspd_machine::kernel_cpu;

/// Applies a rule to every disk. A finding about a disk with only one target refers to that target.
pub(super) fn check_disks(seen: &HostFacts, rule: impl Fn(&Disk) -> Option<Finding>) -> Vec<Finding> {
    let found = |disk: &Disk| Some(seen.on_disk(disk, rule(disk)?));
    seen.environment.disks.iter().filter_map(found).collect()
}

pub(super) fn setting<'a>(disk: &'a Disk, name: &str) -> Option<&'a str> {
    disk.device.queue.get(name).map(String::as_str)
}

/// A disk in a slow slot: its figures are the slot's. That of a controller is shared by many disks, and
/// rarely narrow.
pub(super) fn link(seen: &HostFacts) -> Vec<Finding> {
    check_disks(seen, |disk| {
        let link = disk.link.filter(|link| link.bandwidth() < link.max_bandwidth())?;
        let name = &disk.device.name;
        let lanes = |speed: u64, width: u64| format!("{}.{} GT/s x{width}", speed / 1000, speed % 1000 / 100);
        let Link { speed, width, max_speed, max_width } = link;
        let message = match disk.transport.as_deref() {
            Some("pcie") => format!("the PCIe link of {name} is slower than the device"),
            _ => format!("the PCIe link of the controller of {name} is slower than the controller"),
        };
        let (carried, possible) = (link.bandwidth(), link.max_bandwidth());
        let severity =
            if disk.transport.as_deref() == Some("pcie") { Severity::Warning } else { Severity::Note };
        Some(
            new_finding(severity, message)
                .shown_by(format!(
                    "linked with {}, it can do {}",
                    lanes(speed, width),
                    lanes(max_speed, max_width)
                ))
                .shown_by(format!("it carries at most {carried} MB/s instead of {possible} MB/s")),
        )
    })
}

/// Reports schedulers. They order requests under a lock, which a device without moving parts does better.
pub(super) fn scheduler(seen: &HostFacts) -> Vec<Finding> {
    check_disks(seen, |disk| {
        let list = setting(disk, "scheduler")?;
        let (_, rest) = list.split_once('[')?;
        let (name, _) = rest.split_once(']')?;
        let fast = disk.transport.as_deref() == Some("pcie");
        let rotates = setting(disk, "rotational") == Some("1");
        let device = &disk.device.name;
        match name {
            "none" | "noop" => None,
            _ if rotates => None,
            "bfq" if fast => Some((Severity::Warning, "costs a fast device many IOPS")),
            "bfq" => Some((Severity::Note, "favours some requests over others")),
            _ if fast => Some((Severity::Note, "costs CPU time on a fast device")),
            _ => None,
        }
        .map(|(severity, why)| {
            new_finding(severity, format!("the I/O scheduler {name} of {device} {why}"))
                .shown_by(format!("scheduler: {list}"))
        })
    })
}

/// Reports partitions that begin within a physical block, so that most writes access one block more.
pub(super) fn find_misaligned(seen: &HostFacts) -> Vec<Finding> {
    check_disks(seen, |disk| {
        let block = setting(disk, "physical_block_size")?;
        let first = disk.misaligned.first()?;
        let message =
            format!("{first} is misaligned: it does not begin on a physical block of {}", disk.device.name);
        Some(new_finding(Severity::Warning, message).shown_by(format!(
            "physical blocks of {block} bytes; misaligned: {}",
            disk.misaligned.join(", ")
        )))
    })
}

/// Reports a disk on another socket than the CPUs.
pub(super) fn numa(seen: &HostFacts) -> Vec<Finding> {
    let nodes = &seen.system.topology.allowed_nodes();
    check_disks(seen, |disk| {
        let node = disk.numa_node?;
        let name = &disk.device.name;
        let own = nodes.iter().find(|place| place.number == node);
        let elsewhere: Vec<String> =
            nodes.iter().filter(|place| place.number != node).map(|place| place.number.to_string()).collect();
        if elsewhere.is_empty() {
            return None;
        }
        Some(match own {
            None => new_finding(
                Severity::Warning,
                format!("this process may use no CPU near {name}: all I/O crosses NUMA nodes"),
            )
            .shown_by(format!("{name} is on NUMA node {node}, the CPUs on {}", elsewhere.join(", "))),
            Some(own) => {
                let bits = |&(group, mask): &(u16, u64)| {
                    (0..64).filter(move |bit| mask >> bit & 1 == 1).map(move |bit| kernel_cpu(group, bit))
                };
                let cpus: Vec<u32> = own.masks.iter().flat_map(bits).collect();
                let (first, last) = (cpus.first()?, cpus.last()?);
                new_finding(Severity::Note, format!("{name} is nearer to some CPUs than to others")).shown_by(
                    format!(
                        "{name} is on NUMA node {node} with {} of the CPUs {first} to {last}",
                        cpus.len()
                    ),
                )
            }
        })
    })
}

pub(super) fn volatile_cache(seen: &HostFacts) -> Vec<Finding> {
    check_disks(seen, |disk| {
        let name = &disk.device.name;
        let cache = setting(disk, "write_cache").filter(|cache| *cache == "write back")?;
        let message = format!(
            "{name} has a volatile write cache: writes without flushes are not durable on completion"
        );
        Some(new_finding(Severity::Note, message).shown_by(format!("write_cache: {cache}")))
    })
}

pub(super) fn merging(seen: &HostFacts) -> Vec<Finding> {
    check_disks(seen, |disk| {
        let nomerges = setting(disk, "nomerges").filter(|value| *value != "0")?;
        let message = format!("the kernel does not merge neighbouring requests to {}", disk.device.name);
        Some(new_finding(Severity::Note, message).shown_by(format!("nomerges: {nomerges}")))
    })
}

/// Reports disks without statistics. zram counts its I/O without this setting.
pub(super) fn uncounted(seen: &HostFacts) -> Vec<Finding> {
    check_disks(seen, |disk| {
        let is_zram = disk.device.name.strip_prefix("/dev/").is_some_and(|name| name.starts_with("zram"));
        let iostats = setting(disk, "iostats").filter(|value| *value == "0" && !is_zram)?;
        let message =
            format!("the kernel does not count the I/O of {}: figures cannot be verified", disk.device.name);
        Some(new_finding(Severity::Note, message).shown_by(format!("iostats: {iostats}")))
    })
}
