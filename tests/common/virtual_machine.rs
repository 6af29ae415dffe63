//! A virtual machine with a separate kernel, for features that this kernel lacks: QEMU boots the newest
//! kernel in `/boot` with this machine's own files.
//!
//! The files are visible through an overlay in memory. The script has the same programs and libraries at
//! the same paths, and changes nothing here. The content of `$OUT` is in [`Outcome::directory`]
//! afterwards. `$DISKSPD` is the program under test.
//!
//! ```ignore
//! let machine = VirtualMachine::new().device("-device nvme,serial=a,drive=d").device("-drive if=none,...");
//! let Some(outcome) = machine.script("modprobe nvme\n$DISKSPD -d1 /dev/nvme0n1 >$OUT/report\n").run() else { return };
//! assert_eq!(outcome.exit, 0, "{}", outcome.console);
//! ```
//!
//! QEMU emulates the processor, because hardware support (KVM) is rare in continuous integration, and
//! sometimes hangs. `DISKSPD_TEST_KVM=1` enables it.
//!
//! `DISKSPD_TEST_QEMU` names another QEMU. `DISKSPD_TEST_KERNEL` names a folder like
//! `/lib/modules/<version>` of another kernel, with the kernel itself (`vmlinuz`) and uncompressed
//! modules. Newer kernels have devices and I/O modes that Debian's lack.

use super::skip;

use std::env;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Time limit of a machine, which boots in about ten CPU seconds. An emulated one hangs once in about a
/// hundred times, and is then restarted once.
const LONGEST: Duration = Duration::from_secs(400);
const BASE_MODULES: [&str; 4] = [VIRTIO, "9pnet_virtio", "9p", "overlay"];
/// Module that newer kernels have built in.
const VIRTIO: &str = "virtio_pci";
const BUSYBOX: &str = "/bin/busybox";

/// Serializes machines, because two emulated ones would compete for the CPUs.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn qemu() -> OsString {
    env::var_os("DISKSPD_TEST_QEMU").unwrap_or_else(|| "qemu-system-x86_64".into())
}

/// Whether that QEMU emulates a device with this property.
pub fn emulates(device: &str, property: &str) -> bool {
    let mut asked = Command::new(qemu());
    asked.args(["-device", &format!("{device},help")]).stdin(Stdio::null());
    let Ok(told) = super::output(&mut asked) else { return false };
    String::from_utf8_lossy(&told.stdout).lines().any(|line| line.trim().starts_with(&format!("{property}=")))
}

#[derive(Default)]
pub struct VirtualMachine {
    modules: Vec<String>,
    optional_modules: Vec<String>,
    devices: Vec<String>,
    kernel_words: String,
    script: String,
}

/// Reason for a missing outcome.
enum Failure {
    Impossible(String),
    /// Not finished in time; with all its output.
    StoodStill(String),
}
use Failure::Impossible;

pub struct Outcome {
    pub console: String,
    /// Exit code of the script; -1 = the machine ended early.
    pub exit: i32,
    directory: tempfile::TempDir,
}

impl Outcome {
    /// Returns the folder of the files that the script put into `$OUT`.
    pub fn directory(&self) -> &Path {
        self.directory.path()
    }

    #[track_caller]
    pub fn text(&self, name: &str) -> String {
        let path = self.directory().join(name);
        fs::read_to_string(&path).unwrap_or_else(|error| panic!("{name}: {error}: {}", self.console))
    }
}

impl VirtualMachine {
    pub fn new() -> VirtualMachine {
        VirtualMachine::default()
    }

    /// Adds a kernel module that is loaded before the script; without it the machine is not started.
    pub fn module(mut self, name: &str) -> VirtualMachine {
        self.modules.push(name.to_owned());
        self
    }

    /// Adds a kernel module that is optional, because newer kernels have it built in.
    pub fn optional_module(mut self, name: &str) -> VirtualMachine {
        self.optional_modules.push(name.to_owned());
        self
    }

    /// Adds words to QEMU's command line, separated by spaces.
    pub fn device(mut self, words: &str) -> VirtualMachine {
        self.devices.extend(words.split_whitespace().map(str::to_owned));
        self
    }

