//! Tests of DISKSPD 2.3: the order of CPUs, profiles, and reports with `--compat 2.3`, without recordings
//! of the released program.

#![allow(clippy::unwrap_used, clippy::panic)] // a test fails that way

use crate::common::in_process::requested;
use crate::machines::machine;
use diskspd::host;
use diskspd::machine::System;
use diskspd::machine::caches::{Cache, CacheKind};
use diskspd::plan::effective_affinity;
use diskspd::profile::validate::validate;
use diskspd::profile::{BufferSeparation, Compat, GroupCpu, IoRing, Profile, RingBatch, affinity, xml};
use diskspd::report::{profile_xml, text, xml as xml_report};
use diskspd::results::{CpuTimes, Record, Results, SpanResults, ThreadResults, WaitStatistics};

fn profile_of(line: &str) -> Profile {
    requested(line).profile
}

fn machine_named(letter: &str) -> System {
    let name = match letter {
        "L" => "smt",
        "H" => "hybrid-x86",
        "S" => "small-groups",
        "G" => "hybrid-groups",
        other => panic!("machine {other}"),
    };
    let (_directory, root) = machine(name);
    host::read(&root)
}

/// Returns the effective affinity of a command line as in reports.
fn order(line: &str, system: &System) -> String {
    let profile = profile_of(line);
    let cpus = effective_affinity(&profile.time_spans[0], profile.compat, &system.topology);
    affinity::affinity_text(&affinity::masks(cpus), system.topology.groups.len() > 1)
}

#[test]
fn cpu_order_matches_recorded_tables() {
    let machines: std::collections::BTreeMap<&str, System> =
        ["L", "H", "S", "G"].into_iter().map(|letter| (letter, machine_named(letter))).collect();
    let table = include_str!("../data/affinity-orders.txt");
    let mut count = 0;
    for line in table.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let columns: Vec<&str> = line.split('|').map(str::trim).collect();
        let [letter, options, expected] = columns[..] else { panic!("{line}") };
        let threads = if options.contains("-t") { "" } else { "-t16" };
        let found = order(&format!("--compat=2.3 {options} {threads} f.dat"), &machines[letter]);
        assert_eq!(found, expected, "{line}");
        count += 1;
    }
    assert!(count >= 90, "the table has lost rows");
}

#[test]
fn affinity_of_2_2_keeps_the_given_order() {
    let (hybrid, groups) = (machine_named("H"), machine_named("G"));
    for (options, machine, expected) in [
        ("-a7,0 -t2", &hybrid, "7 0"),
        ("-a4-6,1 -t4", &hybrid, "4-6 1"),
        ("-ag1 -ag0,2 -t8", &groups, "1/0-3 0/2"),
        ("-t8", &groups, "0/0-3 1/0-3"),
        ("-ap -a7,0 -t2", &hybrid, "0,7"),
        ("-ae -t8", &hybrid, "4-7 0-3"),
        ("-n -t8", &hybrid, ""),
    ] {
        assert_eq!(order(&format!("{options} f.dat"), machine), expected, "{options}");
    }
}

#[test]
fn disallowed_cpus_are_excluded_from_orders() {
    let (_directory, root) = machine("offline");
    let system = host::read(&root);
    assert_eq!(order("--compat=2.3 -t16 f.dat", &system), "0-2,6");
    assert_eq!(order("-ag0 -t16 f.dat", &system), "0-2,6");
}

fn span_with(fragment: &str) -> Result<Profile, xml::XmlError> {
    let document = format!(
        "<Profile><TimeSpans><TimeSpan>{fragment}<Targets><Target><Path>f</Path></Target></Targets></TimeSpan>\
         </TimeSpans></Profile>"
    );
    xml::read(document.as_bytes())
}

#[test]
fn elements_of_the_newest_profiles_are_read() {
    let ring = |batch, register_buffers| Some(IoRing { batch, register_buffers });
    for (fragment, expected) in [
        ("<IoRing/>", ring(RingBatch::Percent(25), true)),
        ("<IoRing><IoRingBatchSize>50</IoRingBatchSize></IoRing>", ring(RingBatch::Count(50), true)),
        (
            "<IoRing><IoRingBatchSize Percent=\"true\">75</IoRingBatchSize></IoRing>",
            ring(RingBatch::Percent(75), true),
        ),
        ("<IoRing><UseRegBuffer>false</UseRegBuffer></IoRing>", ring(RingBatch::Percent(25), false)),
        ("", None),
    ] {
        assert_eq!(span_with(fragment).unwrap().time_spans[0].io_ring, expected, "{fragment}");
    }
    let cpus = [1, 4, 6].map(|cpu| GroupCpu { group: 0, cpu: Some(cpu) });
    for mask in ["0x52", "82", "0122"] {
        let read = span_with(&format!("<Affinity><Group Group=\"0\" Mask=\"{mask}\"/></Affinity>")).unwrap();
        assert_eq!(read.time_spans[0].affinity, cpus, "{mask}");
    }
    let whole = span_with("<Affinity><Group Group=\"3\" Mask=\"0\"/></Affinity>").unwrap();
    assert_eq!(whole.time_spans[0].affinity, [GroupCpu { group: 3, cpu: None }]);
    let apart = span_with("<BufferSeparation>PDECacheLine</BufferSeparation>").unwrap();
    assert_eq!(apart.time_spans[0].buffer_separation, Some(BufferSeparation::PageDirectories));
}

