//! The table of presets.

use super::{Grade, GradedLoad, JudgedLatency, Preset, Step, Threshold};

const fn part(about: &'static str, options: &'static str) -> Step {
    Step { time_span: 1, about, options }
}

const fn then(time_span: u32, about: &'static str, options: &'static str) -> Step {
    Step { time_span, about, options }
}

const fn grade(up_to_ms: f64, word: &'static str) -> Grade {
    Grade { up_to_ms, word }
}

/// Sizes and patterns of SQL Server's storage engine.
const SQL_SIZES: &str = "SQL Server's I/O sizes, as shown at TechEd 2006: \
     https://prodata.ie/2010/08/08/sql-io-characteristics/";
/// Command lines by kind of file.
const SQL_LINES: &str = "a list of DiskSpd command lines for SQL Server: \
     https://fiftynine.io/sql/io-and-diskspd-reference-list/";
/// VM Fleet's profiles.
const FLEET: &str =
    "VM Fleet's profiles: https://github.com/microsoft/diskspd, Frameworks/VMFleet/Profile.psm1";

/// Paul Randal's scale for data files.
const DATA_FILES: Threshold = Threshold {
    of: JudgedLatency::MeanRead,
    under: GradedLoad::Rate,
    grades: &[grade(1.0, "excellent"), grade(5.0, "very good"), grade(10.0, "good"), grade(20.0, "poor")],
    beyond: "bad",
    source: "Paul Randal, \
             https://www.sqlskills.com/blogs/paul/are-io-latencies-killing-your-performance/",
};

/// Writes of a transaction log: the same scale, with what is asked of logs.
const LOG: Threshold = Threshold {
    of: JudgedLatency::MeanWrite,
    under: GradedLoad::OneAtATime,
    grades: &[grade(1.0, "excellent"), grade(5.0, "good"), grade(10.0, "fair")],
    beyond: "poor",
    source: "1 to 5 ms are wanted of a log: https://sql-sasquatch.blogspot.com/2015/02/; 10 ms as \
             Paul Randal has it",
};

