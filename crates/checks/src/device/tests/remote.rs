//! Mounts of other hosts' files: the rules for devices, applied to a server.

use super::*;
use diskspd_machine::remote::{
    CallTimes, Protocol, RemoteActivity, RemoteCalls, RemoteFacts, RemoteMount, TcpSegments,
};

/// Returns an unbuffered run on such a mount.
fn mounted_case(counted: Bytes) -> Case {
    run(counted).on_file().change_first(|layer| {
        layer.name = "server:/export".into();
        layer.kind = LayerKind::Mount;
        layer.queue_limits = Some(Traits { write_back: Some(false), ..Traits::default() });
        let (source, at) = (layer.name.clone(), "/mnt".into());
        layer.remote = Some(RemoteMount { protocol: Protocol::Nfs, source, mount_point: at });
    })
}

#[track_caller]
fn assert_verdict(case: &Case, verdict: Verdict, severity: Option<Severity>, text: &str) {
    let found = case.judge_case();
    assert_eq!((found.verdict, found.severity), (verdict, severity), "{}", found.parts[0].message);
    let message = &found.parts[0].message;
    assert!(message.contains(text) && !message.contains("the device"), "{message}");
    let unseen = found.parts[0].evidence.iter().any(|text| text.contains("is unknown to this host"));
    assert!(unseen, "{:?}", found.parts[0].evidence);
}

#[test]
fn server_counters_are_judged_like_device_counters() {
    let (all, half) = ((64 * MIB, 0), (16 * MIB, 0));
    assert_verdict(&mounted_case(all), Verified, None, "the server read as much");
    assert_verdict(&mounted_case((0, 64 * MIB)), Verified, None, "the server wrote as much");
    let cached = Case { buffered: true, ..mounted_case(all).with_device(half) };
    assert_verdict(&cached, Cached, Some(Wrong), "served from the page cache, not by the server");
    assert_verdict(
        &mounted_case(all).of_size(4 * BLOCK),
        Coalesced,
        Some(Warning),
        "the server read in fewer, larger",
    );
    let ahead = Case { buffered: true, ..mounted_case(all).with_device((80 * MIB, 0)) };
    assert_verdict(&ahead, Amplified, Some(Note), "the server read 80 MiB for the 64 MiB");
}

#[test]
fn calls_of_other_programs_are_separate() {
    // The process's block device I/O is unrelated to a mount.
    let reads = Case { own: Some(0), ..mounted_case((64 * MIB, 0)).with_device((96 * MIB, 0)) };
    assert_verdict(&reads, Shared, Some(Warning), "others used server:/export during the run");
    let writes = mounted_case((0, 64 * MIB)).with_device((0, 96 * MIB));
    assert_verdict(&writes, Shared, Some(Warning), "others used server:/export during the run");
}

#[test]
fn ios_above_mount_limit_are_reported_as_split() {
    let split = Case { block: 256 << 10, ..mounted_case((64 * MIB, 0)) }.of_size(64 << 10);
    let split = split.change_first(|layer| {
        layer.queue_limits = Some(Traits { largest_io: Some(64 << 10), ..layer.queue_limits.unwrap() });
    });
    assert_verdict(
        &split,
        Split,
        Some(Note),
        "server:/export takes no more than 64 KiB at once (rsize, wsize)",
    );
}

#[test]
fn remote_times_and_retransmits_are_reported() {
    let case = mounted_case((64 * MIB, 0));
    let mut facts = case.device_facts(vec![case.build_target("a")]);
    let times = Some(CallTimes { queue_ms: 16_384, round_trip_ms: 49_152, total_ms: 81_920 });
    let read = RemoteCalls {
        requests: 16_384,
        transmissions: Some(16_387),
        timeouts: 1,
        times,
        ..Default::default()
    };
    let done = RemoteActivity { read, read_bytes: 64 * MIB, ..RemoteActivity::default() };
    let tcp = Some(TcpSegments { sent: 10_000, retransmitted: 20 });
    facts.remote = vec![RemoteFacts { name: "server:/export".into(), activity: done, tcp }];
    let judgement = judgement_of(vec![case.build_results("a")], facts);
    let split = "a read request lasted 5.000 ms on average (16,384 of them): 1.000 ms queued in the \
                 client, 3.000 ms in the network and the server together (the client cannot separate \
                 these), 1.000 ms in the client afterwards";
    let evidence = &judgement.verdicts[0].parts[0].evidence;
    assert!(evidence.iter().any(|text| text.ends_with(split)), "{evidence:?}");
    let found = |name| judgement.findings.iter().find(|finding| finding.name == name).unwrap();
    assert!(found("rpc-retransmits").message.contains("3 of 16384 requests were sent again"));
    assert!(found("tcp-retransmits").message.contains("20 of 10000 segments again (0.20 %)"));
}
