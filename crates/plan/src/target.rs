//! Requirements of the planned work on a target.

use super::PlanError;
use super::access::is_cached;
use crate::workload::{Grid, Placement, Region, effective_ranges};
use diskspd_base::finding::Finding;
use diskspd_figures::units;
use diskspd_machine::target::{
    DirectRequirements, TargetFacts, TargetKind, is_drive_letter, is_windows_path, no_folder,
};
use diskspd_profile::{CacheMode, DistributionKind, RawText, Target};
use std::path::Path;

/// Maximum transfer of one kernel call in bytes (`MAX_RW_COUNT` of read(2)).
const MAX_TRANSFER: u32 = 0x7fff_f000;

/// Maximum file size in bytes that probably lacks its unit.
const MAX_UNITLESS_SIZE: u64 = 4095;

const LAST_OFFSET: u64 = i64::MAX as u64;

/// Collects the errors of one target. A simulated device needs only a size.
pub(crate) fn check(
    target: &Target,
    facts: &TargetFacts,
    simulated: bool,
    errors: &mut Vec<PlanError>,
    warnings: &mut Vec<Finding>,
) {
    let path = &target.path;
    if target.block_size > MAX_TRANSFER {
        errors.push(PlanError::profile(format!(
            "-b{}: an I/O has at most {MAX_TRANSFER} bytes (2 GiB less a page)",
            target.block_size
        )));
    }
    if target.bypass_io.is_some() {
        errors.push(PlanError::target(
            "-Sy and -SY: this program cannot request BypassIO; leave them out, -Su bypasses the system's \
             cache"
                .to_owned(),
        ));
    }
    if let Err(error) = check_presence(target, facts, simulated).and_then(|()| check_offsets(target, facts)) {
        errors.push(error);
        return;
    }
    warnings.extend(left_alone(target, facts));
    if !simulated && target.memory_mapped_io && facts.kind == TargetKind::BlockDevice {
        errors.push(PlanError::target(format!(
            "'{path}' is a block device: memory-mapped I/O (-Sm) is for files; leave out -Sm, or name a file"
        )));
        return;
    }
    let size = planned_size(target, facts);
    if target.max_file_size > size {
        let message = format!(
            "'{path}' has {}, less than the requested end of {} (-f, -B): I/O stays below its real size",
            units::Size(size),
            units::Size(target.max_file_size)
        );
        warnings.push(Finding::warning(message).on_target(path));
    }
    if !simulated && target.cache_mode == CacheMode::DisableLocalCache && !facts.is_remote() {
        errors.push(PlanError::target(local_text(target, facts)));
        return;
    }
    if !simulated
        && is_aligned(target, facts)
        && let Some(needs) = facts.direct
        && let Err(error) = check_direct(target, facts, size, needs)
    {
        errors.push(error);
    }
}

fn left_alone(target: &Target, facts: &TargetFacts) -> Option<Finding> {
    let what = match facts.kind {
        TargetKind::BlockDevice if facts.is_on_windows() => "a disk or a volume",
        TargetKind::BlockDevice => "a block device",
        TargetKind::NvmeNamespace => "an NVMe namespace",
        _ => return None,
    };
    let path = &target.path;
    let message = format!("-c creates files only; '{path}' is {what} and is left unchanged");
    creates(target).then(|| Finding::warning(message).on_target(path))
}

/// Whether I/Os must be sector-aligned: unbuffered I/O, and always for Windows disks and volumes.
fn is_aligned(target: &Target, facts: &TargetFacts) -> bool {
    let always = facts.kind.is_device() && facts.is_on_windows();
    !target.memory_mapped_io && (always || !is_cached(target, facts)) && facts.nvme.is_none()
}

/// Checks that offsets to the end of the target are valid for the kernel.
fn check_offsets(target: &Target, facts: &TargetFacts) -> Result<(), PlanError> {
    let (path, size) = (&target.path, planned_size(target, facts));
    if size <= LAST_OFFSET {
        return Ok(());
    }
    Err(PlanError::target(format!(
        "'{path}': {size} bytes are more than a file can have, {LAST_OFFSET} (2^63 - 1); use a smaller -c"
    )))
}

