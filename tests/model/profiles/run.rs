//! Profiles end to end, as a user runs them.

use crate::common::{Ended, command_of, directory, directory_with, diskspd, output};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

fn save(directory: &Path, name: &str, profile: &str) -> PathBuf {
    let path = directory.join(name);
    fs::write(&path, profile).unwrap();
    path
}

fn profile(head: &str, spans: &[(&str, &[&str])]) -> String {
    let span = |(settings, targets): &(&str, &[&str])| {
        let targets: String = targets.iter().map(|target| format!("<Target>{target}</Target>")).collect();
        format!(
            "<TimeSpan><Warmup>0</Warmup><Duration>1</Duration>{settings}<Targets>{targets}</Targets></TimeSpan>"
        )
    };
    let spans: String = spans.iter().map(span).collect();
    format!("<Profile>{head}<TimeSpans>{spans}</TimeSpans></Profile>")
}

/// Returns I/Os by file, the last column of the report's rows.
fn ios(ended: &Ended) -> Vec<(String, u64)> {
    let rows = ended.report().rows("Total IO");
    rows.into_iter().map(|row| (row.last().unwrap().clone(), row[2].parse().unwrap())).collect()
}

#[test]
fn time_spans_run_with_separate_settings() {
    let directory = directory();
    let [a, b] = ["a.dat", "b.dat"].map(|name| directory.path().join(name));
    fs::write(&a, vec![0; 1 << 20]).unwrap();
    fs::write(&b, vec![0; 1 << 20]).unwrap();
    let first =
        "<Path>*1</Path><BlockSize>4096</BlockSize><ThreadsPerFile>2</ThreadsPerFile><Random>4096</Random>";
    let second = "<Path>*2</Path><BlockSize>8192</BlockSize><RequestCount>1</RequestCount>";
    let text = profile("", &[("", &[first, second]), ("<MeasureLatency>1</MeasureLatency>", &[second])]);
    let saved = save(directory.path(), "p.xml", &text);
    let ended = diskspd(&format!("-X{} {} {{}}", saved.display(), a.display()), &b);
    let rows = ios(&ended);
    let name = |path: &Path| format!("{} (1MiB)", path.display());
    assert_eq!(rows.iter().map(|row| row.0.clone()).collect::<Vec<_>>(), [name(&a), name(&a), name(&b)]);
    let second = ended.stdout.split_once("Results for timespan 2:").unwrap().1;
    assert!(second.contains("Total latency distribution") && !second.contains("a.dat"), "{second}");

    // Not filled in; filled in too few, too many.
    diskspd("-X{}", &saved).fails(3, &["*1", "*2", "template"]);
    diskspd(&format!("-X{} {{}}", saved.display()), &a).fails(3, &["p.xml", "template *2"]);
    diskspd(&format!("-X{} 1 2 {{}}", saved.display()), &a)
        .fails(3, &["template *3", "a.dat", "leave it out"]);
}

#[test]
fn command_line_options_override_profile_in_all_spans() {
    let directory = directory();
    let text =
        profile("<ResultFormat>xml</ResultFormat>", &[("", &["<Path>a</Path>"]), ("", &["<Path>b</Path>"])]);
    let saved = save(directory.path(), "p.xml", &text);
    let ended = diskspd("-X{} -d7 -W6 -C5 -z4 -v -vs -:3 -Rp", &saved);
    for part in ["<Duration>7<", "<Warmup>6<", "<Cooldown>5<", "<RandSeed>4<"] {
        assert_eq!(ended.report().0.matches(part).count(), 2, "{part}");
    }
    for part in ["<Verbose>true<", "<VerboseStats>true<", "<ExperimentFlags>3<"] {
        assert!(ended.stdout.contains(part), "{part}");
    }
    let text = diskspd("-X{} -Rptext", &saved);
    assert!(text.report().0.contains("\nInput parameters:\n\n\ttimespan:   1\n"));
}