    /// Adds words to the kernel's command line.
    pub fn kernel_words(mut self, words: &str) -> VirtualMachine {
        self.kernel_words = words.to_owned();
        self
    }

    pub fn script(mut self, lines: &str) -> VirtualMachine {
        self.script = lines.to_owned();
        self
    }

    /// Boots the machine, and returns after its end; `None` with a printed reason if that is impossible.
    #[track_caller]
    pub fn run(self) -> Option<Outcome> {
        let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
        let again = |failure| match failure {
            Failure::StoodStill(_) => self.boot(),
            Impossible(_) => Err(failure),
        };
        match self.boot().or_else(again) {
            Ok(outcome) => Some(outcome),
            Err(Impossible(reason)) => {
                skip(&format!("no virtual machine: {reason}"));
                None
            }
            Err(Failure::StoodStill(said)) => {
                panic!("twice it was not off after {} s: {said}", LONGEST.as_secs())
            }
        }
    }

    fn boot(&self) -> Result<Outcome, Failure> {
        let kernel = Kernel::newest()?;
        let is_there = |name: &str| kernel.line(name).is_some();
        let optional = self.optional_modules.iter().filter(|name| is_there(name));
        let modules = self.modules.iter().chain(optional).map(String::as_str);
        let base = BASE_MODULES.into_iter().filter(|name| *name != VIRTIO || is_there(name));
        let modules: Vec<&str> = base.chain(modules).collect();
        let modules = kernel.in_order(&modules)?;
        let work = super::directory();
        let directory = super::directory();
        let [ram_disk, console] = ["initramfs", "console"].map(|name| work.path().join(name));
        let under_test = without_symbols(&work.path().join("diskspd"));
        fs::write(&ram_disk, self.ram_disk(&kernel, &modules, &under_test)?).unwrap();
        let image = kernel.unpacked(&work.path().join("vmlinux"));
        fs::write(directory.path().join("script"), self.whole_script()).unwrap();

        let program = qemu();
        let mut qemu = Command::new(&program);
        let accelerator: &[&str] = match env::var_os("DISKSPD_TEST_KVM") {
            Some(_) => &["-accel", "kvm", "-cpu", "host"],
            None => &["-accel", "tcg,thread=multi", "-cpu", "max"],
        };
        let shared = |path: &Path, tag: &str, how: &str| {
            let path = path.display();
            format!("local,path={path},mount_tag={tag},security_model=none,multidevs=remap{how}")
        };
        qemu.args(accelerator)
            .args("-m 1024 -smp 2 -nodefaults -no-user-config -display none -no-reboot".split(' '))
            .arg("-serial")
            .arg(format!("file:{}", console.display()))
            .arg("-kernel")
            .arg(image)
            .arg("-initrd")
            .arg(&ram_disk)
            .arg("-append")
            .arg(format!("{KERNEL_WORDS} {}", self.kernel_words))
            .arg("-virtfs")
            .arg(shared(Path::new("/"), "host", ",readonly=on"))
            .arg("-virtfs")
            .arg(shared(directory.path(), "out", ""))
            .args(&self.devices)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(File::create(work.path().join("qemu")).unwrap());
        let qemu = super::while_nothing_starts(|| qemu.spawn()).map_err(|error| {
            Impossible(format!("{}: {error}: apt-get install qemu-system-x86", program.display()))
        })?;
        let ended = Ended::wait(qemu);
        let said = fs::read_to_string(work.path().join("qemu")).unwrap_or_default();
        let console = String::from_utf8_lossy(&fs::read(&console).unwrap_or_default()).into_owned() + &said;
        if ended == Ended::Killed {
            return Err(Failure::StoodStill(console));
        }
        let exit = fs::read_to_string(directory.path().join("exit")).unwrap_or_default();
        Ok(Outcome { console, exit: exit.trim().parse().unwrap_or(-1), directory })
    }

    fn whole_script(&self) -> String {
        format!("set -e\nexport OUT=/mnt DISKSPD=/run/diskspd\ncd /tmp\n{}", self.script)
    }

