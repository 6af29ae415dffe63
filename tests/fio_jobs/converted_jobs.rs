//! Tests of fio's job files: their conversions, and the texts of rejections.

#![allow(clippy::unwrap_used, clippy::panic)]

use crate::common::kept::is_kept_between;
use diskspd::cli::print_options;
use diskspd::finding::Severity;
use diskspd::fio_jobs::{self, ConvertedJob, Existing, HostContext, Keyword};
use diskspd::profile::validate::{self, validate};
use diskspd::profile::{Volume, xml};
use diskspd::report::profile_xml;
use std::io;

/// Machine for the table below.
struct Staged;

impl HostContext for Staged {
    fn variable(&self, name: &str) -> Option<String> {
        (name == "DEPTH").then(|| "32".to_owned())
    }

    fn included(&self, name: &str) -> io::Result<Vec<u8>> {
        match name {
            "common.inc" => Ok(b"bs=8k\niodepth=4\n".to_vec()),
            "circle.inc" => Ok(b"include circle.inc\n".to_vec()),
            "job.fio" => {
                Ok(b"[x]\nrw=randread\nbs=8k\niodepth=4\nruntime=2\ntime_based\nnorandommap\n".to_vec())
            }
            "first.fio" => Ok(b"[one]\nfilename=a.dat\nsize=1m\nruntime=1\n".to_vec()),
            "second.fio" => Ok(b"[two]\nfilename=b.dat\nsize=1m\nruntime=1\n".to_vec()),
            "section.inc" => Ok(b"[job]\n".to_vec()),
            _ => Err(io::ErrorKind::NotFound.into()),
        }
    }

    fn existing(&self, path: &str) -> Existing {
        match path {
            "/dev/nvme0n1" => Existing::Device(1 << 30),
            "old.dat" => Existing::File(1 << 20),
            "folder" => Existing::Other,
            _ => Existing::Nothing,
        }
    }

    fn cpus_of_node(&self, node: u32) -> Vec<u32> {
        match node {
            0 => vec![0, 1],
            1 => vec![2, 3],
            2 => vec![64],
            _ => Vec::new(),
        }
    }

    fn keyword(&self, keyword: Keyword) -> Option<u64> {
        match keyword {
            Keyword::PageSize => Some(4096),
            Keyword::Memory => Some(1024),
            Keyword::Cpus => None,
        }
    }
}

fn convert(text: &str) -> Result<ConvertedJob, Vec<String>> {
    let converted = fio_jobs::convert(text.as_bytes(), "j.fio", &Staged);
    converted.map_err(|faults| faults.iter().map(ToString::to_string).collect())
}

/// Converts a fio command line, or returns its errors.
fn command_line(words: &str) -> Result<String, Vec<String>> {
    let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
    let converted = fio_jobs::convert_command_line(&words, &Staged);
    let converted = converted.map_err(|faults| faults.iter().map(ToString::to_string).collect::<Vec<_>>())?;
    let words = print_options::command_line(&converted.profile, &converted.run_options).unwrap();
    Ok(words.into_iter().map(|word| word.into_string().unwrap()).collect::<Vec<_>>().join(" "))
}

/// Returns the targets of each time span of a command line.
fn targets_of_line(words: &str) -> Vec<Vec<(String, u32)>> {
    let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
    let converted = fio_jobs::convert_command_line(&words, &Staged);
    let converted = converted.unwrap_or_else(|faults| panic!("{words:?} {faults:?}"));
    let target = |target: &diskspd::profile::Target| (target.path.to_string(), target.block_size);
    let spans = converted.profile.time_spans.iter();
    spans.map(|span| span.targets.iter().map(target).collect()).collect()
}

#[test]
fn command_line_equals_its_job_file() {
    let job =
        "[x]\nfilename=/dev/nvme0n1\nrw=randread\nbs=8k\niodepth=4\nruntime=2\ntime_based\nnorandommap\n";
    for words in [
        "--name=x --filename=/dev/nvme0n1 --rw=randread --bs=8k --iodepth=4 --runtime=2 --time_based --norandommap",
        "-name=x -filename=/dev/nvme0n1 -rw=randread -bs=8k -iodepth=4 -runtime=2 -time_based -norandommap",
        "--filename /dev/nvme0n1 --rw randread --bs 8k --iodepth 4 --runtime 2 --time_based 1 --norandommap --name x",
        "--bs=64k --name=x --bs=8k --filename=/dev/nvme0n1 --rw=randread --iodepth=4 --runtime=2 --time_based \
         --norandommap",
        "--name=y --rw=trim --section=x --name=x --filename=/dev/nvme0n1 --rw=randread --bs=8k --iodepth=4 \
         --runtime=2 --time_based --norandommap --readonly",
        "--filename=/dev/nvme0n1 job.fio",
    ] {
        assert_eq!(command_line(words).as_ref(), Ok(&line(job)), "{words}");
    }
}

#[test]
fn options_before_first_name_are_global() {
    let found = targets_of_line(
        "--runtime=1 --time_based --bs=8k --name=a --size=1m --name=b --size=1m --bs=16k --name=global --bs=32k \
         --name=c --size=1m",
    );
    let expected = [("a.0.0", 8192), ("b.0.0", 16384), ("c.0.0", 32768)];
    assert_eq!(found, [expected.map(|(path, size)| (path.to_owned(), size)).to_vec()]);
}

/// fio discards global options between files, so they apply only to the first file. The second file waits for
/// the first.
#[test]
fn several_job_files_run_after_each_other() {
    let found = targets_of_line("--bs=8k first.fio second.fio");
    assert_eq!(found, [vec![("a.dat".to_owned(), 8192)], vec![("b.dat".to_owned(), 4096)]]);
    let found = targets_of_line("first.fio --section=two second.fio");
    assert_eq!(found, [vec![("b.dat".to_owned(), 4096)]]);
}

