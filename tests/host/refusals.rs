//! Tests of real block devices: inspection, rejection, claims and opening.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic)]

use crate::common::loops::{self, Loop};
use crate::common::{directory, diskspd, skip, while_nothing_starts};
use diskspd::host::claims::{self, ClaimError, Claims};
use diskspd::host::refusal::{DiskUse, UncheckedFact, WriteRefusedError, write_refusal};
use diskspd::host::target::probe;
use diskspd::machine::target::TargetKind;
use diskspd::plan::{AccessHint, OpenMode};
use diskspd::sys::files;
use diskspd::sys::target_error::TargetErrorKind;
use std::fs;
use std::os::fd::AsRawFd;
use std::os::unix::fs::{FileExt, PermissionsExt, lchown, symlink};
use std::path::{Path, PathBuf};

const MIB: u64 = 1 << 20;

fn mode(read: bool, write: bool) -> OpenMode {
    OpenMode {
        read,
        write,
        direct: true,
        dsync: true,
        hint: AccessHint { random: true, sequential: true, temporary: false },
        ..OpenMode::default()
    }
}

fn protect<'a>(paths: impl IntoIterator<Item = &'a Path>, destroy: bool) -> Result<Claims, ClaimError> {
    while_nothing_starts(|| claims::protect(paths, destroy))
}

/// Releases claims at once, unless another test starts a program, which would have copies of them.
fn release(claims: Claims) {
    while_nothing_starts(|| drop(claims));
}

fn uses(path: &Path) -> Vec<DiskUse> {
    match write_refusal(path, true).unwrap() {
        Some(WriteRefusedError::InUse { uses, .. }) => uses.into_iter().map(|each| each.how).collect(),
        Some(other) => panic!("{other}"),
        None => Vec::new(),
    }
}

#[track_caller]
fn in_use(answer: Result<Claims, ClaimError>) -> Vec<DiskUse> {
    match answer.unwrap_err() {
        ClaimError::Refused(WriteRefusedError::InUse { uses, .. }) => {
            uses.into_iter().map(|each| each.how).collect()
        }
        other => panic!("{other}"),
    }
}

#[test]
fn empty_device_has_many_readers_and_one_claim() {
    let Some(device) = Loop::new(64 * MIB + 512) else { return };
    let path = device.device.as_path();
    let facts = probe(path).unwrap();
    assert_eq!((facts.kind, facts.size), (TargetKind::BlockDevice, 64 * MIB + 512));
    assert!(facts.direct.unwrap().offset >= 512);
    assert_eq!(write_refusal(path, false).unwrap(), None);

    let claims = protect([path, path, Path::new("/dev/null"), Path::new("/none")], false).unwrap();
    assert_eq!(claims.len(), 1, "the same device twice, and what is no device");
    let workers =
        [(true, true), (false, true), (true, false)].map(|(r, w)| files::open(path, &mode(r, w)).unwrap());
    assert!(workers.iter().all(|worker| worker.size == 64 * MIB + 512));
    let busy = protect([path], true).unwrap_err();
    assert!(matches!(&busy, ClaimError::Target(e) if matches!(e.problem, TargetErrorKind::Busy)), "{busy}");
    let beside = while_nothing_starts(|| claims::protect_as(claims::ClaimOwner::Job, [path], false)).unwrap();
    assert!(beside.is_empty(), "another process of the job has claimed it for this one");
    beside.permit(path, &files::open(path, &mode(true, true)).unwrap()).unwrap();
    release(claims);
    release(protect([path], false).unwrap());
}

#[test]
fn device_content_is_named_and_destroyed_with_permission() {
    for (kind, size, expected) in [
        ("ext2", 64, "an ext2 file system"),
        ("ext3", 64, "an ext3 file system"),
        ("ext4", 64, "an ext4 file system"),
        ("xfs", 400, "an xfs file system"),
        ("btrfs", 200, "a btrfs file system"),
    ] {
        let Some(mut device) = Loop::new(size * MIB) else { return };
        let path = device.device.clone();
        if device.mkfs(kind).is_none() {
            continue;
        }
        let refusal = write_refusal(&path, false).unwrap().unwrap();
        assert_eq!(
            refusal,
            WriteRefusedError::WouldDestroy { path: path.clone(), found: vec![expected.into()] }
        );
        assert!(refusal.to_string().contains("--destroy"));
        assert_eq!(write_refusal(&path, true).unwrap(), None);

        let Some(at) = device.mount(&path) else { continue };
        let here =
            |how: &DiskUse| matches!(how, DiskUse::Mounted { at: there, .. } if Path::new(there) == at);
        assert!(uses(&path).iter().any(here), "{kind}, even with --destroy: {:?}", uses(&path));
        let refused = in_use(protect([path.as_path()], true));
        assert!(refused.iter().any(here), "{kind}: {refused:?}");
    }
}