    fn ram_disk(&self, kernel: &Kernel, modules: &[PathBuf], under_test: &Path) -> Result<Vec<u8>, Failure> {
        let read =
            |path: &Path| fs::read(path).map_err(|error| Impossible(format!("{}: {error}", path.display())));
        let busybox = fs::read(BUSYBOX);
        let busybox = busybox
            .map_err(|error| Impossible(format!("{BUSYBOX}: {error}: apt-get install busybox-static")))?;
        let mut archive = Archive::default();
        for directory in ["bin", "modules", "proc", "sys", "dev", "host", "memory", "root"] {
            archive.add(directory, 0o040_755, &[]);
        }
        archive.add("bin/busybox", 0o100_755, &busybox);
        let mut load = String::new();
        for (number, module) in modules.iter().enumerate() {
            archive.add(&format!("modules/{number}"), 0o100_644, &read(module)?);
            writeln!(load, "insmod /modules/{number}").unwrap();
        }
        // Its own folder may lie below one that is empty in the machine, like /tmp.
        let init = INIT.replace("LOAD\n", &load).replace("PROGRAM", &under_test.display().to_string());
        let init = init.replace("MODULES", &kernel.modules.display().to_string());
        archive.add("init", 0o100_755, init.as_bytes());
        Ok(archive.ended())
    }
}

/// Copies the program without symbols, a third as large for the emulated CPU; unchanged without `strip`.
fn without_symbols(to: &Path) -> PathBuf {
    let program = Path::new(env!("CARGO_BIN_EXE_diskspd"));
    let stripped = Command::new("strip").arg("-o").args([to, program]).status();
    if stripped.is_ok_and(|status| status.success()) { to.into() } else { program.into() }
}

/// Boot parameters of the kernel. Mitigations and a fifth level of page tables are disabled, because both
/// slow an emulated processor at every call and every page.
const KERNEL_WORDS: &str =
    "console=ttyS0 quiet panic=-1 no_timer_check mitigations=off no5lvl nokaslr audit=0 nowatchdog";

/// First program of the machine.
const INIT: &str = "#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin:/sbin:/usr/bin:/usr/sbin
mount -t proc proc /proc
mount -t devtmpfs dev /dev
LOAD
plan9=trans=virtio,version=9p2000.L,msize=512000
mount -t 9p -o $plan9,cache=loose,ro host /host
mount -t tmpfs memory /memory
mkdir /memory/upper /memory/work
mount -t overlay -o lowerdir=/host,upperdir=/memory/upper,workdir=/memory/work root /root
mount -t proc proc /root/proc
mount -t sysfs sys /root/sys
mount -t devtmpfs dev /root/dev
for directory in run tmp var/tmp; do mount -t tmpfs -o mode=1777 memory /root/$directory; done
# Each page of it that is read over 9p costs the emulated processor more than a copy of all of it.
cp /host/PROGRAM /root/run/diskspd
mkdir -p /root/lib/modules/$(uname -r)
mount -o bind /host/MODULES /root/lib/modules/$(uname -r)
mount -t 9p -o $plan9,cache=none out /root/mnt
ip link set lo up
chroot /root /bin/bash /mnt/script
echo $? >/root/mnt/exit
poweroff -f
";

/// End of a machine.
#[derive(PartialEq)]
enum Ended {
    Off,
    Killed,
}

