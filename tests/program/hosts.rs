//! One run of several ranks: with real launchers, and with a simulated launcher environment.

#![allow(clippy::unwrap_used)]

use crate::common::loops::Loop;
use crate::common::{Ended, command_of, directory, directory_with, output, read_json, skip, tool};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Launchers of both ABIs in distributions, with options for root and few CPUs.
const LAUNCHERS: [&str; 2] = ["mpirun.openmpi --oversubscribe", "mpirun.mpich"];

/// Returns the folder of an MPI with the standard ABI (mpich 5 of PyPI, in a venv), which distributions lack.
fn standard_mpi() -> Option<String> {
    std::env::var("DISKSPD_TEST_STANDARD_MPI").ok().filter(|folder| !folder.is_empty())
}

fn two_ranks(launcher: &str, arguments: &[&str], folder: &Path) -> Option<Ended> {
    let mut words = launcher.split(' ');
    let program = words.next().unwrap();
    if tool(&format!("{program} --version")).is_none() {
        skip(&format!("{program} is missing (openmpi-bin, mpich)"));
        return None;
    }
    let mut command = Command::new(program);
    command.args(words).args(["-n", "2", env!("CARGO_BIN_EXE_diskspd")]).args(arguments).current_dir(folder);
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    Some(output(&mut command).unwrap().into())
}

/// Returns the rows of a table without file names.
fn rows(ended: &Ended, table: &str) -> Vec<Vec<String>> {
    let mut rows = ended.report().rows(table);
    rows.iter_mut().for_each(|row| drop(row.pop()));
    rows
}

#[test]
fn two_ranks_do_the_io_of_one_host() {
    let folder = directory();
    let line = |threads| ["--engine", "sim", "-b4K", "-r", "-z3", "-d2", "-W1", "-L", "-c1G", threads, "x%r"];
    let alone: Ended = output(&mut command_of(&line("-t4"))).unwrap().into();
    for launcher in LAUNCHERS {
        let Some(both) = two_ranks(launcher, &line("-t2"), folder.path()) else { return };
        assert_eq!(rows(&both, "Total IO"), rows(&alone, "Total IO"), "{launcher}");
        assert_eq!(both.report().total("Total IO"), alone.report().total("Total IO"), "{launcher}");
        let files: Vec<String> =
            both.report().rows("Read IO").into_iter().map(|mut row| row.pop().unwrap()).collect();
        assert!(files[0].contains(":x0 ") && files[3].contains(":x1 "), "{files:?}");
    }
}

#[test]
fn ranks_run_with_the_standard_mpi_abi() {
    let Some(standard) = standard_mpi() else {
        eprintln!(
            "not tried: DISKSPD_TEST_STANDARD_MPI names no folder of mpich 5 (pip install 'mpich==5.*')"
        );
        return;
    };
    let line = ["--mpi=libmpi_abi.so.1", "--engine", "sim", "-b4K", "-r", "-d1", "-c1G", "x%r"];
    let mut command = Command::new(format!("{standard}/bin/mpiexec"));
    command.env("LD_LIBRARY_PATH", format!("{standard}/lib"));
    command.args(["-n", "2", env!("CARGO_BIN_EXE_diskspd")]).args(line);
    let both: Ended = output(&mut command).unwrap().into();
    assert_eq!(both.code, 0, "{}", both.stderr);
    assert_eq!(both.report().rows("Total IO").len(), 2);
    assert!(both.stdout.starts_with("2 hosts"), "{}", both.stdout);
}

#[test]
fn ranks_produce_one_record() {
    let folder = directory();
    let line = ["-b4K", "-r", "-d1", "-W0", "-w50", "-c1M", "--split", "--out", "both.json", "shared.dat"];
    let Some(both) = two_ranks(LAUNCHERS[1], &line, folder.path()) else { return };
    assert!(both.report().total("Total IO").ios > 0);
    for said in ["'shared.dat' is the same target for ranks 0-1", "its own part", "2 ranks measured together"]
    {
        assert!(both.stderr.contains(said), "{said}: {}", both.stderr);
    }
    let record: serde_json::Value = read_json(folder.path().join("both.json"));
    let hosts = record["hosts"].as_array().unwrap();
    let windows: Vec<i64> =
        hosts.iter().map(|host| host["clock"]["windows"][0]["start_ns"].as_i64().unwrap()).collect();
    assert_eq!(windows.len(), 2);
    assert_eq!(fs::metadata(folder.path().join("shared.dat")).unwrap().len(), 1 << 20);
}