#[test]
fn wrong_command_lines_are_refused() {
    for (words, told) in [
        ("--rw=read", "fio's command line: there is no job; a job begins with --name=NAME"),
        (
            "--name=x --iodept=3 --size=1m",
            "[x]: iodept=3: fio's option is unknown here; did you mean iodepth?",
        ),
        ("--iodept=3 --name=x --size=1m", "did you mean iodepth?"),
        ("--name= --size=1m", "--name: a job's name has 1 to 255 bytes"),
        ("--name", "--name: a job's name has 1 to 255 bytes"),
        ("--name=x --bs=4q --size=1m", "[x]: bs=4q"),
        ("--name=x --size=1m --output=r.json", "use --out FILE.json"),
        ("--name=x --size=1m --parse-only", "use --dry-run"),
        ("--name=x --size=1m --client=h", "client and server"),
        ("--name=x --size=1m --section", "--section: the value is missing"),
        ("--name=x --size=1m --rw=write --readonly", "--readonly permits no writes"),
        ("none.fio", "cannot read the job file none.fio"),
        ("", "cannot read the job file"),
    ] {
        let faults = command_line(words).unwrap_err();
        assert!(faults.iter().any(|fault| fault.contains(told)), "{words}: {faults:?}");
    }
    let jobs = vec!["--name=a".to_owned(); 4097];
    let faults = fio_jobs::convert_command_line(&jobs, &Staged).unwrap_err();
    assert!(faults[0].to_string().contains("more than 4,096 jobs"), "{:?}", faults[0]);
}

#[test]
fn options_about_fio_reports_are_notes() {
    let words = "--name=x --size=1m --eta=never --minimal --output-format json+ --section=x";
    let words: Vec<String> = words.split(' ').map(str::to_owned).collect();
    let converted = fio_jobs::convert_command_line(&words, &Staged).unwrap();
    let noted: Vec<&str> = converted.notes.iter().map(|note| note.option.as_str()).collect();
    for option in ["eta", "minimal", "output-format"] {
        assert!(noted.contains(&option), "{noted:?}");
    }
}

/// Returns the settings of a job on an existing device for two seconds.
fn timed(settings: &str) -> String {
    format!("[j]\nfilename=/dev/nvme0n1\nruntime=2\ntime_based\n{}\n", settings.replace("; ", "\n"))
}

fn line(text: &str) -> String {
    let converted = convert(text).unwrap_or_else(|faults| panic!("{text}\n{}", faults.join("\n")));
    let ConvertedJob { profile, run_options, .. } = &converted;
    let findings = validate(profile, false).into_iter().chain(validate::run_options(run_options, profile));
    let errors: Vec<String> =
        findings.filter(|found| found.severity == Severity::Error).map(|found| found.message).collect();
    assert!(errors.is_empty(), "{text}\n{errors:?}");
    let words =
        print_options::command_line(profile, run_options).unwrap_or_else(|| panic!("no line says {text}"));
    let words: Vec<String> = words.into_iter().map(|word| word.into_string().unwrap()).collect();
    words.join(" ")
}

const REST: &str = "-d2 -W0 -L";