#[test]
fn swap_space_is_named() {
    let Some(device) = Loop::new(16 * MIB) else { return };
    if loops::run("mkswap", &[device.device.to_str().unwrap()]).is_some() {
        let refusal = write_refusal(&device.device, false).unwrap().unwrap();
        assert_eq!(
            refusal,
            WriteRefusedError::WouldDestroy { path: device.device.clone(), found: vec!["swap space".into()] }
        );
    }
}

#[test]
fn disk_with_used_partition_is_in_use() {
    // One partition of type 0x83 from sector 2048, 32 MiB long.
    let entry = [0, 0, 0, 0, 0x83, 0, 0, 0, 0, 8, 0, 0, 0, 0, 1, 0];
    let Some(mut disk) = Loop::with(64 * MIB, &["--partscan"], |image| {
        image.write_all_at(&entry, 446).unwrap();
        image.write_all_at(&[0x55, 0xaa], 510).unwrap();
    }) else {
        return;
    };
    let partition = PathBuf::from(format!("{}p1", disk.device.display()));
    if !partition.exists() {
        // The kernel may not know this kind of table, but can be told.
        loops::run("addpart", &[disk.device.to_str().unwrap(), "1", "2048", "65536"]);
    }
    if !partition.exists() {
        return crate::common::skip(&format!("the kernel made no partition {}", partition.display()));
    }
    let whole = disk.device.clone();
    let refusal = write_refusal(&whole, false).unwrap().unwrap();
    assert_eq!(
        refusal,
        WriteRefusedError::WouldDestroy {
            path: whole.clone(),
            found: vec!["a partition table (MBR)".into()]
        }
    );
    assert_eq!(write_refusal(&partition, false).unwrap(), None);
    assert!(matches!(protect([partition.as_path(), whole.as_path()], false), Err(ClaimError::Refused(_))));
    let claims = protect([partition.as_path(), whole.as_path()], true).unwrap();
    assert_eq!(claims.len(), 1, "the claim on the disk covers its partition");
    files::open(&partition, &mode(true, true)).unwrap();
    release(claims);

    let facts = probe(&partition).unwrap();
    assert_eq!((facts.kind, facts.size), (TargetKind::BlockDevice, 32 * MIB));
    if loops::run("mkfs.ext4", &["-q", "-F", partition.to_str().unwrap()]).is_none()
        || disk.mount(&partition).is_none()
    {
        return;
    }
    assert!(matches!(uses(&whole)[..], [DiskUse::Mounted { .. }]));
    assert!(matches!(in_use(protect([whole.as_path()], true))[..], [DiskUse::Mounted { .. }]));
}

#[test]
fn device_under_a_loop_device_is_in_use() {
    let Some(below) = Loop::new(16 * MIB) else { return };
    let path = below.device.to_str().unwrap();
    let Some(above) = loops::run("losetup", &["--find", "--show", path]) else { return };
    let found = uses(&below.device);
    loops::run("losetup", &["-d", above.trim()]);
    assert_eq!(found, [DiskUse::HeldBy { holder: above.trim().to_owned() }]);
}

#[test]
fn write_protected_device_is_refused_for_writes() {
    let Some(device) = Loop::with(16 * MIB, &["--read-only"], |_| ()) else { return };
    files::open(&device.device, &mode(true, false)).unwrap();
    let error = files::open(&device.device, &mode(true, true)).unwrap_err();
    assert!(matches!(error.problem, TargetErrorKind::ReadOnly), "{error}");
}

#[test]
fn device_names_resolve_to_one_device() {
    let Some(device) = Loop::new(16 * MIB) else { return };
    let directory = tempfile::tempdir().unwrap();
    let (link, node) = (directory.path().join("by-id"), directory.path().join("node"));
    std::os::unix::fs::symlink(&device.device, &link).unwrap();
    let number = rustix::fs::stat(&device.device).unwrap().st_rdev;
    rustix::fs::mknodat(rustix::fs::CWD, &node, rustix::fs::FileType::BlockDevice, 0o600.into(), number)
        .unwrap();
    let names = [link.as_path(), node.as_path(), device.device.as_path()];
    let claims = protect(names, false).unwrap();
    assert_eq!(claims.len(), 1);
    for name in names {
        claims.permit(name, &files::open(name, &mode(true, true)).unwrap()).unwrap();
    }
    release(claims);
    if device.mkfs("ext4").is_none() {
        return;
    }
    for name in names {
        let refused = protect([name], false).unwrap_err().to_string();
        assert!(refused.contains(name.to_str().unwrap()) && refused.contains("ext4"), "{refused}");
    }
}

