//! The jobs: the most common one, with one change each.

pub const JOBS: &[(&str, &str)] = &[
    ("one random read", "rw=randread; bs=4k; ioengine=psync"),
    ("random reads, libaio", "rw=randread; bs=4k; ioengine=libaio; iodepth=8"),
    ("random reads, io_uring", "rw=randread; bs=4k; ioengine=io_uring; iodepth=8"),
    ("random reads, 4 jobs", "rw=randread; bs=4k; ioengine=libaio; iodepth=4; numjobs=4"),
    ("random reads of 16 KiB", "rw=randread; bs=16k; ioengine=libaio; iodepth=8"),
    ("random writes", "rw=randwrite; bs=4k; ioengine=libaio; iodepth=8"),
    ("random writes of 64 KiB", "rw=randwrite; bs=64k; ioengine=io_uring; iodepth=4"),
    ("70 % reads", "rw=randrw; rwmixread=70; bs=8k; ioengine=libaio; iodepth=8"),
    ("half reads in order", "rw=rw; bs=64k; ioengine=libaio; iodepth=4"),
    ("reads in order", "rw=read; bs=128k; ioengine=libaio; iodepth=4"),
    ("one read of 1 MiB", "rw=read; bs=1m; ioengine=psync"),
    ("writes in order", "rw=write; bs=128k; ioengine=libaio; iodepth=4"),
    ("durable writes", "rw=write; bs=4k; ioengine=psync; sync=dsync"),
    ("a flush every 8 writes", "rw=randwrite; bs=4k; ioengine=psync; fdatasync=8"),
    ("several sizes", "rw=randread; bssplit=4k/60:16k/30:64k/10; ioengine=libaio; iodepth=8"),
    ("zipf", "rw=randread; bs=4k; random_distribution=zipf:1.1; ioengine=libaio; iodepth=8"),
    ("zones", "rw=randread; bs=4k; random_distribution=zoned:50/5:30/15:20/80; ioengine=libaio; iodepth=8"),
    ("a part of the file", "rw=randread; bs=4k; offset=128m; size=128m; ioengine=io_uring; iodepth=8"),
    ("500 IOPS", "rw=randread; bs=4k; rate_iops=500; ioengine=libaio; iodepth=8"),
    ("pauses", "rw=randread; bs=4k; thinktime=4ms; thinktime_blocks=8; ioengine=psync"),
];
