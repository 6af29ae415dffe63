//! Construction of the checks' view of a time span.

use super::by_target::ByTarget;
use super::device::{Part, Queues};
use super::view::SpanContext;
use diskspd_profile::{TargetIds, TimeSpan};
use diskspd_results::{Measured, Record, SpanResults};

impl<'a> SpanContext<'a> {
    pub fn new(
        number: usize,
        record: &'a Record,
        asked: &'a TimeSpan,
        results: &'a SpanResults,
        measured: &'a Measured,
    ) -> SpanContext<'a> {
        let (profile, host) = (&record.profile, record.host());
        let ids = TargetIds::from_profile(profile).of_span(asked);
        let disks = host.system.environment.as_ref().map_or(&[][..], |environment| &environment.disks);
        let mut view = SpanContext {
            number,
            profile,
            rate_total: record.rate_total(),
            replays: record.run_options.as_ref().is_some_and(|run_options| run_options.replay.is_some()),
            preset: record.run_options.as_ref().and_then(|run_options| run_options.preset.as_deref()),
            program: record.program.as_deref(),
            asked,
            host,
            system: &host.system,
            results,
            measured,
            by_target: ByTarget::new(&ids, results, disks),
            ids,
            parts: Vec::new(),
            queues: Queues::default(),
        };
        if let Some(facts) = view.devices() {
            view.parts = Part::all(&view, facts);
            view.queues = Queues::from_parts(&view.parts, facts);
        }
        view
    }

    pub(super) fn the_device(&self) -> &'static str {
        if self.parts.iter().any(Part::is_remote) { "the server" } else { "the device" }
    }
}