#[test]
fn refusals_of_all_ranks_come_before_any_change() {
    let folder = directory();
    fs::write(folder.path().join("0.dat"), [7; 65536]).unwrap();
    let line = ["-b4K", "-w100", "-d1", "-W0", "%r.dat"];
    let Some(both) = two_ranks(LAUNCHERS[1], &line, folder.path()) else { return };
    both.fails(1, &["rank 1 (", "'1.dat' does not exist"]);
    assert!(!both.stderr.contains("rank 0 ("), "{}", both.stderr);
    assert_eq!(both.stdout, "");
    assert_eq!(fs::read(folder.path().join("0.dat")).unwrap(), [7; 65536]);
}

#[test]
fn ranks_write_to_one_device_together() {
    let Some(device) = Loop::with(4 << 20, &["--direct-io=on"], |file| {
        use std::os::unix::fs::FileExt;
        (0..64).for_each(|at| file.write_all_at(&[7; 65536], at * 65536).unwrap());
        file.sync_all().unwrap();
    }) else {
        return;
    };
    let folder = directory();
    let path = device.device.to_str().unwrap();
    let line = ["-b64K", "-o1", "-d1", "-W0", "-w100", "-Su", "-g10", "--out", "both.json", path];
    let Some(both) = two_ranks(LAUNCHERS[1], &line, folder.path()) else { return };
    assert_eq!(both.code, 0, "{}", both.stderr);
    assert!(both.stderr.contains("2 ranks on its machine together"), "{}", both.stderr);
    let record: serde_json::Value = read_json(folder.path().join("both.json"));
    for host in record["hosts"].as_array().unwrap() {
        let found = &host["summary"]["devices"][0];
        assert_eq!(found["ranks"], 2, "{found}");
        // Others may use the disk below, and so they are told there, but nobody else has this device.
        let told = found["message"].as_str().unwrap();
        let name = device.device.file_name().unwrap().to_str().unwrap();
        assert!(!told.contains(&format!("others used {name}")), "{found}");
    }
    let held = diskspd::sys::files::claim(&device.device).unwrap();
    let line = ["-b64K", "-d1", "-W0", "-w100", "-Su", path];
    let Some(refused) = two_ranks(LAUNCHERS[1], &line, folder.path()) else { return };
    refused.fails(1, &["rank 0 (", path, "in use"]);
    drop(held);
}

#[test]
fn ranks_verify_their_own_parts_only() {
    let folder = directory();
    fs::write(folder.path().join("shared.dat"), vec![7; 1 << 20]).unwrap();
    let line = |more: &'static [&'static str], target: &'static str| {
        let all = ["-b4K", "-r", "-w50", "-o4", "-t2", "-Sh", "-d1", "-W0", "--verify", "--out=both.json"];
        [&all[..], more, &[target]].concat()
    };
    let run = |more, target| two_ranks(LAUNCHERS[1], &line(more, target), folder.path());
    let Some(over) = run(&[], "shared.dat") else { return };
    over.fails(1, &["--verify", "'shared.dat' is the same target for ranks 0-1", "--split"]);
    run(&["--split", "--journal=j"], "shared.dat").unwrap().fails(3, &["--journal", "%r"]);
    assert_eq!(fs::read(folder.path().join("shared.dat")).unwrap(), vec![7; 1 << 20], "nothing is touched");
    let both = run(&["--split", "--journal=%r.journal"], "shared.dat").unwrap();
    assert_eq!(both.code, 0, "{}{}", both.stdout, both.stderr);
    for rank in ["0", "1"] {
        let journal = folder.path().join(format!("{rank}.journal"));
        let mut back = command_of(&["verify-after", journal.to_str().unwrap()]);
        let back: Ended = output(back.current_dir(folder.path())).unwrap().into();
        assert_eq!(back.code, 0, "{}{}", back.stdout, back.stderr);
        assert!(back.stdout.contains("failed:    none"), "{}", back.stdout);
    }
    // What one of them finds is told of the whole.
    fs::write(folder.path().join("1.dat"), vec![7; 1 << 20]).unwrap();
    fs::copy(folder.path().join("shared.dat"), folder.path().join("0.dat")).unwrap();
    let mut content = fs::read(folder.path().join("0.dat")).unwrap();
    content.chunks_mut(512).for_each(|sector| sector[100] ^= 1);
    fs::write(folder.path().join("0.dat"), content).unwrap();
    let read = ["-b4K", "-s", "-d1", "-W0", "--verify=read", "%r.dat"];
    let found = two_ranks(LAUNCHERS[1], &read, folder.path()).unwrap();
    found.fails(4, &["--verify", "corrupt", "0.dat"]);
}