fn check_presence(target: &Target, facts: &TargetFacts, simulated: bool) -> Result<(), PlanError> {
    let path = &target.path;
    let unfit = |message: String| Err(PlanError::target(message));
    if path.as_bytes().is_empty() {
        return unfit("a target name is empty: name a file or a block device".into());
    }
    if is_drive_letter(path.as_bytes()) && !facts.is_on_windows() {
        return unfit(format!(
            "'{path}' is a Windows volume name; name a block device, such as /dev/nvme0n1p1 (lsblk lists \
             them), or a file. For a file of that name write ./{path}"
        ));
    }
    match facts.kind {
        TargetKind::Directory => {
            let text = path.to_string();
            let directory = text.trim_end_matches('/');
            unfit(format!(
                "'{path}' is a directory: name a file in it, for example {directory}/test.dat with -c1G"
            ))
        }
        TargetKind::Other => unfit(format!(
            "'{path}' is a pipe, socket or character device, which has no offsets: name a file or a block \
             device"
        )),
        TargetKind::Missing if is_windows_path(path.as_bytes()) && !facts.is_on_windows() => {
            unfit(windows_path(path))
        }
        TargetKind::Missing if facts.missing_folder.is_some() && is_address(path) => {
            unfit(address_advice(path))
        }
        TargetKind::Missing if creates(target) || is_place_of_devices(&facts.location) => {
            can_be_made(path, facts)
        }
        TargetKind::Missing if is_windows_option(path.as_bytes()) => unfit(format!(
            "'{path}' does not exist: options begin with - here, not with /; for a file of that name check \
             the name, or create it with -c<size> (for example -c1G)"
        )),
        TargetKind::Missing => unfit(format!(
            "'{path}' does not exist: check the name, or create it with -c<size> (for example -c1G)"
        )),
        TargetKind::File | TargetKind::BlockDevice | TargetKind::NvmeNamespace
            if planned_size(target, facts) == 0 =>
        {
            unfit(format!(
                "the size of '{path}' is 0: there is nothing to read or overwrite{}",
                if facts.kind == TargetKind::File {
                    "; create it with -c<size>"
                } else {
                    "; is a medium inserted?"
                }
            ))
        }
        TargetKind::File | TargetKind::BlockDevice | TargetKind::NvmeNamespace => Ok(()),
    }
    .or_else(|error| if simulated && planned_size(target, facts) > 0 { Ok(()) } else { Err(error) })
}

/// Whether a name is an address for other programs: `smb://host/share`, `nas:/export/file`.
fn is_address(path: &RawText) -> bool {
    let text = path.to_string();
    text.split_once(":/").is_some_and(|(before, _)| before.len() > 1 && !before.contains('/'))
}

fn address_advice(path: &RawText) -> String {
    let text = path.to_string();
    let (scheme, rest) = text.split_once(":/").unwrap_or(("", &text));
    let advice = match rest.strip_prefix('/').map(|address| (scheme, address)) {
        Some(("file", local)) => format!("write {local}"),
        Some(("smb" | "cifs", address)) => {
            format!("write '\\\\{}', or its path below the mount point", address.replace('/', "\\"))
        }
        _ => "mount it, and write the path of the file below the mount point".to_owned(),
    };
    format!("'{path}' is an address, not a path: {advice}")
}

/// Whether a file can be made of this name, which is missing.
///
/// # Errors
/// Fails with the cause and a remedy.
pub fn can_be_made(path: &RawText, facts: &TargetFacts) -> Result<(), PlanError> {
    if is_place_of_devices(&facts.location) {
        return Err(PlanError::target(format!(
            "'{path}' does not exist, and /dev is for devices: a file made there would be in memory; \
             diskspd devices lists block devices"
        )));
    }
    facts.missing_folder.as_ref().map_or(Ok(()), |folder| {
        Err(PlanError::target(format!("'{path}': {}", no_folder(path.as_path(), folder))))
    })
}