#[test]
fn jobs_become_command_lines() {
    for (settings, options) in [
        ("", "-b4K -f1G -fs -s -w0 -t1 -o1 -n -Sb"),
        ("direct=1", "-b4K -f1G -s -w0 -t1 -o1 -n -Su"),
        ("buffered=0", "-b4K -f1G -s -w0 -t1 -o1 -n -Su"),
        ("direct=1; buffered=1", "-b4K -f1G -fs -s -w0 -t1 -o1 -n -Sb"),
        ("direct; numjobs=4; bs=32k", "-b32K -f1G -s -w0 -t4 -o1 -n -Su"),
        ("direct; rw=randread; bs=8k", "-b8K -f1G -r -w0 --each-once -t1 -o1 -n -Su"),
        ("direct; rw=randread; bs=8k; norandommap", "-b8K -f1G -r -w0 -t1 -o1 -n -Su"),
        (
            "direct; rw=randread; norandommap; random_generator=lfsr",
            "-b4K -f1G -r -w0 --each-once -t1 -o1 -n -Su",
        ),
        (
            "direct; rw=randrw; bssplit=4k/60:16k/40; zero_buffers",
            "-f1G -r4K -w50 -Z --bs-split=4096/60:16384/40 --each-once -t1 -o1 -n -Su",
        ),
        // A register shortens nothing.
        (
            "direct; rw=randread; bssplit=4k/60:16k/40; random_generator=lfsr",
            "-f1G -r4K -w0 --bs-split=4096/60:16384/40 -t1 -o1 -n -Su",
        ),
        ("direct; rw=randread; ba=16k", "-b4K -f1G -r16K -w0 -t1 -o1 -n -Su"),
        ("direct; rw=randwrite; zero_buffers", "-b4K -f1G -r -w100 -Z --each-once -t1 -o1 -n -Su"),
        ("direct; rw=randwrite", "-b4K -f1G -r -w100 -Z4M --each-once -t1 -o1 -n -Su"),
        ("direct; rw=write; scramble_buffers=0", "-b4K -f1G -s -w100 -Z8K -t1 -o1 -n -Su"),
        (
            "direct; rw=randrw; rwmixwrite=30; buffer_compress_percentage=50",
            "-b4K -f1G -r -w30 --each-once --compress=50 -t1 -o1 -n -Su",
        ),
        ("direct; rw=randrw; rwmixread=100", "-b4K -f1G -r -w0 --each-once -t1 -o1 -n -Su"),
        (
            "direct; rw=rw; rwmixread=60; refill_buffers",
            "-f1G --mix=60: -b4096 -s -w0; 40: -b4096 -s -w100 --compress=0 -t1 -o1 -n -Su",
        ),
        ("direct; rw=read:12k", "-b4K -f1G -s16K -w0 -t1 -o1 -n -Su"),
        (
            "direct; rw=randread; norandommap; bssplit=4k/60:8k/40",
            "-f1G -r4K -w0 --bs-split=4096/60:8192/40 -t1 -o1 -n -Su",
        ),
        (
            "direct; rw=randread; norandommap; bsrange=4k:12k",
            "-f1G -r4K -w0 --bs-split=4096/1:8192/1:12288/1 -t1 -o1 -n -Su",
        ),
        (
            "direct; rw=randread; random_distribution=zipf:1.2",
            "-b4K -f1G -r -w0 --distribution=zipf:1.2 -t1 -o1 -n -Su",
        ),
        (
            "direct; rw=randread; random_distribution=zoned:50/5:30/15:20/",
            "-b4K -f1G -r -rdpct50/5:30/15:20/80 -w0 -t1 -o1 -n -Su",
        ),
        // fio has no map of the blocks that were done beside a distribution, or an alignment of another size.
        (
            "direct; rw=randread; bssplit=4k/60:8k/40; random_distribution=zoned:50/5:50/95",
            "-f1G -r4K -rdpct50/5:50/95 -w0 --bs-split=4096/60:8192/40 -t1 -o1 -n -Su",
        ),
        (
            "direct; rw=randread; bssplit=4k/60:16k/40; ba=8k",
            "-f1G -r8K -w0 --bs-split=4096/60:16384/40 -t1 -o1 -n -Su",
        ),
        (
            "direct; rw=randread; random_distribution=zipf",
            "-b4K -f1G -r -w0 --distribution=zipf:1.1 -t1 -o1 -n -Su",
        ),
        (
            "direct; kb_base=1000; bs=4096; rw=randread; random_distribution=zoned_abs:60/1024k:40/10240k",
            "-b4K -f1G -r -rdabs60/1024000:40/10240000 -w0 -t1 -o1 -n -Su",
        ),
        // bssplit comes before bsrange, and both before bs, whichever is last; a size is cut to a multiple of
        // the smallest one, and the largest share has what percentages leave over.
        (
            "direct; bssplit=4k/50:16k/50; rw=randread; norandommap; bs=8k",
            "-f1G -r4K -w0 --bs-split=4096/50:16384/50 -t1 -o1 -n -Su",
        ),
        (
            "direct; bsrange=4k-8k; rw=randread; norandommap; bssplit=4k/60:16k/40",
            "-f1G -r4K -w0 --bs-split=4096/60:16384/40 -t1 -o1 -n -Su",
        ),
        ("direct; rw=randread; norandommap; bs=8k; bssplit=,4k/50:16k/50", "-b8K -f1G -r -w0 -t1 -o1 -n -Su"),
        ("direct; rw=randread; norandommap; bssplit=4k/50:6k/50", "-b4K -f1G -r -w0 -t1 -o1 -n -Su"),
        (
            "direct; rw=randread; norandommap; bssplit=4k/50:6k/20:8k/30",
            "-f1G -r4K -w0 --bs-split=4096/70:8192/30 -t1 -o1 -n -Su",
        ),
        (
            "direct; rw=randread; norandommap; bssplit=4k:8k:12k",
            "-f1G -r4K -w0 --bs-split=4096/33:8192/33:12288/34 -t1 -o1 -n -Su",
        ),
        (
            "direct; zonemode=zbd; zonesize=256m; offset=1z; size=2z",
            "-b4K -B256M -f768M -s -w0 -t1 -o1 -n -Su --zoned",
        ),
        ("direct; offset=1m; size=2m", "-b4K -B1M -f3M -s -w0 -t1 -o1 -n -Su"),
        ("direct; offset=25%; size=50%", "-b4K -B256M -f768M -s -w0 -t1 -o1 -n -Su"),
        ("direct; rate=1m", "-b4K -f1G -s -w0 -t1 -o1 -n -g256i -Su"),
        ("direct; rate=4k", "-b4K -f1G -s -w0 -t1 -o1 -n -g1i -Su"),
        ("direct; rate=1000000", "-b4K -f1G -s -w0 -t1 -o1 -n -g1000 -Su"),
        ("direct; bs=512; rate=102500", "-b512 -f1G -s -w0 -t1 -o1 -n -g200i -Su"),
        (
            "direct; rw=randread; norandommap; bssplit=4k/50:12k/50; rate=800k",
            "-f1G -r4K -w0 --bs-split=4096/50:12288/50 -t1 -o1 -n -g100i -Su",
        ),
        // The rates of both directions decide the shares.
        (
            "direct; rw=randrw; norandommap; zero_buffers; rate_iops=300,100",
            "-b4K -f1G -r -w25 -Z -t1 -o1 -n -g400i -Su",
        ),
        (
            "direct; rw=randrw; rwmixread=90; norandommap; zero_buffers; rate=400k",
            "-b4K -f1G -r -w50 -Z -t1 -o1 -n -g200i -Su",
        ),
        // fio keeps I/Os per second with bssplit; with bsrange the bytes that they would be of the smallest.
        (
            "direct; rw=randread; norandommap; bssplit=4k/50:12k/50; rate_iops=100",
            "-f1G -r4K -w0 --bs-split=4096/50:12288/50 -t1 -o1 -n -g100i -Su",
        ),
        (
            "direct; rw=randread; norandommap; bsrange=4k-12k; rate_iops=100",
            "-f1G -r4K -w0 --bs-split=4096/1:8192/1:12288/1 -t1 -o1 -n -g50i -Su",
        ),
        (
            "direct; rw=randwrite; norandommap; write_hint=short",
            "-b4K -f1G -r -w100 -Z4M -t1 -o1 -n -Su --write-hint=short",
        ),
        ("direct; zonemode=zbd; zonesize=256m", "-b4K -f1G -s -w0 -t1 -o1 -n -Su --zoned"),
        (
            "direct; zonemode=zbd; rw=randwrite; max_open_zones=2; numjobs=2",
            "-b4K -f1G -r -w100 -Z4M -t2 -o1 -n -Su --zoned",
        ),
        ("direct; rate_iops=500; numjobs=2", "-b4K -f1G -s -w0 -t2 -o1 -n -g500i -Su"),
        ("direct; thinktime=2ms; thinktime_blocks=8", "-b4K -f1G -s -w0 -t1 -o1 -n -i8 -j2 -Su"),
        ("direct; prioclass=3", "-b4K -f1G -s -w0 -t1 -o1 -n -I1 -Su"),
        ("direct; sync=dsync; rw=write", "-b4K -f1G -s -w100 -Z4M -t1 -o1 -n -Sh"),
        (
            "direct; rw=randwrite; atomic; ioengine=pvsync2",
            "-b4K -f1G -r -w100 -Z4M --each-once -t1 -o1 -n -Su --atomic",
        ),
        // Of reads alone fio takes no notice of it.
        ("direct; rw=randread; atomic=1", "-b4K -f1G -r -w0 --each-once -t1 -o1 -n -Su"),
        (
            "uncached=1; rw=randread; fadvise_hint=0",
            "-b4K -f1G -r -w0 --each-once -t1 -o1 -n -Sb --dontcache",
        ),
        // fio asks for it where I/O goes through the cache, too.
        ("direct; uncached=1", "-b4K -f1G -s -w0 -t1 -o1 -n -Su"),
        ("direct; exitall; ss=iops:10%; ss_dur=30s", "-b4K -f1G -s -w0 -t1 -o1 -n -Su"),
        ("direct; rw=randtrim", "-b4K -f1G -r -w0 --each-once --trim=100 -t1 -o1 -n -Su"),
        ("direct; rw=randread; percentage_random=40", "-b4K -f1G -r -rs40 -w0 -t1 -o1 -n -Su"),
    ] {
        let expected = format!("{options} {REST} --engine=sync /dev/nvme0n1");
        assert_eq!(line(&timed(settings)), expected, "{settings}");
    }
}

