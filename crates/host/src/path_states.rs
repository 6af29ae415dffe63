//! Current state of storage paths: paths of multipath devices, controllers, network links.

use crate::root::Root;
use std::collections::BTreeMap;

const MAX_LINKS: usize = 64;
const LINK_ATTRIBUTES: [&str; 2] = ["operstate", "carrier_changes"];

/// Values by device and file name: `sdb state` → `running`. Reading takes tens of microseconds for each
/// device.
pub type PathStates = BTreeMap<String, String>;

/// Returns the states of these block devices (by kernel name), of their paths, and of all network links.
///
/// * `device/state` of SCSI disks: `running`, `blocked`, `offline` or `transport-offline`
///   (drivers/scsi/scsi_sysfs.c).
///
/// * `device/state` of the controllers of NVMe namespaces: `live`, `resetting` or `connecting`
///   (drivers/nvme/host/sysfs.c).
///
/// * `ana_state` of the paths of an NVMe namespace, `nvme0c1n1` of `nvme0n1`: `optimized`,
///   `non-optimized`, `inaccessible`, `persistent-loss` or `change` (drivers/nvme/host/multipath.c).
///
/// * `md/degraded`, the number of missing RAID members (Documentation/admin-guide/md.rst).
///
/// * `operstate` and `carrier_changes` of network interfaces (Documentation/ABI/testing/sysfs-class-net).
pub fn read(root: &Root, devices: &[String]) -> PathStates {
    let mut states = PathStates::new();
    let mut add = |name: &str, file: &str, path: String| {
        if let Some(text) = root.text(path) {
            states.insert(format!("{name} {file}"), text);
        }
    };
    let all = root.names("/sys/class/block");
    for device in devices {
        add(device, "state", format!("/sys/class/block/{device}/device/state"));
        add(device, "degraded", format!("/sys/class/block/{device}/md/degraded"));
        for path in all.iter().filter(|path| is_path_of(path, device)) {
            add(path, "ana_state", format!("/sys/class/block/{path}/ana_state"));
            add(path, "state", format!("/sys/class/block/{path}/device/state"));
        }
    }
    let links = root.names("/sys/class/net");
    for link in links.iter().filter(|link| *link != "lo").take(MAX_LINKS) {
        LINK_ATTRIBUTES.iter().for_each(|file| add(link, file, format!("/sys/class/net/{link}/{file}")));
    }
    states
}

/// Whether `nvme0c1n1` is a path of `nvme0n1`.
fn is_path_of(path: &str, head: &str) -> bool {
    let split = |name: &str, at: char| name.rsplit_once(at).map(|(a, b)| (a.to_owned(), b.to_owned()));
    let Some((subsystem, namespace)) = split(head, 'n').filter(|_| head.starts_with("nvme")) else {
        return false;
    };
    let Some((before, of_path)) = split(path, 'n') else { return false };
    let controller = before.strip_prefix(&subsystem).and_then(|rest| rest.strip_prefix('c'));
    of_path == namespace && controller.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    #[test]
    fn paths_of_all_kinds_are_found() {
        let machine = tempfile::tempdir().unwrap();
        let file = |path: &str, text: &str| {
            let path = machine.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        file("sys/class/block/sdb/device/state", "running\n");
        file("sys/class/block/nvme0n1/size", "1\n");
        file("sys/class/block/nvme0c1n1/ana_state", "optimized\n");
        file("sys/class/block/nvme0c1n1/device/state", "live\n");
        file("sys/class/block/nvme0c1n2/ana_state", "optimized\n");
        file("sys/class/block/nvme10c1n1/ana_state", "optimized\n");
        file("sys/class/net/eth0/operstate", "up\n");
        file("sys/class/net/eth0/carrier_changes", "2\n");
        file("sys/class/net/lo/operstate", "unknown\n");
        let found = read(&Root::at(machine.path()), &["sdb".into(), "nvme0n1".into()]);
        let found: Vec<String> = found.iter().map(|(what, state)| format!("{what}={state}")).collect();
        assert_eq!(
            found,
            [
                "eth0 carrier_changes=2",
                "eth0 operstate=up",
                "nvme0c1n1 ana_state=optimized",
                "nvme0c1n1 state=live",
                "sdb state=running",
            ]
        );
    }
}