#[test]
fn later_holders_of_device_are_found_at_claim() {
    // Somebody mounts and unmounts the device all the time. Whenever it is ours, it is not mounted, and stays so; and
    // whenever it carries a file system, that is seen, though it was made after the device was named.
    let Some((device, at)) = Loop::with_file_system(32 * MIB, "ext4") else { return };
    let path = device.device.as_path();
    let ended = std::sync::atomic::AtomicBool::new(false);
    let mounted = || std::fs::read_to_string("/proc/self/mountinfo").unwrap().contains(at.to_str().unwrap());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(std::sync::atomic::Ordering::Relaxed) {
                for (program, argument) in [("umount", at.as_path()), ("mount", path)] {
                    let mut command = std::process::Command::new(program);
                    command.arg(argument).args((program == "mount").then_some(&at));
                    crate::common::output(&mut command).unwrap();
                }
            }
        });
        let mut won = 0;
        for _ in 0..100_000 {
            let Ok(claims) = protect([path], true) else { continue };
            won += 1;
            for _ in 0..20 {
                assert!(!mounted(), "mounted while it was ours");
            }
            release(claims);
            if won == 50 {
                break;
            }
        }
        ended.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(won > 0, "the device was never free");
    });
    if mounted() {
        loops::run("umount", &[at.to_str().unwrap()]);
    }
    assert!(matches!(
        protect([path], false),
        Err(ClaimError::Refused(WriteRefusedError::WouldDestroy { .. }))
    ));
    // The device's own end unmounts once more.
    loops::run("mount", &[path.to_str().unwrap(), at.to_str().unwrap()]);
}

#[test]
fn retargeted_name_is_not_written() {
    let (Some(checked), Some(other)) = (Loop::new(16 * MIB), Loop::new(16 * MIB)) else { return };
    let directory = crate::common::directory();
    let (link, file) = (directory.path().join("link"), directory.path().join("file"));
    std::fs::write(&file, [0; 4096]).unwrap();
    let point_at = |target: &Path| {
        let _ = std::fs::remove_file(&link);
        std::os::unix::fs::symlink(target, &link).unwrap();
    };
    let permitted = |claims: &Claims| claims.permit(&link, &files::open(&link, &mode(true, true)).unwrap());
    point_at(&checked.device);
    let claims = protect([link.as_path()], false).unwrap();
    permitted(&claims).unwrap();
    point_at(&other.device);
    let changed = permitted(&claims).unwrap_err();
    assert!(
        matches!(&changed, ClaimError::Target(error) if matches!(error.problem, TargetErrorKind::Changed)),
        "{changed}"
    );
    point_at(&file);
    permitted(&claims).unwrap();
    // A file by the time of the check, and a device by the time of writing.
    let claims = protect([link.as_path()], false).unwrap();
    point_at(&other.device);
    assert!(permitted(&claims).is_err());
}

/// The name leads to another file after the check, as after `-c` created the file.
#[test]
fn name_that_became_a_foreign_link_is_not_written() {
    let Some(_off) = ProtectedLinks::off() else { return };
    let directory = directory();
    let (folder, precious) = (directory.path().join("open"), directory.path().join("precious"));
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o1777)).unwrap();
    fs::create_dir(&precious).unwrap();
    fs::write(precious.join("x"), vec![7; 8192]).unwrap();
    let foreign_link = |to: &Path, at: &Path| {
        symlink(to, at).unwrap();
        lchown(at, Some(65534), Some(65534)).unwrap();
    };
    let (name, inside) = (folder.join("name"), folder.join("inside"));
    foreign_link(&precious, &inside);
    let permitted =
        |claims: &Claims, path: &Path| claims.permit(path, &files::open(path, &mode(false, true)).unwrap());
    for (path, target) in [(name.clone(), precious.join("x")), (inside.join("x"), precious.join("x"))] {
        let claims = Claims::default();
        if path == name {
            foreign_link(&target, &name);
        }
        let refused = permitted(&claims, &path).unwrap_err();
        assert!(matches!(refused, ClaimError::Refused(WriteRefusedError::Planted { .. })), "{refused}");
    }
    // An own link, and a file that was renamed.
    fs::remove_file(&name).unwrap();
    symlink(precious.join("x"), &name).unwrap();
    permitted(&Claims::default(), &name).unwrap();
    let opened = files::open(&name, &mode(false, true)).unwrap();
    fs::rename(precious.join("x"), precious.join("y")).unwrap();
    fs::write(precious.join("x"), vec![8; 8192]).unwrap();
    let refused = Claims::default().permit(&name, &opened).unwrap_err();
    assert!(matches!(refused, ClaimError::Refused(WriteRefusedError::Exchanged { .. })), "{refused}");
    let held = std::fs::File::options().write(true).open(precious.join("y")).unwrap();
    let descriptor = PathBuf::from(format!("/proc/self/fd/{}", held.as_raw_fd()));
    permitted(&Claims::default(), &descriptor).unwrap();
}

