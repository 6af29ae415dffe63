//! Kernel tracing support (`-e`): available tracepoints and access to them.

mod block_format;
pub mod devices;
mod format;
pub mod instance;
pub mod network;
pub mod pages;
pub mod refusal;
mod stamp_time;
mod tracefs;

pub use block_format::{BlockFormat, BlockRecord};
pub use format::{EventFormat, Field};
pub use stamp_time::stamp_time;
pub use tracefs::Tracefs;

use super::root::Root;
use diskspd_machine::cpu_list;

/// Returns the online CPUs by kernel number, from `/proc/stat` if `/sys` is hidden.
pub fn online_cpus(root: &Root) -> Vec<u32> {
    if let Some(list) = root.text("/sys/devices/system/cpu/online") {
        return cpu_list(&list);
    }
    let stat = root.text("/proc/stat").unwrap_or_default();
    let number = |line: &str| line.strip_prefix("cpu")?.split(' ').next()?.parse().ok();
    stat.lines().filter_map(number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn online_cpus_are_known_without_sys() {
        let machine = tempfile::tempdir().unwrap();
        let root = Root::at(machine.path());
        assert!(online_cpus(&root).is_empty());
        let write = |path: &str, text: &str| {
            let path = root.path(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        };
        write("/proc/stat", "cpu  5 6 7\ncpu0 1 2 3\ncpu2 4 4 4\nintr 9 0\n");
        assert_eq!(online_cpus(&root), [0, 2]);
        write("/sys/devices/system/cpu/online", "0-2\n");
        assert_eq!(online_cpus(&root), [0, 1, 2]);
    }
}