#[test]
fn job_settings_for_the_run_become_options() {
    for (settings, expected) in [
        ("ioengine=libaio; iodepth=${DEPTH}", "-t1 -o32 -n -Sb -d2 -W0 -L --engine=aio"),
        ("ioengine=io_uring; direct; hipri; iodepth=8", "-t1 -o8 -n -Su -d2 -W0 -L --engine=uring --poll"),
        ("ioengine=psync; iodepth=8", "-t1 -o1 -n -Sb -d2 -W0 -L --engine=sync"),
        ("ioengine=mmap", "-t1 -o1 -n -Sm -d2 -W0 -L"),
        ("kb_base=1000; bs=512; ioengine=libaio; iodepth=1k; direct", "-t1 -o1000 -n -Su"),
        // fio asks for no huge pages, which this program does from 64 KiB on.
        ("ioengine=libaio; direct; iodepth=16", "-Su -d2 -W0 -L --engine=aio --no-huge-pages"),
        (
            "ioengine=libaio; direct; rw=write; iodepth=8; scramble_buffers=0",
            "-w100 -Z32K -t1 -o8 -n -Su -d2 -W0 -L --engine=aio",
        ),
        ("rw=write; bs=1m; ioengine=libaio; iodepth=32; scramble_buffers=0", "-w100 -Z4M -t1 -o32 -n -Sb"),
        ("direct; bs=1m", "-Su -d2 -W0 -L --engine=sync --no-huge-pages"),
        ("direct; bs=1m; iomem=mmaphuge", "-Su -l -d2 -W0 -L --engine=sync"),
        ("ramp_time=3; randseed=7", "-t1 -o1 -n -Sb -d2 -W3 -z7 -L --engine=sync"),
        ("numjobs=3; cpus_allowed=0-1", "-t3 -o1 -a0,1,0 -Sb -d2 -W0 -L --engine=sync"),
        // fio makes a mask of them.
        ("numjobs=2; cpus_allowed=3,1,3", "-t2 -o1 -a1,3 -Sb -d2 -W0 -L --engine=sync"),
        ("numa_cpu_nodes=1; numa_mem_policy=bind:1; numjobs=3", "-t3 -o1 -a2,3,2 -Sb"),
        ("numa_cpu_nodes=0-1; numjobs=4", "-t4 -o1 -a0,1,2,3 -Sb"),
        ("ioengine=io_uring_cmd; iodepth=8; cmd_type=nvme", "-t1 -o8 -n -Su -d2 -W0 -L --engine=nvme"),
        (
            "ioengine=io_uring_cmd; rw=write; writefua=1; zero_buffers",
            "-t1 -o1 -n -Sh -d2 -W0 -L --engine=nvme",
        ),
        ("rate=400k; rate_process=poisson", "--rate-total=100,poisson"),
        ("rw=randrw; rate_iops=30,90; rate_process=poisson", "--rate-total=120,poisson"),
        (
            "rate_iops=100; rate_process=poisson; numjobs=2",
            "-t2 -o1 -n -Sb -d2 -W0 -L --engine=sync --rate-total=200,poisson",
        ),
    ] {
        let line = line(&timed(settings));
        assert!(line.contains(expected), "{settings}\n{line}\n{expected}");
    }
    let writes = line(&timed("rw=write; fdatasync=16; end_fsync=1"));
    assert!(writes.contains("--fsync-every=16 --flush-after"), "{writes}");
}

#[test]
fn job_without_runtime_ends_by_volume() {
    for (settings, expected) in [
        ("rw=read\nsize=64m\nfilename=new.dat", (Some(Volume::Bytes(64 << 20)), None)),
        ("rw=write\nsize=64m\nnumjobs=4\nloops=2\nfilename=new.dat", (None, Some(Volume::Bytes(512 << 20)))),
        ("rw=read\nfilename=/dev/nvme0n1", (Some(Volume::Bytes(1 << 30)), None)),
        ("rw=read\nfilename=/dev/nvme0n1\nio_size=4g", (Some(Volume::Bytes(4 << 30)), None)),
        ("rw=read\nfilename=/dev/nvme0n1\nnumber_ios=1000", (Some(Volume::Bytes(4_096_000)), None)),
        (
            "rw=read\nfilename=/dev/nvme0n1\nnumber_ios=0\nio_size=0\nloops=0",
            (Some(Volume::Bytes(1 << 30)), None),
        ),
        // Of each loop.
        ("rw=read\nfilename=/dev/nvme0n1\nnumber_ios=100\nloops=3", (Some(Volume::Bytes(1_228_800)), None)),
        // With filesize, size is what is done, or a share of the file.
        ("rw=read\nfilename=new.dat\nfilesize=64m\nsize=4m\nloops=2", (Some(Volume::Bytes(8 << 20)), None)),
        ("rw=read\nfilename=new.dat\nfilesize=4m\nsize=64m", (Some(Volume::Bytes(4 << 20)), None)),
        ("rw=read\nfilename=new.dat\nfilesize=64m\nsize=50%", (Some(Volume::Bytes(32 << 20)), None)),
        // A share has whole blocks.
        ("rw=read\nfilename=/dev/nvme0n1\nsize=33%", (Some(Volume::Bytes(354_332_672)), None)),
        ("rw=read\nfilename=/dev/unknown\nnumjobs=2", (Some(Volume::Times(2)), None)),
        ("rw=randrw\nrwmixread=75\nsize=64m\nfilename=new.dat", (Some(Volume::Bytes(48 << 20)), None)),
        (
            "rw=randrw\nrwmixread=25\nbs=4k,12k\nsize=40m\nfilename=new.dat",
            (None, Some(Volume::Bytes(37_748_736))),
        ),
    ] {
        let converted = convert(&format!("[j]\n{settings}\n")).unwrap();
        let span = &converted.profile.time_spans[0];
        assert_eq!((span.until_read, span.until_written), expected, "{settings}");
        assert!(
            print_options::command_line(&converted.profile, &converted.run_options).is_some(),
            "{settings}"
        );
    }
}

fn targets(text: &str) -> Vec<Vec<(String, u32, u64)>> {
    let converted = convert(text).unwrap_or_else(|faults| panic!("{text}\n{}", faults.join("\n")));
    let mut xml = Vec::new();
    profile_xml::write_whole_profile(&mut xml, &converted.profile);
    let read = xml::read(&xml).unwrap();
    let spans = converted.profile.time_spans.iter().zip(&read.time_spans);
    spans
        .map(|(span, read)| {
            assert_eq!((span.until_read, span.until_written), (read.until_read, read.until_written));
            let target = |target: &diskspd::profile::Target| {
                (target.path.to_string(), target.threads_per_file, target.base_file_offset)
            };
            let targets: Vec<_> = span.targets.iter().map(target).collect();
            assert_eq!(targets, read.targets.iter().map(target).collect::<Vec<_>>());
            let cached = |target: &diskspd::profile::Target| target.uncached_devices;
            assert!(!read.targets.iter().any(cached));
            targets
        })
        .collect()
}

