//! The runs: misleading ones with the verdict or finding that names them, and honest ones.

/// Run of another program in the folder with `t.dat`, 64 MiB of random data.
pub struct StagedRun {
    pub kind: &'static str,
    pub before: &'static str,
    pub command: &'static str,
    /// Options of `judge`.
    pub options: &'static str,
    /// Another program at the same time; empty = none.
    pub rival: &'static str,
    pub group: Option<Group>,
    /// Correct verdicts and findings.
    pub expected: &'static [&'static str],
}

/// Limit of a control group: a tenth of a CPU, or 32 MiB/s of reads of the disk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Group {
    Cpu,
    Io,
}

const fn run(
    kind: &'static str,
    before: &'static str,
    command: &'static str,
    expected: &'static [&'static str],
) -> StagedRun {
    StagedRun { kind, before, command, options: "", rival: "", group: None, expected }
}

const fn grouped(group: Group, run: StagedRun) -> StagedRun {
    StagedRun { group: Some(group), ..run }
}

const fn shared(rival: &'static str, run: StagedRun) -> StagedRun {
    StagedRun { rival, ..run }
}

const fn counted(run: StagedRun) -> StagedRun {
    StagedRun { options: "--count-all", ..run }
}

macro_rules! fio {
    ($options:literal) => {
        fio!("t.dat", $options)
    };
    // fio adds up the files of several `--filename`.
    ($file:literal, $options:literal) => {
        concat!(
            "exec fio --name=x --filename=",
            $file,
            " --size=64M --runtime=1 --time_based --fallocate=none --invalidate=0 --bs=4k \
             --output-format=json ",
            $options
        )
    };
}

macro_rules! sysbench {
    ($options:literal) => {
        concat!(
            "exec sysbench fileio --file-num=1 --file-total-size=32M --file-fsync-freq=0 \
             --file-fsync-end=off --time=1 ",
            $options,
            " run"
        )
    };
}

const WARM: &str = "cat t.dat >/dev/null; cat t.dat >/dev/null";
const COLD: &str = "sync -f .; dd if=t.dat iflag=nocache count=0";
const PREPARE: &str = "[ -f test_file.0 ] || sysbench fileio --file-num=1 --file-total-size=32M prepare; \
                       cat test_file.0 >/dev/null";
const NOTHING: &str = ":";
const BUSY: &str = "while :; do dd if=$DISK of=/dev/null bs=1M iflag=direct; done";
const WRITER: &str = "while :; do dd if=/dev/urandom of=other.dat bs=1M count=64 oflag=direct; done";
const READ: &str = "for i in 1 2 3 4 5 6; do dd if=t.dat of=/dev/null bs=64k iflag=direct; done";

const CACHED: &[&str] = &["cached"];
const DEFERRED: &[&str] = &["deferred"];
const SHARED: &[&str] = &["shared"];
const STOPPED: &[&str] = &["process-stalled"];

