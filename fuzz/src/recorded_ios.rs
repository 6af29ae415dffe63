//! Fuzz target: files of recorded I/Os in any format never cause a panic. Accepted ones yield a valid
//! profile that can be written and read again.

use diskspd::finding::Severity;
use diskspd::profile::validate::validate;
use diskspd::profile::xml;
use diskspd::report::profile_xml;
use diskspd::trace::formats::TakenIos;
use diskspd::trace::replay::{ReplayBuilder, ReplayTurns};
use diskspd::trace::{IoCollector, IoFigures, RateChoice, TraceSource, fit, formats, text};
use std::sync::Arc;

pub fn check(data: &[u8]) {
    let mut collector = IoCollector::default();
    let found = formats::read(data, &TakenIos::default(), &mut |_, event| {
        collector.take(event);
        Ok(())
    });
    let mut again = ReplayBuilder::new(data.len() % 2 == 0);
    let replayed = formats::read(data, &TakenIos::default(), &mut |line, event| again.take(line, event));
    if replayed.is_ok() {
        let list = Arc::new(again.finish(true));
        let mut turns = ReplayTurns::new(Arc::clone(&list), 1 + data.len() as u32, 1, 3);
        let _ = turns.overdue(list.length_ns());
        while turns.peek().is_some() {
            turns.advance();
        }
    }
    if let Err(error) = found {
        return assert!(!error.to_string().is_empty());
    }
    let Some(figures) = IoFigures::from_trace(&collector.finish()) else { return };
    let fitted = fit(&figures, RateChoice::AsSeen);
    assert!(!text(&TraceSource { name: "x".into(), is_live: false }, &figures, &fitted).is_empty());
    let mut written = Vec::new();
    profile_xml::write_profile(&mut written, &fitted.profile, 0);
    let again = xml::read(&written).expect("what is written is read");
    assert_eq!(again.time_spans[0].targets[0].block_size, fitted.profile.time_spans[0].targets[0].block_size);
    let wrong = validate(&fitted.profile, true);
    assert!(wrong.iter().all(|finding| finding.severity != Severity::Error), "{wrong:?}");
}