#[test]
fn parallel_jobs_share_a_time_span_until_stonewall() {
    let own = |name: &str, threads, base| (name.to_owned(), threads, base);
    let head = "[global]\nsize=1m\nruntime=1\ntime_based\n";
    for (text, expected) in [
        ("[a]\n[b]\n", vec![vec![own("a.0.0", 1, 0), own("b.0.0", 1, 0)]]),
        ("[a]\n[b]\nstonewall\n", vec![vec![own("a.0.0", 1, 0)], vec![own("b.0.0", 1, 0)]]),
        ("[a]\n[b]\nwait_for=a\n", vec![vec![own("a.0.0", 1, 0)], vec![own("b.0.0", 1, 0)]]),
        ("[a]\nnumjobs=2\n", vec![vec![own("a.0.0", 1, 0), own("a.1.0", 1, 0)]]),
        ("[a]\nnumjobs=2\nfilename=x\ndirectory=/d/\n", vec![vec![own("/d/x", 2, 0)]]),
        (
            "[a]\nnumjobs=2\nfilename=x\noffset=1m\noffset_increment=4m\n",
            vec![vec![own("x", 1, 1 << 20), own("x", 1, 5 << 20)]],
        ),
        ("[a]\nfilename=x:y\\:z\n", vec![vec![own("x", 1, 0), own("./y:z", 1, 0)]]),
        // Only a colon loses its backslash. What means something else as a target gets its folder.
        ("[a]\nfilename=x\\y\n", vec![vec![own("./x\\y", 1, 0)]]),
        ("[*a]\n", vec![vec![own("./*a.0.0", 1, 0)]]),
        // A job that is named as a device works on it.
        ("[/dev/nvme0n1]\n", vec![vec![own("/dev/nvme0n1", 1, 0)]]),
        ("[/dev/nvme0n1]\nfilename=x\n", vec![vec![own("x", 1, 0)]]),
        (
            "[a]\nnrfiles=2\nfilename_format=$jobname-$filenum\n",
            vec![vec![own("a-0", 1, 0), own("a-1", 1, 0)]],
        ),
        // All lines name files, those of global sections too, each in the folder of its own section.
        ("[a]\nfilename=x\nfilename=y:z\n", vec![vec![own("x", 1, 0), own("y", 1, 0), own("z", 1, 0)]]),
        (
            "[global]\nfilename=x\n[a]\n[global]\nfilename=y\n[b]\ndirectory=/d\nfilename=z\nstonewall\n",
            vec![vec![own("x", 1, 0)], vec![own("x", 1, 0), own("y", 1, 0), own("/d/z", 1, 0)]],
        ),
    ] {
        assert_eq!(targets(&format!("{head}{text}")), expected, "{text}");
    }
    let pool = convert(&format!("{head}[a]\nnrfiles=2\nnumjobs=2\nioengine=libaio\niodepth=8\n")).unwrap();
    let span = &pool.profile.time_spans[0];
    assert_eq!((span.thread_count, span.request_count, span.targets.len()), (2, 8, 4));
    let threads: Vec<u32> = span.targets.iter().map(|target| target.thread_targets[0].thread).collect();
    assert_eq!(threads, [0, 0, 1, 1]);
}

#[test]
fn verification_reads_in_separate_time_span() {
    let text = "[j]\nrw=randwrite\nsize=1m\nfilename=x\nverify=crc32c\n";
    let converted = convert(text).unwrap();
    let [written, read] = &converted.profile.time_spans[..] else { panic!("two time spans") };
    assert_eq!(
        (written.until_written, read.until_read),
        (Some(Volume::Bytes(1 << 20)), Some(Volume::Times(1)))
    );
    assert_eq!((written.targets[0].write_ratio, read.targets[0].write_ratio), (100, 0));
    assert!(converted.run_options.verify.is_some());
    assert_eq!(convert(&format!("{text}do_verify=0\n")).unwrap().profile.time_spans.len(), 1);
}

#[test]
fn differences_are_reported_once_with_their_jobs() {
    let text = "[global]\nfilename=old.dat\nsize=1m\nruntime=1\ntime_based\ndirect=1\nrw=randrw\nbs=4k,8k\nzero_buffers\n[a]\n[b]\nwrite_lat_log=x\n";
    let notes: Vec<String> = convert(text).unwrap().notes.iter().map(ToString::to_string).collect();
    assert_eq!(
        notes,
        [
            "fio's norandommap (not given) (a, b): fio covers all blocks before it repeats one; here offsets are random, as with norandommap=1",
            "fio's write_lat_log (b): no such log is written; use --io-log, or -D with --out FILE.csv",
        ]
    );
    let near = timed(
        "direct; norandommap; rw=randread; ioengine=posixaio; iodepth_batch=8; rate_iops_min=10; unlink=1; sqthread_poll",
    );
    let notes = convert(&near).unwrap().notes;
    let told: Vec<&str> = notes.iter().map(|note| note.option.as_str()).collect();
    assert_eq!(told, ["iodepth_batch", "rate_iops_min", "unlink", "sqthread_poll", "ioengine"]);
    let told = |settings: &str| {
        let notes =
            convert(&format!("[a]\nfilename=new.dat\nsize=1m\ndirect=1\n{settings}\n")).unwrap().notes;
        notes.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
    };
    for (settings, expected) in [
        ("numjobs=2\nexitall", "exitall (a): the first thread that is done does not end the others"),
        ("continue_on_error=io", "continue_on_error (a): an I/O that fails ends the run"),
        (
            "rw=write\nverify=md5\nverify_backlog=8",
            "verify_backlog (a): all data is read back after the time span, not between writes",
        ),
        ("rw=write\nzonemode=zbd", "zonemode (a): each outstanding write has its own zone"),
        (
            "filename=x:y\nfile_service_type=random:8",
            "file_service_type (a): each I/O picks a file, instead of one file for several I/Os in a row",
        ),
        ("ioscheduler=none", "ioscheduler (a): the scheduler of a device is not changed"),
        ("bs=512\nrate=102500", "rate (a): the rate in bytes is kept as 200 I/Os per second"),
    ] {
        assert!(told(settings).contains(expected), "{settings}\n{}", told(settings));
    }
    assert!(!told("exitall").contains("exitall"), "a thread alone");
    let silent = "[a]\nfilename=old.dat\nsize=1m\nruntime=1\ntime_based\ndirect=1\nnorandommap\nrw=randread\ngroup_reporting\nthread\n";
    assert_eq!(convert(silent).unwrap().notes, []);
}