/// Thirty misleading runs, and three that were published.
pub const LIES: &[StagedRun] = &[
    run("page cache", WARM, fio!("--ioengine=psync --rw=randread"), CACHED),
    run("page cache", WARM, fio!("--ioengine=libaio --iodepth=8 --rw=randread"), CACHED),
    run("page cache", WARM, fio!("--ioengine=io_uring --iodepth=8 --rw=randread"), CACHED),
    run("page cache", WARM, fio!("--ioengine=mmap --rw=randread"), CACHED),
    run("page cache", WARM, "for i in 1 2 3 4 5 6; do dd if=t.dat of=/dev/null bs=64k; done", CACHED),
    run("page cache", PREPARE, sysbench!("--file-test-mode=rndrd"), CACHED),
    run("holes", "truncate -s 512M hole.dat", "dd if=hole.dat of=/dev/null bs=1M iflag=direct", CACHED),
    run("holes", "truncate -s 512M hole.dat", "dd if=hole.dat of=/dev/null bs=64k", CACHED),
    run(
        "holes",
        "truncate -s 512M hole.dat",
        fio!("hole.dat", "--size=512M --direct=1 --ioengine=psync --rw=randread"),
        CACHED,
    ),
    run("compressed zram", "rm -f z.dat", "dd if=/dev/zero of=z.dat bs=1M count=128 oflag=direct", CACHED),
    run("compressed zram", NOTHING, "dd if=/dev/zero of=$SPARE bs=1M count=200 oflag=direct", CACHED),
    run(
        "compressed zram",
        "rm -f z.dat; fstrim .",
        fio!("z.dat", "--direct=1 --ioengine=psync --rw=write --zero_buffers"),
        CACHED,
    ),
    shared(BUSY, run("shared device", NOTHING, READ, SHARED)),
    shared(BUSY, run("shared device", NOTHING, fio!("--direct=1 --ioengine=psync --rw=randread"), SHARED)),
    shared(WRITER, run("shared device", NOTHING, fio!("--direct=1 --ioengine=psync --rw=randread"), SHARED)),
    grouped(
        Group::Cpu,
        run(
            "throttled group",
            NOTHING,
            fio!("--direct=1 --ioengine=psync --rw=randread"),
            &["limited-by-cpu-quota"],
        ),
    ),
    grouped(Group::Cpu, run("throttled group", NOTHING, READ, &["limited-by-cpu-quota"])),
    grouped(
        Group::Io,
        run(
            "throttled group",
            NOTHING,
            fio!("--direct=1 --bs=64k --ioengine=psync --rw=randread"),
            &["limited-by-io-limit"],
        ),
    ),
    grouped(
        Group::Io,
        run(
            "throttled group",
            NOTHING,
            "dd if=t.dat of=/dev/null bs=1M iflag=direct",
            &["limited-by-io-limit"],
        ),
    ),
    run(
        "stopped process",
        NOTHING,
        "sh -c 'kill -STOP $$; exec dd if=t.dat of=/dev/null bs=4k iflag=direct' & sleep 1; \
         kill -CONT $!; wait",
        STOPPED,
    ),
    run(
        "stopped process",
        NOTHING,
        "sh -c 'kill -STOP $$; exec dd if=/dev/urandom of=w.dat bs=1M count=16 oflag=direct' & sleep 1; \
         kill -CONT $!; wait",
        STOPPED,
    ),
    run(
        "stopped process",
        NOTHING,
        "fio --name=x --filename=t.dat --size=64M --runtime=2 --time_based --direct=1 --ioengine=psync \
         --rw=randread --bs=4k & sleep 1; kill -STOP $!; sleep 1; kill -CONT $!; wait",
        STOPPED,
    ),
    run("deferred writes", "rm -f w.dat", "dd if=/dev/urandom of=w.dat bs=1M count=64", DEFERRED),
    run("deferred writes", "rm -f w.dat", "head -c 64M /dev/urandom >w.dat", DEFERRED),
    run("deferred writes", NOTHING, fio!("--ioengine=psync --rw=randwrite"), DEFERRED),
    // sysbench writes zeros.
    run("deferred writes", PREPARE, sysbench!("--file-test-mode=rndwr"), &["deferred", "cached"]),
    run("loop over memory", NOTHING, "dd if=$LOOP_MEMORY of=/dev/null bs=1M iflag=direct", CACHED),
    run("loop over memory", WARM, "dd if=$LOOP_FILE of=/dev/null bs=1M iflag=direct", CACHED),
    run("FUSE cache", NOTHING, "dd if=$SERVED of=/dev/null bs=64k", CACHED),
    run("FUSE cache", "cat $SERVED >/dev/null", "dd if=$SERVED of=/dev/null bs=64k", CACHED),
    // 65.7 GB/s over a link of 3.9 GB/s: much more than the device can do.
    grouped(
        Group::Io,
        run("published: above the link", WARM, fio!("--bs=1M --ioengine=psync --rw=read"), CACHED),
    ),
    // 5,060 MB/s in the page cache against 340 MB/s of the device.
    run("published: leaderboard", WARM, fio!("--bs=128k --ioengine=psync --rw=read --numjobs=2"), CACHED),
    // Encryption "costs 1 %", because the storage is the limit with and without it.
    grouped(
        Group::Io,
        run(
            "published: encryption",
            NOTHING,
            "dd if=t.dat bs=1M iflag=direct | openssl enc -aes-256-ctr -K 00 -iv 00 >/dev/null",
            &["limited-by-io-limit"],
        ),
    ),
];

const TRUE: &[&str] = &["verified", "coalesced"];

/// Runs with the figures of the device.
pub const HONEST: &[StagedRun] = &[
    run("honest dd, read", NOTHING, READ, TRUE),
    run("honest dd, written", "rm -f w.dat", "dd if=/dev/urandom of=w.dat bs=1M count=64 oflag=direct", TRUE),
    run("honest dd, flushed", "rm -f w.dat", "dd if=/dev/urandom of=w.dat bs=1M count=64 conv=fsync", TRUE),
    run("honest fio, psync", COLD, fio!("--direct=1 --ioengine=psync --rw=randread"), TRUE),
    run("honest fio, libaio", COLD, fio!("--direct=1 --ioengine=libaio --iodepth=8 --rw=randrw"), TRUE),
    counted(run(
        "honest fio, io_uring",
        COLD,
        fio!("--direct=1 --ioengine=io_uring --iodepth=8 --rw=randrw"),
        TRUE,
    )),
];
