//! Machines without some facts, as in containers: writes to files are allowed, writes to devices are not, and missing
//! checks are reported. Also limits of open files and CPU time, and leased files.
#![allow(clippy::unwrap_used)]

use crate::common::loops::Loop;
use crate::common::{Ended, directory, directory_with, output, side_by_side, skip};
use std::io::Read;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::Duration;

const PROGRAM: &str = env!("CARGO_BIN_EXE_diskspd");

/// Runs a shell line in a separate mount namespace, with `{program}` and `{}`, the path. `None` with a
/// printed reason if that is impossible.
fn in_namespace(line: &str, path: &Path) -> Option<Ended> {
    if !rustix::process::geteuid().is_root() {
        skip("mounting needs root");
        return None;
    }
    let line = line.replace("{program}", PROGRAM).replace("{}", path.to_str().unwrap());
    let mut command = Command::new("unshare");
    command.args(["-m", "--propagation", "private", "sh", "-c", &line]);
    Some(output(&mut command).unwrap().into())
}

const NO_SYS: &str = "mount -t tmpfs none /sys && ";
const NO_PROC: &str = "mount -t tmpfs none /proc && ";
const NO_LOOP_NODES: &str = "mkdir {}.dev && mount -t tmpfs none {}.dev && cp -a /dev/null /dev/zero /dev/urandom {}.dev && \
     mount --move {}.dev /dev && ";

#[test]
fn writes_only_to_files_without_sys_or_proc() {
    let Some((device, _)) = Loop::with_file_system(16 << 20, "ext4") else { return };
    let (_folder, plain) = directory_with("plain");
    std::fs::write(&plain, vec![1; 1 << 20]).unwrap();
    const RUN: &str = "{program} -w50 -b4K -d1 -W0 ";
    for (hidden, run, code, words) in [
        (NO_SYS, "{}", 0, ""),
        (NO_SYS, "-c1M {}.new", 0, ""),
        // The loop devices themselves report what is behind them.
        (NO_SYS, "IMAGE", 1, "is part of /dev/loop"),
        (NO_SYS, "-c1M IMAGE", 1, "is part of /dev/loop"),
        (NO_SYS, "--destroy DEVICE", 1, "cannot determine whether it is in use"),
        (&format!("{NO_SYS}{NO_LOOP_NODES}"), "{}", 0, "the backing file of a loop device"),
        (NO_PROC, "{}", 0, "a swap file"),
        (NO_PROC, "-c1M {}.newer", 0, ""),
        (NO_PROC, "IMAGE", 1, "is part of /dev/loop"),
        (NO_PROC, "--destroy DEVICE", 1, "cannot determine whether it is in use"),
        (&format!("{NO_SYS}{NO_PROC}"), "{}", 0, "the backing file of a loop device, or a swap file"),
        (&format!("{NO_SYS}{NO_PROC}"), "IMAGE", 1, "is part of /dev/loop"),
        (&format!("{NO_SYS}{NO_PROC}"), "--destroy DEVICE", 1, "cannot determine whether it is in use"),
        ("mount --bind /dev/null /proc/swaps && ", "{}", 0, "a swap file"),
        ("mount --bind /dev/null /proc/swaps && ", "IMAGE", 1, "is part of /dev/loop"),
        ("mount --bind /dev/null /proc/swaps && ", "--destroy DEVICE", 1, "in use"),
    ] {
        let (image, node) = (device.backing(), device.device.clone());
        let run = run.replace("IMAGE", image.to_str().unwrap()).replace("DEVICE", node.to_str().unwrap());
        let before = std::fs::metadata(&image).unwrap().modified().unwrap();
        let Some(ended) = in_namespace(&format!("{hidden}{RUN}{run}"), &plain) else { return };
        assert_eq!(ended.code, code, "{hidden}{run}: {}", ended.stderr);
        assert!(ended.stderr.contains(words), "{hidden}{run}: {}", ended.stderr);
        let warned = ended.stderr.contains("cannot check");
        assert_eq!(warned, code == 0 && !words.is_empty(), "{hidden}{run}: {}", ended.stderr);
        assert_eq!(std::fs::metadata(&image).unwrap().modified().unwrap(), before, "{run}");
    }
}

#[test]
fn reports_no_cpu_times_without_proc() {
    let folder = directory();
    for (form, known, unknown) in
        [("-Rtext", "actual test time", "CPU |"), ("-Rxml", "<TestTimeSeconds>", "CpuUtilization")]
    {
        let line = format!("{{program}} -c1M -w50 -b4K -d1 -W0 {form} {{}}/file");
        let Some(hidden) = in_namespace(&format!("{NO_PROC}{line}"), folder.path()) else { return };
        let seen = in_namespace(&line, folder.path()).unwrap();
        assert_eq!((hidden.code, seen.code), (0, 0), "{form}: {}{}", hidden.stderr, seen.stderr);
        assert!(hidden.stdout.contains(known) && seen.stdout.contains(known), "{form}: {}", hidden.stdout);
        assert!(
            !hidden.stdout.contains(unknown) && seen.stdout.contains(unknown),
            "{form}: {}",
            hidden.stdout
        );
        assert!(hidden.stderr.contains("/proc/stat"), "{form}: {}", hidden.stderr);
    }
}