#[test]
fn every_disk_of_a_mounted_btrfs_is_in_use() {
    let (Some(second), Some(mut first)) = (Loop::new(200 * MIB), Loop::new(200 * MIB)) else { return };
    let (a, b) = (first.device.clone(), second.device.clone());
    let both = ["-f", "-q", "-d", "single", "-m", "raid1", a.to_str().unwrap(), b.to_str().unwrap()];
    if loops::run("mkfs.btrfs", &both).is_none() {
        return;
    }
    for path in [&a, &b] {
        let refused = protect([path.as_path()], false).unwrap_err().to_string();
        assert!(refused.contains("btrfs") && refused.contains("--destroy"), "{refused}");
    }
    // Which devices belong together is told to the kernel by a scan.
    loops::run("btrfs", &["device", "scan", a.to_str().unwrap()]);
    loops::run("btrfs", &["device", "scan", b.to_str().unwrap()]);
    if first.mount(&a).is_none() {
        return;
    }
    for path in [&a, &b] {
        let member = DiskUse::Member { file_system: "btrfs" };
        assert!(in_use(protect([path.as_path()], true)).contains(&member), "{}", path.display());
    }
}

/// Options, whether the device is mounted, and the words of the refusal; empty = not refused.
const DRY_RUNS: [(&str, bool, &[&str]); 8] = [
    ("-w100", true, &["refusing to overwrite", "in use", "mounted"]),
    ("-w1 --destroy", true, &["refusing to overwrite", "in use", "mounted"]),
    ("--prefill --destroy", true, &["refusing to overwrite", "in use", "mounted"]),
    ("-w100", false, &["refusing to overwrite", "ext4 file system", "--destroy"]),
    ("--prefill=random", false, &["--prefill would overwrite", "--destroy"]),
    ("-w100 --destroy", false, &[]),
    ("-w0", false, &[]),
    ("--engine sim -w100", false, &[]),
];

#[test]
fn dry_run_refuses_like_the_run() {
    let Some(mut device) = Loop::new(64 * MIB) else { return };
    let path = device.device.clone();
    if device.mkfs("ext4").is_none() {
        return crate::common::skip("no mkfs.ext4");
    }
    let check = |mounted: bool| {
        for (options, _, words) in DRY_RUNS.iter().filter(|case| case.1 == mounted) {
            let dry = crate::common::diskspd(&format!("--dry-run -b4K {options} -W0 -d1 {{}}"), &path);
            assert!(
                dry.stdout.contains("Plan for timespan 1:"),
                "{options}: the plan is printed: {}",
                dry.stdout
            );
            match words.is_empty() {
                true => assert_eq!(dry.code, 0, "{options}: {}", dry.stderr),
                // What is refused wet is refused dry, with the same exit code.
                false => [dry, crate::common::diskspd(&format!("-b4K {options} -W0 -d1 {{}}"), &path)]
                    .iter()
                    .for_each(|ended| ended.fails(1, words)),
            }
        }
    };
    check(false);
    if device.mount(&path).is_some() {
        check(true);
    }
}

const WRITING: [&str; 6] = [
    "-w1 -d1 -W0 -b4K {}",
    "-c1M -w0 -d1 -W0 -b4K {}",
    "-w0 -d1 -W0 -b4K --out text:{} []",
    "-w0 -d1 -W0 -b4K --io-log {} []",
    "-w0 -d1 -W0 -b4K --stream {} []",
    "-w0 -d1 -W0 -b4K --prefill=random {}",
];

/// Asserts that each command line is refused with these words, and changes nothing.
#[track_caller]
fn nothing_writes_to(file: &Path, lines: &[&str], words: &[&str]) {
    let free = crate::common::directory();
    let other = free.path().join("free");
    std::fs::write(&other, vec![1; 1 << 20]).unwrap();
    let before = std::fs::read(file).unwrap();
    for line in lines {
        let line = line.replace("[]", other.to_str().unwrap());
        // The file is no stream, though it is named as one.
        let place = file.to_str().unwrap();
        let words_of_line: Vec<String> = line.split(' ').map(|word| word.replace("{}", place)).collect();
        let words_of_line: Vec<&str> = words_of_line.iter().map(String::as_str).collect();
        let ended = crate::common::output(&mut crate::common::command_of(&words_of_line)).unwrap();
        crate::common::Ended::from(ended).fails(1, words);
        assert!(std::fs::read(file).unwrap() == before, "{line} has changed it");
        if !line.contains("--out") && !line.contains("--io-log") && !line.contains("--stream") {
            let dry = crate::common::diskspd(&format!("--dry-run {line}"), file);
            dry.fails(1, words);
        }
    }
}

