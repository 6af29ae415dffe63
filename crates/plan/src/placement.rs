//! Placement of written data in the device: placement handles of NVMe namespaces (`--fdp`) and write
//! streams of block devices (`--write-stream`).

use super::PlanError;
use super::access::is_cached;
use diskspd_base::access::IoFeatures;
use diskspd_base::engines::EngineKind;
use diskspd_machine::io_features::{IoFeature, IoWayRow};
use diskspd_machine::target::{TargetFacts, TargetKind};
use diskspd_profile::Target;

/// Returns a thread's I/O options with its placement. `relative`: the thread's number among the target's
/// threads.
pub(crate) fn placed(ways: IoFeatures, target: &Target, facts: &TargetFacts, relative: u32) -> IoFeatures {
    let (write_stream, placement) =
        (stream_number(target, relative), placement_identifier(target, facts, relative));
    IoFeatures { write_stream, placement, ..ways }
}

fn placement_identifier(target: &Target, facts: &TargetFacts, relative: u32) -> Option<u16> {
    let known = facts.nvme.as_ref()?.placement.as_ref()?.as_ref().ok()?;
    known.get(usize::from(target.fdp.of_thread(relative)?)).copied()
}

/// Returns the stream of a thread's writes; 0 = none.
fn stream_number(target: &Target, relative: u32) -> u8 {
    target.write_streams.of_thread(relative).and_then(|stream| stream.try_into().ok()).unwrap_or(0)
}

pub(crate) fn check(target: &Target, facts: &TargetFacts, errors: &mut Vec<PlanError>) {
    let path = &target.path;
    let refused = [
        (IoFeature::Placement, no_handle(target, facts)),
        (IoFeature::WriteStreams, no_stream(target, facts)),
    ];
    let refused = refused.into_iter().filter_map(|(way, why)| Some((way.row().option, why?)));
    errors.extend(refused.map(|(option, why)| PlanError::target(format!("{option}: '{path}': {why}"))));
}

fn no_handle(target: &Target, facts: &TargetFacts) -> Option<String> {
    if target.fdp.is_empty() {
        return None;
    }
    let Some(namespace) = &facts.nvme else {
        let instead = match facts.kind {
            TargetKind::BlockDevice => ", or --write-stream on this one",
            _ => "",
        };
        return Some(format!(
            "placement handles are named by NVMe commands: use the character device of a namespace \
             (/dev/ng0n1){instead}"
        ));
    };
    let known = match namespace.placement.as_ref()? {
        Ok(known) => known,
        Err(why) => return Some(format!("{why}; it takes {}", IoFeature::Placement.row().needs)),
    };
    let most = known.len();
    let absent = target.fdp.0.iter().find(|handle| usize::from(**handle) >= most)?;
    Some(match most {
        0 => {
            "the namespace has no placement handle: create it with some (nvme create-ns --nphndls)".to_owned()
        }
        1 => format!("the namespace has one placement handle, 0, and no {absent}: use --fdp 0"),
        _ => format!("the namespace has the placement handles 0 to {}, and no {absent}: use those", most - 1),
    })
}

fn no_stream(target: &Target, facts: &TargetFacts) -> Option<String> {
    if target.write_streams.is_empty() {
        return None;
    }
    let IoWayRow { since, needs, .. } = IoFeature::WriteStreams.row();
    match facts.kind {
        TargetKind::BlockDevice => {}
        TargetKind::NvmeNamespace => {
            return Some("NVMe commands name placement handles themselves: use --fdp".to_owned());
        }
        _ => return Some(format!("file systems do not pass on the stream of a write: streams need {needs}")),
    }
    if is_cached(target, facts) {
        return Some(
            "write-back from the page cache has no stream: leave out -Sb, or use -Su or -Sh".to_owned(),
        );
    }
    let most = facts.ways.as_ref()?.write_streams.unwrap_or(0);
    if most == 0 {
        return Some(format!(
            "the kernel reports no write streams for it: they need Linux {since} and {needs}"
        ));
    }
    let absent = target.write_streams.0.iter().find(|stream| u64::from(**stream) > most)?;
    Some(format!("the device has the write streams 1 to {most} (queue/max_write_streams), and no {absent}"))
}