/// All presets, by what they are for.
pub const PRESETS: &[Preset] = &[
    Preset {
        name: "sql-oltp",
        about: "SQL Server's data files under many small transactions",
        parts: &[part(
            "pages read by index and written by checkpoints",
            "-b8K -r -w30 -t4 -o8 -Sh -Z20M -L -D",
        )],
        reasons: "A page has 8 KiB, and index lookups read single ones at random. 30 % writes are \
                  those of VM Fleet's SQL profile. The database has a cache of its own and bypasses \
                  the system's; its writes go through (-Sh). Content that repeats could be compressed \
                  away, so it comes from 20 MiB of random bytes.",
        sources: &[SQL_SIZES, FLEET],
        thresholds: &[DATA_FILES],
    },
    Preset {
        name: "sql-log",
        about: "SQL Server's transaction log",
        parts: &[part("log buffers written one after the other", "-b60K -s -w100 -t1 -o1 -Sh -Z20M -L -D")],
        reasons: "The log is written sequentially, up to 60 KiB at a time, and a commit waits until \
                  its record is on the disk: one outstanding write shows the time that a commit \
                  takes.",
        sources: &[SQL_SIZES, SQL_LINES],
        thresholds: &[LOG],
    },
    Preset {
        name: "sql-scan",
        about: "SQL Server reading ahead for large scans",
        parts: &[part("extents read ahead", "-b512K -s -w0 -t1 -o16 -Su -L -D")],
        reasons: "Read-ahead reads multiples of a page in one I/O, up to 256 KiB, in the Enterprise \
                  edition up to 1 MiB; 512 KiB with 16 outstanding is the usual stand-in for table \
                  scans. Throughput counts, not latency.",
        sources: &[SQL_SIZES, SQL_LINES],
        thresholds: &[],
    },
    Preset {
        name: "sql-backup",
        about: "SQL Server reading a database for a backup",
        parts: &[part("large sequential reads", "-b1M -s -w0 -t1 -o32 -Su -L -D")],
        reasons: "A backup reads the files from begin to end, in I/Os of 1 MiB, with many \
                  outstanding. What it writes goes elsewhere.",
        sources: &[SQL_LINES],
        thresholds: &[],
    },
    Preset {
        name: "tempdb",
        about: "SQL Server's tempdb: sorting, hashing, version store",
        parts: &[part("pages written and read back", "-b8K -r -w50 -t8 -o4 -Sh -Z20M -L -D")],
        reasons: "What is spilled is written and read about once each, in pages, by many sessions at \
                  a time: eight files are usual, so eight threads.",
        sources: &[SQL_LINES],
        thresholds: &[DATA_FILES],
    },
    Preset {
        name: "fleet-general",
        about: "VM Fleet's general workload of a virtual machine",
        parts: &[part("hot and cold data", "-t1 -b4K -o32 -w0 -r -rdpct95/5:4/10 -Suw -D -L -Z10M")],
        reasons: "As published: 95 % of the I/Os go to 5 % of the data, 4 % to the next 10 %, so that \
                  caches and tiers work as they do for machines in use. VM Fleet asks for the share \
                  of writes: give it with -w (0, 10, 30).",
        sources: &[FLEET],
        thresholds: &[],
    },
    Preset {
        name: "fleet-peak",
        about: "VM Fleet's search for the most I/Os",
        parts: &[part("small reads everywhere", "-t1 -b4K -o32 -w0 -r -Suw -D -L -Z10M")],
        reasons: "As published: the general workload without its distribution. The highest number a \
                  system can show, and no more.",
        sources: &[FLEET],
        thresholds: &[],
    },
    Preset {
        name: "fleet-vdi",
        about: "VM Fleet's virtual desktop",
        parts: &[
            part("writes of 32 KiB", "-t1 -o8 -b32K -w100 -g6i -rs20 -rdpct95/5:4/10 -Z10M -f10G -Suw -D -L"),
            part("reads of 8 KiB", "-t1 -o8 -b8K -w0 -g6i -rs80 -rdpct95/5:4/10 -f8G -Suw -D -L"),
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
            part("data", "-t4 -o32 -r -b8K -g1500i -w30 -rdpct95/5:4/10 -B5G -Z10M -Suw -D -L"),
            part("log", "-t1 -o1 -s -b32K -g300i -w100 -f5G -Z10M -Suw -D -L"),
        ],
        reasons: "As published: four threads on the data behind the first 5 GiB, 1500 I/Os per second \
                  each, and a log of 300 writes per second in front of it. The target needs more than \
                  5 GiB.",
        sources: &[FLEET],
        thresholds: &[],
    },
    Preset {
        name: "file-server",
        about: "A file server, after Intel's pattern for Iometer",
        parts: &[
            part("small requests", "-b4K -r -w20 -t1 -o6 -Su -Z20M -L -D"),
            part("large requests", "-b64K -r -w20 -t1 -o1 -Su -Z20M -L -D"),
        ],
        reasons: "The pattern is random, four reads for each write, 60 % of the requests 4 KiB and 10 \
                  % 64 KiB. The other sizes (512 bytes to 32 KiB) are left out. Six to one \
                  outstanding keeps that proportion where both take equally long.",
        sources: &["the pattern: \
             https://tweakers.net/reviews/557/20/"],
        thresholds: &[],
    },
    Preset {
        name: "etcd-log",
        about: "etcd's write-ahead log",
        parts: &[part("records, each flushed", "-b2300 -s -w100 -t1 -o1 -Sb --fsync-every 1 -Z20M -L -D")],
        reasons: "etcd appends small records (2300 bytes on average where it was measured) through \
                  the page cache and calls fdatasync after each: the flush is what everybody waits \
                  for.",
        sources: &["\
             https://www.ibm.com/cloud/blog/using-fio-to-tell-whether-your-storage-is-fast-enough-for-etcd"],
        thresholds: &[Threshold {
            of: JudgedLatency::FlushP99,
            under: GradedLoad::OneAtATime,
            grades: &[grade(10.0, "fast enough")],
            beyond: "too slow",
            source: "etcd's documentation wants the 99th percentile below 10 ms",
        }],
    },
    Preset {
        name: "four-corners",
        about: "The four corners of a data sheet",
        parts: &[
            then(1, "random reads", "-b4K -r -w0 -t1 -o32 -Su -L -D"),
            then(2, "random writes", "-b4K -r -w100 -t1 -o32 -Su -Z20M -L -D"),
            then(3, "sequential reads", "-b128K -s -w0 -t1 -o32 -Su -L -D"),
            then(4, "sequential writes", "-b128K -s -w100 -t1 -o32 -Su -Z20M -L -D"),
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
            then(1, "sequential reads, 8 outstanding", "-b1M -s -w0 -t1 -o8 -Su -L -D -d5"),
            then(2, "sequential reads, one at a time", "-b1M -s -w0 -t1 -o1 -Su -L -D -d5"),
            then(3, "random reads, 32 outstanding", "-b4K -r -w0 -t1 -o32 -Su -L -D -d5"),
            then(4, "random reads, one at a time", "-b4K -r -w0 -t1 -o1 -Su -L -D -d5"),
            then(5, "sequential writes, 8 outstanding", "-b1M -s -w100 -t1 -o8 -Su -Z20M -L -D -d5"),
            then(6, "sequential writes, one at a time", "-b1M -s -w100 -t1 -o1 -Su -Z20M -L -D -d5"),
            then(7, "random writes, 32 outstanding", "-b4K -r -w100 -t1 -o32 -Su -Z20M -L -D -d5"),
            then(8, "random writes, one at a time", "-b4K -r -w100 -t1 -o1 -Su -Z20M -L -D -d5"),
        ],
        reasons: "SEQ1M Q8T1, SEQ1M Q1T1, RND4K Q32T1 and RND4K Q1T1, read and written, five seconds \
                  each: the figures on the box, and last the one that a desktop feels.",
        sources: &["the names and what they mean: \
             https://www.digitalcitizen.life/crystaldiskmark-metrics-meaning/"],
        thresholds: &[],
    },
];
