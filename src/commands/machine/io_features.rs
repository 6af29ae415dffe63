//! I/O modes not supported by every kernel, file system and device, reported by `doctor`. Each is a row of
//! the table used for plans, and is checked by the functions that a run uses.

use crate::engine::MakeEngine;
use crate::engines::EngineKind;
use crate::host::completion_probe::polling;
use crate::host::{discards, io_features, zones};
use crate::machine::completion::Polling;
use crate::machine::io_features::{AtomicWrites, IO_WAYS, IoFeature, IoFeatureSupport, IoWayRow};
use crate::machine::zones::ZoneFacts;
use crate::message_error::MessageError;
use crate::profile::RawText;
use crate::sys::nvme::PlacementHandle;
use crate::sys::standard_output;
use crate::units::Size;
use crate::units::table::{self, Cell, TableColumn};
use serde::Serialize;
use std::path::Path;

pub(super) const UNCHECKED_TEXT: &str = "";

#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct FeatureStatus {
    target: RawText,
    way: &'static str,
    /// Option that requests the feature; empty = none.
    option: &'static str,
    works: Option<bool>,
    detail: String,
    /// First Linux version with the feature.
    since: &'static str,
    needs: &'static str,
    good_for: &'static str,
}

struct FeatureTarget<'a> {
    path: &'a Path,
    found: IoFeatureSupport,
}

type FeatureAnswer = (Option<bool>, String);

fn way_answer(way: IoFeature, place: &FeatureTarget) -> FeatureAnswer {
    match way {
        IoFeature::Uring => match EngineKind::Uring.row().available() {
            Ok(()) => yes_answer("permitted"),
            Err(why) => no_answer(why),
        },
        IoFeature::Polling => match polling(place.path) {
            Polling::Possible => yes_answer("the device has poll queues"),
            Polling::Without(device) => no_answer(format!("{device} has no poll queues")),
            Polling::NoDevice => unknown_answer("no single block device"),
        },
        IoFeature::Atomic => atomic_answer(place.found.atomic),
        IoFeature::DontCache => match &place.found.no_dont_cache {
            Some(answer) => no_answer(answer),
            None if place.path.is_file() => yes_answer("the kernel accepted a test read"),
            None => unknown_answer("checked for files only"),
        },
        IoFeature::NoWait => match &place.found.no_nowait {
            Some(answer) => no_answer(answer),
            None => yes_answer("the kernel accepted a test read"),
        },
        IoFeature::WriteHint => {
            unknown_answer("the kernel accepts them, but does not report whether the device uses them")
        }
        IoFeature::WriteStreams => match io_features::write_streams(place.path) {
            Some(0) => no_answer("the device lacks them, or is a partition"),
            Some(streams) => yes_answer(format!("{streams} of the device")),
            None => no_answer("not a block device, or the kernel reports none (queue/max_write_streams)"),
        },
        IoFeature::Discards => match discards::read_discards(place.path, false) {
            found if found.impossible.is_some() => no_answer("the device cannot discard"),
            found if found.unit > 0 => yes_answer(format!("in units of {}", Size(found.unit))),
            _ => unknown_answer("not reported"),
        },
        IoFeature::PassThrough => match io_features::pass_through(place.path) {
            Some(device) => yes_answer(device),
            None => no_answer("not on an NVMe namespace"),
        },
        IoFeature::Zoned => zoned_answer(zones::read_zones(place.path)),
        IoFeature::Protection => match io_features::namespace(place.path) {
            None => no_answer("not on an NVMe namespace, or the namespace is not responding"),
            Some(found) if found.guards_itself() => yes_answer(format!("type {}", found.protection)),
            Some(found) if found.metadata == 0 => no_answer("the namespace is formatted without metadata"),
            Some(found) => {
                no_answer(format!("{} bytes of metadata that the host has to send", found.metadata))
            }
        },
        IoFeature::DurableWrites => match io_features::durable_writes(place.path) {
            Some((false, _)) => yes_answer("the device has no volatile write cache"),
            Some((true, true)) => yes_answer("the device has FUA"),
            Some((true, false)) => yes_answer("a flush follows each: the device has no FUA"),
            None => unknown_answer("no single block device"),
        },
        IoFeature::Placement => match io_features::namespace(place.path) {
            None => no_answer("not on an NVMe namespace, or the namespace is not responding"),
            Some(found) => placement_answer(io_features::placement(place.path), found.block_size()),
        },
    }
}