#[test]
fn mounted_loop_image_is_protected_under_any_name() {
    let Some((device, at)) = Loop::with_file_system(16 * MIB, "ext4") else { return };
    let image = device.backing();
    let directory = image.parent().unwrap();
    let (hard, link) = (directory.join("hard"), directory.join("link"));
    std::fs::hard_link(&image, &hard).unwrap();
    std::os::unix::fs::symlink(&image, &link).unwrap();
    let (holder, mounted) = (device.device.to_str().unwrap(), at.to_str().unwrap());
    for name in [&image, &hard, &link] {
        let refusal = write_refusal(name, true).unwrap().expect("refused").to_string();
        for word in ["refusing to overwrite", "is part of", holder, "is mounted at", mounted] {
            assert!(refusal.contains(word), "{word}: {refusal}");
        }
    }
    // A hole for --prefill.
    rustix::fs::fallocate(
        std::fs::OpenOptions::new().write(true).open(&image).unwrap(),
        rustix::fs::FallocateFlags::PUNCH_HOLE | rustix::fs::FallocateFlags::KEEP_SIZE,
        12 * MIB,
        MIB,
    )
    .unwrap();
    nothing_writes_to(&hard, &WRITING, &["refusing to overwrite", "in use", holder]);
    // Once more by another loop device, which is free itself.
    let Some(second) = Loop::on(&hard) else { return };
    for path in [&device.device, &second.device] {
        let refused = in_use(protect([path.as_path()], true));
        let here =
            |how: &DiskUse| matches!(how, DiskUse::Mounted { at: there, .. } if Path::new(there) == at);
        assert!(refused.iter().any(here), "{}: {refused:?}", path.display());
    }
    assert_eq!(write_refusal(&directory.join("none"), false).unwrap(), None);
    crate::common::diskspd("-w0 -d1 -W0 -b4K {}", &image).report();
}

#[test]
fn loop_device_over_mounted_device_is_in_use() {
    let Some((below, _)) = Loop::with_file_system(16 * MIB, "ext4") else { return };
    let Some(above) = Loop::on(&below.device) else { return };
    assert!(matches!(in_use(protect([above.device.as_path()], true))[..], [DiskUse::Mounted { .. }]));
}

/// Mount that is unmounted on drop; `None` with a printed reason if mounting is impossible.
struct Mounted(PathBuf);

impl Mounted {
    fn new(program: &str, arguments: &[&str], at: &Path) -> Option<Mounted> {
        std::fs::create_dir_all(at).unwrap();
        loops::run(program, &[arguments, &[at.to_str().unwrap()]].concat())?;
        Some(Mounted(at.to_owned()))
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        loops::unmount(&self.0);
    }
}

#[test]
fn protects_images_under_second_names() {
    let directory = crate::common::directory();
    let at = |name: &str| directory.path().join(name);
    for folder in ["up", "low", "work", "src"] {
        std::fs::create_dir(at(folder)).unwrap();
    }
    for image in ["up/copied", "low/copied", "low/only", "src/image", "src/free"] {
        std::fs::write(at(image), vec![0; 1 << 20]).unwrap();
    }
    let [low, up, work] = ["low", "up", "work"].map(|name| at(name).display().to_string());
    let options = format!("lowerdir={low},upperdir={up},workdir={work}");
    let overlay = ["-t", "overlay", "-o", &options, "overlay"];
    let Some(_merged) = Mounted::new("mount", &overlay, &at("merged")) else { return };
    let bindfs = [at("src").display().to_string()];
    let Some(_shown) = Mounted::new("bindfs", &[&bindfs[0]], &at("shown")) else { return };
    let layered = [at("merged").display().to_string()];
    let Some(_twice) = Mounted::new("bindfs", &[&layered[0]], &at("twice")) else { return };
    // (behind the loop device, other names of the same data, names of other data)
    let table: &[(&str, &[&str], &[&str])] = &[
        ("merged/copied", &["up/copied", "twice/copied"], &["merged/only", "src/image"]),
        ("up/copied", &["merged/copied", "twice/copied"], &["low/only", "merged/only"]),
        ("twice/copied", &["merged/copied", "up/copied"], &["twice/only"]),
        ("src/image", &["shown/image"], &["shown/free", "src/free"]),
        ("shown/image", &["src/image"], &["shown/free", "src/free"]),
        // A write to the merged file copies it up first.
        ("low/only", &[], &["merged/only", "low/copied"]),
    ];
    for (image, same, others) in table {
        let Some(device) = Loop::on(&at(image)) else { return };
        let holder = DiskUse::HeldBy { holder: device.device.display().to_string() };
        for name in same.iter().chain([image]) {
            assert!(uses(&at(name)).contains(&holder), "loop on {image}: {name}");
        }
        for name in *others {
            assert_eq!(uses(&at(name)), Vec::<DiskUse>::new(), "loop on {image}: {name}");
        }
    }
}

