//! Bad input: a clear message, the specified exit code, no panic, nothing destroyed.

#![allow(clippy::unwrap_used)]

use crate::common::loops::{self, Loop};
use crate::common::{directory, directory_with, diskspd, skip};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const MIB: u64 = 1 << 20;

#[test]
fn unusable_targets_are_named_with_next_step() {
    let (directory, missing) = directory_with("missing.dat");
    let small = directory.path().join("small.dat");
    let empty = directory.path().join("empty.dat");
    std::fs::write(&small, [1; 1000]).unwrap();
    std::fs::write(&empty, []).unwrap();
    diskspd("-d1 -W0 {}", &missing).fails(1, &["missing.dat", "does not exist", "-c"]);
    diskspd("-d1 -W0 {}", directory.path()).fails(1, &["is a directory"]);
    let slashes = format!("{}//", directory.path().display());
    let file_in_it = format!("for example {}/test.dat with", directory.path().display());
    diskspd("-c1M -d1 -W0 {}", Path::new(&slashes)).fails(1, &["is a directory", &file_in_it]);
    diskspd("-d1 -W0 {}", Path::new("")).fails(1, &["'': is not a path: it is empty"]);
    diskspd("-d1 -W0 {}", &small).fails(1, &["small.dat", "1000", "65536"]);
    diskspd("-d1 -W0 {}", &empty).fails(1, &["empty.dat", "0"]);
    diskspd("-d1 -W0 -b512 -T512 -t3 {}", &small).fails(1, &["small.dat", "-T"]);
    diskspd("-d1 -W0 /dev/null", &small).fails(1, &["/dev/null"]);
    diskspd("-d1 -W0 #9999", &small).fails(1, &["'#9999' is not a block device", "diskspd devices"]);
    diskspd("-d1 -W0 #no-such-disk", &small).fails(1, &["#no-such-disk", "./#no-such-disk"]);
    diskspd("-d1 -W0 C:", &small).fails(1, &["'C:'", "./C:"]);
    diskspd("-d1 -W0 \\\\server\\share\\a", &small).fails(1, &["mount -t cifs //server/share"]);
    assert_eq!(std::fs::read(&small).unwrap(), [1; 1000]);
    assert!(!missing.exists());
}

#[test]
fn errors_known_before_run_are_printed_without_report() {
    let (directory, there) = directory_with("there.dat");
    std::fs::write(&there, vec![1; 1 << 20]).unwrap();
    for (line, words) in [
        ("-d1 -W0 {}/missing.dat", "missing.dat' does not exist"),
        ("-d1 -W0 -c1M {}/no/folder/x.dat", "mkdir -p"),
        ("-d1 -W0 -b1000 -Su {}/there.dat", "logical blocks"),
        ("-d1 -W0 #no-such-disk", "no-such-disk"),
        ("-d1 -W0 {}", "is a directory"),
        ("-d1 -W0 -c1M C:\\test\\io.dat", "is a Windows path"),
        ("-d1 -W0 -c1M \\hostsharex.dat", "quote it: a file on a share is '\\\\host\\share\\file'"),
        ("-d1 -W0 -c1M \\\\host", "names a host without a share"),
        ("-d1 -W0 -c1 {}/one", "-c1 is a file of 1 byte: did you mean -c1G?"),
        ("-d1 -W0 -c64 {}/one", "-c64 is a file of 64 bytes: did you mean -c64G?"),
        ("-d1 -W0 /b4K", "'/b4K' does not exist: options begin with -"),
        ("-d1 -W0 /b4K/t.dat", "'/b4K/t.dat' does not exist: check the name"),
        ("-d1 -W0 -c1M --out {}/report.txt {}/no/folder/x.dat", "mkdir -p"),
        ("-d1 -W0 --repeat 3 {}/missing.dat", "does not exist"),
        ("-d1 -W0 --prefill --verify -w50 {}/missing.dat", "does not exist"),
    ] {
        let ended = diskspd(line, directory.path());
        ended.fails(1, &[words]);
        assert_eq!(ended.stdout, "", "{line}");
        assert!(ended.stderr.starts_with("ERROR: ") && ended.stderr.lines().count() == 1, "{}", ended.stderr);
    }
    // A program reads a document in any case, as with DISKSPD.
    let ended = diskspd("-Rxml -d1 -W0 {}/missing.dat", directory.path());
    ended.fails(1, &["does not exist"]);
    assert!(
        ended.stdout.starts_with("<Results>") && ended.stdout.ends_with("</Results>"),
        "{}",
        ended.stdout
    );
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 1, "nothing was made");
}

