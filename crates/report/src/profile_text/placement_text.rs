//! DISKSPD 2.3's output about threads and buffers in a time span's block.

use diskspd_figures::units::NewestSize;
use diskspd_machine::System;
use diskspd_profile::Compat;
use diskspd_profile::{AffinityTraversal, BypassIo, Efficiency, RingBatch, TimeSpan, affinity};

pub(super) fn write(out: &mut Vec<u8>, span: &TimeSpan, tab: &str, system: &System) {
    if let Some(ring) = span.io_ring {
        let batch = match ring.batch {
            RingBatch::Count(count) => count.to_string(),
            RingBatch::Percent(percent) => format!("{percent}%"),
        };
        let with = if ring.register_buffers { "with" } else { "without" };
        put!(out, "{tab}using IoRing (batch size: {batch}) {with} registered buffers\n");
    }
    if span.disable_affinity {
        put!(out, "{tab}affinity disabled\n");
    } else {
        put!(out, "{tab}affinity assignment: {}\n", order_text(span.affinity_traversal.unwrap_or_default()));
        if !span.affinity.is_empty() {
            let entries = affinity::masks(span.affinity.iter().copied());
            let several = system.topology.groups.len() > 1;
            let label = if several { "group/cpu" } else { "cpu" };
            put!(out, "{tab}affinity ({label}): {}\n", affinity::affinity_text(&entries, several));
        }
    }
    match span.separates_buffers(Compat::V2_3) {
        false => put!(out, "{tab}buffer separation: system default\n"),
        true => {
            let bytes = NewestSize(system.buffer_separation());
            put!(out, "{tab}buffer separation: thread optimized ({bytes})\n");
        }
    }
    if let Some(depth) = span.completion_depth {
        put!(out, "{tab}completion depth: {depth}\n");
    }
}

fn order_text(order: AffinityTraversal) -> String {
    let cpus = if order.core_aware { "core-aware" } else { "cpu order" };
    let groups = if order.span_groups { "span groups" } else { "fill groups" };
    let cores = match order.efficiency {
        Efficiency::PFirst => "P-cores first",
        Efficiency::Unordered => "no P/E order",
        Efficiency::EFirst => "E-cores first",
        Efficiency::FillPFirst => "fill P-cores first",
        Efficiency::FillEFirst => "fill E-cores first",
    };
    format!("{cpus}, {groups}, {cores}")
}

pub(super) fn bypass_io(mode: BypassIo) -> &'static str {
    match mode {
        BypassIo::Partial => "allow partial",
        BypassIo::Full => "full bypass",
    }
}