#[test]
fn elements_outside_newest_schema_are_refused() {
    for fragment in [
        "<IoRing><IoRingBatchSize>0</IoRingBatchSize></IoRing>",
        "<IoRing><IoRingBatchSize>-1</IoRingBatchSize></IoRing>",
        "<IoRing><IoRingBatchSize>65537</IoRingBatchSize></IoRing>",
        "<IoRing><IoRingBatchSize Percent=\"true\">101</IoRingBatchSize></IoRing>",
        "<BufferSeparation>InvalidValue</BufferSeparation>",
        "<AffinityTraversal Group=\"Both\">Cpu</AffinityTraversal>",
        "<Affinity><Group Group=\"0\" Mask=\"-1\"/></Affinity>",
        "<Affinity><Group Group=\"0\" Mask=\"\"/></Affinity>",
        "<Affinity><Group Group=\"0\" Mask=\"0x1g\"/></Affinity>",
        "<Affinity><Group Group=\"0\"/></Affinity>",
        "<Affinity><Group Group=\"65536\" Mask=\"1\"/></Affinity>",
    ] {
        assert!(span_with(fragment).is_err(), "{fragment}");
    }
    for (fragment, rule) in [
        ("<CompletionDepth>8</CompletionDepth>", ""),
        ("<CompletionDepth>0</CompletionDepth>", "V25"),
        ("<CompletionDepth>17</CompletionDepth>", "V25"),
        ("<CompletionDepth>4</CompletionDepth><CompletionRoutines>true</CompletionRoutines>", "V26"),
        ("<DisableAffinity>true</DisableAffinity><AffinityTraversal>Cpu</AffinityTraversal>", "V1"),
        ("<IoRing/><CompletionRoutines>true</CompletionRoutines>", "V33"),
    ] {
        let profile = span_with(fragment).unwrap();
        let rules: Vec<&str> = validate(&profile, true).iter().map(|finding| finding.name).collect();
        assert_eq!(rules.join(" "), rule, "{fragment}");
    }
    let target =
        |mode: &str| format!("<Target><Path>f</Path><DisableOSCache>true</DisableOSCache>{mode}</Target>");
    let (full, partial) = ("<BypassIO>Full</BypassIO>", "<BypassIO>Partial</BypassIO>");
    for (first, second, rule) in [(full, full, ""), (full, partial, "V35"), (full, "", "V35")] {
        let targets = target(first) + &target(second);
        let document = format!(
            "<Profile><TimeSpans><TimeSpan><Targets>{targets}</Targets></TimeSpan></TimeSpans></Profile>"
        );
        let profile = xml::read(document.as_bytes()).unwrap();
        let rules: Vec<&str> = validate(&profile, true).iter().map(|finding| finding.name).collect();
        assert_eq!(rules.join(" "), rule, "{first} {second}");
    }
}

#[test]
fn profiles_of_2_3_round_trip() {
    for line in [
        "f.dat",
        "-u50p -oc8 -acsE -ag0,0-3,7 -ag1 -SuY f.dat",
        "-un4 -bsn -aup -a5,3 -w50 -Zr f.dat",
        "-n -u1 -bsp f.dat",
        "-ap -F2 -O4 -b4K -r a.dat b.dat",
    ] {
        let mut profile = profile_of(&format!("--compat=2.3 {line}"));
        let write = |profile: &Profile| {
            let mut bytes = Vec::new();
            profile_xml::write_profile(&mut bytes, profile, 0);
            bytes
        };
        let first = write(&profile);
        let mut back = xml::read(&first).unwrap();
        assert!(back.compat == Compat::V2_2, "the version is the command line's");
        back.compat = Compat::V2_3;
        assert!(write(&back) == first, "{line}");
        // What is always written counts as stated afterwards. Targets are those of 2.2 but for BypassIO.
        let targets =
            |profile: &Profile| profile.time_spans[0].targets.iter().map(|t| t.bypass_io).collect::<Vec<_>>();
        assert_eq!(targets(&back), targets(&profile), "{line}");
        let span = &mut profile.time_spans[0];
        if !span.disable_affinity {
            span.affinity_traversal.get_or_insert_default();
        }
        span.buffer_separation.get_or_insert(BufferSeparation::PageDirectories);
        span.targets = back.time_spans[0].targets.clone();
        assert_eq!(back.time_spans, profile.time_spans, "{line}");
    }
}