/// Streams are for io_uring alone: no other call names them.
///
/// # Errors
/// Fails if the thread has another engine.
pub(crate) fn suits(engine: EngineKind, members: &[(&Target, &TargetFacts)]) -> Result<(), PlanError> {
    let other = engine.row().real_io && engine != EngineKind::Uring;
    match members.iter().any(|(target, _)| !target.write_streams.is_empty()) && other {
        true => Err(PlanError::profile(format!(
            "--write-stream: engine {} has no way to name a stream of its writes: use --engine uring",
            engine.row().name
        ))),
        false => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use diskspd_base::message_error::MessageError;
    use diskspd_machine::io_features::IoFeatureSupport;
    use diskspd_machine::nvme::NvmeFacts;
    use diskspd_profile::PlacementList;

    fn namespace_facts(placement: Result<Vec<u16>, MessageError>) -> TargetFacts {
        let nvme = Some(NvmeFacts { placement: Some(placement), ..NvmeFacts::default() });
        TargetFacts { kind: TargetKind::NvmeNamespace, nvme, ..TargetFacts::default() }
    }

    fn device_facts(write_streams: Option<u64>) -> TargetFacts {
        let ways = Some(IoFeatureSupport { write_streams, ..IoFeatureSupport::default() });
        TargetFacts { kind: TargetKind::BlockDevice, ways, ..TargetFacts::default() }
    }

    fn placed(handles: &[u16]) -> Target {
        Target { write_ratio: 100, fdp: PlacementList(handles.to_vec()), ..Target::default() }
    }

    fn streamed_target(streams: &[u16]) -> Target {
        Target { write_ratio: 100, write_streams: PlacementList(streams.to_vec()), ..Target::default() }
    }

    #[test]
    fn unsupported_placement_is_refused_and_named() {
        let cached = Target { uncached_devices: false, ..streamed_target(&[1]) };
        let file = TargetFacts { kind: TargetKind::File, ..TargetFacts::default() };
        let none = || Err("its controller cannot place data".into());
        for (target, facts, expected) in [
            (Target::default(), namespace_facts(none()), ""),
            (Target::default(), device_facts(None), ""),
            (placed(&[0, 2]), namespace_facts(Ok(vec![7, 8, 9])), ""),
            (placed(&[0, 3]), namespace_facts(Ok(vec![7, 8, 9])), "handles 0 to 2, and no 3"),
            (placed(&[1]), namespace_facts(Ok(vec![7])), "use --fdp 0"),
            (placed(&[0]), namespace_facts(Ok(vec![])), "no placement handle"),
            (placed(&[0]), namespace_facts(none()), "its controller cannot place data; it takes"),
            (placed(&[0]), device_facts(Some(3)), "or --write-stream"),
            (placed(&[0]), file.clone(), "use the character device"),
            (streamed_target(&[1, 3]), device_facts(Some(3)), ""),
            (
                streamed_target(&[1, 4]),
                device_facts(Some(3)),
                "streams 1 to 3 (queue/max_write_streams), and no 4",
            ),
            (streamed_target(&[1]), device_facts(Some(0)), "reports no write streams"),
            (streamed_target(&[1]), device_facts(None), "Linux 6.16"),
            (streamed_target(&[1]), file, "file systems do not"),
            (streamed_target(&[1]), namespace_facts(none()), "use --fdp"),
            (cached, device_facts(Some(3)), "leave out -Sb"),
        ] {
            let mut errors = Vec::new();
            check(&target, &facts, &mut errors);
            let told: String = errors.iter().map(ToString::to_string).collect();
            assert!(told.contains(expected) && told.is_empty() == expected.is_empty(), "{expected}: {told}");
        }
    }

    #[test]
    fn threads_use_handles_and_streams_round_robin() {
        let facts = namespace_facts(Ok(vec![7, 0x101, 9]));
        let told = [0, 1, 2, 3].map(|thread| placement_identifier(&placed(&[1, 0]), &facts, thread));
        assert_eq!(told, [Some(0x101), Some(7), Some(0x101), Some(7)]);
        assert_eq!(placement_identifier(&Target::default(), &facts, 0), None);
        assert_eq!([0, 1, 2].map(|thread| stream_number(&streamed_target(&[3, 255]), thread)), [3, 255, 3]);
        assert_eq!(stream_number(&Target::default(), 0), 0);
    }

    #[test]
    fn only_io_uring_names_streams() {
        let (target, facts) = (streamed_target(&[1]), device_facts(Some(3)));
        for (engine, suited) in [
            (EngineKind::Uring, true),
            (EngineKind::Sim, true),
            (EngineKind::Aio, false),
            (EngineKind::Sync, false),
        ] {
            assert_eq!(suits(engine, &[(&target, &facts)]).is_ok(), suited, "{engine:?}");
            assert!(suits(engine, &[(&Target::default(), &facts)]).is_ok());
        }
    }
}