impl Ended {
    fn wait(mut machine: Child) -> Ended {
        let began = Instant::now();
        while began.elapsed() < LONGEST {
            if machine.try_wait().unwrap().is_some() {
                return Ended::Off;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let _ = machine.kill();
        let _ = machine.wait();
        Ended::Killed
    }
}

struct Kernel {
    image: PathBuf,
    modules: PathBuf,
    dependencies: String,
}

impl Kernel {
    fn newest() -> Result<Kernel, Failure> {
        if let Some(modules) = env::var_os("DISKSPD_TEST_KERNEL").map(PathBuf::from) {
            let dependencies = fs::read_to_string(modules.join("modules.dep"));
            let dependencies = dependencies
                .map_err(|error| Impossible(format!("DISKSPD_TEST_KERNEL: modules.dep: {error}")))?;
            return Ok(Kernel { image: modules.join("vmlinuz"), modules, dependencies });
        }
        let mut images: Vec<PathBuf> =
            fs::read_dir("/boot").into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        images.sort();
        let found = images.into_iter().rev().find_map(|image| {
            let version = image.file_name()?.to_str()?.strip_prefix("vmlinuz-")?.to_owned();
            let modules = Path::new("/lib/modules").join(version);
            let dependencies = fs::read_to_string(modules.join("modules.dep")).ok()?;
            Some(Kernel { image, modules, dependencies })
        });
        let none = "no kernel with modules in /boot: apt-get install linux-image-amd64";
        found.ok_or_else(|| Impossible(none.to_owned()))
    }

    /// Unpacks the kernel by xz, which takes an emulated CPU a third of its boot; unchanged if that fails.
    fn unpacked(&self, to: &Path) -> PathBuf {
        let unpack = || {
            let packed = fs::read(&self.image).ok()?;
            let mut xz = Command::new("xz");
            xz.arg("--decompress").stdin(Stdio::piped()).stdout(File::create(to).ok()?).stderr(Stdio::null());
            let mut xz = super::while_nothing_starts(|| xz.spawn()).ok()?;
            xz.stdin.take()?.write_all(payload(&packed)?).ok()?;
            xz.wait().ok()?.success().then(|| to.to_owned())
        };
        unpack().unwrap_or_else(|| self.image.clone())
    }

    fn line(&self, name: &str) -> Option<String> {
        let file = format!("/{name}.ko");
        self.dependencies.lines().find_map(|line| {
            let (module, needed) = line.split_once(':')?;
            module.ends_with(&file).then(|| format!("{needed} {module}"))
        })
    }

    fn in_order(&self, names: &[&str]) -> Result<Vec<PathBuf>, Failure> {
        let mut files = Vec::new();
        for name in names {
            let line = self.line(name);
            let line =
                line.ok_or_else(|| Impossible(format!("the installed kernel has no module {name}")))?;
            let (needed, module) = line.rsplit_once(' ').unwrap_or(("", &line));
            let all = needed.split_whitespace().rev().chain([module]).map(|file| self.modules.join(file));
            for file in all {
                if !files.contains(&file) {
                    files.push(file);
                }
            }
        }
        Ok(files)
    }
}

/// Returns the compressed payload of a kernel image (Documentation/arch/x86/boot.rst). It follows the
/// sectors of the loader, and ends with four bytes for the uncompressed size, which do not belong to xz.
/// `None` if it is not compressed by xz.
fn payload(image: &[u8]) -> Option<&[u8]> {
    let number = |place: usize| {
        let bytes = image.get(place..place + 4)?;
        Some(u32::from_le_bytes(bytes.try_into().ok()?) as usize)
    };
    let loader = (usize::from(*image.get(0x1f1)?) + 1) * 512;
    let begin = loader + number(0x248)?;
    let packed = image.get(begin..begin + number(0x24c)?.checked_sub(4)?)?;
    packed.starts_with(b"\xfd7zXZ\0").then_some(packed)
}

/// A `newc` archive of cpio, as the kernel unpacks it (Documentation/driver-api/early-userspace/buffer-format.rst).
#[derive(Default)]
struct Archive {
    bytes: Vec<u8>,
    entries: u32,
}

impl Archive {
    fn add(&mut self, name: &str, mode: u32, content: &[u8]) {
        self.entries += 1;
        let fields =
            [self.entries, mode, 0, 0, 1, 0, content.len() as u32, 0, 0, 0, 0, name.len() as u32 + 1, 0];
        let fields: String = fields.iter().map(|field| format!("{field:08x}")).collect();
        self.bytes.extend_from_slice(format!("070701{fields}{name}\0").as_bytes());
        self.fill();
        self.bytes.extend_from_slice(content);
        self.fill();
    }

    /// Pads to a multiple of four bytes.
    fn fill(&mut self) {
        self.bytes.resize(self.bytes.len().next_multiple_of(4), 0);
    }

    fn ended(mut self) -> Vec<u8> {
        self.add("TRAILER!!!", 0, &[]);
        self.bytes
    }
}