/// Whether it is a path below `/dev`, the place of device nodes, where a file would be in memory.
/// `/dev/shm` is excluded.
fn is_place_of_devices(location: &Path) -> bool {
    location.starts_with("/dev") && !location.starts_with("/dev/shm")
}

/// Whether it may be meant as an option, which begin with `/` too on Windows: `/L`, `/b4K`.
fn is_windows_option(path: &[u8]) -> bool {
    match path {
        [b'/', letter, value @ ..] => {
            letter.is_ascii_alphabetic()
                && value.first().is_none_or(u8::is_ascii_digit)
                && !value.contains(&b'/')
        }
        _ => false,
    }
}

/// Returns the likely meaning of `-c1`, a size of a few bytes.
fn without_unit(target: &Target) -> Option<String> {
    let size = target.file_size.filter(|size| (1..=MAX_UNITLESS_SIZE).contains(size))?;
    let bytes = if size == 1 { "byte" } else { "bytes" };
    Some(format!("-c{size} is a file of {size} {bytes}: did you mean -c{size}G?"))
}

fn windows_path(path: &RawText) -> String {
    let text = path.to_string();
    let device = text.starts_with("\\\\.\\") || text.starts_with("\\\\?\\");
    let share = "a file on a share is '\\\\host\\share\\file', or its path below the mount point".to_owned();
    let (what, instead) = match text.strip_prefix('\\') {
        _ if device => (
            "is a Windows device name",
            "name a disk like /dev/nvme0n1 or '#1' (diskspd devices lists them)".to_owned(),
        ),
        Some(rest) if !rest.contains(['\\', '/']) => (
            "has one backslash",
            format!("the shell removed the backslashes of a path without quotes; quote it: {share}"),
        ),
        Some(rest) if rest.starts_with('\\') => ("names a host without a share", share),
        _ => {
            let rest = text.get(2..).filter(|_| text.as_bytes().get(1) == Some(&b':')).unwrap_or(&text);
            let name = rest.rsplit(['\\', '/']).next().filter(|name| !name.is_empty()).unwrap_or("test.dat");
            let there = "for a file on another disk name its path below the mount point (findmnt lists them)";
            ("is a Windows path", format!("for a file in this folder write ./{name}; {there}"))
        }
    };
    format!("'{path}' {what}: {instead}. For a file of exactly that name write './{path}'")
}

pub fn creates(target: &Target) -> bool {
    target.file_size.is_some_and(|size| size > 0)
}

/// Returns the size of the target at the start of the run in bytes.
pub(crate) fn planned_size(target: &Target, facts: &TargetFacts) -> u64 {
    match target.file_size {
        Some(size) if size > 0 && !facts.kind.is_device() => size,
        _ => facts.size,
    }
}

/// Explains `-Sr` without a client cache.
fn local_text(target: &Target, facts: &TargetFacts) -> String {
    let what = match facts.kind {
        TargetKind::BlockDevice => "is a block device".into(),
        TargetKind::NvmeNamespace => "is an NVMe namespace".into(),
        _ => format!("is on file system {}", facts.file_system),
    };
    format!(
        "'{}' can't be used with -Sr: it {what}, which is local. -Sr bypasses only the client cache of a \
         remote file system (NFS, SMB, 9p, FUSE and the like); use -Su to bypass this machine's page cache",
        target.path
    )
}