#[test]
fn reports_file_systems_that_hide_their_files() {
    let directory = crate::common::directory();
    let at = |name: &str| directory.path().join(name);
    std::fs::create_dir(at("src")).unwrap();
    std::fs::write(at("src/image"), vec![0; 1 << 20]).unwrap();
    let source = at("src").display().to_string();
    std::fs::write(at("plain"), vec![0; 1 << 20]).unwrap();
    let Some(_shown) = Mounted::new("bindfs", &[&source], &at("hidden")) else { return };
    let image = at("hidden/image");
    let Some(_device) = Loop::new(1 << 20) else { return };
    assert_eq!(claims::unchecked([image.as_path()]), Vec::new());
    // What the server shows is not visible any more.
    let Some(_over) = Mounted::new("mount", &["-t", "tmpfs", "none"], &at("src")) else { return };
    let hidden = |unchecked: &UncheckedFact| matches!(unchecked, UncheckedFact::Hidden { .. });
    assert!(claims::unchecked([image.as_path()]).iter().any(hidden));
    assert_eq!(claims::unchecked([at("plain").as_path()]), Vec::new());
    assert_eq!(write_refusal(&image, true).unwrap(), None, "honest writes go on");
}

#[test]
fn kernel_attribute_files_are_refused_for_any_access() {
    let Ok(attribute) = std::fs::canonicalize("/proc/sys/kernel/printk_ratelimit") else {
        return skip("no /proc/sys");
    };
    let before = std::fs::read(&attribute).unwrap();
    let attributes = ["/proc/sys/kernel/printk_ratelimit", "/sys/kernel/mm/transparent_hugepage/enabled"];
    for path in attributes.map(Path::new).into_iter().filter(|path| path.exists()) {
        let kernel = |problem: &TargetErrorKind| matches!(problem, TargetErrorKind::KernelInterface { .. });
        assert!(kernel(&probe(path).unwrap_err().problem), "{}", path.display());
        let refused = write_refusal(path, true).unwrap();
        assert!(matches!(refused, Some(WriteRefusedError::KernelInterface { .. })), "{refused:?}");
        let open = std::fs::File::open(path).unwrap();
        assert!(matches!(claims::permit_file(path, &open), Err(ClaimError::Refused(_))));
        assert!(matches!(claims::permit_output(path, &open), Err(WriteRefusedError::KernelInterface { .. })));
        for line in ["-w100 -b2 -d1 -W0 {}", "-w0 -b2 -d1 -W0 {}", "-c4 -w100 -b2 -d1 -W0 {}"] {
            crate::common::diskspd(line, path).fails(1, &["of the kernel", path.to_str().unwrap()]);
        }
    }
    for missing in ["/proc/none", "/sys/kernel/none"] {
        crate::common::diskspd("-c4K -w100 -d1 -W0 {}", Path::new(missing)).fails(1, &["of the kernel"]);
    }
    assert_eq!(std::fs::read(&attribute).unwrap(), before);
}

#[test]
fn swap_files_and_swap_images_are_protected() {
    let Some(device) = Loop::new(16 * MIB) else { return };
    let node = device.device.to_str().unwrap();
    if loops::run("mkswap", &[node]).is_none() || loops::run("swapon", &[node]).is_none() {
        return;
    }
    let (of_device, of_image) = (uses(&device.device), uses(&device.backing()));
    loops::run("swapoff", &[node]);
    assert!(of_device.contains(&DiskUse::Swap), "{of_device:?}");
    assert!(
        of_image.contains(&DiskUse::Swap) && of_image.contains(&DiskUse::HeldBy { holder: node.into() }),
        "{of_image:?}"
    );
}

