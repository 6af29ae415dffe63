//! Devices that look like disks, but are served by a program or another host. They count I/O like disks.

use crate::device::Device;
use crate::root::text;

const SERVERS: [(&str, &str); 4] = [
    // Documentation/admin-guide/blockdev/nbd.rst
    ("nbd", "an NBD server holds its data, at an unknown place"),
    // Documentation/block/ublk.rst
    ("ublkb", "a program serves it (ublk) from an unknown place"),
    // A volume of OpenZFS.
    ("zd", "ZFS may answer from memory and does not report its devices; see zpool iostat"),
    // Documentation/admin-guide/blockdev/drbd
    ("drbd", "DRBD does not report which local and remote disks it writes to"),
];

/// Returns the reason why the storage of a disk-like device is unknown; `None` if it may be a disk.
pub(super) fn find_server(device: &Device) -> Option<&'static str> {
    let numbered = |driver: &str| {
        let number = device.name.strip_prefix(driver);
        number.is_some_and(|number| number.starts_with(|digit: char| digit.is_ascii_digit()))
    };
    // Documentation/target/tcmu-design.rst: a SCSI disk of the same machine.
    let by_program = || {
        let model = text(&device.directory().join("device/model"));
        (model.as_deref() == Some("TCMU device"))
            .then_some("a program serves it (TCMU) from an unknown place")
    };
    SERVERS.iter().find(|(driver, _)| numbered(driver)).map(|(_, why)| *why).or_else(by_program)
}
