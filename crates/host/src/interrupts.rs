//! The CPUs that handle device interrupts, from the kernel's interrupt counters.

use super::root::{Root, names, text};
use super::window_counters::WindowCounters;
use diskspd_machine::cpu_list;
use diskspd_machine::interrupts::*;
use std::path::{Path, PathBuf};

/// Maximum number of interrupts read, which limits the time to a few milliseconds.
const MAX_INTERRUPTS: usize = 512;

/// Interrupt counters of several devices.
#[derive(Debug)]
pub struct InterruptCounters {
    devices: Vec<InterruptingDisk>,
    cpus: Vec<u32>,
}

#[derive(Debug)]
struct InterruptingDisk {
    name: String,
    files: Vec<PathBuf>,
}

#[derive(Debug, Default)]
pub struct InterruptReading(Vec<Option<Vec<Vec<u64>>>>);

impl InterruptCounters {
    /// Finds the counters of these block devices, by kernel name. Devices without interrupts (loop
    /// devices, RAID, network devices) are omitted, and a partition stands for its disk.
    pub fn find(root: &Root, devices: &[String]) -> InterruptCounters {
        let mut found: Vec<InterruptingDisk> = Vec::new();
        let mut known = 0;
        for name in devices {
            let Some((name, numbers)) = interrupt_numbers(root, name) else { continue };
            known += numbers.len();
            if numbers.is_empty() || known > MAX_INTERRUPTS || found.iter().any(|device| device.name == name)
            {
                continue;
            }
            let file = |number| root.path(format!("/sys/kernel/irq/{number}/per_cpu_count"));
            found.push(InterruptingDisk { name, files: numbers.into_iter().map(file).collect() });
        }
        let possible = root.text("/sys/devices/system/cpu/possible");
        InterruptCounters { devices: found, cpus: possible.map(|list| cpu_list(&list)).unwrap_or_default() }
    }
}

impl WindowCounters for InterruptCounters {
    type EdgeValues = InterruptReading;
    type WindowValues = DeviceInterrupts;

    /// Takes several µs for each interrupt.
    fn read(&self) -> InterruptReading {
        let of = |device: &InterruptingDisk| device.files.iter().map(|file| read_counts(file)).collect();
        InterruptReading(self.devices.iter().map(of).collect())
    }

    /// Omits devices that could not be read both times.
    fn count_between(self, before: &InterruptReading, after: &InterruptReading) -> Vec<DeviceInterrupts> {
        let readings = before.0.iter().zip(&after.0);
        let devices = self.devices.into_iter().zip(readings);
        devices
            .filter_map(|(device, (before, after))| {
                let sums = sum_differences(self.cpus.len(), before.as_deref()?, after.as_deref()?)?;
                let cpus = self.cpus.iter().zip(sums).filter(|(_, count)| *count > 0);
                let cpus = cpus.map(|(cpu, count)| CpuInterrupts { cpu: *cpu, count }).collect();
                Some(DeviceInterrupts { device: device.name, cpus })
            })
            .collect()
    }
}

/// Returns the interrupts of a device between two readings, by CPU. `None` if the number of counters
/// differs from the number of CPUs, so the assignment is unknown.
fn sum_differences(cpus: usize, before: &[Vec<u64>], after: &[Vec<u64>]) -> Option<Vec<u64>> {
    let mut sums = vec![0u64; cpus];
    for (then, now) in before.iter().zip(after) {
        if then.len() != cpus || now.len() != cpus {
            return None;
        }
        for (sum, (then, now)) in sums.iter_mut().zip(then.iter().zip(now)) {
            // The kernel counts them in 32 bits.
            *sum += u64::from((*now as u32).wrapping_sub(*then as u32));
        }
    }
    Some(sums)
}

/// The disk of a block device, and the interrupt numbers of the nearest device above it that has any.
fn interrupt_numbers(root: &Root, name: &str) -> Option<(String, Vec<u32>)> {
    let mut at = root.resolved(&format!("/sys/class/block/{name}"))?;
    if at.join("partition").exists() {
        at.pop();
    }
    let disk = at.file_name()?.to_string_lossy().into_owned();
    let top = root.path("/sys/devices");
    // Links are followed, also those of a root that is a directory.
    let top = std::fs::canonicalize(&top).unwrap_or(top);
    while at.pop() && at != top && at.starts_with(&top) {
        let messages: Vec<u32> =
            names(&at.join("msi_irqs")).iter().filter_map(|name| name.parse().ok()).collect();
        if !messages.is_empty() {
            return Some((disk, messages));
        }
        // 0 = none. A line shared by several controllers does not belong to one.
        if let Some(line) = text(&at.join("irq")).and_then(|line| line.parse().ok()).filter(|line| *line > 0)
        {
            let users = root.text(format!("/sys/kernel/irq/{line}/actions")).unwrap_or_default();
            return (!users.contains(',')).then(|| (disk, vec![line]));
        }
    }
    None
}

