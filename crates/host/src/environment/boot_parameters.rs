//! The kernel's command line, reduced to parameters relevant for I/O. Other parameters may contain secrets
//! (passwords of file systems and consoles, installer tokens).

/// Parameters that are kept, with why. A name that ends with a dot stands for all parameters of a module.
/// `-` and `_` are the same to the kernel.
const KEPT_PARAMETERS: &[(&str, &str)] = &[
    ("nvme.", "queues, polling and timeouts of NVMe"),
    ("nvme_core.", "the same, and multipath"),
    ("nvme_tcp.", "the same over a network"),
    ("nvme_rdma.", "the same over a network"),
    ("scsi_mod.", "how SCSI disks are queued for"),
    ("sd_mod.", "SCSI disks"),
    ("libata.", "features of SATA disks: queueing, link power"),
    ("ahci.", "link power of SATA"),
    ("virtio_blk.", "queues of virtual disks"),
    ("virtio_scsi.", "queues of virtual disks"),
    ("xen_blkfront.", "queues of virtual disks"),
    ("mpt3sas.", "queues of SAS controllers"),
    ("megaraid_sas.", "queues of RAID controllers"),
    ("dm_mod.", "queues of the device mapper"),
    ("dm_multipath.", "paths of disks"),
    ("loop.", "loop devices"),
    ("zram.", "disks in memory"),
    ("zfs.", "caches and queues of ZFS"),
    ("blk_mq.", "queues of the block layer"),
    ("elevator", "the I/O scheduler"),
    ("null_blk.", "test devices"),
    ("brd.", "disks in memory"),
    ("mitigations", "cost of every system call"),
    ("nopti", "cost of every system call"),
    ("pti", "cost of every system call"),
    ("nospectre_v1", "cost of every system call"),
    ("nospectre_v2", "cost of every system call"),
    ("spectre_v2", "cost of every system call"),
    ("spectre_v2_user", "cost of each thread switch"),
    ("spec_store_bypass_disable", "cost of code"),
    ("retbleed", "cost of every call"),
    ("mds", "cost of every return to a program"),
    ("l1tf", "cost of virtual machines, and SMT"),
    ("tsx_async_abort", "cost of every return to a program"),
    ("mmio_stale_data", "cost of every return to a program"),
    ("gather_data_sampling", "cost of copying"),
    ("init_on_alloc", "memory that is cleared for every I/O"),
    ("init_on_free", "memory that is cleared after every I/O"),
    ("iommu", "cost of mapping memory for every I/O"),
    ("iommu.", "immediate removal of memory mappings"),
    ("intel_iommu", "cost of mapping memory for every I/O"),
    ("amd_iommu", "cost of mapping memory for every I/O"),
    ("arm_smmu.", "cost of mapping memory for every I/O"),
    ("arm_smmu_v3.", "cost of mapping memory for every I/O"),
    ("swiotlb", "copied I/O"),
    ("mem_encrypt", "I/O is copied because memory is encrypted"),
    ("isolcpus", "CPUs without ordinary threads"),
    ("nohz", "ticks that interrupt threads"),
    ("nohz_full", "CPUs without ticks"),
    ("rcu_nocbs", "CPUs without kernel callbacks"),
    ("irqaffinity", "CPUs that handle interrupts"),
    ("threadirqs", "interrupts as threads"),
    ("preempt", "preemption of threads"),
    ("maxcpus", "number of CPUs"),
    ("nr_cpus", "number of CPUs"),
    ("nosmt", "number of CPUs"),
    ("cpufreq.", "CPU frequency"),
    ("cpuidle.", "depth of CPU sleep"),
    ("cpuidle_haltpoll.", "wait before CPU sleep"),
    ("intel_idle.", "depth of CPU sleep"),
    ("processor.", "depth of CPU sleep"),
    ("idle", "depth of CPU sleep"),
    ("intel_pstate", "CPU frequency"),
    ("amd_pstate", "CPU frequency"),
    ("pcie_aspm", "links that sleep"),
    ("pcie_aspm.", "links that sleep"),
    ("pci", "how devices are attached (noaer, nomsi, realloc)"),
    ("clocksource", "cost of reading the clock"),
    ("tsc", "cost of reading the clock"),
    ("highres", "how well sleeps are timed"),
    ("skew_tick", "whether ticks of all CPUs come at once"),
    ("transparent_hugepage", "pages of the page cache"),
    ("hugepages", "large pages that there are"),
    ("hugepagesz", "their size"),
    ("default_hugepagesz", "their size"),
    ("numa_balancing", "memory that moves while it is used"),
    ("numa", "where memory comes from"),
    ("mem", "how much memory there is"),
    ("audit", "what system calls cost"),
    ("kvm.", "what virtual machines cost"),
];

/// Returns the recorded parameters of a command line in order, separated by spaces.
pub(crate) fn for_io(line: &str) -> String {
    let own = split_words(line).into_iter().take_while(|word| *word != "--");
    own.filter(|word| is_kept(word)).collect::<Vec<_>>().join(" ")
}

fn is_kept(word: &str) -> bool {
    let name = word.split('=').next().unwrap_or_default().trim_matches('"').replace('-', "_");
    KEPT_PARAMETERS.iter().any(|(kept, _)| match kept.strip_suffix('.') {
        Some(module) => name.strip_prefix(module).is_some_and(|rest| rest.starts_with('.')),
        None => name == *kept,
    })
}

fn split_words(line: &str) -> Vec<&str> {
    let mut quoted = false;
    let divides = |c: char| {
        quoted ^= c == '"';
        c.is_whitespace() && !quoted
    };
    line.split(divides).filter(|word| !word.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn io_parameters_are_kept_in_order() {
        let table = [
            ("BOOT_IMAGE=/vmlinuz root=/dev/sda1 ro quiet", ""),
            (
                "quiet nvme.poll_queues=4 nvme_core.multipath=N splash",
                "nvme.poll_queues=4 nvme_core.multipath=N",
            ),
            ("idle=poll isolcpus=2,3 nohz-full=2,3 x", "idle=poll isolcpus=2,3 nohz-full=2,3"),
            ("mitigations=off rd.luks.key=/secret console=ttyS0", "mitigations=off"),
            ("iommu=pt iommu.strict=0 nvmeof.secret=1 idlepass=x", "iommu=pt iommu.strict=0"),
        ];
        for (line, expected) in table {
            assert_eq!(for_io(line), expected, "{line}");
        }
    }

    #[test]
    fn quoted_and_init_words_are_not_parameters() {
        assert_eq!(for_io(r#"motd="a secret idle=poll" elevator=none"#), "elevator=none");
        assert_eq!(for_io(r#"pci="noaer realloc" quiet"#), r#"pci="noaer realloc""#);
        assert_eq!(for_io("quiet -- idle=poll password=x"), "");
    }
}
