//! Files of another host: the mount takes the place of the device, where its client counts.

use crate::file_place::FileLocation;
use crate::mountinfo::Mount;
use crate::remote_counters;
use crate::root::Root;
use diskspd_machine::remote::{Protocol, RemoteMount};
use diskspd_machine::stack::*;

/// Returns the stack of a remote file; `None` if the file is local, or the client has no counters.
pub(super) fn stack(root: &Root, place: &FileLocation) -> Option<Stack> {
    of_mount(root, &place.mount(root)?)
}

/// Returns the mounts of other hosts with client counters.
pub(super) fn layers(root: &Root) -> Vec<Layer> {
    root.mounts().iter().filter_map(|mount| of_mount(root, mount)).flat_map(|stack| stack.layers).collect()
}

fn of_mount(root: &Root, mount: &Mount) -> Option<Stack> {
    let protocol = Protocol::from_file_system(&mount.file_system)?;
    let remote = RemoteMount { protocol, source: mount.source.clone(), mount_point: mount.at.clone() };
    remote_counters::read(root, &remote)?;
    let name = name(root, mount);
    let option = |name: &str| {
        let mut options = mount.options.split(',');
        options.find_map(|option| option.strip_prefix(name)?.strip_prefix('=')?.parse::<u64>().ok())
    };
    let traits = Traits {
        // Its flushes are no writes.
        write_back: Some(false),
        fua: None,
        largest_io: option("rsize").into_iter().chain(option("wsize")).min(),
        hardware_max_io: None,
    };
    let layer = Layer {
        name: name.clone(),
        kind: LayerKind::Mount,
        one_to_one: true,
        cache: false,
        statistics: true,
        queue_limits: Some(traits),
        remote: Some(remote),
        ..Layer::default()
    };
    let (first, layers) = (vec![name], vec![layer]);
    Some(Stack {
        file_system: Some(mount.file_system.clone()),
        top_devices: first,
        layers,
        ..Stack::default()
    })
}

/// Returns the source of the mount; with a number if the same source is mounted again with separate
/// counters (`nosharecache`).
fn name(root: &Root, mount: &Mount) -> String {
    let others = |other: &Mount| other.source == mount.source && other.number != mount.number;
    match root.mounts().iter().any(others) {
        true => format!("{} ({}:{})", mount.source, mount.number.0, mount.number.1),
        false => mount.source.clone(),
    }
}