/// Reads the counters of an interrupt, by CPU.
fn read_counts(file: &Path) -> Option<Vec<u64>> {
    text(file)?.split(',').map(|count| count.trim().parse().ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// A machine with a disk on a PCI function that has message interrupts, one that shares a line with
    /// another controller, and a loop device.
    fn sample_machine() -> tempfile::TempDir {
        let directory = tempfile::tempdir().unwrap();
        let at = |path: &str| directory.path().join(path);
        let virtio = "sys/devices/pci0000:00/0000:00:02.0";
        for path in [
            &format!("{virtio}/virtio1/block/vda/vda1"),
            &format!("{virtio}/msi_irqs"),
            "sys/devices/pci0000:00/0000:00:03.0/ata1/block/sda",
            "sys/devices/virtual/block/loop0",
            "sys/class/block",
            "sys/devices/system/cpu",
            "sys/kernel/irq/35",
            "sys/kernel/irq/36",
            "sys/kernel/irq/9",
        ] {
            fs::create_dir_all(at(path)).unwrap();
        }
        fs::write(at(&format!("{virtio}/virtio1/block/vda/vda1/partition")), "1\n").unwrap();
        for number in ["35", "36"] {
            fs::write(at(&format!("{virtio}/msi_irqs/{number}")), "msix\n").unwrap();
        }
        fs::write(at(&format!("{virtio}/irq")), "9\n").unwrap();
        fs::write(at("sys/devices/pci0000:00/0000:00:03.0/irq"), "9\n").unwrap();
        fs::write(at("sys/kernel/irq/9/actions"), "ahci,ehci_hcd\n").unwrap();
        fs::write(at("sys/devices/system/cpu/possible"), "0-2\n").unwrap();
        for (name, to) in [
            ("vda", "pci0000:00/0000:00:02.0/virtio1/block/vda"),
            ("vda1", "pci0000:00/0000:00:02.0/virtio1/block/vda/vda1"),
            ("sda", "pci0000:00/0000:00:03.0/ata1/block/sda"),
            ("loop0", "virtual/block/loop0"),
        ] {
            let link = at(&format!("sys/class/block/{name}"));
            std::os::unix::fs::symlink(format!("../../devices/{to}"), link).unwrap();
        }
        directory
    }

    fn count(directory: &tempfile::TempDir, first: &str, second: &str) {
        for (number, counts) in [(35, first), (36, second)] {
            let file = format!("sys/kernel/irq/{number}/per_cpu_count");
            fs::write(directory.path().join(file), format!("{counts}\n")).unwrap();
        }
    }

    fn owned_names(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    #[test]
    fn disk_interrupts_are_counted_per_cpu() {
        let directory = sample_machine();
        let root = Root::at(directory.path());
        let counters = InterruptCounters::find(&root, &owned_names(&["vda1", "vda", "sda", "loop0", "gone"]));
        count(&directory, "1,0,0", "5,4294967290,0");
        let before = counters.read();
        // The counter of CPU 1 has begun anew.
        count(&directory, "3,0,0", "5,4,0");
        let found =
            counters.count_between(&before, &InterruptCounters::find(&root, &owned_names(&["vda"])).read());
        let cpus = vec![CpuInterrupts { cpu: 0, count: 2 }, CpuInterrupts { cpu: 1, count: 10 }];
        assert_eq!(found, [DeviceInterrupts { device: "vda".into(), cpus }]);
        assert_eq!(found[0].total(), 12);
    }

    #[test]
    fn counters_with_single_reading_are_omitted() {
        let directory = sample_machine();
        let root = Root::at(directory.path());
        let counters = || InterruptCounters::find(&root, &owned_names(&["vda"]));
        count(&directory, "1,0,0", "5,0,0");
        let before = counters().read();
        let nothing = InterruptReading::default();
        assert_eq!(counters().count_between(&before, &nothing), []);
        for strange in ["5,0", "", "5,x,0"] {
            count(&directory, "1,0,0", strange);
            assert_eq!(counters().count_between(&before, &counters().read()), [], "{strange:?}");
        }
        // None arrived.
        count(&directory, "1,0,0", "5,0,0");
        let none = DeviceInterrupts { device: "vda".into(), cpus: Vec::new() };
        assert_eq!(counters().count_between(&before, &counters().read()), [none]);
    }

    #[test]
    fn interrupts_of_this_machine_are_readable_or_absent() {
        let root = Root::live_system();
        let disks = root.names("/sys/class/block");
        let counters = InterruptCounters::find(&root, &disks);
        let named = counters.devices.len();
        let (before, after) = (counters.read(), counters.read());
        assert!(counters.count_between(&before, &after).len() <= named);
    }
}