#[test]
fn unsupported_settings_are_refused_with_place_and_remedy() {
    for (text, expected) in [
        ("", "j.fio: there is no job; a job begins with its name: [name]"),
        ("[global]\nbs=4k\n", "j.fio: there is no job; a job begins with its name: [name]"),
        (
            "bs=4k\n[a]\nsize=1m\n",
            "j.fio:1: bs=4k: an option before any section; put it after [global], or after the [name] of a job",
        ),
        ("[a\nbs=4k\n", "j.fio:1: the section's name has no ] after it"),
        (
            "[a]\nsize=1m\niodeph=4\n",
            "j.fio:3: [a]: iodeph=4: fio's option is unknown here; did you mean iodepth?",
        ),
        (
            "[a]\nsize=1m\nfrobnicate\n",
            "j.fio:3: [a]: frobnicate: fio's option is unknown here; docs/reference/fio-jobs.md has the options that are known; \
             leave it out",
        ),
        ("[a]\nsize=\n", "j.fio:2: [a]: size=: the value is missing"),
        ("[a]\nsize=1m\niodepth=0\n", "j.fio:3: [a]: iodepth=0: possible values: 1 to 65536"),
        ("[a]\nsize=1m\ndirect=yes\n", "j.fio:3: [a]: direct=yes: a switch is 0 or 1"),
        (
            "[a]\nsize=1m\nrw=reed\n",
            "j.fio:3: [a]: rw=reed: not one of read, write, rw, randread, randwrite, randrw, trim, randtrim; give one of them",
        ),
        (
            "[a]\nsize=1m\nrw=read:-8k\n",
            "j.fio:3: [a]: rw=read:-8k: a stride goes forward: no I/O begins before the end of the last one; use rw=read, or rw=randread",
        ),
        (
            "[a]\nsize=1m\nbssplit=4k/50:8k/20\n",
            "j.fio:3: [a]: bssplit=4k/50:8k/20: the shares must add up to 100 %, not 70 %",
        ),
        (
            "[a]\nsize=1m\nrw=randrw\nbssplit=4k/50:8k/50,4k\n",
            "j.fio:1: [a]: norandommap: with several sizes, fio shortens each I/O before a block that was \
             done; here this needs equal sizes of reads and writes, and random I/Os only; add \
             norandommap=1: then fio keeps the sizes too",
        ),
        (
            "[a]\nsize=1m\nrw=randread\nbssplit=4k/50:8k/50\nnumber_ios=4\n",
            "j.fio:5: [a]: number_ios=4: I/Os end before a block that an earlier I/O accessed, so the \
            total size of this number of I/Os is unknown; give size or io_size, or add norandommap=1",
        ),
        (
            "[a]\nsize=1m\nrw=randread\nbssplit=4k/50::8k/50\n",
            "j.fio:4: [a]: bssplit=4k/50::8k/50: a part between two colons is empty: fio ignores the rest",
        ),
        (
            "[a]\nsize=1m\nbssplit=4k/50:8k/50\nbsrange=4k-16k\n",
            "j.fio:4: [a]: bsrange=4k-16k: with bssplit before it, fio has the range of one and the sizes of the other; leave out one of them",
        ),
        (
            "[global]\nbs=8k\n[a]\nsize=1m\nrw=randrw\nbs=,16k\n",
            "j.fio:6: [a]: bs=,16k: it leaves a direction to an earlier value, which fio keeps for that \
             direction; give the values of all directions in one place",
        ),
        (
            "[a]\nsize=1m\nrw=randread\nrandom_distribution=zoned_abs:60/1m:40/1m\n",
            "j.fio:4: [a]: random_distribution=zoned_abs:60/1m:40/1m: the ranges go beyond the end of the area; lower them, or raise size",
        ),
        (
            "[a]\nsize=1m\nrw=randread\nrandom_distribution=zoned_abs:60/6k:40/32k\n",
            "j.fio:4: [a]: random_distribution=zoned_abs:60/6k:40/32k: the ranges are not multiples of the \
             alignment, to which fio rounds each offset; give multiples of bs, or of ba",
        ),
        (
            "[a]\nsize=8z\n",
            "j.fio:2: [a]: size=8z: of how many bytes a zone (z) is, the job does not say: give \
             zonemode=zbd and zonesize, or bytes",
        ),
        (
            "[a]\nsize=1m\nnrfiles=4\nopenfiles=1\n",
            "j.fio:4: [a]: openfiles=1: all files are open at once; fio opens the next file when a file is \
             done; leave it out, or use a job with stonewall for each file",
        ),
        (
            "[folder]\nsize=1m\n",
            "j.fio:2: [folder]: size=1m: 'folder' is neither a file nor a block device; give size, and names of files or block devices",
        ),
        (
            "[a]\nsize=1m\nioengine=rbd\nrbdname=x\n",
            "j.fio:3: [a]: ioengine=rbd: it is a client of a service; only files and block devices are used; docs/reference/fio-jobs.md has the engines that there are",
        ),
        (
            "[a]\nsize=1m\nioengine=libio\n",
            "j.fio:3: [a]: ioengine=libio: fio's engine is unknown here; use libaio, io_uring or psync",
        ),
        (
            "[a]\nsize=1m\nrate=1250\n",
            "j.fio:3: [a]: rate=1250: a rate in bytes is kept as whole bytes per millisecond or whole I/Os per second, and neither comes near it; use rate_iops, or another rate",
        ),
        (
            "[a]\nsize=${NOPE}\n",
            "j.fio:2: [a]: ${NOPE}: this variable is not set; set it: NOPE=VALUE diskspd ..",
        ),
        ("[a]\nsize=1m\nnumjobs=$ncpus\n", "j.fio:3: [a]: $ncpus: unknown on this machine"),
        (
            "[a]\ninclude none.inc\n",
            "j.fio:2: [a]: include none.inc: the file cannot be read: entity not found; names are relative \
             to the folder of the job file",
        ),
        (
            "[a]\ninclude circle.inc\n",
            "circle.inc:1: [a]: include: files include each other more than 16 times deep",
        ),
        ("[a]\ninclude section.inc\n", "section.inc:1: [a]: an included file cannot begin a section"),
        (
            "[a]\nrw=read\n",
            "j.fio:1: [a]: size: 'a.0.0' does not exist, and the job has no size; give size, and names of files or block devices",
        ),
        (
            "[a]\nfilename=folder\nsize=1m\n",
            "j.fio:3: [a]: size=1m: 'folder' is neither a file nor a block device; give size, and names of files or block devices",
        ),
        (
            "[a]\nsize=1m\nrw=trim\n",
            "j.fio:2: [a]: size=1m: trimmed bytes cannot end a time span: only reads and writes count; \
             give runtime and time_based",
        ),
        (
            "[a]\nsize=1m\n[b]\nsize=1m\nstartdelay=5\n",
            "j.fio:5: [b]: startdelay=5: concurrent jobs start together; use stonewall, or leave it out",
        ),
        (
            "[a]\nsize=1m\n[b]\nsize=1m\nrw=write\n",
            "j.fio:4: [b]: size=1m: concurrent jobs end together, and this one ends at another time or \
            amount; give all of them time_based and the same runtime",
        ),
        (
            "[a]\nsize=1m\n[b]\nsize=1m\nioengine=libaio\n",
            "j.fio:5: [b]: ioengine=libaio: all jobs have one engine; use one for all",
        ),
        (
            "[a]\nsize=1m\nrw=randread\nbssplit=4k/50:8k/50\nrate=8k\n",
            "j.fio:5: [a]: rate=8k: I/Os end before a block that an earlier I/O accessed, so a rate in \
            bytes cannot be given in I/Os; add norandommap=1, or use rate_iops with bssplit",
        ),
        (
            "[a]\nsize=1m\nrate=1k\nrate_process=poisson\n",
            "j.fio:3: [a]: rate=1k: this is less than one I/O per second; raise it, or use rate_iops",
        ),
        (
            "[a]\nsize=1m\nrw=randrw\nrate_iops=100,\n",
            "j.fio:4: [a]: rate_iops=100,: fio limits reads and writes each, and one of them has no limit here; use two jobs, one that reads and one that writes",
        ),
        (
            "[a]\nsize=1m\nrw=randrw\nrate_iops=1000,1\n",
            "j.fio:4: [a]: rate_iops=1000,1: the rates of both directions do not come near whole I/Os per \
             second and whole percents; use rate_iops, or other rates",
        ),
        (
            "[a]\nsize=1m\nnuma_cpu_nodes=7\n",
            "j.fio:3: [a]: numa_cpu_nodes=7: node 7 has no CPU here that may be used; name another one, or leave it out",
        ),
        (
            "[a]\nsize=1m\nnuma_cpu_nodes=2\n",
            "j.fio:3: [a]: numa_cpu_nodes=2: CPUs are numbers from 0 to 63; name others, or leave it out",
        ),
        (
            "[a]\nsize=1m\nnuma_cpu_nodes=0\ncpus_allowed=1\n",
            "j.fio:3: [a]: numa_cpu_nodes=0: cpus_allowed and numa_cpu_nodes both say where threads run; leave out one of them",
        ),
        (
            "[a]\nsize=1m\nnuma_cpu_nodes=0\nnuma_mem_policy=bind:1\n",
            "j.fio:4: [a]: numa_mem_policy=bind:1: buffers are on the node of their thread; use local, or \
             bind:NODE with the same node in numa_cpu_nodes",
        ),
        (
            "[a]\nsize=1m\nrw=write\nverify=md5\nverify_backlog=4\ndo_verify=0\n",
            "j.fio:5: [a]: verify_backlog=4: nothing would be read back at all; leave out do_verify=0",
        ),
        (
            "[a]\nsize=1m\nwritefua=1\n",
            "j.fio:3: [a]: writefua=1: applies only to NVMe passthrough commands; use sync=dsync",
        ),
        (
            "[a]\nsize=1m\nioengine=io_uring_cmd\ncmd_type=bsg\n",
            "j.fio:4: [a]: cmd_type=bsg: commands are NVMe commands; use cmd_type=nvme, and /dev/ng0n1",
        ),
        (
            "[a]\nsize=1m\nioengine=io_uring_cmd\nrw=write\nverify=md5\n",
            "j.fio:5: [a]: verify=md5: verification reads and writes without NVMe commands; leave it out, or name the block device, with ioengine=io_uring",
        ),
        (
            "[a]\nsize=1m\nzonesize=1m\n",
            "j.fio:3: [a]: zonesize=1m: a file cannot be read in areas with gaps between them; use \
            zonemode=zbd for a zoned device, or give offset and size of a part",
        ),
        (
            "[a]\nsize=1m\nzonemode=zbd\n",
            "j.fio:3: [a]: zonemode=zbd: writes to zones bypass the page cache; use direct=1, and libaio, \
            io_uring, psync or io_uring_cmd",
        ),
        (
            "[a]\nsize=1m\nzonemode=zbd\ndirect=1\nrw=write\nnumjobs=3\nmax_open_zones=2\n",
            "j.fio:7: [a]: max_open_zones=2: each outstanding write has its own zone, and more of them \
             than zones may be open; lower iodepth or numjobs",
        ),
        (
            "[a]\nsize=1m\nrw=write\natomic=1\n",
            "j.fio:4: [a]: atomic=1: atomic writes bypass the page cache, by libaio, io_uring or pvsync2; \
            use direct=1 and one of them",
        ),
        (
            "[a]\nsize=1m\nuncached=1\nioengine=mmap\n",
            "j.fio:3: [a]: uncached=1: only libaio, io_uring and pvsync2 can ask for it; use one of them",
        ),
        (
            "[a]\nsize=1m\nnumjobs=4096\nnrfiles=4096\n",
            "j.fio:3: [a]: numjobs=4096: all threads together would have more than 65,536 files; lower numjobs or \
             nrfiles",
        ),
        // Each of the files can be that large, all together can't.
        (
            "[a]\nfilesize=16000p\nnrfiles=2\n",
            "j.fio:1: [a]: size: the amount is too large; give runtime and time_based",
        ),
    ] {
        let faults = convert(text).unwrap_err();
        assert_eq!(faults, [expected], "{text}");
    }
    // A fault of a global section is told once, and all faults are told.
    let faults = convert("[global]\nzonemode=zbd\nflow=2\n[a]\nsize=1m\n[b]\nsize=x\n").unwrap_err();
    assert_eq!(faults.len(), 3, "{faults:#?}");
}

