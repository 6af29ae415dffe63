//! Limitations of NVMe commands that bypass the block layer, from the device or the command path.

use super::PlanError;
use super::target::off_grid;
use diskspd_base::engines::EngineKind;
use diskspd_base::finding::Finding;
use diskspd_base::operation::Operation;
use diskspd_figures::units::Size;
use diskspd_machine::nvme::NvmeFacts;
use diskspd_machine::target::{TargetFacts, TargetKind};
use diskspd_profile::{CacheMode, IoPriority, RunOptions, Target};

/// Maximum number of blocks of a command, whose 16-bit field has the number minus one.
const MAX_BLOCKS: u64 = 1 << 16;

/// Returns the reason against this use of a target; `None` = possible.
type CommandLimit = fn(&Target, &NvmeFacts) -> Option<String>;

/// Required capabilities; missing ones are refused with their name.
const LIMITS: &[CommandLimit] = &[
    metadata_fault,
    mapping_fault,
    cache_fault,
    hint_fault,
    no_wait,
    priority_fault,
    size,
    deallocate_fault,
    write_zeroes,
];

/// Reports conflicts with a target that is the character device of a namespace.
pub(crate) fn check(target: &Target, facts: &TargetFacts, options: &RunOptions, errors: &mut Vec<PlanError>) {
    let Some(namespace) = facts.nvme.as_ref() else { return };
    let path = &target.path;
    let refused = LIMITS.iter().filter_map(|rule| rule(target, namespace));
    let refused = refused.chain(other_way(options, namespace));
    let refused =
        refused.chain(off_grid(target, facts.size, namespace.block_size.max(1).into()).map(|off| {
            format!(
                "NVMe commands name whole logical blocks of {} bytes; {off} not a multiple of it",
                namespace.block_size
            )
        }));
    errors.extend(refused.map(|why| PlanError::target(format!("'{path}': {why}"))));
}

fn block_device(namespace: &NvmeFacts) -> String {
    let named = namespace.block_device.as_ref().map(|name| format!(" (/dev/{name})"));
    format!("the block device{}", named.unwrap_or_default())
}

fn metadata_fault(_: &Target, namespace: &NvmeFacts) -> Option<String> {
    (namespace.metadata > 0 && namespace.protected.is_none()).then(|| {
        format!(
            "its format has {} bytes of metadata per block that the host must send; engine nvme cannot: \
             use {}, or format the namespace without metadata (nvme format)",
            namespace.metadata,
            block_device(namespace)
        )
    })
}

/// Reports the controller's additional work on reads and writes, because its cost is otherwise invisible.
pub(crate) fn checks(target: &Target, facts: &TargetFacts) -> Option<Finding> {
    let kind = facts.nvme.as_ref()?.protected?;
    let path = &target.path;
    let message = format!(
        "'{path}' is formatted with protection information of type {kind}: the controller makes it for \
         writes and checks it on reads (PRACT)"
    );
    Some(Finding::note(message).on_target(path))
}

fn mapping_fault(target: &Target, _: &NvmeFacts) -> Option<String> {
    target
        .memory_mapped_io
        .then(|| "memory-mapped I/O (-Sm) is for files: leave out -Sm, or name a file".to_owned())
}

fn cache_fault(target: &Target, namespace: &NvmeFacts) -> Option<String> {
    (target.is_cached(true) && target.cache_mode == CacheMode::Cached && !target.memory_mapped_io).then(
        || {
            let instead = block_device(namespace);
            format!("NVMe commands never use the page cache: leave out -Sb, or use {instead}")
        },
    )
}

fn no_wait(target: &Target, namespace: &NvmeFacts) -> Option<String> {
    target.no_wait.then(|| {
        let instead = block_device(namespace);
        format!("NVMe commands have no RWF_NOWAIT (--nowait): leave it out, or use {instead}")
    })
}

fn hint_fault(target: &Target, _: &NvmeFacts) -> Option<String> {
    (target.random_access || target.sequential_scan).then(|| {
        "access hints (-fr, -fs) are for the page cache, which NVMe commands bypass: leave them out".into()
    })
}