/// Reports settings misaligned for `O_DIRECT`, which needs offsets and lengths in the device's units.
/// `size` is the target's size.
fn check_direct(
    target: &Target,
    facts: &TargetFacts,
    size: u64,
    needs: DirectRequirements,
) -> Result<(), PlanError> {
    let path = &target.path;
    if needs.offset == 0 {
        let why = match facts.without_direct {
            Some(why) => format!("{} has no O_DIRECT for it, because {why}", facts.file_system),
            None => format!("file system {} has no O_DIRECT for it", facts.file_system),
        };
        return Err(PlanError::target(format!(
            "'{path}' can't be used without the cache (-S, -Su, -Sh, -Sr, -h): {why}; use -Sb, or a file \
             elsewhere"
        )));
    }
    let grid = u64::from(needs.offset);
    let mut off = unaligned_settings(target, grid);
    let cut = cut_area(target, size).filter(|area| area % grid != 0);
    let remedy = cut.map_or(String::new(), |area| {
        off.push(format!("the area of {area} bytes, which the distribution (-rdabs) fills,"));
        format!("; -f{} ends the area on one", target.base_file_offset + area - area % grid)
    });
    if off.is_empty() {
        return Ok(());
    }
    if facts.kind.is_device() && facts.is_on_windows() {
        return Err(PlanError::target(format!(
            "'{path}': Windows reads and writes disks and volumes in whole sectors, here of {grid} bytes; \
             {} {} not a multiple of it{remedy}",
            off.join(" and "),
            if off.len() == 1 { "is" } else { "are" }
        )));
    }
    let why = match target.cache_mode {
        CacheMode::Cached => "block devices are used unbuffered unless -Sb is given, and",
        _ => "without the cache (-S, -Su, -Sh, -Sr, -h)",
    };
    Err(PlanError::target(format!(
        "'{path}': {why} every I/O must be aligned to the device's logical blocks of {grid} bytes; {} {} \
         not a multiple of it{remedy}, or use -Sb: the page cache takes any size",
        off.join(" and "),
        if off.len() == 1 { "is" } else { "are" }
    )))
}

fn unaligned_settings(target: &Target, grid: u64) -> Vec<String> {
    let ranges = target.distribution.iter().filter(|d| d.kind == DistributionKind::Absolute);
    let settings = [
        ("block size (-b)", u64::from(target.block_size)),
        ("stride or alignment (-s, -r)", target.stride()),
        ("base offset (-B)", target.base_file_offset),
        ("thread stride (-T)", target.thread_stride),
    ]
    .into_iter()
    .chain(ranges.flat_map(|d| &d.ranges).map(|r| ("range of the distribution (-rdabs)", r.span)));
    let off = settings.filter(|(_, value)| value % grid != 0);
    off.map(|(name, value)| format!("the {name} of {value}")).collect()
}

/// Formats the same as the start of a sentence, with the filled area of a distribution; `None` = all
/// positions.
pub(super) fn off_grid(target: &Target, size: u64, grid: u64) -> Option<String> {
    let mut off = unaligned_settings(target, grid);
    let cut = cut_area(target, size).filter(|area| area % grid != 0);
    off.extend(cut.map(|area| format!("the area of {area} bytes, which the distribution (-rdabs) fills,")));
    let are = if off.len() == 1 { "is" } else { "are" };
    (!off.is_empty()).then(|| format!("{} {are}", off.join(" and ")))
}

/// Returns the bytes of the area if its end truncates the last range of an absolute distribution.
/// Positions in that range are then drawn modulo the rest of the area. Other ranges have their given
/// length.
pub(super) fn cut_area(target: &Target, size: u64) -> Option<u64> {
    let distribution = target.distribution.as_ref().filter(|d| d.kind == DistributionKind::Absolute)?;
    let area = region(target, size, 0).ok()?.length;
    let grid = Grid { region: area, block_size: target.block_size, stride: target.stride() };
    let last = effective_ranges(distribution, &grid).pop()?;
    (last.start + last.length == area).then_some(area)
}