/// Small or permitted files that would expand to a very large profile.
#[test]
fn excessive_jobs_are_refused_before_conversion() {
    let with = |head: &str, each: &dyn Fn(usize) -> String, times: usize, tail: &str| {
        format!("{head}{}{tail}", (0..times).map(each).collect::<String>())
    };
    let jobs = with("", &|number| format!("[{number}]\n"), 500, "");
    for (text, count, expected) in [
        // Unknown options of a global section are told once, not for each job.
        (
            with("[global]\n", &|number| format!("x{number}\n"), 2000, &jobs),
            1001,
            "more than 1,000 settings are wrong",
        ),
        (with("[global]\nx=1\n", &|_| String::new(), 0, &jobs), 1, "fio's option is unknown here"),
        (with("", &|number| format!("[{number}]\n"), 4097, ""), 1, "more than 4,096 jobs"),
        (format!("[{}]\n{}", "n".repeat(256), "x\n".repeat(90_000)), 1, "name is longer than 255 bytes"),
        (with("[a]\n", &|_| "x\n".into(), 100_000, ""), 1001, "more than 100,000 lines"),
        (
            format!("[a]\nsize=1m\ndirectory={}\nnumjobs=4096\n", "d".repeat(100_000)),
            1,
            "more than 4,095 bytes",
        ),
        (
            format!("[a]\nsize=1m\nfilename_format={}\nnumjobs=4096\n", "$jobname".repeat(100_000)),
            1,
            "more than 4,095 bytes",
        ),
        (format!("[a]\nsize=1m\nbssplit={}\n", "4k:".repeat(65)), 1, "64 sizes at most"),
        (
            format!("[a]\nsize=1m\nrw=randread\nrandom_distribution=zoned:{}\n", "1/1:".repeat(257)),
            1,
            "256 ranges at most",
        ),
        (format!("[a]\nsize=1m\n{}=1\n", "u".repeat(500_000)), 1, "fio's option is unknown here"),
    ] {
        let faults = convert(&text).unwrap_err();
        let head = text.get(..40).unwrap_or(&text);
        assert_eq!(faults.len(), count, "{head} {:?}", faults.last());
        assert!(faults.iter().any(|fault| fault.contains(expected)), "{head} {:?}", faults.last());
    }
    assert!(convert(&format!("[{}]\nsize=1m\n", "n".repeat(255))).is_ok());
    let cpus = convert(&timed(&format!("cpus_allowed={}0", "0-63,".repeat(10_000)))).unwrap();
    assert_eq!(cpus.profile.time_spans[0].affinity.len(), 1);
}

