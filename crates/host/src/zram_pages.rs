//! Pages that zram devices keep as a repeated pattern, which takes no memory.

use super::devices;
use super::root::Root;
use diskspd_sys::page_cache;

#[derive(Debug)]
pub struct ZramPages {
    pub name: String,
    /// Pages of a repeated pattern at the start.
    pages: u64,
}

impl ZramPages {
    pub fn of_all(root: &Root) -> Vec<ZramPages> {
        let names = devices::all_names(root).into_iter().filter(|name| name.starts_with("zram"));
        names.filter_map(|name| Some(ZramPages { pages: pages(root, &name)?, name })).collect()
    }

    /// Returns the current bytes of such pages, and the bytes added since the start.
    pub fn repeated_bytes(&self, root: &Root) -> (u64, u64) {
        let now = pages(root, &self.name).unwrap_or(self.pages);
        let bytes = |pages: u64| pages.saturating_mul(page_cache::page_bytes());
        (bytes(now), bytes(now.saturating_sub(self.pages)))
    }
}

/// Reads the field `same_pages` of `mm_stat`.
fn pages(root: &Root, name: &str) -> Option<u64> {
    read_memory_field(root, name, 5)
}

/// Reads the bytes with data before compression (`orig_data_size`).
pub(crate) fn stored_bytes(root: &Root, name: &str) -> Option<u64> {
    read_memory_field(root, name, 0)
}

fn read_memory_field(root: &Root, name: &str, index: usize) -> Option<u64> {
    let text = root.text(format!("/sys/block/{name}/mm_stat"))?;
    text.split_ascii_whitespace().nth(index)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeated_pages_grow_by_writes() {
        let machine = tempfile::tempdir().unwrap();
        let write = |same: u64| {
            let folder = machine.path().join("sys/block/zram0");
            std::fs::create_dir_all(&folder).unwrap();
            std::fs::create_dir_all(machine.path().join("sys/class/block/zram0")).unwrap();
            std::fs::write(folder.join("mm_stat"), format!("9 8 7 0 6 {same} 0 0 0")).unwrap();
        };
        write(3);
        let root = Root::at(machine.path());
        let [zram] = &ZramPages::of_all(&root)[..] else { unreachable!("one device") };
        write(5);
        let page = page_cache::page_bytes();
        assert_eq!(zram.repeated_bytes(&root), (5 * page, 2 * page));
        assert_eq!((stored_bytes(&root, "zram0"), stored_bytes(&root, "zram1")), (Some(9), None));
    }
}
