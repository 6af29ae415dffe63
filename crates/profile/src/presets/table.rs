//! The table of presets.

use super::{Grade, GradedLoad, JudgedLatency, Preset, Step, Threshold};

const fn first_step(about: &'static str, options: &'static str) -> Step {
    Step { time_span: 1, about, options }
}

const fn next_step(time_span: u32, about: &'static str, options: &'static str) -> Step {
    Step { time_span, about, options }
}

const fn latency_grade(up_to_ms: f64, word: &'static str) -> Grade {
    Grade { up_to_ms, word }
}

/// Sizes and patterns of SQL Server's storage engine.
const SQL_SIZES: &str = "SQL Server's I/O sizes, as shown at TechEd 2006: \
     https://prodata.ie/2010/08/08/sql-io-characteristics/";
const SQL_LINES: &str = "a list of DiskSpd command lines for SQL Server: \
     https://fiftynine.io/sql/io-and-diskspd-reference-list/";
const FLEET: &str =
    "VM Fleet's profiles: https://github.com/microsoft/diskspd, Frameworks/VMFleet/Profile.psm1";

/// Paul Randal's scale for data files.
const DATA_FILES: Threshold = Threshold {
    of: JudgedLatency::MeanRead,
    under: GradedLoad::Rate,
    grades: &[
        latency_grade(1.0, "excellent"),
        latency_grade(5.0, "very good"),
        latency_grade(10.0, "good"),
        latency_grade(20.0, "poor"),
    ],
    beyond: "bad",
    source: "Paul Randal, \
             https://www.sqlskills.com/blogs/paul/are-io-latencies-killing-your-performance/",
};

const LOG: Threshold = Threshold {
    of: JudgedLatency::MeanWrite,
    under: GradedLoad::OneAtATime,
    grades: &[latency_grade(1.0, "excellent"), latency_grade(5.0, "good"), latency_grade(10.0, "fair")],
    beyond: "poor",
    source: "recommended for a log: 1 to 5 ms, https://sql-sasquatch.blogspot.com/2015/02/; 10 ms as \
             Paul Randal has it",
};