#[test]
fn weights_and_thread_targets_divide_the_ios() {
    let directory = directory();
    let target = |name: &str, rest: &str| {
        format!(
            "<Path>{name}</Path><FileSize>1073741824</FileSize><BlockSize>4096</BlockSize><Random>4096</Random>{rest}"
        )
    };
    let a = target("a", "<Weight>70</Weight>");
    let b = target(
        "b",
        "<Weight>30</Weight><ThreadTargets><ThreadTarget><Thread>0</Thread><Weight>210</Weight></ThreadTarget>\
         <ThreadTarget><Thread>1</Thread></ThreadTarget></ThreadTargets>",
    );
    let pool = "<ThreadCount>3</ThreadCount><RequestCount>4</RequestCount>";
    let saved = save(directory.path(), "p.xml", &profile("", &[(pool, &[&a, &b])]));
    let ended = diskspd("--engine sim -X{}", &saved);
    let rows = ios(&ended);
    // Thread 0 has a and b at 70 : 210, thread 1 at 70 : 30, thread 2 only a.
    assert_eq!(rows.iter().map(|row| &row.0[..1]).collect::<Vec<_>>(), ["a", "b", "a", "b", "a"]);
    let share = |a: usize, b: usize| rows[b].1 as f64 / (rows[a].1 + rows[b].1) as f64;
    assert!((share(0, 1) - 0.75).abs() < 0.02 && (share(2, 3) - 0.3).abs() < 0.02, "{rows:?}");

    let only_first =
        target("a", "<ThreadTargets><ThreadTarget><Thread>0</Thread></ThreadTarget></ThreadTargets>");
    let saved = save(directory.path(), "idle.xml", &profile("", &[(pool, &[&only_first])]));
    diskspd("--engine sim -X{}", &saved).fails(3, &["thread 1, 2", "ThreadTargets"]);
}

#[test]
fn files_are_created_once_at_profile_size() {
    let (directory, file) = directory_with("a.dat");
    let sized = |size: u64| format!("<Path>{}</Path><FileSize>{size}</FileSize>", file.display());
    let unsized_ = format!("<Path>{}</Path>", file.display());
    let spans: &[(&str, &[&str])] = &[("", &[&sized(1 << 20)]), ("", &[&sized(3 << 20)]), ("", &[&unsized_])];
    let created = |head: &str| {
        let saved = save(directory.path(), "p.xml", &profile(head, spans));
        let ended = diskspd("-X{} -v --recreate --until-read 4M", &saved);
        ended.report();
        (ended.stdout.matches(": creating '").count(), fs::metadata(&file).unwrap().len() >> 20)
    };
    assert_eq!(created(""), (2, 3));
    assert_eq!(created("<PrecreateFiles>UseMaxSize</PrecreateFiles>"), (1, 3));
    // The sizes differ: created in each time span, as if nothing had been said.
    let constant = "<PrecreateFiles>CreateOnlyFilesWithConstantOrZeroSizes</PrecreateFiles>";
    assert_eq!(created(constant), (2, 3));
}

#[test]
fn uncreatable_file_fails_the_run_before_the_first_span() {
    let directory = directory();
    let path = "<Path>/proc/self/none.dat</Path><FileSize>4096</FileSize>";
    let head = "<PrecreateFiles>UseMaxSize</PrecreateFiles>";
    let saved = save(directory.path(), "p.xml", &profile(head, &[("", &[path])]));
    diskspd("-X{}", &saved).fails(1, &["/proc/self/none.dat"]);
}

#[test]
fn printed_profile_runs_with_any_path() {
    let directory = directory();
    let names: [&[u8]; 4] =
        [b"a & <b> \"c\" 'd'.dat", b"line\nfeed\ttab.dat", b"not utf-8 \xff\xfe.dat", b"\x01\x7f\r.dat"];
    for name in names {
        let file = directory.path().join(OsStr::from_bytes(name));
        fs::write(&file, vec![0; 65536]).unwrap();
        let printed = output(command_of(&["-Rpxml", "-d1", "-W0", "-b4K", "-w10"]).arg(&file)).unwrap();
        let saved = directory.path().join("saved.xml");
        fs::write(&saved, &printed.stdout).unwrap();
        assert_eq!(diskspd("-X{} -Rpxml", &saved).stdout.as_bytes(), printed.stdout);
        let ended = diskspd("-X{} -Rtext --until-read 4M", &saved);
        assert!(ended.report().total("Total IO").ios > 0, "{}", ended.stdout);
    }
}

#[test]
fn invalid_profiles_are_refused_with_position_and_reason() {
    let directory = directory();
    let bad = save(directory.path(), "bad.xml", "<Profile>\n  <Bogus/>\n</Profile>\n");
    diskspd("-X{} -Rp", &bad)
        .fails(3, &["bad.xml: line 2, column 3", "<Bogus> in <Profile>", "expected: any of"]);
    diskspd("-X{}", &directory.path().join("none.xml")).fails(3, &["none.xml", "no such file"]);
    diskspd("-X{}", directory.path()).fails(3, &["is a directory"]);
    diskspd("-X/dev/zero", &bad).fails(3, &["/dev/zero", "16 MiB"]);
    let huge = directory.path().join("huge.xml");
    fs::File::create(&huge).unwrap().set_len(1 << 30).unwrap();
    diskspd("-X{}", &huge).fails(3, &["huge.xml", "16 MiB"]);
    assert!(diskspd("-X{}", &huge).stdout.is_empty());
}