const MAX_REPORTED: usize = 8;

fn placement_answer(found: Result<Vec<PlacementHandle>, MessageError>, block_size: u32) -> FeatureAnswer {
    let handles = match found {
        Err(why) => return no_answer(why),
        Ok(handles) if handles.is_empty() => return no_answer("the namespace has no placement handle"),
        Ok(handles) => handles,
    };
    let left = |handle: &PlacementHandle| handle.left_blocks.saturating_mul(block_size.into());
    let told = handles.iter().enumerate().take(MAX_REPORTED);
    let told: Vec<String> = told.map(|(at, handle)| format!("{at}: {}", Size(left(handle)))).collect();
    let more = if handles.len() > MAX_REPORTED { ", .." } else { "" };
    let count = handles.len();
    yes_answer(format!("placement handles: {count}; left in the reclaim unit of {}{more}", told.join(", ")))
}

fn zoned_answer(found: Option<ZoneFacts>) -> FeatureAnswer {
    let Some(zones) = found else { return no_answer("no sequential-write-required zones") };
    if let Some(why) = zones.unknown {
        return no_answer(why);
    }
    let limits = [("open", zones.max_open), ("active", zones.max_active)];
    let limits = limits.iter().filter(|(_, most)| *most > 0);
    let limits: String = limits.map(|(what, most)| format!(", at most {most} {what}")).collect();
    yes_answer(format!("{} of {}{limits}", zones.zones.len(), Size(zones.zone_size)))
}

fn atomic_answer(offered: Option<AtomicWrites>) -> FeatureAnswer {
    match offered {
        None => no_answer("the kernel lacks them"),
        Some(none @ AtomicWrites { unit_max: 0, .. }) => {
            no_answer(format!("no size is guaranteed, and {}", none.device_words()))
        }
        Some(offered) => {
            let [min, max] = [offered.unit_min, offered.unit_max].map(|bytes| Size(bytes.into()));
            let by = if offered.device_max == Some(0) { ", by the file system alone" } else { "" };
            yes_answer(format!("{min} to {max}{by}"))
        }
    }
}

fn yes_answer(detail: impl ToString) -> FeatureAnswer {
    (Some(true), detail.to_string())
}

fn no_answer(why: impl ToString) -> FeatureAnswer {
    (Some(false), why.to_string())
}

fn unknown_answer(why: impl ToString) -> FeatureAnswer {
    (None, why.to_string())
}

pub(super) fn probe_features(target: &RawText, path: &Path) -> Vec<FeatureStatus> {
    let place = FeatureTarget { path, found: io_features::probe_features(path) };
    let found = |row: &IoWayRow| {
        let (works, detail) = way_answer(row.way, &place);
        let IoWayRow { name: way, option, since, needs, good_for, .. } = *row;
        FeatureStatus { target: target.clone(), way, option, works, detail, since, needs, good_for }
    };
    IO_WAYS.iter().map(found).collect()
}

const COLUMNS: &[TableColumn<FeatureStatus>] = &[
    TableColumn::words("way of I/O", |row: &FeatureStatus| Cell::text(Some(row.way))).brief(),
    TableColumn::words("option", |row: &FeatureStatus| {
        Cell::text(Some(row.option).filter(|option| !option.is_empty()))
    })
    .brief(),
    TableColumn::words("works", |row: &FeatureStatus| Cell::text(Some(works_text(row)))).brief(),
    TableColumn::words("details", |row: &FeatureStatus| Cell::text(Some(&row.detail))).brief(),
    TableColumn::words("since", |row: &FeatureStatus| Cell::text(Some(row.since))).brief().spare(2),
    TableColumn::words("good for", |row: &FeatureStatus| Cell::text(Some(row.good_for))).brief().spare(1),
];

fn works_text(row: &FeatureStatus) -> &'static str {
    row.works.map_or("unknown", |works| if works { "yes" } else { "no" })
}

pub(super) fn text(found: &[FeatureStatus]) -> String {
    let of_target = |rows: &[FeatureStatus]| {
        let target = rows.first().map(|row| row.target.to_string()).unwrap_or_default();
        let heading = format!("\nways of I/O on '{target}' (since: the first Linux that has it)\n");
        heading + &table::text_within(COLUMNS, rows, standard_output::room())
    };
    found.chunk_by(|a, b| a.target == b.target).map(of_target).collect()
}
