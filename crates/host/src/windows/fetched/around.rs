//! The environment of a measurement, where Windows reports it.

use super::found::{disks, properties, stack};
use super::locate::locate;
use crate::platform::{FIRMWARE, OwnAccount, platform};
use crate::windows::layers::DiskProperties;
use crate::windows::uses::disk_name;
use diskspd_machine::System;
use diskspd_machine::environment::{Disk, Environment, Platform};
use diskspd_machine::fingerprint::Fingerprint;
use diskspd_machine::storage::Storage;
use diskspd_profile::TargetId;
use diskspd_sys::registry;

const BIOS: &str = r"HARDWARE\DESCRIPTION\System\BIOS";

const CONTROL: &str = r"SYSTEM\CurrentControlSet\Control";

/// Reads the environment of a run's targets on this machine, or of all its disks without targets.
/// Frequencies, limits of job objects and the load are not read.
pub fn read_environment(system: &mut System, targets: Vec<Storage>) {
    let disks = match targets.as_slice() {
        [] => disks().into_iter().map(|number| describe_disk(&properties(number), Vec::new())).collect(),
        targets => target_disks(targets),
    };
    system.environment = Some(Environment { platform: read_platform(), disks, ..Environment::default() });
    system.targets = targets;
    system.fingerprint = Some(Fingerprint::from_system(system));
}

fn target_disks(targets: &[Storage]) -> Vec<Disk> {
    let mut found: Vec<Disk> = Vec::new();
    for (id, target) in (0..).map(TargetId).zip(targets) {
        let Ok(place) = locate(target.path.as_bytes());
        let stack = stack(&place);
        for number in stack.layers.iter().filter_map(|layer| layer.name.strip_prefix("PhysicalDrive")) {
            let Ok(number) = number.parse() else { continue };
            match found.iter_mut().find(|known| known.device.name == disk_name(number)) {
                Some(known) => known.targets.push(id),
                None => found.push(describe_disk(&properties(number), vec![id])),
            }
        }
    }
    found
}

fn describe_disk(told: &DiskProperties, targets: Vec<TargetId>) -> Disk {
    let bus = told.descriptor.as_ref().and_then(|descriptor| descriptor.bus);
    // As the transport of an NVMe disk in this machine is called on Linux.
    let transport = bus.map(|bus| if bus == "nvme" { "pcie" } else { bus }.to_owned());
    let mut device = told.block_device(&disk_name(told.number));
    device.disk = None;
    Disk { device, transport, targets, ..Disk::default() }
}

/// Detects the platform from the firmware, because CPUs of hosts with Hyper-V also report a virtual machine.
fn read_platform() -> Platform {
    let value = |file| match file {
        "sys_vendor" => registry::text(BIOS, "SystemManufacturer"),
        "product_name" => registry::text(BIOS, "SystemProductName"),
        "bios_version" => registry::text(BIOS, "BIOSVersion"),
        _ => None,
    };
    platform(OwnAccount {
        firmware: FIRMWARE.map(|file| value(file).unwrap_or_default().trim().to_owned()),
        hypervisor: None,
        virtual_machine: None,
        container: registry::number(CONTROL, "ContainerType").is_some(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn environment_has_a_fingerprint() {
        let mut system = super::super::system::snapshot();
        read_environment(&mut system, Vec::new());
        assert_eq!(system.environment.as_ref().map(|found| found.disks.len()), Some(disks().len()));
        let parts = system.fingerprint.unwrap().parts;
        assert!(parts["kernel"].starts_with("Windows "), "{parts:?}");
    }
}