/// Each rank runs until it has written that amount itself.
#[test]
fn until_written_applies_to_each_rank() {
    let folder = directory();
    let line = [
        "--engine",
        "null",
        "-c1G",
        "-b64K",
        "-g200i",
        "-w100",
        "-d9",
        "-W0",
        "-v",
        "--until-written",
        "8M",
        "x",
    ];
    let Some(both) = two_ranks(LAUNCHERS[1], &line, folder.path()) else { return };
    assert_eq!(both.code, 0, "{}", both.stderr);
    let mut rows = both.report().rows("Write IO");
    assert_eq!(rows.len(), 2);
    assert!(rows.iter_mut().all(|row| row[1].parse::<u64>().unwrap() >= 8 << 20), "{rows:?}");
    for said in ["each of the 2 ranks writes 8 MiB, 16 MiB in all", "count per host, not over all hosts"] {
        assert!(both.stderr.contains(said), "{said}: {}", both.stderr);
    }
}

#[test]
fn options_unavailable_on_ranks_are_refused_and_named() {
    let run = ["-c1M", "-b4K", "-d1", "-W0"];
    for (options, said) in [
        (vec!["--with", "diskspd"], "--with starts another DISKSPD, which cannot join the ranks"),
        (vec!["--out", "run-%r.json"], "%r and %h in its path mean nothing: name one file"),
        (vec!["--io-log", "log.csv"], "put %r (the rank) or %h (the host) into its path"),
    ] {
        let folder = directory();
        let line: Vec<&str> = run.into_iter().chain(options.iter().copied()).chain(["x%r"]).collect();
        let Some(ended) = two_ranks(LAUNCHERS[1], &line, folder.path()) else { return };
        ended.fails(3, &[said]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{options:?}");
    }
}

#[test]
fn rank_without_permission_is_named_before_any_write() {
    if diskspd::sys::process::user() != 0
        || tool("setpriv --version").is_none()
        || tool("mpirun.mpich --version").is_none()
    {
        skip("no root, setpriv (util-linux) or mpirun.mpich (mpich)");
        return;
    }
    let folder = directory();
    for name in ["0.dat", "1.dat"] {
        let path = folder.path().join(name);
        fs::write(&path, [7; 65536]).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
    }
    // The rank is of the same user, as shared memory of MPI needs it, and has not the right of root to write
    // to what belongs to another one.
    std::os::unix::fs::chown(folder.path().join("1.dat"), Some(65534), Some(65534)).unwrap();
    let (own, line) = (env!("CARGO_BIN_EXE_diskspd"), ["-b4K", "-w100", "-d1", "-W0", "%r.dat"]);
    let rights = "-dac_override,-dac_read_search";
    let mut command = Command::new("mpirun.mpich");
    command.args(["-n", "1", own]).args(line).args([":", "-n", "1", "setpriv", "--bounding-set", rights]);
    command.args(["--inh-caps", rights, own]).args(line).current_dir(folder.path());
    let ended: Ended = output(&mut command).unwrap().into();
    ended.fails(1, &["rank 1 (", "1.dat", "no permission to write"]);
    for name in ["0.dat", "1.dat"] {
        assert_eq!(fs::read(folder.path().join(name)).unwrap(), [7; 65536], "{name}");
    }
}

#[test]
fn record_with_missing_hosts_rereads_as_failed() {
    let folder = directory();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let line = ["--engine", "sim", "-c1G", "-d1", "-W0", "--out", &file("0.json"), "x"];
    assert_eq!(output(&mut command_of(&line)).unwrap().status.code(), Some(0));
    let line = ["merge", &file("0.json"), &file("gone.json"), "--out", &file("all.json")];
    assert_eq!(output(&mut command_of(&line)).unwrap().status.code(), Some(1));
    let again: Ended = output(&mut command_of(&["report", &file("all.json")])).unwrap().into();
    assert_eq!(again.code, 1, "{}", again.stderr);
    assert!(again.stdout.starts_with("1 of 2 hosts (missing: gone)\n"), "{}", again.stdout);
}

/// Records that ranks leave when rank 0 is killed.
#[test]
fn merge_of_ranks_names_absent_ones() {
    let folder = directory();
    let file = |name: &str| folder.path().join(name).display().to_string();
    let made = |rank: u32, ranks: Option<u32>, name: &str| {
        let line = ["--engine", "sim", "-c1G", "-d1", "-W0", "-z1", "--out", &file(name), "x"];
        assert_eq!(output(&mut command_of(&line)).unwrap().status.code(), Some(0));
        let mut record: serde_json::Value = read_json(file(name));
        record["hosts"][0]["rank"] = rank.into();
        if let Some(ranks) = ranks {
            record["hosts"][0]["ranks"] = ranks.into();
        }
        fs::write(file(name), record.to_string()).unwrap();
    };
    (0..3).for_each(|rank| made(rank, Some(3), &format!("diskspd-rank-{rank}-of-3-7.json")));
    made(0, Some(2), "other.json");
    made(1, None, "alone.json");
    let (zero, one, two) =
        ("diskspd-rank-0-of-3-7.json", "diskspd-rank-1-of-3-7.json", "diskspd-rank-2-of-3-7.json");
    for (names, code, first) in [
        (&[zero, one, two][..], 0, "3 hosts"),
        (&[two, one], 1, "2 of 3 hosts (missing: rank 0)"),
        (&[one], 1, "1 of 3 hosts (missing: rank 0, rank 2)"),
        (&[one, "diskspd-rank-2-of-3-9.json"], 1, "1 of 3 hosts (missing: diskspd-rank-2-of-3-9, rank 0)"),
        // Of several jobs, or of none.
        (&[one, "other.json"], 0, "2 hosts"),
        (&[one, "alone.json"], 0, "2 hosts"),
    ] {
        let mut command = command_of(&[&["merge"], names].concat());
        let merged: Ended = output(command.current_dir(folder.path())).unwrap().into();
        assert_eq!(merged.code, code, "{names:?}: {}", merged.stderr);
        assert!(merged.stdout.starts_with(first), "{names:?}: {}", merged.stdout);
    }
}

/// Without `--enable-recovery`, Open MPI ends rank 0 one second after the kill, too early on a busy machine.
#[test]
fn killed_rank_leaves_a_report_of_the_others() {
    if tool("mpirun.openmpi --version").is_none() {
        skip("mpirun.openmpi is missing (openmpi-bin)");
        return;
    }
    let (folder, target) = directory_with("1.dat");
    (0..2).for_each(|rank| fs::write(folder.path().join(format!("{rank}.dat")), [7; 65536]).unwrap());
    let mut command = Command::new("mpirun.openmpi");
    command.env("OMPI_ALLOW_RUN_AS_ROOT", "1").env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1");
    command.args(["--oversubscribe", "--enable-recovery", "-n", "2", "sh", "-c"]).current_dir(folder.path());
    command.arg(
        "rank=$OMPI_COMM_WORLD_RANK; echo $$ > pid$rank; [ $rank = 0 ] || exec \"$0\" \"$@\"; \"$0\" \"$@\"; \
         echo $? > code",
    );
    command.arg(env!("CARGO_BIN_EXE_diskspd"));
    command.args(["-b4K", "-w100", "-g50i", "-d60", "-W0", "--out", "all.json", "%r.dat"]);
    let running = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let until = Instant::now() + Duration::from_secs(60);
    while fs::read(&target).unwrap() == [7; 65536] && Instant::now() < until {
        std::thread::sleep(Duration::from_millis(20));
    }
    let rank = fs::read_to_string(folder.path().join("pid1")).unwrap();
    assert!(Command::new("kill").args(["-9", rank.trim()]).status().unwrap().success());
    let ended: Ended = running.wait_with_output().unwrap().into();
    let code = fs::read_to_string(folder.path().join("code")).unwrap();
    assert_ne!(code.trim(), "0", "{}", ended.stderr);
    for said in ["the figures cover only 1 of 2 hosts", "rank 1 ("] {
        assert!(ended.stderr.contains(said), "{said}: {}", ended.stderr);
    }
    assert!(ended.stdout.contains("1 of 2 hosts (missing: "), "{}", ended.stdout);
    let record: serde_json::Value = read_json(folder.path().join("all.json"));
    assert!(record["hosts"][1]["missing"].is_string() && record["hosts"][0]["missing"].is_null());
}

#[test]
fn ranks_of_other_versions_are_refused() {
    if tool("mpirun.mpich --version").is_none() {
        skip("mpirun.mpich is missing (mpich)");
        return;
    }
    let folder = directory();
    let (own, other) = (env!("CARGO_BIN_EXE_diskspd"), folder.path().join("other"));
    let (version, another) = (env!("CARGO_PKG_VERSION"), env!("CARGO_PKG_VERSION").replace('.', "x"));
    let made = format!("LC_ALL=C sed 's/{version}/{another}/g' {own} > other && chmod +x other");
    assert!(Command::new("sh").args(["-c", &made]).current_dir(folder.path()).status().unwrap().success());
    let line = ["--engine", "sim", "-c1G", "-d1", "-W0", "x"];
    let mut command = Command::new("mpirun.mpich");
    command.args(["-n", "1", own]).args(line).args([":", "-n", "1"]).arg(other).args(line);
    let ended: Ended = output(&mut command).unwrap().into();
    ended.fails(1, &["rank 1 (", &another, "install the same version everywhere"]);
    assert_eq!(ended.stdout, "");
}

/// tmpfs cannot report unwritten extents, so an existing file there is always filled again. Each filling
/// allocates once.
#[test]
fn one_rank_fills_a_shared_file() {
    if ["mpirun.mpich --version", "strace -V"].iter().any(|line| tool(line).is_none()) {
        skip("mpirun.mpich (mpich) or strace is missing");
        return;
    }
    let folder = tempfile::Builder::new().prefix("diskspd-test-").tempdir_in("/dev/shm").unwrap();
    let traced = "exec strace -f --seccomp-bpf -qq -e trace=fallocate -o trace$PMI_RANK \"$0\" \"$@\"";
    for more in [&[][..], &[], &["--recreate"]] {
        let mut command = Command::new("mpirun.mpich");
        command.args(["-n", "3", "sh", "-c", traced, env!("CARGO_BIN_EXE_diskspd"), "-b4K", "-g100i", "-d1"]);
        command.args(["-W0", "-c1M", "--split"]).args(more).args(["shared.dat", "own%r.dat"]);
        let ended: Ended = output(command.current_dir(folder.path())).unwrap().into();
        let trace = |rank| fs::read_to_string(folder.path().join(format!("trace{rank}"))).unwrap();
        let fills: Vec<usize> = (0..3).map(|rank| trace(rank).matches("fallocate(").count()).collect();
        assert_eq!(fills, [2, 1, 1], "{more:?}: {}", ended.stderr);
        assert_eq!(fs::metadata(folder.path().join("shared.dat")).unwrap().len(), 1 << 20);
    }
}

#[test]
fn ranks_with_other_arguments_are_refused() {
    if tool("mpirun.mpich --version").is_none() {
        skip("mpirun.mpich is missing (mpich)");
        return;
    }
    let own = env!("CARGO_BIN_EXE_diskspd");
    let line = |options| ["-b4K", options, "-c1M", "-d1", "-W0", "x%r"];
    for (other, shown) in [("-o8", "has '-o8' where rank 0 has '-o4'"), ("-w100", "'-w100'")] {
        let folder = directory();
        let mut command = Command::new("mpirun.mpich");
        command.args(["-n", "1", own]).args(line("-o4")).args([":", "-n", "1", own]).args(line(other));
        let ended: Ended = output(command.current_dir(folder.path())).unwrap().into();
        ended.fails(1, &["rank 1 (", shown]);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "{other}");
    }
}

fn as_rank(rank: &str, arguments: &[&str]) -> Ended {
    let mut command = command_of(arguments);
    command.env("PMI_RANK", rank).env("PMI_SIZE", "2");
    output(&mut command).unwrap().into()
}

#[test]
fn rank_without_library_lists_attempts_and_exits() {
    let line = ["--mpi=/nowhere/libmpi.so.12", "--engine", "sim", "-c1M", "-d1", "x"];
    let first = as_rank("0", &line);
    first.fails(1, &["tried:", "/nowhere/libmpi.so.12: ", "LD_LIBRARY_PATH"]);
    // It may be alone with it: the launcher ends it in the meantime if the first one met the same.
    let second = as_rank("1", &line);
    second.fails(1, &["tried:", "/nowhere/libmpi.so.12: "]);
    assert_eq!(first.stdout, "");
}

#[test]
fn conflicting_work_of_ranks_is_refused() {
    as_rank("0", &["trace", "x"]).fails(1, &["trace runs on one host", "started 2 of it"]);
    let alone: Ended = output(&mut command_of(&["--split", "-d1", "x"])).unwrap().into();
    alone.fails(3, &["--split", "mpirun"]);
}