fn priority_fault(target: &Target, namespace: &NvmeFacts) -> Option<String> {
    (target.io_priority != IoPriority::Normal).then(|| {
        let instead = block_device(namespace);
        format!(
            "NVMe commands bypass the I/O scheduler, so -I has no effect: leave out -I, or use \
            {instead}"
        )
    })
}

fn size(target: &Target, namespace: &NvmeFacts) -> Option<String> {
    let block = u64::from(target.block_size);
    let by_count = u64::from(namespace.block_size).saturating_mul(MAX_BLOCKS);
    let most = namespace.largest_io.map_or(by_count, |most| most.min(by_count));
    let moves = target.shares.sum() < 100;
    (moves && block > most).then(|| {
        format!(
            "-b{block}: one NVMe command transfers at most {} here (MDTS, max_hw_sectors_kb), and nothing \
             splits it: use a smaller -b, or {}",
            Size(most),
            block_device(namespace)
        )
    })
}

fn deallocate_fault(target: &Target, namespace: &NvmeFacts) -> Option<String> {
    (target.shares.percent(Operation::Discard) > 0 && !namespace.deallocates).then(|| {
        "--trim: its controller has no Dataset Management (ONCS, bit 2): leave out --trim".to_owned()
    })
}

fn write_zeroes(target: &Target, namespace: &NvmeFacts) -> Option<String> {
    (target.shares.percent(Operation::WriteZeroes) > 0 && !namespace.writes_zeroes).then(|| {
        "--write-zeroes: its controller has no Write Zeroes (ONCS, bit 3): leave out --write-zeroes"
            .to_owned()
    })
}

fn other_way(options: &RunOptions, namespace: &NvmeFacts) -> Option<String> {
    let option = match options {
        RunOptions { verify: Some(_), .. } => "--verify",
        RunOptions { prefill: Some(_), .. } => "--prefill",
        RunOptions { flush_after: true, .. } => "--flush-after",
        _ => return None,
    };
    let instead = block_device(namespace);
    Some(format!("{option} reads and writes without NVMe commands: leave it out, or use {instead}"))
}