fn cache(level: u32, kind: CacheKind, size_kib: u64, associativity: u32, mask: u64) -> Cache {
    Cache { level, kind, size: size_kib << 10, line: 64, associativity, masks: vec![(0, mask)] }
}

/// Returns the hybrid machine with typical caches.
fn hybrid() -> System {
    use CacheKind::{Data, Instruction, Unified};
    let mut caches = Vec::new();
    for mask in [0x3, 0xc] {
        caches.extend([
            cache(1, Data, 48, 12, mask),
            cache(1, Instruction, 32, 8, mask),
            cache(2, Unified, 1280, 10, mask),
        ]);
    }
    for cpu in 4..8 {
        caches.extend([cache(1, Data, 32, 8, 1 << cpu), cache(1, Instruction, 64, 8, 1 << cpu)]);
    }
    caches.extend([cache(2, Unified, 2048, 16, 0xf0), cache(3, Unified, 12288, 255, 0xff)]);
    System {
        computer_name: "HOST".into(),
        cpu_model: " Fictional  CPU\t1234 @ 2.00GHz ".into(),
        start_time: Some(1_769_847_300),
        page_size: 4096,
        caches,
        ..machine_named("H")
    }
}

#[test]
fn system_report_lists_caches() {
    let expected = "System information:

  computer name:        HOST
  processor name:       Fictional CPU 1234 @ 2.00GHz
  start time:           2026/01/31 08:15:00 UTC
  active power scheme:  powersave
  page size:            4KiB

  cpu count:            8
  core count:           6
  group count:          1
  node count:           1
  socket count:         1
  heterogeneous cores:  y

  cache information:

    Cache |   Size   | Line  | Assoc  | CPU
    -------------------------------------------------------
    L1d   |    48KiB |   64B | 12-way | 0-3 (per core)
    L1i   |    32KiB |   64B |  8-way | 0-3 (per core)
    L2    |  1.25MiB |   64B | 10-way | 0-3 (per core)
    L1d   |    32KiB |   64B |  8-way | 4-7 (per cpu)
    L1i   |    64KiB |   64B |  8-way | 4-7 (per cpu)
    L2    |     2MiB |   64B | 16-way | 4-7
    L3    |    12MiB |   64B |   full | 0-7
";
    assert_eq!(String::from_utf8(text::system_alone(&hybrid())).unwrap(), expected);
    let document = String::from_utf8(xml_report::system_alone(&hybrid())).unwrap();
    let l2 = "    <Cache Level=\"2\" Associativity=\"10\" LineSize=\"64\" CacheSize=\"1310720\" Type=\"Unified\">\n\
              \x20     <Group Group=\"0\" Mask=\"0x3\"/>\n    </Cache>\n";
    for part in
        [l2, "  <ProcessorName>Fictional CPU 1234 @ 2.00GHz</ProcessorName>", "<PageSize>4096</PageSize>"]
    {
        assert!(document.contains(part), "{part} {document}");
    }
    assert!(document.starts_with("<System>\n") && document.ends_with("</System>\n"));
}

#[test]
fn caches_of_several_groups_are_listed_by_group() {
    let (_directory, root) = machine("hybrid-groups");
    let mut system = host::read(&root);
    diskspd::host::caches::look_at(&mut system, &root);
    assert_eq!(system.buffer_separation() % (16 << 20), 0);
    let told = String::from_utf8(text::system_alone(&system)).unwrap();
    for line in [
        "    Cache |   Size   | Line  | Assoc  | Group/CPU\n",
        "    L1d   |    48KiB |   64B | 12-way | 0/0-1 1/0-1 (per core)\n",
        "    L1d   |    32KiB |   64B |  8-way | 0/2-3 1/2-3 (per cpu)\n",
        "    L3    |    12MiB |   64B |   full | 0-1 (per group)\n",
    ] {
        assert!(told.contains(line), "{line}{told}");
    }
}