#[test]
fn missing_target_of_a_later_span_is_found_early() {
    let (directory, profile) = directory_with("p.xml");
    let span = |name: &str, size: u64| {
        let size = if size > 0 { format!("<FileSize>{size}</FileSize>") } else { String::new() };
        let path = directory.path().join(name);
        format!(
            "<TimeSpan><Duration>1</Duration><Warmup>0</Warmup><Targets><Target><Path>{}</Path>{size}\
             <Throughput unit=\"IOPS\">10</Throughput></Target></Targets></TimeSpan>",
            path.display()
        )
    };
    let run = |spans: String| {
        let text = format!("<Profile><TimeSpans>{spans}</TimeSpans></Profile>");
        std::fs::write(&profile, text).unwrap();
        diskspd("-X{}", &profile)
    };
    run(span("made.dat", 1 << 20) + &span("made.dat", 0)).succeeds();
    let missing = run(span("other.dat", 1 << 20) + &span("nobody.dat", 0));
    missing.fails(1, &["nobody.dat' does not exist"]);
    assert_eq!(missing.stdout, "");
    assert!(!directory.path().join("other.dat").exists(), "nothing was begun");
}

#[test]
fn windows_path_is_refused_unless_it_exists() {
    let directory = directory();
    let go = |target: &str| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_diskspd"));
        command.current_dir(directory.path()).args(["-c64K", "-d1", "-W0", "-g100i", target]);
        crate::common::Ended::from(crate::common::output(&mut command).unwrap())
    };
    for (name, words) in [
        ("C:\\test\\io.dat", "./io.dat"),
        ("C:/test/io.dat", "./io.dat"),
        // What a shell leaves of the first one where it isn't quoted.
        ("C:testio.dat", "./testio.dat"),
        ("d:\\", "./test.dat"),
        ("test\\io.dat", "./io.dat"),
        ("\\\\.\\PhysicalDrive1", "diskspd devices"),
        ("\\\\?\\C:\\io.dat", "diskspd devices"),
    ] {
        let ended = go(name);
        ended.fails(1, &[words, &format!("write './{name}'")]);
    }
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
    for meant in ["./C:\\test\\io.dat", "C:\\test\\io.dat", "io\u{e4}.dat"] {
        go(meant).succeeds();
    }
}

#[test]
fn unaligned_uncached_work_is_refused_with_the_setting() {
    let (_directory, file) = directory_with("test.dat");
    std::fs::write(&file, vec![0; 1 << 20]).unwrap();
    for (line, setting) in [
        ("-b1000", "block size (-b) of 1000"),
        ("-b4K -r100", "(-s, -r) of 100"),
        ("-b4K -B100", "base offset (-B) of 100"),
        ("-b4K -t2 -T100", "thread stride (-T) of 100"),
    ] {
        diskspd(&format!("{line} -Su -W0 -d1 {{}}"), &file).fails(1, &[setting, "512"]);
    }
}

#[test]
fn uncached_absolute_distribution_ends_on_a_block() {
    let directory = directory();
    let (odd, even) = (directory.path().join("odd.dat"), directory.path().join("even.dat"));
    std::fs::write(&odd, vec![0; 102_401]).unwrap();
    std::fs::write(&even, vec![0; 1 << 20]).unwrap();
    for (line, file, area, remedy) in [
        ("-r -rdabs10/32K", &odd, "102401 bytes", "-f102400 "),
        ("-r -rdabs10/32K:0/8K:40/100M", &odd, "102401 bytes", "-f102400 "),
        ("-rs50 -rdabs10/32K -f100001", &even, "100001 bytes", "-f99840 "),
        ("-r -rdabs10/32K -B8K:50001", &even, "50001 bytes", "-f57856 "),
    ] {
        let line = format!("-b4K -Su {line} BRIEF {{}}");
        diskspd(&line, file).fails(1, &["-rdabs", area, "512", remedy]);
        let buffered = line.replace("-Su", "-Sb");
        assert!(diskspd(&buffered, file).report().total("Total IO").ios > 0, "{buffered}");
    }
    // The end of the area makes no difference where no range reaches it.
    for line in [
        "-r -rdabs100/32K",
        "-r -rdabs10/32K:90/64K",
        "-r -rdabs10/98K -f99K",
        "-r -rdabs10/32K -f102400",
        "-r -rdpct10/10 -f100001",
    ] {
        let line = format!("-b4K -Su -o8 {line} BRIEF {{}}");
        assert!(diskspd(&line, &odd).report().total("Total IO").ios > 0, "{line}");
    }
}