#[test]
fn names_facts_that_cannot_be_read() {
    let folder = directory();
    for (hidden, path) in [
        (NO_SYS, "/sys/class/block"),
        ("mount --bind /dev/null /proc/meminfo && ", "/proc/meminfo"),
        ("mount -t tmpfs none /sys/devices/system/cpu && ", "/sys/devices/system/cpu"),
    ] {
        let doctor = in_namespace(&format!("{hidden}{{program}} doctor"), folder.path());
        let Some(doctor) = doctor else { return };
        assert_eq!(doctor.code, 2, "{path}: {}", doctor.stdout);
        assert!(doctor.stdout.contains(path), "{path}: {}", doctor.stdout);
        assert!(!doctor.stdout.contains("found nothing"), "{path}: {}", doctor.stdout);
        let system = in_namespace(&format!("{hidden}{{program}} -Rs"), folder.path()).unwrap();
        assert_eq!(system.code, 0, "{}", system.stderr);
        assert!(system.stderr.contains(path), "{path}: {}", system.stderr);
        let assumed =
            system.stdout.lines().any(|line| line.contains("socket count") && !line.contains("<unknown>"));
        assert_eq!(assumed, path == "/proc/meminfo", "{path}: {}", system.stdout);
    }
    let devices =
        in_namespace("mount --bind /dev/null /proc/swaps && {program} devices --json", folder.path());
    assert!(devices.unwrap().stdout.contains("\"unchecked\""));
}

#[test]
fn remedies_follow_the_error_and_not_the_file() {
    let (_folder, file) = directory_with("file");
    std::fs::write(&file, vec![1; 1 << 20]).unwrap();
    for files in [3, 4, 5, 6, 8] {
        let line = format!("ulimit -n {files}; exec {PROGRAM} -w50 -b4K -d1 -W0 {}", file.display());
        let ended: Ended = output(Command::new("sh").args(["-c", &line])).unwrap().into();
        // Below that the shell cannot start it.
        if ended.stderr.starts_with("ERROR") {
            assert_eq!(ended.code, 1, "{files}: {}", ended.stderr);
            assert!(ended.stderr.contains("ulimit -n"), "{files}: {}", ended.stderr);
            assert!(!ended.stderr.contains("mount"), "{files}: {}", ended.stderr);
        }
    }
}

#[test]
fn prints_the_report_at_the_cpu_limit() {
    // The soft limit alone, and both.
    for limit in ["ulimit -St 1", "ulimit -t 3"] {
        let line = format!("{limit}; exec {PROGRAM} --engine null -b4K -o32 -w0 -d60 -W0 -c1M null.dat");
        let folder = directory();
        let mut command = Command::new("sh");
        command.args(["-c", &line]).current_dir(folder.path());
        let ended: Ended = output(&mut command).unwrap().into();
        assert!(ended.report().total("Total IO").ios > 0);
        let told = "limit of CPU time (ulimit -t) ended the run";
        assert!(ended.stderr.contains(told), "{limit}: {}", ended.stderr);
    }
}

const LEASE: &str = "import fcntl, os, signal, sys
file = os.open(sys.argv[1], os.O_RDWR if sys.argv[2] == 'w' else os.O_RDONLY)
signal.signal(signal.SIGIO, signal.SIG_IGN if sys.argv[3] == 'keeps' else lambda *_: fcntl.fcntl(file, 1024, 2))
fcntl.fcntl(file, 1024, {'r': 0, 'w': 1}[sys.argv[2]])
print('leased', flush=True)
while True: signal.pause()";

#[test]
fn names_the_process_that_keeps_a_lease() {
    let folder = directory();
    let cases = [
        ("w", "keeps", "-w50", 1),
        ("w", "keeps", "-w0", 1),
        ("r", "keeps", "-w50", 1),
        ("r", "keeps", "-w0", 0),
        ("w", "releases", "-w50", 0),
    ];
    side_by_side(cases, |(kind, holder, share, code)| {
        let file = folder.path().join(format!("{kind}{holder}{share}"));
        std::fs::write(&file, vec![1; 1 << 20]).unwrap();
        let mut leased = Command::new("python3");
        leased.args(["-c", LEASE]).arg(&file).args([kind, holder]).stdout(Stdio::piped());
        let Ok(mut leased) = leased.spawn() else { return skip("no python3") };
        let is_held = leased.stdout.as_mut().unwrap().read_exact(&mut [0; 7]).is_ok();
        let run = format!("{share} -b4K -d1 -W0 {{}}");
        let ended = crate::common::diskspd(&run, &file);
        let process = leased.id().to_string();
        leased.kill().unwrap();
        leased.wait().unwrap();
        if !is_held {
            return skip("no lease can be taken here");
        }
        assert_eq!(ended.code, code, "{kind} {holder} {share}: {}", ended.stderr);
        if code == 1 {
            assert!(ended.stderr.contains("python3"), "{}", ended.stderr);
            assert!(ended.stderr.contains(&process), "{}", ended.stderr);
        }
    });
}

#[test]
fn names_the_process_that_keeps_an_input() {
    const HELD: Duration = Duration::from_secs(8);
    let folder = directory();
    let at = |name: &str| folder.path().join(name);
    let profile = crate::common::diskspd("-b4K -d1 -W0 --engine null -c1M -Rpxml {}", &at("t")).stdout;
    std::fs::write(at("p.xml"), &profile).unwrap();
    let mut leased = Command::new("python3");
    leased.args(["-c", LEASE]).arg(at("p.xml")).args(["w", "keeps"]).stdout(Stdio::piped());
    let Ok(mut leased) = leased.spawn() else { return skip("no python3") };
    let is_held = leased.stdout.as_mut().unwrap().read_exact(&mut [0; 7]).is_ok();
    let holder = format!("process {}", leased.id());
    let line = format!("-X{} -Rp --give-up 1500ms", at("p.xml").display());
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(HELD);
            leased.kill().unwrap();
            leased.wait().unwrap();
        });
        let ended = crate::common::diskspd(&line, Path::new("")).succeeds();
        assert!(!is_held || ended.stderr.contains(&holder), "{line}: {holder}: {}", ended.stderr);
    });
}