/// Returns a thread's region of the target, or the reason why it cannot start; `thread` counts in the
/// target.
pub(crate) fn region(target: &Target, size: u64, thread: u32) -> Result<Region, PlanError> {
    let placement = Placement {
        size,
        base: target.base_file_offset,
        max_offset: target.max_file_size,
        block_size: target.block_size,
        thread,
        thread_stride: target.thread_stride,
    };
    placement.region().map_err(|why| {
        let unit = without_unit(target).map(|meant| format!("; {meant}")).unwrap_or_default();
        PlanError::target(format!("'{}': {why}{unit}", target.path))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_machine::completion::Completion;

    /// Returns the errors for I/Os of `block_size` bytes on a disk of 1 MiB with sectors of 4 KiB.
    fn find_reasons(
        path: &str,
        block_size: u32,
        completion: Completion,
        uncached_devices: bool,
    ) -> Vec<String> {
        let path = RawText::from(path);
        let target = Target { path, block_size, uncached_devices, ..Target::default() };
        let direct = Some(DirectRequirements { offset: 4096, memory: 4096 });
        let kind = TargetKind::BlockDevice;
        let facts = TargetFacts { kind, size: 1 << 20, direct, completion, ..TargetFacts::default() };
        let (mut errors, mut warnings) = (Vec::new(), Vec::new());
        check(&target, &facts, false, &mut errors, &mut warnings);
        errors.into_iter().map(|error| error.to_string()).collect()
    }

    #[test]
    fn creating_a_file_in_dev_is_refused() {
        let found = |path: &str| {
            let target = Target { path: RawText::from(path), file_size: Some(1 << 30), ..Target::default() };
            let facts = TargetFacts { location: path.into(), ..TargetFacts::default() };
            check_presence(&target, &facts, false).err().map(|error| error.to_string())
        };
        for path in ["/dev/sdx", "/dev/mapper/data"] {
            assert!(found(path).is_some_and(|error| error.contains("/dev is for devices")), "{path}");
        }
        for path in ["/dev/shm/test.dat", "/devices/test.dat", "dev/test.dat"] {
            assert_eq!(found(path), None, "{path}");
        }
    }

    #[test]
    fn address_of_share_names_its_path() {
        let found = |path: &str, missing_folder: Option<&str>, file_size: Option<u64>| {
            let target = Target { path: RawText::from(path), file_size, ..Target::default() };
            let missing_folder = missing_folder.map(Into::into);
            let facts = TargetFacts { location: path.into(), missing_folder, ..TargetFacts::default() };
            check_presence(&target, &facts, false).err().map(|error| error.to_string())
        };
        for (path, folder, remedy) in [
            ("smb://nas/data/a.dat", "smb:", r"\\nas\data\a.dat"),
            ("cifs://nas/data", "cifs:", r"\\nas\data"),
            ("file:///tmp/a.dat", "file:", "write /tmp/a.dat"),
            ("nfs://nas/export/a.dat", "nfs:", "mount"),
            ("nas:/export/a.dat", "nas:", "mount"),
        ] {
            for size in [None, Some(1 << 20)] {
                let error = found(path, Some(folder), size).unwrap();
                assert!(error.contains("is an address") && error.contains(remedy), "{error}");
            }
        }
        assert_eq!(found("nas:/export/a.dat", None, Some(1 << 20)), None, "a folder of that name exists");
        for path in ["./nas:/a.dat", "a:b/c.dat", "data/nas:/a.dat"] {
            assert!(!found(path, Some("x"), None).unwrap().contains("is an address"), "{path}");
        }
    }

    #[test]
    fn windows_devices_need_whole_sectors() {
        for uncached in [true, false] {
            assert_eq!(find_reasons("X:", 8192, Completion::Overlapped, uncached), [""; 0]);
            let [error] = &find_reasons("X:", 512, Completion::Overlapped, uncached)[..] else {
                panic!("one")
            };
            assert!(error.contains("whole sectors, here of 4096 bytes") && !error.contains("-Sb"), "{error}");
        }
        // On Linux the page cache takes any size, and X: names no device.
        assert_eq!(find_reasons("/dev/x", 512, Completion::Inline, false), [""; 0]);
        assert!(find_reasons("/dev/x", 512, Completion::Inline, true)[0].contains("use -Sb"));
        assert!(find_reasons("X:", 8192, Completion::Inline, true)[0].contains("is a Windows volume name"));
    }
}
