//! Thermal state: disk temperatures, and thermal throttling of CPUs, where the machine reports them.

use super::root::Root;
use diskspd_machine::thermal::*;

/// Reads the current state, with these disks (`/dev/nvme0n1`, or a partition).
pub fn read(root: &Root, disks: &[&str]) -> Thermal {
    let disks = disks.iter().filter_map(|disk| read_temperature(root, disk.trim_start_matches("/dev/")));
    Thermal { disks: disks.collect(), cpu_throttles: cpu_throttles(root) }
}

/// Returns the first sensor of the disk: with the controller's files for NVMe, in a separate directory for
/// SATA disks (drivetemp).
fn read_temperature(root: &Root, disk: &str) -> Option<Temperature> {
    let device = format!("/sys/class/block/{disk}/device");
    [device.clone(), format!("{device}/hwmon")].iter().find_map(|place| {
        let sensors =
            root.names(place).into_iter().filter(|name| name.starts_with("hwmon") && name.len() > 5);
        sensors.into_iter().find_map(|sensor| {
            let celsius = |file: &str| {
                let milli: f64 = root.text(format!("{place}/{sensor}/{file}"))?.parse().ok()?;
                Some(milli / 1000.0)
            };
            Some(Temperature {
                disk: disk.to_owned(),
                celsius: celsius("temp1_input")?,
                limit: celsius("temp1_max"),
            })
        })
    })
}

fn cpu_throttles(root: &Root) -> Option<u64> {
    let directory = "/sys/devices/system/cpu";
    let counts = root.names(directory).into_iter().filter_map(|cpu| {
        root.text(format!("{directory}/{cpu}/thermal_throttle/core_throttle_count"))?.parse::<u64>().ok()
    });
    counts.reduce(|sum, count| sum.saturating_add(count))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sensors_of_all_drivers_are_found() {
        let directory = tempfile::tempdir().unwrap();
        for (path, text) in [
            ("sys/class/block/nvme0n1/device/hwmon3/temp1_input", "61850\n"),
            ("sys/class/block/nvme0n1/device/hwmon3/temp1_max", "81850\n"),
            ("sys/class/block/sda/device/hwmon/hwmon0/temp1_input", "35000\n"),
            ("sys/class/block/sdb/device/model", "x\n"),
            ("sys/devices/system/cpu/cpu0/thermal_throttle/core_throttle_count", "2\n"),
            ("sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count", "5\n"),
            ("sys/devices/system/cpu/online", "0-1\n"),
        ] {
            let path = directory.path().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        let thermal =
            read(&Root::at(directory.path()), &["/dev/nvme0n1", "/dev/sda", "/dev/sdb", "/dev/none"]);
        let disk = |disk: &str, celsius, limit| Temperature { disk: disk.into(), celsius, limit };
        assert_eq!(thermal.disks, [disk("nvme0n1", 61.85, Some(81.85)), disk("sda", 35.0, None)]);
        assert_eq!(thermal.cpu_throttles, Some(7));
        let nothing = tempfile::tempdir().unwrap();
        assert!(read(&Root::at(nothing.path()), &["/dev/sda"]).is_unknown());
    }
}