#[test]
fn image_of_a_running_vm_is_protected() {
    let (_directory, image) = crate::common::directory_with("image");
    std::fs::write(&image, vec![5; 1 << 20]).unwrap();
    assert_eq!(write_refusal(&image, false).unwrap(), None);
    // As crosvm does it, in a program that ours doesn't descend from; QEMU locks single bytes, which is tested beside
    // the code.
    let mut command = std::process::Command::new("flock");
    command.arg(&image).args(["sh", "-c", "echo locked; exec cat"]);
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let Ok(mut open) = while_nothing_starts(|| command.spawn()) else {
        return crate::common::skip("no flock");
    };
    std::io::Read::read_exact(open.stdout.as_mut().unwrap(), &mut [0; 7]).unwrap();
    nothing_writes_to(&image, &WRITING[..5], &["refusing to overwrite", "locked by another program"]);
    // Who starts the program with the locked file open has locked it for that.
    let mut flock = std::process::Command::new("flock");
    let program = env!("CARGO_BIN_EXE_diskspd");
    drop(open.stdin.take());
    open.wait().unwrap();
    flock.arg(&image).args([program, "-w1", "-d1", "-W0", "-b4K"]).arg(&image);
    let ended = crate::common::output(&mut flock).unwrap();
    assert!(ended.status.success(), "{}", String::from_utf8_lossy(&ended.stderr));
}

#[test]
fn open_file_is_checked_instead_of_its_name() {
    let Some(device) = Loop::new(16 * MIB) else { return };
    let directory = crate::common::directory();
    let at = |name: &str| directory.path().join(name);
    std::fs::write(at("file"), [7; 4096]).unwrap();
    let open = |path: &Path| std::fs::OpenOptions::new().write(true).open(path).unwrap();
    let changed = claims::permit_file(&at("link"), open(&device.device)).unwrap_err();
    assert!(
        matches!(&changed, ClaimError::Target(error) if matches!(error.problem, TargetErrorKind::Changed)),
        "{changed}"
    );
    claims::permit_file(&at("link"), open(&at("file"))).unwrap();
    let refused = claims::permit_file(&at("link"), open(&device.backing())).unwrap_err().to_string();
    assert!(refused.contains("is part of /dev/loop"), "{refused}");
    for (what, words) in
        [(&device.device, "would overwrite a block device"), (&device.backing(), "is part of /dev/loop")]
    {
        let refused = claims::permit_output(&at("link"), open(what)).unwrap_err().to_string();
        assert!(refused.contains(words), "{refused}");
    }
    claims::permit_output(&at("file"), open(&at("file"))).unwrap();
    claims::permit_output(Path::new("/dev/null"), open(Path::new("/dev/null"))).unwrap();
    // A link that leads now here and now there while the file of `-c` is made.
    let (to_device, to_file) = (at("to-device"), at("to-file"));
    std::os::unix::fs::symlink(&device.device, &to_device).unwrap();
    std::os::unix::fs::symlink(at("file"), &to_file).unwrap();
    std::fs::copy(at("file"), at("file2")).unwrap();
    let ended = std::sync::atomic::AtomicBool::new(false);
    let stop = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !ended.load(std::sync::atomic::Ordering::Relaxed) {
                for link in [&device.device, &at("file")] {
                    let _ = std::fs::remove_file(at("new"));
                    std::os::unix::fs::symlink(link, at("new")).unwrap();
                    std::fs::rename(at("new"), at("flips")).unwrap();
                }
            }
        });
        let link = at("flips");
        let (mut done, mut refused) = (0, 0);
        for _ in 0..300 {
            let order =
                diskspd::run::prepare::FileOrder { path: &link, size: 8192, zero: false, recreate: true };
            match diskspd::run::prepare::prepare(&order, &mut |_, _| (), &stop) {
                Ok(_) => done += 1,
                Err(_) => refused += 1,
            }
        }
        ended.store(true, std::sync::atomic::Ordering::Relaxed);
        assert!(done + refused == 300);
    });
    let content = std::fs::read(&device.device).unwrap();
    assert!(content.iter().all(|byte| *byte == 0), "the device was written to");
}

fn apart(before: &str, arguments: &[&str]) -> Option<crate::common::Ended> {
    let script = format!("{before}; exec \"$@\"");
    let mut command = std::process::Command::new("unshare");
    command.args(["-m", "sh", "-c", &script, "sh"]).args(arguments);
    crate::common::output(&mut command).ok().map(Into::into)
}

#[test]
fn device_with_unreadable_facts_is_not_written() {
    let Some(device) = Loop::new(16 * MIB) else { return };
    let node = device.device.to_str().unwrap();
    let program = env!("CARGO_BIN_EXE_diskspd");
    let run = [program, "-w100", "-d1", "-W0", "-b4K", node];
    let dry = [program, "--dry-run", "-w100", "-d1", "-W0", "-b4K", node];
    for hidden in
        ["umount -l /sys || exit 77", "mount -t tmpfs none /sys || exit 77", "umount -l /proc || exit 77"]
    {
        for line in [&run[..], &dry[..]] {
            let Some(ended) = apart(hidden, line) else { return crate::common::skip("no unshare") };
            if ended.code == 77 {
                return crate::common::skip(&format!("{hidden}: {}", ended.stderr));
            }
            ended.fails(1, &["refusing to overwrite", "cannot determine"]);
        }
    }
}