#[test]
fn inaccessible_files_are_named() {
    let (directory, file) = directory_with("test.dat");
    std::fs::write(&file, vec![0; 1 << 20]).unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o444)).unwrap();
    std::fs::set_permissions(directory.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    if std::fs::OpenOptions::new().write(true).open(&file).is_err() {
        diskspd("-w100 -W0 -d1 {}", &file).fails(1, &["test.dat", "ermission"]);
        return;
    }
    // Root may do everything: try as nobody, from a place that nobody can reach.
    let program = crate::common::copy_of_program(directory.path());
    let output = std::process::Command::new("setpriv")
        .args(["--reuid=65534", "--regid=65534", "--clear-groups"])
        .arg(&program)
        .args(["-w100", "-W0", "-d1"])
        .arg(&file)
        .output();
    match output {
        Ok(output) => crate::common::Ended::from(output).fails(1, &["test.dat", "ermission"]),
        Err(_) => skip("setpriv is missing"),
    }
}

#[test]
fn a_full_disk_during_creation_leaves_nothing_behind() {
    let Some((_disk, directory)) = Loop::with_file_system(64 * MIB, "ext4") else { return };
    let file = directory.join("big.dat");
    diskspd("-c1G -W0 -d1 {}", &file).fails(1, &["big.dat", "is full", "1 GiB are needed"]);
    assert!(!file.exists());
}

#[test]
fn file_system_without_o_direct_is_named() {
    let directory = directory();
    if loops::run("mount", &["-t", "ramfs", "none", directory.path().to_str().unwrap()]).is_none() {
        return;
    }
    let file = directory.path().join("file");
    std::fs::write(&file, vec![0; 1 << 20]).unwrap();
    let ended = diskspd("-b4K -Su -W0 -d1 {}", &file);
    loops::unmount(directory.path());
    ended.fails(1, &["ramfs", "O_DIRECT"]);
}

#[test]
fn unavailable_write_data_is_refused() {
    let (_directory, file) = directory_with("test.dat");
    std::fs::write(&file, vec![3; 1 << 20]).unwrap();
    let line = "-b4K -w100 -Z1M,/nonexistent/content -W0 -d1 {}";
    diskspd(line, &file).fails(1, &["-Z", "'/nonexistent/content'", "No such file"]);
    diskspd("-b4K -w100 -Z1000T -W0 -d1 {}", &file).fails(1, &["memory", "-Z"]);
    diskspd("-b4K -w100 -Z1K -W0 -d1 {}", &file).fails(3, &["-Z"]);
    assert_eq!(std::fs::read(&file).unwrap(), vec![3; 1 << 20]);
}

#[test]
fn log_over_existing_data_is_refused() {
    let directory = directory();
    let (file, link) = (directory.path().join("test.dat"), directory.path().join("link"));
    std::fs::write(&file, vec![3; 1 << 20]).unwrap();
    std::os::unix::fs::symlink(&file, &link).unwrap();
    diskspd("--io-log {} -W0 -d30 {}", &file).fails(1, &["--io-log", "target"]);
    diskspd(&format!("--io-log {} -W0 -d30 {{}}", link.display()), &file).fails(1, &["--io-log", "target"]);
    diskspd("--io-log /nonexistent/log.csv -W0 -d30 {}", &file).fails(1, &["/nonexistent/log.csv"]);
    assert_eq!(std::fs::read(&file).unwrap(), vec![3; 1 << 20]);
}

#[test]
fn missing_cpus_are_refused() {
    let (_directory, file) = directory_with("test.dat");
    diskspd("-c1M -a255 -W0 -d1 {}", &file).fails(3, &["-a", "CPU 255"]);
    diskspd("-c1M -ag9,0 -W0 -d1 {}", &file).fails(3, &["-a", "group 9"]);
    assert!(!file.exists(), "nothing is created for a run that cannot be");
}

#[test]
fn requests_above_machine_limits_are_refused() {
    let (_directory, file) = directory_with("test.dat");
    std::fs::write(&file, vec![0; 1 << 20]).unwrap();
    diskspd("-b1M -o1000000 -t16 -W0 -d1 {}", &file).fails(3, &["outstanding"]);
    diskspd("-b1M -o30000 -t64 -W0 -d1 {}", &file).fails(1, &["memory"]);
    diskspd("-t2147483647 -r -W0 -d1 {}", &file).fails(3, &["threads"]);
    diskspd("-b4294967294 -W0 -d1 {}", &file).fails(3, &["-b"]);
    // Where nothing is made, too: an address that no kernel has.
    let beyond = "--engine sim -c16777215T -b4K -r -W0 -d1 {}";
    diskspd(beyond, &file).fails(1, &["more than a file can have, 9223372036854775807"]);
}

#[test]
fn large_but_possible_requests_run() {
    let (_directory, file) = directory_with("test.dat");
    std::fs::write(&file, vec![0; 4 << 20]).unwrap();
    for line in ["-b4K -r -o10000 BRIEF {}", "-b4K -r -t256 -o1 -L BRIEF {}", "-b4K -r -t256 -o2 BRIEF {}"] {
        assert!(diskspd(line, &file).report().total("Total IO").ios > 256, "{line}");
    }
}