pub const PRESETS: &[Preset] = &[
    Preset {
        name: "sql-oltp",
        about: "SQL Server's data files under many small transactions",
        parts: &[first_step(
            "pages read by index and written by checkpoints",
            "-b8K -r -w30 -t4 -o8 -Sh -Z20M -L -D",
        )],
        reasons: "A page has 8 KiB, and index lookups read single ones at random. 30 % writes come from VM \
                  Fleet's SQL profile. The database has its own cache and bypasses the system's; its \
                  writes go through (-Sh). Content that repeats could be compressed away, so it comes from \
                  20 MiB of random bytes.",
        sources: &[SQL_SIZES, FLEET],
        thresholds: &[DATA_FILES],
    },
    Preset {
        name: "sql-log",
        about: "SQL Server's transaction log",
        parts: &[first_step("log buffers written sequentially", "-b60K -s -w100 -t1 -o1 -Sh -Z20M -L -D")],
        reasons: "The log is written sequentially, up to 60 KiB at a time, and a commit waits until \
                  its record is on the disk: one outstanding write shows the time that a commit \
                  takes.",
        sources: &[SQL_SIZES, SQL_LINES],
        thresholds: &[LOG],
    },
    Preset {
        name: "sql-scan",
        about: "SQL Server reading ahead for large scans",
        parts: &[first_step("extents read ahead", "-b512K -s -w0 -t1 -o16 -Su -L -D")],
        reasons: "Read-ahead reads multiples of a page in one I/O, up to 256 KiB, in the Enterprise \
                  edition up to 1 MiB; 512 KiB with 16 outstanding is the usual stand-in for table \
                  scans. Throughput counts, not latency.",
        sources: &[SQL_SIZES, SQL_LINES],
        thresholds: &[],
    },
    Preset {
        name: "sql-backup",
        about: "SQL Server reading a database for a backup",
        parts: &[first_step("large sequential reads", "-b1M -s -w0 -t1 -o32 -Su -L -D")],
        reasons: "A backup reads the files from begin to end, in I/Os of 1 MiB, with many outstanding. The \
                  backup is written to another device.",
        sources: &[SQL_LINES],
        thresholds: &[],
    },
    Preset {
        name: "tempdb",
        about: "SQL Server's tempdb: sorting, hashing, version store",
        parts: &[first_step("pages written and read back", "-b8K -r -w50 -t8 -o4 -Sh -Z20M -L -D")],
        reasons: "Spilled data is written about once and read about once, in pages, by many sessions at a \
                  time: eight files are usual, so eight threads.",
        sources: &[SQL_LINES],
        thresholds: &[DATA_FILES],
    },
    Preset {
        name: "fleet-general",
        about: "VM Fleet's general workload of a virtual machine",
        parts: &[first_step("hot and cold data", "-t1 -b4K -o32 -w0 -r -rdpct95/5:4/10 -Suw -D -L -Z10M")],
        reasons: "As published: 95 % of the I/Os go to 5 % of the data, 4 % to the next 10 %, so that \
                  caches and tiers work as they do for machines in use. VM Fleet requires a share of \
                  writes: set it with -w (0, 10, 30).",
        sources: &[FLEET],
        thresholds: &[],
    },
    Preset {
        name: "fleet-peak",
        about: "VM Fleet's search for the most I/Os",
        parts: &[first_step("small reads everywhere", "-t1 -b4K -o32 -w0 -r -Suw -D -L -Z10M")],
        reasons: "As published: the general workload without its distribution. The highest number a \
                  system can show, and no more.",
        sources: &[FLEET],
        thresholds: &[],
    },
    Preset {
        name: "fleet-vdi",
        about: "VM Fleet's virtual desktop",
        parts: &[
            first_step(
                "writes of 32 KiB",
                "-t1 -o8 -b32K -w100 -g6i -rs20 -rdpct95/5:4/10 -Z10M -f10G -Suw -D -L",
            ),
            first_step("reads of 8 KiB", "-t1 -o8 -b8K -w0 -g6i -rs80 -rdpct95/5:4/10 -f8G -Suw -D -L"),
        ],
        reasons: "As published: a desktop writes mostly sequentially in larger blocks and reads small \
                  ones at random, six times a second each. Latencies say whether people wait. The \
                  target needs 10 GiB.",
        sources: &[FLEET],
        thresholds: &[],
    },
    Preset {
        name: "fleet-sql",
        about: "VM Fleet's SQL Server: data and log at the same time",
        parts: &[
            first_step("data", "-t4 -o32 -r -b8K -g1500i -w30 -rdpct95/5:4/10 -B5G -Z10M -Suw -D -L"),
            first_step("log", "-t1 -o1 -s -b32K -g300i -w100 -f5G -Z10M -Suw -D -L"),
        ],
        reasons: "As published: four threads on the data after the first 5 GiB, 1500 I/Os per second each, \
                  and a log of 300 writes per second in front of it. The target needs more than 5 GiB.",
        sources: &[FLEET],
        thresholds: &[],
    },
    Preset {
        name: "file-server",
        about: "A file server, after Intel's pattern for Iometer",
        parts: &[
            first_step("small requests", "-b4K -r -w20 -t1 -o6 -Su -Z20M -L -D"),
            first_step("large requests", "-b64K -r -w20 -t1 -o1 -Su -Z20M -L -D"),
        ],
        reasons: "The pattern is random, four reads for each write, 60 % of the requests 4 KiB and 10 % 64 \
                  KiB. The other sizes (512 bytes to 32 KiB) are left out. With 6 : 1 outstanding I/Os the \
                  mix stays so if both sizes take equally long.",
        sources: &["the pattern: \
             https://tweakers.net/reviews/557/20/"],
        thresholds: &[],
    },
    Preset {
        name: "etcd-log",
        about: "etcd's write-ahead log",
        parts: &[first_step(
            "records, each flushed",
            "-b2300 -s -w100 -t1 -o1 -Sb --fsync-every 1 -Z20M -L -D",
        )],
        reasons: "etcd appends small records (2300 bytes on average where it was measured) through the \
                  page cache and calls fdatasync after each: all clients wait for the flush.",
        sources: &["\
             https://www.ibm.com/cloud/blog/using-fio-to-tell-whether-your-storage-is-fast-enough-for-etcd"],
        thresholds: &[Threshold {
            of: JudgedLatency::FlushP99,
            under: GradedLoad::OneAtATime,
            grades: &[latency_grade(10.0, "fast enough")],
            beyond: "too slow",
            source: "etcd's documentation asks for a 99th percentile below 10 ms",
        }],
    },
    Preset {
        name: "postgres-wal",
        about: "PostgreSQL's write-ahead log under commits",
        parts: &[first_step(
            "pages of the log, each made durable by fdatasync",
            "-b8K -s -w100 -t1 -o1 -Sb --fsync-every 1 -Z20M -L -D",
        )],
        reasons: "The log is written in pages of 8 KiB through the page cache, and a commit waits until \
                  they are durable. With wal_sync_method = fdatasync, the default on Linux, that is a call \
                  of fdatasync: a commit waits for the time of its flush. With open_datasync use \
                  postgres-wal-dsync. One writer: sessions that commit at the same time share its flush.",
        sources: &[
            "wal_sync_method: https://www.postgresql.org/docs/current/runtime-config-wal.html",
            "the test that comes with PostgreSQL: https://www.postgresql.org/docs/current/pgtestfsync.html",
        ],
        thresholds: &[],
    },
    Preset {
        name: "postgres-wal-dsync",
        about: "PostgreSQL's write-ahead log with wal_sync_method = open_datasync",
        parts: &[first_step(
            "pages of the log, each durable when its write ends",
            "-b8K -s -w100 -t1 -o1 -Sw -Z20M -L -D",
        )],
        reasons: "As postgres-wal, with O_DSYNC instead of fdatasync: a write ends when its data is \
                  durable. Compare both on the device that will hold the log, and take the faster method.",
        sources: &[
            "wal_sync_method: https://www.postgresql.org/docs/current/runtime-config-wal.html",
            "the test that comes with PostgreSQL: https://www.postgresql.org/docs/current/pgtestfsync.html",
        ],
        thresholds: &[],
    },
    Preset {
        name: "postgres-oltp",
        about: "PostgreSQL's tables and indexes while clients read",
        parts: &[first_step(
            "pages that are in no cache, one at a time for each client",
            "-b8K -r -w0 -t16 -o1 -Su -L -D",
        )],
        reasons: "A page has 8 KiB. A backend reads one, waits for it and continues, so 16 clients are 16 \
                  threads with one outstanding I/O each. Only pages that neither shared_buffers nor the \
                  page cache holds reach the storage: -Su bypasses the cache. Use -t for the clients you \
                  expect.",
        sources: &[
            "the size of a page: https://www.postgresql.org/docs/current/storage-page-layout.html",
            "who caches what: https://www.postgresql.org/docs/current/runtime-config-resource.html",
        ],
        thresholds: &[],
    },
    Preset {
        name: "postgres-checkpoint",
        about: "PostgreSQL's checkpoints",
        parts: &[first_step(
            "changed pages, with write-back requested after 256 KiB",
            "-b8K -r -w100 -t1 -o1 -Sb --fsync-every 32 -Z20M -L -D",
        )],
        reasons: "A checkpoint writes changed pages through the page cache, and requests their write-back \
                  after each 256 KiB (checkpoint_flush_after). Here a flush after 32 pages stands for \
                  that: it waits, which the kernel's write-back does not, so the device is measured \
                  without the cache in between. Checkpoints are spread over time: add -g with the rate you \
                  expect.",
        sources: &["checkpoint_flush_after: \
             https://www.postgresql.org/docs/current/runtime-config-wal.html"],
        thresholds: &[],
    },
    Preset {
        name: "mysql-oltp",
        about: "MySQL's InnoDB tables under many small transactions",
        parts: &[
            first_step(
                "pages that are not in the buffer pool, one at a time for each client",
                "-b16K -r -w0 -t16 -o1 -Su -L -D",
            ),
            first_step("changed pages, written by page cleaners", "-b16K -r -w100 -t1 -o32 -Su -Z20M -L -D"),
        ],
        reasons: "A page has 16 KiB. Clients read single pages and wait for each; page cleaners write \
                  changed pages, many at a time, with native asynchronous I/O. Both bypass the page cache \
                  (innodb_flush_method = O_DIRECT). Without a rate the writes are not limited: \
                  innodb_io_capacity is 10000 in MySQL 8.4, which -g limits in bytes. Each page is written \
                  twice where the doublewrite buffer is on.",
        sources: &[
            "pages, flushing, capacity: https://dev.mysql.com/doc/refman/8.4/en/innodb-parameters.html",
            "the doublewrite buffer: \
                 https://dev.mysql.com/doc/refman/8.4/en/innodb-doublewrite-buffer.html",
        ],
        thresholds: &[],
    },
    Preset {
        name: "mysql-redo",
        about: "MySQL's InnoDB redo log under commits",
        parts: &[first_step(
            "blocks of the log, each made durable",
            "-b4K -s -w100 -t1 -o1 -Sb --fsync-every 1 -Z20M -L -D",
        )],
        reasons: "The log is written in blocks of 512 bytes through the page cache and flushed at each \
                  commit (innodb_flush_log_at_trx_commit = 1). Some transactions together write a few KiB, \
                  so 4 KiB represent them. Commits wait for the times of flushes.",
        sources: &[
            "when the log is flushed: https://dev.mysql.com/doc/refman/8.4/en/innodb-parameters.html",
            "the log: https://dev.mysql.com/doc/refman/8.4/en/innodb-redo-log.html",
        ],
        thresholds: &[],
    },
    Preset {
        name: "rocksdb",
        about: "RocksDB: lookups while a compaction runs",
        parts: &[
            first_step("lookups of blocks that are in no cache", "-b4K -r -w0 -t16 -o1 -Su -L -D"),
            first_step("a compaction reads its input", "-b2M -s -w0 -t1 -o1 -Su -L -D"),
            first_step("a compaction writes its output", "-b1M -s -w100 -t1 -o1 -Su -Z20M -L -D"),
        ],
        reasons: "A block has 4 KiB before compression, and a lookup reads one at a time. A compaction \
                  reads ahead by 2 MiB and writes by 1 MiB, as wide as the storage lets it: the figure of \
                  interest is the effect on the percentiles of lookups, so the parts run together. All \
                  bypass the page cache (use_direct_reads, use_direct_io_for_flush_and_compaction).",
        sources: &[
            "direct I/O and read-ahead: https://github.com/facebook/rocksdb/wiki/Direct-IO",
            "sizes of blocks: https://github.com/facebook/rocksdb/wiki/RocksDB-Tuning-Guide",
        ],
        thresholds: &[],
    },
    Preset {
        name: "kafka",
        about: "A Kafka broker: appended logs, and consumers that lag behind",
        parts: &[
            first_step("partitions written back", "-b512K -s -w100 -t4 -T2G -o4 -Su -Z20M -L -D"),
            first_step("consumers that read data no longer in a cache", "-b1M -s -w0 -t2 -T4G -o1 -Su -L -D"),
        ],
        reasons: "A broker appends to several partitions through the page cache, and leaves it to the \
                  kernel when that is written: the storage sees large sequential writes to several places. \
                  They bypass the cache here, because in the long run a broker takes no more than the \
                  storage does; memory only delays that. Consumers that keep up read from memory; lagging \
                  consumers fetch up to 1 MiB of a partition. The target needs 8 GiB.",
        sources: &[
            "why the kernel flushes: https://kafka.apache.org/documentation/#appvsosflush",
            "max.partition.fetch.bytes: https://kafka.apache.org/documentation/#consumerconfigs",
        ],
        thresholds: &[],
    },
    Preset {
        name: "prometheus",
        about: "Prometheus' storage of time series: log, compaction, queries",
        parts: &[
            first_step("samples are logged", "-b32K -s -w100 -t1 -o1 -g3200 -Su -Z20M -L -D"),
            first_step("a block is compacted", "-b1M -s -w50 -t1 -o1 -Su -Z20M -L -D"),
            first_step("queries touch chunks that are not in memory", "-b4K -r -w0 -t4 -o1 -Su -L -D"),
        ],
        reasons: "The log is written in pages of 32 KiB, here a hundred a second. Every two hours a block \
                  is written, and blocks are merged into larger ones: that reads and writes in large \
                  pieces. Chunks are mapped into memory, so queries of old data wait for single pages. \
                  All bypass the page cache, so that the storage is measured.",
        sources: &[
            "the log's format: https://github.com/prometheus/prometheus/blob/main/tsdb/docs/format/wal.md",
            "blocks and compaction: https://prometheus.io/docs/prometheus/latest/storage/",
        ],
        thresholds: &[],
    },
    Preset {
        name: "ceph-osd",
        about: "A device for a Ceph OSD: log, small I/O, recovery",
        parts: &[
            next_step(1, "the log, durable when a write ends", "-b4K -s -w100 -t1 -o1 -Sh -Z20M -L -D -d30"),
            next_step(2, "clients", "-b4K -r -w30 -t1 -o16 -Su -Z20M -L -D -d30"),
            next_step(3, "recovery reads objects", "-b4M -s -w0 -t1 -o2 -Su -L -D -d30"),
            next_step(4, "recovery writes objects", "-b4M -s -w100 -t1 -o2 -Su -Z20M -L -D -d30"),
        ],
        reasons: "BlueStore bypasses the page cache. A small write is durable when it is in the log of its \
                  metadata, so one write of 4 KiB at a time that must not stay in a volatile cache (-Sh) \
                  separates good drives from bad ones: it is the test that is run before a drive is \
                  bought. Space is allocated in units of 4 KiB. Objects have 4 MiB, and recovery copies \
                  them whole.",
        sources: &[
            "min_alloc_size, log, caches: \
                 https://docs.ceph.com/en/latest/rados/configuration/bluestore-config-ref/",
            "the test of a drive: https://docs.ceph.com/en/latest/start/hardware-recommendations/",
        ],
        thresholds: &[],
    },
    Preset {
        name: "container-store",
        about: "The image store of a container host: images unpacked, containers started",
        parts: &[
            next_step(
                1,
                "three layers are unpacked at a time",
                "-b32K -s -w100 -t3 -T3G -o1 -Su -Z20M -L -D -d30",
            ),
            next_step(
                2,
                "containers start: programs are read page by page",
                "-b16K -r -w0 -t8 -o1 -Su -L -D -d30",
            ),
        ],
        reasons: "An engine unpacks three layers of an image at a time, each copied through a buffer of 32 \
                  KiB. Containers that start together wait for single pages of programs, and the kernel \
                  reads some around each. Both bypass the page cache, so that the storage is measured. \
                  Creating many small files is not part of this: it is work of the file system. The target \
                  needs 9 GiB.",
        sources: &[
            "max-concurrent-downloads: https://docs.docker.com/reference/cli/dockerd/",
            "the copy's buffer: https://pkg.go.dev/io#Copy",
        ],
        thresholds: &[],
    },
    Preset {
        name: "ai-training",
        about: "Training data loaded for three models, in the shapes of MLPerf Storage",
        parts: &[
            next_step(1, "3D U-Net: whole samples of 140 MiB", "-b4M -s -w0 -t4 -T2G -o1 -Su -L -D -d30"),
            next_step(
                2,
                "ResNet-50: records of 150 KiB, read sequentially",
                "-b256K -s -w0 -t8 -T1G -o1 -Su -L -D -d30",
            ),
            next_step(
                3,
                "CosmoFlow: whole samples of about 2 MiB, anywhere",
                "-b2M -r -w0 -t4 -o1 -Su -L -D -d30",
            ),
        ],
        reasons: "Each loader thread reads a sample and waits for it. Samples of 3D U-Net are files that \
                  are read whole, samples of ResNet-50 are consecutive in large files, samples of \
                  CosmoFlow are small files in any order. MLPerf asks that accelerators are busy for 90 % \
                  of the time (CosmoFlow: 70): divide the MiB/s by the rate of one accelerator to get the \
                  number that this storage feeds. That is not a result of MLPerf, which needs its own \
                  program and rules. The target needs 8 GiB.",
        sources: &[
            "MLPerf Storage, rules: \
                 https://github.com/mlcommons/storage/blob/main/Submission_guidelines.md",
            "its workloads: https://github.com/mlcommons/storage/tree/main/storage-conf/workload",
        ],
        thresholds: &[],
    },
    Preset {
        name: "ai-checkpoint",
        about: "Checkpoints of a large model, written by eight processes and read again",
        parts: &[
            next_step(1, "each process writes its part", "-b1M -s -w100 -t8 -T1G -o4 -Sh -Z20M -L -D -d30"),
            next_step(2, "each process reads its part", "-b1M -s -w0 -t8 -T1G -o4 -Sh -L -D -d30"),
        ],
        reasons: "Training stops while a checkpoint is written, and after a failure until it is read: only \
                  throughput counts. One process for each of a host's eight accelerators writes a file. \
                  MLPerf requires fsync; here each write is durable when it ends (-Sh). A checkpoint of 8 \
                  billion parameters has 105 GB, of 70 billion 912 GB: divide by the MiB/s to get the time \
                  that training stops. The target needs 8 GiB.",
        sources: &["MLPerf Storage, rules: \
                 https://github.com/mlcommons/storage/blob/main/Submission_guidelines.md"],
        thresholds: &[],
    },
    Preset {
        name: "four-corners",
        about: "The four corners of a data sheet",
        parts: &[
            next_step(1, "random reads", "-b4K -r -w0 -t1 -o32 -Su -L -D"),
            next_step(2, "random writes", "-b4K -r -w100 -t1 -o32 -Su -Z20M -L -D"),
            next_step(3, "sequential reads", "-b128K -s -w0 -t1 -o32 -Su -L -D"),
            next_step(4, "sequential writes", "-b128K -s -w100 -t1 -o32 -Su -Z20M -L -D"),
        ],
        reasons: "Reading and writing, small and random, large and sequential: 4 KiB with 32 \
                  outstanding and 128 KiB are what makers and reviewers use. A drive that was just \
                  emptied writes faster than it will later.",
        sources: &["https://www.tomshardware.com/uk/reviews/how-we-test-storage,4058-6.html"],
        thresholds: &[],
    },
    Preset {
        name: "consumer",
        about: "The suite of desktop benchmarks: large and small, deep and alone",
        parts: &[
            next_step(1, "sequential reads, 8 outstanding", "-b1M -s -w0 -t1 -o8 -Su -L -D -d5"),
            next_step(2, "sequential reads, one at a time", "-b1M -s -w0 -t1 -o1 -Su -L -D -d5"),
            next_step(3, "random reads, 32 outstanding", "-b4K -r -w0 -t1 -o32 -Su -L -D -d5"),
            next_step(4, "random reads, one at a time", "-b4K -r -w0 -t1 -o1 -Su -L -D -d5"),
            next_step(5, "sequential writes, 8 outstanding", "-b1M -s -w100 -t1 -o8 -Su -Z20M -L -D -d5"),
            next_step(6, "sequential writes, one at a time", "-b1M -s -w100 -t1 -o1 -Su -Z20M -L -D -d5"),
            next_step(7, "random writes, 32 outstanding", "-b4K -r -w100 -t1 -o32 -Su -Z20M -L -D -d5"),
            next_step(8, "random writes, one at a time", "-b4K -r -w100 -t1 -o1 -Su -Z20M -L -D -d5"),
        ],
        reasons: "SEQ1M Q8T1, SEQ1M Q1T1, RND4K Q32T1 and RND4K Q1T1, read and written, five seconds each: \
                  the figures on the box; a desktop feels the last one.",
        sources: &["the names and their meaning: \
             https://www.digitalcitizen.life/crystaldiskmark-metrics-meaning/"],
        thresholds: &[],
    },
];