#[test]
fn neutral_values_are_accepted() {
    let settings = "zonemode=none; exitall=0; unlink=0; sqthread_poll=0; atomic=0; uncached=0; max_latency=0; fill_device=0; iodepth_batch=1; verify=0; continue_on_error=none; \
                    rate_min=0; sync=0; startdelay=0";
    assert!(convert(&timed(settings)).is_ok());
}

#[test]
fn includes_and_machine_keywords_are_resolved() {
    let text = timed("ioengine=libaio; include common.inc; offset=2*$pagesize; size=$mb_memory");
    let line = line(&text);
    assert!(line.starts_with("-b8K -B8K -f9K ") && line.contains(" -o4 "), "{line}");
}

#[test]
fn recursive_includes_are_limited() {
    for (includes, is_accepted) in [(1_000, true), (1_001, false)] {
        let text = timed("ioengine=libaio; size=1m") + &"include common.inc\n".repeat(includes);
        let faults = convert(&text).err().unwrap_or_default();
        let is_refused = faults.iter().any(|fault| fault.to_string().contains("more than 1,000 files"));
        assert_eq!((faults.is_empty(), is_refused), (is_accepted, !is_accepted), "{includes}: {faults:?}");
    }
}

#[test]
fn small_file_is_extended_and_large_file_is_kept() {
    let size = |text: &str| convert(text).unwrap().profile.time_spans[0].targets[0].file_size;
    assert_eq!(size("[a]\nfilename=old.dat\nsize=1m\n"), None);
    assert_eq!(size("[a]\nfilename=old.dat\nsize=2m\n"), Some(2 << 20));
    assert_eq!(size("[a]\nfilename=new.dat\nsize=2m\noffset=1m\n"), Some(3 << 20));
    assert_eq!(size("[a]\nfilename=/dev/unknown\nsize=2m\n"), None);
    let told = convert("[a]\nfilename=old.dat\nsize=2m\n").unwrap();
    assert!(
        told.notes
            .iter()
            .any(|note| note.what == "the existing file 'old.dat' (1048576 bytes) will be overwritten")
    );
    assert!(convert("[a]\nfilename=old.dat\nsize=2m\nallow_file_create=0\n").is_err());
}

#[test]
fn option_page_matches_supported_options_and_engines() {
    for (mark, table) in [("engines", fio_jobs::engines_table()), ("options", fio_jobs::options_table())] {
        is_kept_between("docs/reference/fio-jobs.md", mark, table.trim_end());
    }
}

proptest::proptest! {
    #[test]
    fn random_settings_are_refused_or_converted(
        settings in proptest::collection::vec(
            (0usize..400, proptest::sample::select(vec![
                "", "=0", "=1", "=2", "=100", "=4k", "=1m", "=50%", "=4k-16k", "=4k,8k", "=4k/50:8k/50", "=randrw",
                "=rw:4k", "=trim", "=libaio", "=null", "=mmap", "=zipf:1.1", "=zoned:50/5:50/95", "=crc32c", "=a:b",
                "=10s", "=5ms", "=poisson", "=$pagesize", "=(2*3k)", "=18446744073709551615", "=-1", "=${DEPTH}",
            ])),
            0..12,
        ),
    ) {
        let rows: Vec<_> = fio_jobs::options::all().collect();
        let settings = settings.iter().map(|(row, value)| format!("{}{value}\n", rows[row % rows.len()].name));
        let text = format!("[j]\nsize=1m\nfilename=/dev/nvme0n1\n{}", settings.collect::<String>());
        match fio_jobs::convert(text.as_bytes(), "j.fio", &Staged) {
            Err(faults) => assert!(!faults.is_empty()),
            Ok(converted) => {
                let mut xml = Vec::new();
                profile_xml::write_whole_profile(&mut xml, &converted.profile);
                assert!(xml::read(&xml).is_ok(), "{text}");
            }
        }
    }

    #[test]
    fn random_text_is_refused_or_converted(text: Vec<u8>) {
        let _ = fio_jobs::convert(&text, "j.fio", &Staged);
    }
}