#[test]
fn block_of_one_gibibyte_runs() {
    let (_directory, file) = directory_with("sparse.dat");
    std::fs::File::create(&file).unwrap().set_len(1 << 30).unwrap();
    let ended = diskspd("-b1G -o1 BRIEF {}", &file);
    let total = ended.report().total("Total IO");
    assert_eq!(total.bytes, total.ios << 30, "{}", ended.stdout);
}

#[test]
fn unwritable_report_fails_before_run() {
    let (_directory, file) = directory_with("test.dat");
    diskspd("-c1M -W0 -d30 --out /nonexistent/run.json {}", &file).fails(1, &["/nonexistent/run.json"]);
    diskspd("-c1M -W0 -d30 --out run.docx {}", &file).fails(3, &["run.docx", ".json"]);
    assert!(!file.exists());
}

#[test]
fn reports_without_measurement_are_refused() {
    let (_directory, file) = directory_with("run.json");
    for idle in ["-Rp", "-Rpxml", "--dry-run"] {
        for option in ["--out", "--stream", "--io-log"] {
            diskspd(&format!("-c1M {idle} {option} {{}} f.dat"), &file)
                .fails(3, &[option, "measures nothing"]);
        }
    }
    assert!(!file.exists());
}

#[test]
fn options_without_effect_are_reported() {
    let (_directory, file) = directory_with("test.dat");
    let run = |options: &str| diskspd(&format!("{options} --engine null -c1M -W0 -d1 {{}}"), &file);
    let ended = run("-ft");
    assert!(ended.report().0.contains("FILE_ATTRIBUTE_TEMPORARY"), "{}", ended.stdout);
    let warnings = ended.stderr.lines().filter(|line| line.starts_with("WARNING: "));
    assert_eq!(warnings.filter(|line| line.contains("-ft")).count(), 1, "{}", ended.stderr);
    assert!(!run("-frs").stderr.contains("no such hint"), "hints that have their effect need no warning");
}

#[test]
fn non_record_file_is_refused() {
    let (_directory, file) = directory_with("broken.json");
    diskspd("report {}", &file).fails(1, &["broken.json"]);
    for content in ["", "{", "[]", "{\"version\": 1}", "null", "\u{feff}{}"] {
        std::fs::write(&file, content).unwrap();
        diskspd("report {}", &file).fails(1, &["broken.json"]);
    }
}

#[test]
fn foreign_spelling_suggests_own_option() {
    let (_directory, file) = directory_with("t.dat");
    std::fs::write(&file, vec![1; 1 << 20]).unwrap();
    for (option, hint) in [
        ("-d=30", "use -d30"),
        ("-o=8", "use -o8"),
        ("-b=4K", "use -b4K"),
        ("-n=1", "use -n"),
        ("-direct=1", "use -Su"),
        ("-name=x", "diskspd fio --name=.."),
        ("-numjobs=4", "use -t4"),
        ("-bs=4k", "use -b4K"),
        ("--bs=4k", "use -b4K"),
        ("-rw=randread", "use -r -w0"),
        ("--rw=randwrite", "use -r -w100"),
        ("-size=1.5g", "use -c1536M"),
        ("-runtime=1m", "use -d60"),
        ("-iodepth=8", "use -o8"),
        ("-ioengine=libaio", "use --engine aio"),
        ("-filename=a.dat", "use 'a.dat' as the last word"),
        ("-group_reporting", "leave it out"),
        ("-b4KiB", "use -b4K"),
        ("-b4kb", "use -b4K"),
        ("-c1.5G", "use -c1536M"),
        ("-b4.5k", "use -b4608"),
        ("-B1.5M:0.25MiB", "use -B1536K:256K"),
    ] {
        let ended = diskspd(&format!("{option} -W0 {{}}"), &file);
        ended.fails(3, &["ERROR: ", &format!("hint: {hint}")]);
        assert!(!ended.stderr.contains("WARNING"), "{option}: {}", ended.stderr);
    }
    diskspd("-Xx\\win.xml", &file).fails(3, &["use -Xx/win.xml"]);
    diskspd("-XC:\\x\\win.xml", &file).fails(3, &["use -X/x/win.xml"]);
    // DISKSPD's reading, as requested.
    for (option, line) in [("-d=30", "duration: 0s"), ("-name=x", "affinity disabled")] {
        let ended = diskspd(&format!("--compat 2.3 {option} -Rp {{}}"), &file).succeeds();
        assert!(ended.stdout.contains(line), "{option}: {}", ended.stdout);
    }
}