/// Returns a record of two threads with -u and their waits.
fn record(line: &str) -> Record {
    let mut profile = profile_of(line);
    profile.command_line = line.into();
    let thread = |submits, first| {
        let mut wait = WaitStatistics { completion_waits: 100, lookasides: 60, ..WaitStatistics::default() };
        (wait.wait_completions, wait.lookaside_completions) = ([first; 8], [11, 22, 0, 0, 0, 0, 0, 0]);
        ThreadResults { submits, wait: Some(wait), ..ThreadResults::default() }
    };
    let ring = profile.time_spans[0].io_ring.is_some();
    let threads = [600_000, 590_000].map(|count| thread(ring.then_some(count), 10)).to_vec();
    let system = hybrid();
    let cpus = vec![CpuTimes::default(); system.topology.active_cpus().count()];
    let span = SpanResults { measured: 10_000_000_000, cpus, threads, ..SpanResults::default() };
    Record::new(profile, system, Results { time_spans: vec![span] })
}

fn text_of(line: &str) -> String {
    String::from_utf8(text::text(&record(line))).unwrap()
}

#[test]
fn text_report_2_3_has_placement_submissions_and_waits() {
    let told = text_of("--compat=2.3 -u -t2 -o8 -r -b4k -ac -D -vs -d10 f.dat");
    for part in [
        "    random seed: 0\n    using IoRing (batch size: 25%) with registered buffers\n\
         \x20   affinity assignment: core-aware, fill groups, P-cores first\n\
         \x20   buffer separation: thread optimized (16MiB)\n    path: 'f.dat'\n",
        "thread count:\t\t2\n\neffective affinity (cpu): 0,2\n\nCore | Class",
        "\n\n\nIoRing Statistics\nthread |  Submits/s \n--------------------\n     0 |    60000.00\n     1 |    59000.00\n\
         --------------------\ntotal: |   119000.00\n\nWait Statistics - Completion Wait\n\
         thread |         wait | 0 - 7+ complete per wait\n------------------------------------------------\n\
         \x20    0 |          100 | 10 10 10 10 10 10 10 10\n",
        "\nWait Statistics - Lookaside\nthread |    lookaside | 0 - 7+ complete per lookaside\n",
        "     0 |           60 | 11 22 0 0 0 0 0 0\n",
    ] {
        assert!(told.contains(part), "{part}\n---\n{told}");
    }
    assert!(!told.contains("NOTE:"));
    let spanning = text_of("--compat=2.3 -t6 -n f.dat");
    assert!(!spanning.contains("effective affinity") && spanning.contains("    affinity disabled\n"));
    let spanning = text_of("--compat=2.3 -t6 f.dat");
    let note = "effective affinity (cpu): 0-5\n\n\
        NOTE: thread assignment spans different core types (P-core and E-core).\n\
        \x20     Performance results may reflect mixed core capabilities.\n\
        \x20     P-core cpus: 0-3\n\x20     E-core cpus: 4-5\n";
    assert!(spanning.contains(note), "{spanning}");
}

#[test]
fn results_of_2_3_have_elements_absent_in_2_2() {
    let document = |line: &str| {
        let record = record(line);
        let format = diskspd::report_formats::format_named("xml").unwrap();
        String::from_utf8(format.bytes(&record)).unwrap()
    };
    let new = document("--compat=2.3 -u -t6 -vs -d10 f.dat");
    for part in [
        "<Version>2.3.0</Version>",
        "<VersionDate>2026/06/15</VersionDate>",
        "    <EffectiveBufferSeparation>16777216</EffectiveBufferSeparation>\n    <EffectiveAffinity>\n\
         \x20     <Group Group=\"0\" Mask=\"0x3f\"/>\n    </EffectiveAffinity>\n\
         \x20   <HeterogeneousAffinityWarning>true</HeterogeneousAffinityWarning>\n    <CpuUtilization>",
        "      <Id>0</Id>\n      <SubmitCount>600000</SubmitCount>\n",
        "<WaitCompletion>10 10 10 10 10 10 10 10</WaitCompletion>",
    ] {
        assert!(new.contains(part), "{part}\n---\n{new}");
    }
    let old = document("-u -t6 -vs -ac -ag0 -d10 f.dat");
    for name in [
        "2.3.0",
        "Effective",
        "Heterogeneous",
        "SubmitCount",
        "WaitCompletion",
        "IoRing",
        "Cache ",
        "PageSize",
    ] {
        assert!(!old.replace("Heterogeneous=", "").contains(name), "{name}");
    }
    let told = text_of("-u -t6 -vs -ac -d10 f.dat");
    assert!(!told.contains("IoRing") && !told.contains("effective") && told.contains("\ttimespan:"));
}