/// Checks whether an engine and a thread's targets are compatible with regard to namespaces.
///
/// # Errors
/// Fails if they are not compatible.
pub(crate) fn suits(engine: EngineKind, members: &[(&Target, &TargetFacts)]) -> Result<(), PlanError> {
    let is_namespace = |facts: &TargetFacts| facts.kind == TargetKind::NvmeNamespace;
    let wanted = engine == EngineKind::Nvme;
    let odd = members.iter().find(|(_, facts)| is_namespace(facts) != wanted);
    let Some((target, facts)) = odd.filter(|_| engine.row().real_io) else { return Ok(()) };
    let (path, name) = (&target.path, engine.row().name);
    let all_alike = members.iter().all(|(_, facts)| is_namespace(facts) != wanted);
    Err(PlanError::profile(match (is_namespace(facts), all_alike) {
        (true, true) => format!(
            "'{path}' accepts only NVMe commands, which engine {name} does not send: leave out --engine \
             {name}"
        ),
        (_, false) => format!(
            "'{path}' and the thread's other targets need different engines (nvme is for /dev/ng0n1 \
             alone): give each target its own threads (-t instead of -F)"
        ),
        (false, true) => format!(
            "--engine nvme: '{path}' is not the character device of an NVMe namespace: name one \
             (/dev/ng0n1 for /dev/nvme0n1), or leave out --engine nvme"
        ),
    }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_profile::OperationShares;

    fn sample_facts(namespace: NvmeFacts) -> TargetFacts {
        let kind = TargetKind::NvmeNamespace;
        TargetFacts { kind, size: 1 << 30, nvme: Some(namespace), ..TargetFacts::default() }
    }

    fn plain_namespace() -> NvmeFacts {
        NvmeFacts {
            block_size: 4096,
            largest_io: Some(512 << 10),
            deallocates: true,
            writes_zeroes: true,
            block_device: Some("nvme0n1".into()),
            ..NvmeFacts::default()
        }
    }

    fn find_refusals(target: &Target, namespace: NvmeFacts, options: &RunOptions) -> Vec<String> {
        let mut errors = Vec::new();
        check(target, &sample_facts(namespace), options, &mut errors);
        errors.iter().map(ToString::to_string).collect()
    }

    fn writing_target() -> Target {
        Target { write_ratio: 50, block_size: 8192, ..Target::default() }
    }

    fn with_share(op: Operation) -> Target {
        let mut shares = OperationShares::default();
        shares.set(op, 10);
        Target { shares, ..writing_target() }
    }

    #[test]
    fn supported_nvme_commands_are_planned() {
        let none = RunOptions::default();
        let protected = NvmeFacts { metadata: 8, protected: Some(1), ..plain_namespace() };
        assert_eq!(find_refusals(&writing_target(), protected.clone(), &none), Vec::<String>::new());
        let told = checks(&Target::default(), &sample_facts(protected)).unwrap().message;
        assert!(told.contains("type 1"), "{told}");
        assert_eq!(checks(&Target::default(), &sample_facts(plain_namespace())), None);
        for target in [writing_target(), with_share(Operation::Discard), with_share(Operation::WriteZeroes)] {
            assert_eq!(find_refusals(&target, plain_namespace(), &none), Vec::<String>::new(), "{target:?}");
        }
    }

    #[test]
    fn unsupported_nvme_commands_are_refused_and_named() {
        let none = RunOptions::default();
        let table: [(Target, NvmeFacts, &str); 11] = [
            (writing_target(), NvmeFacts { metadata: 8, ..plain_namespace() }, "8 bytes of metadata"),
            (writing_target(), NvmeFacts { largest_io: Some(4096), ..plain_namespace() }, "MDTS"),
            (Target { memory_mapped_io: true, ..writing_target() }, plain_namespace(), "-Sm"),
            (Target { uncached_devices: false, ..writing_target() }, plain_namespace(), "-Sb"),
            (Target { random_access: true, ..writing_target() }, plain_namespace(), "-fr"),
            (Target { io_priority: IoPriority::Low, ..writing_target() }, plain_namespace(), "-I"),
            (
                Target { block_size: 1 << 30, ..writing_target() },
                NvmeFacts { largest_io: None, ..plain_namespace() },
                "256MiB",
            ),
            (Target { block_size: 512, ..writing_target() }, plain_namespace(), "block size (-b) of 512"),
            (Target { base_file_offset: 1, ..writing_target() }, plain_namespace(), "base offset (-B)"),
            (
                with_share(Operation::Discard),
                NvmeFacts { deallocates: false, ..plain_namespace() },
                "Dataset Management",
            ),
            (
                with_share(Operation::WriteZeroes),
                NvmeFacts { writes_zeroes: false, ..plain_namespace() },
                "Write Zeroes",
            ),
        ];
        for (target, namespace, expected) in table {
            let told = find_refusals(&target, namespace, &none);
            assert!(told.iter().any(|text| text.contains(expected)), "{expected}: {told:?}");
        }
        let flushed = RunOptions { flush_after: true, ..RunOptions::default() };
        assert!(find_refusals(&writing_target(), plain_namespace(), &flushed)[0].contains("--flush-after"));
    }

    #[test]
    fn unsuitable_engine_for_target_is_refused() {
        let (target, namespace, file) =
            (writing_target(), sample_facts(plain_namespace()), TargetFacts::default());
        let (ours, others) = ((&target, &namespace), (&target, &file));
        for (engine, members, expected) in [
            (EngineKind::Nvme, vec![ours], ""),
            (EngineKind::Uring, vec![others], ""),
            (EngineKind::Null, vec![ours, others], ""),
            (EngineKind::Nvme, vec![others], "is not the character device"),
            (EngineKind::Sync, vec![ours], "leave out --engine sync"),
            (EngineKind::Nvme, vec![ours, others], "its own threads"),
            (EngineKind::Uring, vec![ours, others], "its own threads"),
        ] {
            let told = suits(engine, &members).err().map(|error| error.to_string()).unwrap_or_default();
            assert!(told.contains(expected) && told.is_empty() == expected.is_empty(), "{engine:?}: {told}");
        }
    }
}