#[test]
fn device_mounted_in_another_namespace_is_in_use() {
    let Some(device) = Loop::new(16 * MIB) else { return };
    if device.mkfs("ext4").is_none() {
        return;
    }
    let at = crate::common::directory();
    let script = "mount \"$1\" \"$2\" && echo mounted && cat";
    let mut command = std::process::Command::new("unshare");
    command.args(["-m", "sh", "-c", script, "sh"]).arg(&device.device).arg(at.path());
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let Ok(mut elsewhere) = while_nothing_starts(|| command.spawn()) else {
        return crate::common::skip("no unshare");
    };
    let mut said = [0; 8];
    let ready = std::io::Read::read_exact(elsewhere.stdout.as_mut().unwrap(), &mut said);
    if ready.is_ok() {
        for line in ["-w100 --destroy -d1 -W0 -b4K {}", "--dry-run -w100 --destroy -d1 -W0 -b4K {}"] {
            crate::common::diskspd(line, &device.device)
                .fails(1, &["is in use exclusively by the kernel or another program"]);
        }
    }
    drop(elsewhere.stdin.take());
    elsewhere.wait().unwrap();
    ready.unwrap();
}

#[test]
fn descriptor_shortage_never_permits_write_to_used_device() {
    let Some((device, _)) = Loop::with_file_system(16 * MIB, "ext4") else { return };
    let Some(second) = Loop::on(&device.backing()) else { return };
    let node = second.device.to_str().unwrap();
    let program = env!("CARGO_BIN_EXE_diskspd");
    for limit in 3..16 {
        let limit = format!("--nofile={limit}");
        let mut command = std::process::Command::new("prlimit");
        command.args([&limit, program, "-w100", "--destroy", "-d1", "-W0", "-b4K", node]);
        let Ok(output) = crate::common::output(&mut command) else {
            return crate::common::skip("no prlimit");
        };
        assert!(!output.status.success(), "{limit}: {}", String::from_utf8_lossy(&output.stdout));
    }
}

/// Sets `fs.protected_symlinks`, and restores it on drop.
struct ProtectedLinks(String);

impl ProtectedLinks {
    const FILE: &str = "/proc/sys/fs/protected_symlinks";

    fn off() -> Option<ProtectedLinks> {
        let before = fs::read_to_string(ProtectedLinks::FILE).unwrap_or_default();
        if fs::write(ProtectedLinks::FILE, "0").is_err() {
            skip("the kernel's protection of links cannot be switched off (needs root)");
            return None;
        }
        Some(ProtectedLinks(before))
    }
}

impl Drop for ProtectedLinks {
    fn drop(&mut self) {
        let _ = fs::write(ProtectedLinks::FILE, &self.0);
    }
}

/// Checks that the program does not follow links that the kernel would follow. Another user's link in a
/// world-writable folder may lead to a file without write permission for that user.
#[test]
fn foreign_link_in_sticky_folder_is_refused() {
    let Some(_off) = ProtectedLinks::off() else { return };
    let directory = directory();
    let (folder, precious) = (directory.path().join("open"), directory.path().join("precious"));
    let [theirs, ours] = ["theirs", "ours"].map(|name| folder.join(name));
    fs::create_dir(&folder).unwrap();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o1777)).unwrap();
    fs::write(&precious, vec![7; 8192]).unwrap();
    [&theirs, &ours].into_iter().for_each(|link| symlink(&precious, link).unwrap());
    lchown(&theirs, Some(65534), Some(65534)).unwrap();
    for line in ["-c1M -b4K -W0 -d9 {}", "-b4K -w100 -W0 -d9 {}", "-c1M -b4K -W0 -d9 --recreate {}"] {
        let ended = diskspd(line, &theirs);
        ended.fails(1, &["theirs", "a link of another user (number 65534)", "name the file itself"]);
        assert_eq!(fs::read(&precious).unwrap(), vec![7; 8192], "{line}");
    }
    // Beneath such a link in a path, too.
    let inside = folder.join("inside");
    symlink(directory.path(), &inside).unwrap();
    lchown(&inside, Some(65534), Some(65534)).unwrap();
    diskspd("-c1M -b4K -W0 -d9 {}", &inside.join("precious")).fails(1, &["a link of another user"]);
    assert_eq!(fs::read(&precious).unwrap(), vec![7; 8192]);
    // One's own is what it was made for.
    diskspd("-c1M -b4K -W0 BRIEF {}", &ours).report();
    assert_eq!(fs::metadata(&precious).unwrap().len(), 1 << 20);
}
